// Whole files against the compilers' bytes, objdump's text, and damage of every table.
#include "peacemaker/lift/file.h"

#include "peacemaker/object/code_object.h"
#include "tests/lift/lift_objects.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

namespace {

namespace elf = llvm::ELF;
using pm::lift::File;
using pm::lift::Function;
using pm::lift::Part;
using pm::testing::lift_object;

File lifted(const std::string& bytes) {
    auto file = pm::lift::lift(bytes);
    EXPECT_TRUE(file) << file.error().text;
    return file ? std::move(*file) : File();
}

std::vector<const Function*> functions_of(const File& file) {
    std::vector<const Function*> found;
    for (const Part& part : file.parts)
        if (const auto* function = std::get_if<Function>(&part.content)) found.push_back(function);
    return found;
}

void expect_whole(const File& file, const std::string& bytes) {
    for (const auto& one : file.unchecked)
        ADD_FAILURE() << fmt::format("{:#x}: {}: {}", one.offset, one.part, one.reason);
    EXPECT_EQ(file.equal, bytes.size());
    EXPECT_TRUE(pm::lift::emit(file) == bytes);
}

/// What holds for every answer: parts in order inside the file, and bytes that are not unchecked come back.
void expect_sound(const File& file, const std::string& bytes, const std::string& what) {
    std::vector<bool> unchecked(bytes.size());
    for (const auto& one : file.unchecked)
        for (std::uint64_t i = one.offset; i < bytes.size() && i - one.offset < one.size; ++i) unchecked[i] = true;
    std::uint64_t end = 0;
    for (const Part& part : file.parts) {
        ASSERT_GE(part.offset, end) << what;
        ASSERT_LE(part.offset + part.size, bytes.size()) << what;
        for (std::uint64_t i = end; i < part.offset; ++i) ASSERT_TRUE(unchecked[i]) << what << ": byte " << i;
        end = part.offset + part.size;
    }
    for (std::uint64_t i = end; i < bytes.size(); ++i) ASSERT_TRUE(unchecked[i]) << what << ": byte " << i;
    const std::string out = pm::lift::emit(file);
    ASSERT_EQ(out.size(), bytes.size()) << what;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        ASSERT_TRUE(unchecked[i] || out[i] == bytes[i]) << what << ": byte " << i;
    ASSERT_EQ(file.equal, static_cast<std::uint64_t>(std::count(unchecked.begin(), unchecked.end(), false))) << what;
}

TEST(Lift, CompilersFilesComeBack) {
    for (const std::string compiler : {"clang++-22", "clang++-19"})
        for (const pm::Chip& chip : pm::chips())
            for (const std::string level : {"-O0", "-O3"}) {
                SCOPED_TRACE(compiler + " " + chip.name + " " + level);
                const std::string& bytes = lift_object(compiler, chip.name, {level});
                const File file = lifted(bytes);
                expect_whole(file, bytes);
                EXPECT_EQ(file.chip, &chip);
                std::set<std::string> kernels;
                std::size_t device = 0;
                for (const Function* function : functions_of(file))
                    function->kernel ? void(kernels.insert(function->name)) : void(++device);
                EXPECT_EQ(kernels, (std::set<std::string>{"sum", "zero"}));
                EXPECT_EQ(device, 1u);
            }
}

TEST(Lift, ListingsAreWhatObjdumpPrints) {
    for (const pm::Chip& chip : pm::chips()) {
        const std::string& bytes = lift_object("clang++-22", chip.name, {"-O3"});
        const File file = lifted(bytes);
        const auto printed = pm::testing::objdump(bytes);
        ASSERT_TRUE(printed) << printed.error().text;
        std::map<std::uint64_t, std::string> by_address;
        for (const auto& one : *printed) by_address[one.address] = one.text;
        std::size_t compared = 0;
        for (const Function* function : functions_of(file))
            for (const auto& one : pm::lift::listing_of(file, *function)) {
                EXPECT_EQ(by_address[function->address + one.at], one.text) << chip.name;
                ++compared;
            }
        EXPECT_GT(compared, 40u);
    }
}

TEST(Lift, OtherKindsOfFilesComeBack) {
    for (const pm::Chip& chip : pm::chips())
        for (const std::vector<std::string>& flags :
             std::vector<std::vector<std::string>>{{"-g", "-O1"},
                                                   {"-O2", "-mwavefrontsize64"},
                                                   {"-O0", "-mwavefrontsize64"},
                                                   {"-O1", "-mcode-object-version=4"}}) {
            SCOPED_TRACE(fmt::format("{} {}", chip.name, fmt::join(flags, " ")));
            const std::string& bytes = lift_object("clang++-22", chip.name, flags);
            const File file = lifted(bytes);
            expect_whole(file, bytes);
            const bool wave64 = flags.back() == "-mwavefrontsize64";
            for (const Function* function : functions_of(file)) EXPECT_EQ(function->wave, wave64 ? 64u : 32u);
        }
    // A relocatable file, whose relocations are still there.
    const auto relocatable = pm::testing::assemble("gfx1151", R"(
        .text
        .globl f
        .type f,@function
f:      s_getpc_b64 s[0:1]
        s_add_u32 s0, s0, g@rel32@lo+4
        s_addc_u32 s1, s1, g@rel32@hi+12
        s_setpc_b64 s[0:1]
.Lend:  .size f, .Lend-f
)");
    ASSERT_TRUE(relocatable) << relocatable.error().text;
    const File file = lifted(*relocatable);
    expect_whole(file, *relocatable);
    EXPECT_TRUE(std::any_of(file.parts.begin(), file.parts.end(), [](const Part& part) {
        const auto* rows = std::get_if<pm::lift::RelocationsWithAddend>(&part.content);
        return rows != nullptr && rows->rows.size() == 2;
    }));
}

/// The object that the tests below damage, and where its parts are.
class Damage : public ::testing::Test {
protected:
    Damage() : bytes_(lift_object("clang++-22", "gfx1151", {"-O3"})), file_(lifted(bytes_)) {
        std::memcpy(&header_, bytes_.data(), sizeof header_);
    }

