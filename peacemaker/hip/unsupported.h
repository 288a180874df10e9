#pragma once

namespace pm::hip {

/// Notes that a function was called that this device does not have. Answers hipErrorNotSupported.
int unsupported_call(const char* name);

} // namespace pm::hip
