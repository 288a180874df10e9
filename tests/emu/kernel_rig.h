// Kernels written in assembly for a test: built by llvm-mc and ld.lld into a code object, loaded, launched.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/emu/launch.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace pm::testing {

/// One kernel. After the prologue s[8:9] is the kernarg segment, s10..s12 the workgroup's id, v0 the work-item's
/// (packed from gfx11 on where `ids` > 0). Instructions that the chips call differently are macros: wait_vm N,
/// wait_all.
struct KernelText {
    std::string name;
    std::string body;           // without s_endpgm
    std::uint32_t pointers = 2; // explicit arguments of 8 bytes
    std::string more_arguments; // YAML lines of the metadata, after those
    std::uint32_t kernarg = 0;  // bytes; 0: those of the pointers
    std::uint32_t vgprs = 32, scratch = 0, lds = 0, max_block = 1024, ids = 0;
    bool flush = false;       // f32 subnormals are flushed
    std::string directives{}; // further lines of .amdhsa_kernel
    bool flat_scratch = true; // gfx10: the prologue sets up FLAT_SCRATCH where there is scratch
    bool dynamic_stack = false;
    bool wave64 = false; // all kernels of an object alike
};

/// The whole assembly file.
std::string assembly_of(const Chip& chip, const std::vector<KernelText>& kernels);

/// A loaded code object and a device memory for one test.
class Rig {
public:
    /// Fails the current test where the kernels cannot be built; ok() tells.
    Rig(const Chip& chip, const std::vector<KernelText>& kernels);
    /// A code object that is built already.
    explicit Rig(std::string_view code_object);
    bool ok() const { return module_ != nullptr; }

    /// A buffer of exactly the size of `words`, defined. Lives as long as the rig.
    template <typename T>
    emu::Allocation* buffer(const std::vector<T>& words) {
        emu::Allocation* a = memory.allocate(words.size() * sizeof(T));
        std::memcpy(a->data, words.data(), a->size);
        emu::Memory::set_defined(*a, a->address, a->size);
        emu::Memory::settle(*a);
        return a;
    }
    /// A buffer that was never written.
    emu::Allocation* fresh(std::uint64_t bytes) { return memory.allocate(bytes); }

    /// One argument after the other; pointers as the address.
    template <typename... T>
    static std::vector<std::byte> pack(const T&... arguments) {
        std::vector<std::byte> bytes;
        (append(bytes, arguments), ...);
        return bytes;
    }

    /// Launches on one thread unless told otherwise. Fails the test where the launch is refused.
    emu::Report launch(const std::string& kernel, const std::vector<std::byte>& kernarg,
                       std::array<std::uint32_t, 3> grid = {1, 1, 1}, std::array<std::uint32_t, 3> block = {32, 1, 1},
                       std::uint32_t threads = 1);
    Result<emu::Report> launch(const emu::LaunchRequest& request) { return emu::launch(memory, *module_, request); }
    const CodeObject& object() const { return emu::code_object_of(*module_); }

    emu::Memory memory;

private:
    // At the next multiple of its own size.
    static void append(std::vector<std::byte>& bytes, const void* value, std::size_t size);
    template <typename T>
    static void append(std::vector<std::byte>& bytes, const T& value) {
        if constexpr (std::is_pointer_v<T>)
            append(bytes, value->address);
        else
            append(bytes, &value, sizeof value);
    }
    void load(std::string_view code_object);

    std::shared_ptr<emu::Module> module_;
};

/// The contents of a buffer.
template <typename T>
std::vector<T> words_of(const emu::Allocation* a) {
    std::vector<T> words(a->size / sizeof(T));
    std::memcpy(words.data(), a->data, words.size() * sizeof(T));
    return words;
}

/// "kind at instruction (xCOUNT): detail", one a line; "unsupported: .." lines too. Empty where there is nothing to
/// say.
std::string text_of(const emu::Report& report);
/// The kinds in the findings' order.
std::vector<emu::FindingKind> kinds_of(const emu::Report& report);

} // namespace pm::testing
