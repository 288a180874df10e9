// The embedded device: every kernel of a code object is launched; or, where the bytes are none, they are a chip's
// number and the instructions of a kernel. Whatever they are, a launch ends after its budget of instructions, and
// touches nothing but device memory.
#include "peacemaker/emu/launch.h"
#include "tests/fuzz/fuzz.h"

#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace pm;

constexpr std::uint64_t kMemoryBytes = 64u << 20;
constexpr std::uint64_t kBudget = 300; // instructions a wave
constexpr std::uint64_t kBufferBytes = 4096;

/// One kernel of these instructions: a buffer's address in s[0:1] as kernarg, every register, LDS and scratch.
CodeObject object_of(const Chip& chip, std::string_view code) {
    CodeObject object;
    object.chip = &chip;
    object.bytes = code;
    Segment segment;
    segment.memory_size = segment.file_size = object.bytes.size();
    segment.executable = true;
    object.segments.push_back(segment);
    Kernel kernel;
    kernel.name = "words";
    kernel.code_size = object.bytes.size();
    kernel.resources.kernarg = kernel.descriptor.kernarg_size = 64;
    kernel.descriptor.group_segment_fixed_size = 256;
    kernel.descriptor.private_segment_fixed_size = 64;
    // All VGPRs, f16, f32 and f64 subnormals kept; two user SGPRs: the kernarg segment's address; waves of 32.
    kernel.descriptor.compute_pgm_rsrc1 = 0x3fu | 0xfu << 16;
    kernel.descriptor.compute_pgm_rsrc2 = 2u << 1 | 7u << 7;
    kernel.descriptor.kernel_code_properties = 1u << 3 | 1u << 10;
    object.kernels.push_back(kernel);
    return object;
}

/// Buffers where the metadata has buffers, small numbers elsewhere; without metadata addresses alone.
std::vector<std::byte> arguments_of(const Kernel& kernel, std::uint64_t buffer) {
    std::vector<std::byte> bytes(std::min<std::size_t>(kernel.resources.kernarg, kBufferBytes));
    for (std::size_t i = 0; kernel.arguments.empty() && i + 8 <= bytes.size(); i += 8)
        std::memcpy(bytes.data() + i, &buffer, 8);
    for (const KernelArgument& a : kernel.arguments) {
        const std::uint64_t value = a.value_kind == "global_buffer" ? buffer : 33;
        if (!a.hidden() && a.offset + a.size <= bytes.size())
            std::memcpy(bytes.data() + a.offset, &value, std::min<std::size_t>(a.size, 8));
    }
    return bytes;
}

void launch_all(CodeObject object) {
    emu::Memory memory(kMemoryBytes);
    const std::vector<Kernel> kernels = object.kernels;
    emu::Allocation* const buffer = memory.allocate(kBufferBytes);
    const auto module = emu::load_module(std::move(object), memory);
    if (!module) return;
    const std::uint64_t before = memory.allocated_bytes();
    for (const Kernel& kernel : kernels) {
        const std::vector<std::byte> arguments = arguments_of(kernel, buffer->address);
        emu::LaunchRequest request;
        request.kernel = kernel.name;
        request.grid = {2, 1, 1};
        request.block = {48, 1, 1};
        request.kernarg = arguments;
        request.threads = 1;
        request.max_instructions = kBudget;
        request.print = [](std::string_view, bool) {};
        const auto report = emu::launch(memory, **module, request);
        // Four waves.
        fuzz::require(!report || report->instructions <= 4 * (kBudget + 1), "a launch ends after its budget");
        fuzz::require(memory.allocated_bytes() == before, "a launch leaves no memory behind");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = fuzz::view(data, size);
    if (auto object = parse_code_object(bytes, "input")) {
        launch_all(std::move(*object));
    } else if (size > 4 && !bytes.starts_with("\x7f"
                                              "ELF")) {
        const std::span<const Chip> all = chips();
        launch_all(object_of(all[data[0] % all.size()], bytes.substr(1)));
    }
    return 0;
}
