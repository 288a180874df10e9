#include "peacemaker/emu/coverage.h"

#include "peacemaker/emu/program.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/unsupported.h"
#include "peacemaker/isa/samples.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include <fmt/format.h>

namespace pm::emu {
namespace {

// All samples as the code of one kernel, in the default modes of a compute kernel.
CodeObject object_of(const Chip& chip, const std::vector<isa::Sample>& samples) {
    CodeObject object;
    object.chip = &chip;
    for (const isa::Sample& s : samples) object.bytes += s.bytes;
    Segment segment;
    segment.memory_size = segment.file_size = object.bytes.size();
    segment.executable = true;
    object.segments.push_back(segment);
    Kernel kernel;
    kernel.name = "samples";
    kernel.code_size = object.bytes.size();
    kernel.descriptor.compute_pgm_rsrc1 = 0xfu << 16 | 1u << 30; // subnormals kept, loads in order
    object.kernels.push_back(kernel);
    return object;
}

Support support_of(const Row& row) {
    return row.exactness == Exactness::kApproximate ? Support::kApproximate : Support::kExact;
}

struct Counts {
    std::array<std::size_t, 4> of{};
    std::size_t all() const { return of[0] + of[1] + of[2] + of[3]; }
};

std::string count_line(std::string_view cls, const Counts& c) {
    return fmt::format("{:8} {:6} {:6} {:6} {:6} {:6}\n", cls, c.all(), c.of[0], c.of[1], c.of[2], c.of[3]);
}

} // namespace

std::string_view support_name(Support support) {
    static constexpr std::array<std::string_view, 4> kNames = {"exact", "approximate", "unsupported", "not-compute"};
    return kNames[static_cast<std::size_t>(support)];
}

std::vector<InstructionSupport> coverage_of(const Chip& chip, isa::Disassembler& disassembler) {
    std::vector<isa::Sample> samples = isa::samples_of(disassembler);
    std::erase_if(samples,
                  [&](const isa::Sample& s) { return !isa::is_compute(isa::class_of(disassembler, s.opcode)); });
    const CodeObject object = object_of(chip, samples);
    const auto program = lift(object, object.kernels.front(), disassembler);
    std::vector<InstructionSupport> table;
    if (!program) return table;
    std::map<std::uint32_t, const Inst*> at;
    for (const Inst& inst : (*program)->insts) at.emplace(inst.offset, &inst);
    std::uint32_t offset = 0;
    for (isa::Sample& s : samples) {
        const isa::OpcodeName& name = disassembler.opcode(s.opcode);
        InstructionSupport entry;
        entry.name = disassembler.mc_name(s.opcode);
        entry.cls = isa::class_of(disassembler, s.opcode);
        if (const auto decoded = disassembler.decode(s.bytes, offset))
            entry.text = disassembler.text(decoded->inst, offset);
        const auto found = at.find(offset);
        // A hint leaves nothing in the program.
        const Row* const row = found == at.end() ? find_row(name.base) : found->second->row;
        if (row != nullptr) {
            entry.support = support_of(*row);
            entry.note = row->note;
        } else {
            const Unsupported* const why = why_unsupported(name.base);
            entry.support = why != nullptr && why->not_compute ? Support::kNotCompute : Support::kUnsupported;
            if (why != nullptr) entry.note = why->reason;
        }
        offset += static_cast<std::uint32_t>(s.bytes.size());
        entry.bytes = std::move(s.bytes);
        table.push_back(std::move(entry));
    }
    std::sort(table.begin(), table.end(), [](const InstructionSupport& a, const InstructionSupport& b) {
        return std::tie(a.cls, a.name) < std::tie(b.cls, b.name);
    });
    return table;
}

std::string coverage_summary(const std::vector<InstructionSupport>& table) {
    std::map<std::string_view, Counts> by_class;
    Counts all;
    for (const InstructionSupport& i : table) {
        ++by_class[i.cls].of[static_cast<std::size_t>(i.support)];
        ++all.of[static_cast<std::size_t>(i.support)];
    }
    std::string text =
        fmt::format("{:8} {:>6} {:>6} {:>6} {:>6} {:>6}\n", "class", "all", "exact", "approx", "unsupp", "no-cmp");
    for (const auto& [cls, counts] : by_class) text += count_line(cls, counts);
    return text + count_line("total", all);
}

std::string coverage_text(const std::vector<InstructionSupport>& table, std::string_view only) {
    std::string text;
    for (const InstructionSupport& i : table) {
        const std::string_view support = support_name(i.support);
        if (!only.empty() && only != support) continue;
        text += fmt::format("{:8} {:11} {:48} {}", i.cls, support, i.name, i.text);
        if (!i.note.empty()) text += fmt::format("  [{}]", i.note);
        text += '\n';
    }
    return text + (text.empty() ? "" : "\n") + coverage_summary(table);
}

} // namespace pm::emu