    const Part& part(std::string_view name) const {
        for (const Part& one : file_.parts)
            if (one.name == name) return one;
        ADD_FAILURE() << "no part " << name;
        return file_.parts.front();
    }

    /// The offset of a field of the header of the first section of that type.
    std::uint64_t section_field(std::uint32_t type, std::size_t field) const {
        for (std::uint64_t i = 0; i < header_.e_shnum; ++i) {
            elf::Elf64_Shdr section{};
            const std::uint64_t at = header_.e_shoff + i * sizeof section;
            std::memcpy(&section, bytes_.data() + at, sizeof section);
            if (section.sh_type == type) return at + field;
        }
        ADD_FAILURE() << "no section of type " << type;
        return 0;
    }

    template <typename T>
    std::string with(std::uint64_t offset, T value) const {
        std::string bytes = bytes_;
        std::memcpy(bytes.data() + offset, &value, sizeof value);
        return bytes;
    }

    /// The damaged file has something unchecked at `offset` that says `reason`.
    static void expect_unchecked(const std::string& bytes, std::uint64_t offset, const std::string& reason) {
        const auto file = pm::lift::lift(bytes);
        ASSERT_TRUE(file) << file.error().text;
        expect_sound(*file, bytes, reason);
        std::string all;
        for (const auto& one : file->unchecked) {
            all += fmt::format("{:#x} +{:#x}: {}: {}\n", one.offset, one.size, one.part, one.reason);
            if (one.offset == offset && one.reason.find(reason) != std::string::npos) return;
        }
        ADD_FAILURE() << fmt::format("nothing at {:#x} says \"{}\" in:\n{}", offset, reason, all);
    }

