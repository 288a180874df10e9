// The program that this library is loaded in.
#pragma once

namespace pm::hip {

/// The generation of HIP that the process was linked for: the highest N of the libamdhip64.so.N that its objects need,
/// or that of HIP's header where none needs one. Some answers of the API differ between generations.
int hip_generation();

} // namespace pm::hip
