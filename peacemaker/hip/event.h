// Events as other calls need them.
#pragma once

#include "peacemaker/hip/runtime.h"

namespace pm::hip {

/// Records an event on a stream, as hipEventRecord does.
hipError_t record(Runtime& runtime, hipEvent_t event, hipStream_t stream);

} // namespace pm::hip