    std::string bytes_;
    File file_;
    elf::Elf64_Ehdr header_{};
};

TEST_F(Damage, OfTablesIsUncheckedWhereItIs) {
    constexpr std::uint32_t kWord = 4;
    const std::uint64_t descriptor = part(".rodata: sum.kd").offset;
    expect_unchecked(with<std::uint8_t>(descriptor + 12, 1), descriptor, "reserved bytes are not zero");
    const std::uint64_t entry = descriptor + offsetof(llvm::amdhsa::kernel_descriptor_t, kernel_code_entry_byte_offset);
    expect_unchecked(with<std::uint32_t>(entry, 0x100), part(".text: sum").offset, "its descriptor starts it at");
    const Part& gnu = part(".gnu.hash");
    const std::uint64_t last = gnu.offset + gnu.size - kWord;
    expect_unchecked(with<std::uint8_t>(last, static_cast<std::uint8_t>(bytes_[last] ^ 1)), last, "GNU hash table");
    expect_unchecked(with<std::uint32_t>(gnu.offset, 0xffffffff), gnu.offset, "expected");
    const Part& sysv = part(".hash");
    expect_unchecked(with<std::uint32_t>(sysv.offset + 8, 77), sysv.offset + 8, "hash table");
    expect_unchecked(with<std::uint32_t>(sysv.offset + 4, 0x7fffffff), sysv.offset, "expected");
    const Part& texts = part(".dynstr");
    expect_unchecked(with<char>(texts.offset + texts.size - 1, 'x'), texts.offset, "has no end");
    const Part& symbols = part(".dynsym");
    expect_unchecked(with<std::uint32_t>(symbols.offset + sizeof(elf::Elf64_Sym), 0x10000),
                     symbols.offset + sizeof(elf::Elf64_Sym), "symbol 1 has no name");
    const Part& notes = part(".note");
    expect_unchecked(with<std::uint8_t>(notes.offset + 20, 0xd4), notes.offset, "metadata");
    expect_unchecked(with<std::uint32_t>(notes.offset + 4, 0xfffffff0), notes.offset, "a note that is cut off");
    for (const Part& zeros : file_.parts)
        if (zeros.name == "between parts") {
            expect_unchecked(with<char>(zeros.offset, 1), zeros.offset, "no table speaks of these bytes");
            break;
        }
}

TEST_F(Damage, OfCodeIsUncheckedWhereItIs) {
    const Part& code = part(".text: sum");
    const auto& function = std::get<Function>(code.content);
    const std::uint64_t third = code.offset + function.instructions[2].at;
    expect_unchecked(with<std::uint32_t>(third, 0xffffffff), third, "no instruction of gfx1151");
    const Part& fill = part(".text");
    ASSERT_TRUE(std::holds_alternative<pm::lift::Fill>(fill.content));
    // s_nop 1 fills nothing: LLVM fills with s_nop 0 and s_code_end.
    for (const std::uint32_t word : {0x12345678u, 0xbf800001u})
        expect_unchecked(with(fill.offset + 4, word), fill.offset + 4, "neither padding nor part of a function");
    const auto first = std::find_if(file_.parts.begin(), file_.parts.end(),
                                    [](const Part& one) { return one.name.starts_with(".text"); });
    expect_unchecked(with<std::uint32_t>(offsetof(elf::Elf64_Ehdr, e_flags), 0xff), first->offset,
                     "a chip that is not known (EF_AMDGPU_MACH 0xff)");
}

TEST_F(Damage, OfHeadersIsUncheckedWhereItIs) {
    constexpr std::uint64_t kHuge = std::uint64_t{1} << 63;
    const auto field = [](std::size_t offset) { return offset; };
    expect_unchecked(with<std::uint64_t>(field(offsetof(elf::Elf64_Ehdr, e_shoff)), 0),
                     offsetof(elf::Elf64_Ehdr, e_shoff), "no section headers");
    expect_unchecked(with<std::uint64_t>(field(offsetof(elf::Elf64_Ehdr, e_shoff)), kHuge), kHuge, "leave the file");
    expect_unchecked(with<std::uint16_t>(field(offsetof(elf::Elf64_Ehdr, e_shnum)), 0xffff), header_.e_shoff,
                     "leave the file");
    expect_unchecked(with<std::uint16_t>(field(offsetof(elf::Elf64_Ehdr, e_shnum)), 0),
                     offsetof(elf::Elf64_Ehdr, e_shnum), "the number of sections");
    expect_unchecked(with<std::uint16_t>(field(offsetof(elf::Elf64_Ehdr, e_shentsize)), 40),
                     offsetof(elf::Elf64_Ehdr, e_shentsize), "section headers of 40 bytes");
    expect_unchecked(with<std::uint16_t>(field(offsetof(elf::Elf64_Ehdr, e_phentsize)), 40),
                     offsetof(elf::Elf64_Ehdr, e_phentsize), "program headers of 40 bytes");
    expect_unchecked(with<std::uint16_t>(field(offsetof(elf::Elf64_Ehdr, e_phnum)), 0xffff), header_.e_phoff,
                     "leave the file");
    expect_unchecked(with<std::uint16_t>(field(offsetof(elf::Elf64_Ehdr, e_ehsize)), 63),
                     offsetof(elf::Elf64_Ehdr, e_ehsize), "said to have 63 bytes");
    expect_unchecked(with<std::uint16_t>(field(offsetof(elf::Elf64_Ehdr, e_shstrndx)), 0xfff0), header_.e_shoff,
                     "section 0 has no name");
    const std::uint64_t notes = section_field(elf::SHT_NOTE, offsetof(elf::Elf64_Shdr, sh_offset));
    expect_unchecked(with<std::uint64_t>(notes, kHuge), kHuge, "leave the file");
    expect_unchecked(with<std::uint64_t>(notes, part(".dynsym").offset), part(".dynsym").offset, "another part's, too");
    expect_unchecked(with<std::uint64_t>(section_field(elf::SHT_NOTE, offsetof(elf::Elf64_Shdr, sh_size)), ~0ULL),
                     part(".note").offset, "leave the file");
    expect_unchecked(with<std::uint32_t>(section_field(elf::SHT_NOTE, offsetof(elf::Elf64_Shdr, sh_type)), 0x1234),
                     part(".note").offset, "a section of type 0x1234");
    expect_unchecked(with<std::uint64_t>(section_field(elf::SHT_DYNAMIC, offsetof(elf::Elf64_Shdr, sh_entsize)), 8),
                     part(".dynamic").offset, "rows of 8 bytes");
    expect_unchecked(with<std::uint32_t>(section_field(elf::SHT_DYNSYM, offsetof(elf::Elf64_Shdr, sh_link)), 99),
                     part(".dynsym").offset, "symbol 0 has no name");
}

TEST_F(Damage, OfWhatMakesItACodeObjectIsAnError) {
    struct Case {
        std::string bytes, said;
    };
    for (const Case& c : {
             Case{"", "offset 0x0"},
             Case{"text", "offset 0x0"},
             Case{bytes_.substr(0, 63), "offset 0x3f: cut off"},
             Case{with<char>(elf::EI_CLASS, 1), "offset 0x4"},
             Case{with<char>(elf::EI_DATA, 2), "offset 0x4"},
             Case{with<std::uint16_t>(offsetof(elf::Elf64_Ehdr, e_machine), 62),
                  "offset 0x12: an ELF file for machine 62"},
         }) {
        const auto file = pm::lift::lift(c.bytes);
        ASSERT_FALSE(file);
        EXPECT_NE(file.error().text.find(c.said), std::string::npos) << file.error().text;
    }
}

TEST_F(Damage, ByCuttingItOffIsSeenEverywhere) {
    std::vector<std::size_t> sizes;
    for (const Part& one : file_.parts)
        for (const std::uint64_t size :
             {one.offset, one.offset + 1, one.offset + one.size / 2, one.offset + one.size - 1})
            sizes.push_back(size);
    for (const std::size_t size : sizes) {
        const std::string bytes = bytes_.substr(0, size);
        const auto file = pm::lift::lift(bytes);
        if (size < sizeof(elf::Elf64_Ehdr)) {
            EXPECT_FALSE(file) << size;
            continue;
        }
        ASSERT_TRUE(file) << size;
        EXPECT_FALSE(file->unchecked.empty()) << "cut off at " << size;
        expect_sound(*file, bytes, fmt::format("cut off at {}", size));
    }
}

// A file that names the same long text, or the same bytes, from everywhere takes no more than its length tells.
TEST_F(Damage, ByManySectionsOfTheSameBytesIsNoWork) {
    std::string bytes = bytes_;
    elf::Elf64_Ehdr header = header_;
    header.e_shoff = (bytes.size() + 7) / 8 * 8;
    header.e_shnum = 0xfeff;
    std::memcpy(bytes.data(), &header, sizeof header);
    bytes.resize(header.e_shoff);
    for (std::uint32_t i = 0; i < header.e_shnum; ++i) {
        elf::Elf64_Shdr section{};
        constexpr std::uint32_t kTypes[] = {elf::SHT_SYMTAB, elf::SHT_STRTAB,   elf::SHT_HASH,
                                            elf::SHT_NOTE,   elf::SHT_PROGBITS, elf::SHT_GNU_HASH};
        section.sh_type = kTypes[i % std::size(kTypes)];
        section.sh_offset = i;
        section.sh_size = std::uint64_t{64} * header.e_shnum;
        section.sh_entsize = sizeof(elf::Elf64_Sym);
        section.sh_link = i / 2;
        bytes.append(reinterpret_cast<const char*>(&section), sizeof section);
    }
    const File file = lifted(bytes);
    EXPECT_FALSE(file.unchecked.empty());
    EXPECT_EQ(pm::lift::emit(file).size(), bytes.size());
}

// Random damage, most of it in the tables: an error or an answer that holds together.
TEST_F(Damage, OfAnyKindIsAnErrorOrUnchecked) {
    std::mt19937 random(2026);
    std::vector<const Part*> tables;
    for (const Part& one : file_.parts)
        if (!std::holds_alternative<Function>(one.content) && !std::holds_alternative<pm::lift::Fill>(one.content))
            tables.push_back(&one);
    constexpr std::uint64_t kTelling[] = {0, 1, 0x7fffffff, 0xffffffff, std::uint64_t{1} << 63, ~std::uint64_t{0}};
    std::size_t unchecked = 0;
    for (int round = 0; round < 600; ++round) {
        std::string bytes = bytes_;
        for (std::uint32_t i = 0; i <= random() % 4; ++i) {
            const Part& at = *tables[random() % tables.size()];
            const std::uint64_t offset = random() % 8 == 0 ? random() % bytes.size() : at.offset + random() % at.size;
            if (random() % 2 == 0)
                bytes[offset] = static_cast<char>(random());
            else if (offset / 8 * 8 + 8 <= bytes.size())
                std::memcpy(bytes.data() + offset / 8 * 8, &kTelling[random() % std::size(kTelling)], 8);
        }
        if (random() % 16 == 0) bytes.resize(random() % bytes.size());
        const auto file = pm::lift::lift(bytes);
        if (!file) continue;
        unchecked += file->unchecked.empty() ? 0 : 1;
        expect_sound(*file, bytes, fmt::format("round {}", round));
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(unchecked, 100u);
}

} // namespace
