// A code object as HIP programs hand it over: an address without a size.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/object/code_object.h"

#include <hip/hip_runtime_api.h>

#include <string>
#include <string_view>
#include <variant>

namespace pm::hip {

/// Why an image was not loaded: HIP's code, and the text.
struct LoadFailure {
    hipError_t code = hipErrorInvalidImage;
    std::string text;
};

/// The bytes of the image at `image`, as far as its own tables say. Memory that cannot be read is an error, not a
/// fault.
Result<std::string> read_image(const void* image);

/// The code object for `chip` in those bytes: an ELF file or an offload bundle, plain or compressed.
std::variant<CodeObject, LoadFailure> parse_image(std::string_view bytes, const std::string& where, const Chip& chip);

} // namespace pm::hip
