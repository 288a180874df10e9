// A finding for a person.
#pragma once

#include "peacemaker/emu/report.h"

#include <string>

namespace pm {

/// A paragraph: kind, kernel, instruction and source line, what was accessed, and the first work-item concerned.
std::string finding_text(const emu::Finding& finding);

} // namespace pm
