// The execution loop: one wave, instruction by instruction, the checked path where a register's state asks for it.
#pragma once

#include "peacemaker/emu/wave.h"

namespace pm::emu {

/// Runs until the wave ends, waits at a barrier, or stops at something that is not modelled.
void run(Wave& wave);

} // namespace pm::emu
