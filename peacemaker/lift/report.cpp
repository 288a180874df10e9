#include "peacemaker/lift/report.h"

#include "peacemaker/lift/loops.h"
#include "peacemaker/lift/structure.h"
#include "peacemaker/object/bundle.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace pm::lift {
namespace {

using Json = nlohmann::ordered_json;

/// A name as it can be printed: a damaged file's names are any bytes.
std::string shown(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7f)
            out += fmt::format("\\x{:02x}", byte);
        else
            out += c;
    }
    return out;
}

template <typename F>
void for_each_function(const File& file, F f) {
    for (const Part& part : file.parts)
        if (const auto* function = std::get_if<Function>(&part.content)) f(part, *function);
}

struct Counts {
    std::size_t kernels = 0, functions = 0, instructions = 0;
};

Counts counts_of(const File& file) {
    Counts counts;
    for_each_function(file, [&](const Part&, const Function& function) {
        ++(function.kernel ? counts.kernels : counts.functions);
        counts.instructions += function.instructions.size();
    });
    return counts;
}

std::string chip_name(const File& file) { return file.chip != nullptr ? file.chip->name : "unknown chip"; }

std::string function_text(const File& file, const Function& function) {
    const std::vector<Instruction> listing = listing_of(file, function);
    std::set<std::size_t> heads;
    for (const Block& block : blocks_of(file, function, listing)) heads.insert(block.first);
    std::string out = fmt::format("\n{} {} at {:#x}, {} bytes, wave{}\n", function.kernel ? "kernel" : "function",
                                  shown(function.name), function.address, function.size, function.wave);
    for (std::size_t i = 0; i < listing.size(); ++i) {
        if (heads.contains(i)) out += fmt::format("+{:#x}:\n", listing[i].at);
        out += fmt::format("    {:<72} // {:#x}{}\n", listing[i].text, function.address + listing[i].at,
                           listing[i].target ? fmt::format(" to +{:#x}", *listing[i].target) : std::string());
    }
    return out;
}

/// "v0-v7", "s4", "vcc_lo": runs of registers of one kind.
Json register_runs(const std::bitset<isa::kRegisterCount>& set) {
    const auto named = [](std::size_t reg) -> std::string {
        if (reg < isa::kScalar) return fmt::format("v{}", reg);
        if (reg < isa::kVccLo) return fmt::format("s{}", reg - isa::kScalar);
        constexpr struct {
            isa::Register reg;
            const char* name;
        } kNamed[] = {{isa::kVccLo, "vcc_lo"},
                      {isa::kVccLo + 1, "vcc_hi"},
                      {isa::kM0, "m0"},
                      {isa::kNull, "null"},
                      {isa::kExecLo, "exec_lo"},
                      {isa::kExecLo + 1, "exec_hi"},
                      {isa::kScc, "scc"},
                      {isa::kFlatScratchLo, "flat_scratch_lo"},
                      {isa::kFlatScratchLo + 1, "flat_scratch_hi"},
                      {isa::kSharedBaseLo, "shared_base"},
                      {isa::kSharedLimitLo, "shared_limit"},
                      {isa::kPrivateBaseLo, "private_base"},
                      {isa::kPrivateLimitLo, "private_limit"},
                      {isa::kMode, "mode"}};
        for (const auto& one : kNamed)
            if (one.reg == reg) return one.name;
        if (reg >= isa::kTtmp0 && reg < isa::kM0) return fmt::format("ttmp{}", reg - isa::kTtmp0);
        return fmt::format("register {}", reg);
    };
    Json runs = Json::array();
    for (std::size_t i = 0; i < set.size(); ++i) {
        if (!set[i]) continue;
        std::size_t last = i;
        const std::size_t end = i < isa::kScalar ? isa::kScalar : i < isa::kVccLo ? isa::kVccLo : i + 1;
        while (last + 1 < end && set[last + 1]) ++last;
        runs.push_back(last == i ? named(i) : named(i) + "-" + named(last));
        i = last;
    }
    return runs;
}

Json function_json(const File& file, const Function& function) {
    const std::vector<Instruction> listing = listing_of(file, function);
    Json out = {{"name", shown(function.name)}, {"kernel", function.kernel},
                {"address", function.address},  {"bytes", function.size},
                {"wave", function.wave},        {"instructions", function.instructions.size()}};
    Json& blocks = out["blocks"] = Json::array();
    for (const Block& block : blocks_of(file, function, listing)) {
        Json edges = Json::array();
        for (const Edge& edge : block.edges) {
            Json one = {{"kind", name_of(edge.kind)}, {"to", edge.target}};
            if (edge.kind != EdgeKind::kLeaves) one["block"] = edge.block;
            edges.push_back(std::move(one));
        }
        Json one = {{"at", listing[block.first].at}, {"instructions", block.count}, {"edges", std::move(edges)}};
        if (block.indirect) one["indirect"] = true;
        blocks.push_back(std::move(one));
    }
    Json& loops = out["innermost_loops"] = Json::array();
    for (const Loop& loop : innermost_loops(listing)) {
        const Instruction& last = listing[loop.first + loop.count - 1];
        loops.push_back({{"from", listing[loop.first].at}, {"to", last.at + last.size}, {"instructions", loop.count}});
    }
    const RegisterUse use = registers_of(file, function);
    out["registers"] = {{"vgprs", use.vgprs()},
                        {"sgprs", use.sgprs()},
                        {"read", register_runs(use.read)},
                        {"written", register_runs(use.written)}};
    Json& memory = out["memory"] = Json::array();
    for (const MemoryOperation& operation : memory_operations_of(file, function))
        memory.push_back({{"at", listing[operation.index].at},
                          {"space", name_of(operation.space)},
                          {"access", name_of(operation.access)},
                          {"counters", operation.counters},
                          {"text", listing[operation.index].text}});
    Json& barriers = out["barriers"] = Json::array();
    for (const std::size_t index : barriers_of(file, function))
        barriers.push_back({{"at", listing[index].at}, {"text", listing[index].text}});
    return out;
}

Json object_json(const LiftedObject& object) {
    Json out = {{"where", shown(object.where)}, {"id", shown(object.id)}};
    if (!object.file) {
        out["error"] = shown(object.error);
        return out;
    }
    const File& file = *object.file;
    out["chip"] = file.chip != nullptr ? Json(file.chip->name) : Json(nullptr);
    out["bytes"] = file.size;
    out["equal"] = file.equal;
    out["opaque"] = file.opaque;
    Json& parts = out["parts"] = Json::array();
    for (const Part& part : file.parts)
        parts.push_back({{"offset", part.offset},
                         {"bytes", part.size},
                         {"name", shown(part.name)},
                         {"kind", kind_of(part.content)}});
    Json& functions = out["functions"] = Json::array();
    for_each_function(
        file, [&](const Part&, const Function& function) { functions.push_back(function_json(file, function)); });
    Json& unchecked = out["unchecked"] = Json::array();
    for (const Unchecked& one : file.unchecked)
        unchecked.push_back(
            {{"offset", one.offset}, {"bytes", one.size}, {"part", shown(one.part)}, {"reason", shown(one.reason)}});
    return out;
}

} // namespace

bool Report::whole() const {
    return losses.empty() && !objects.empty() && std::all_of(objects.begin(), objects.end(), [](const LiftedObject& o) {
               return o.file && o.file->unchecked.empty();
           });
}

Report lift_all(const Container& container, std::string_view chip) {
    Report report;
    report.losses = container.losses;
    for (const DeviceObject& object : container.objects) {
        if (!chip.empty() && !object.id.empty() && chip_of_entry(object.id) != chip) continue;
        LiftedObject& lifted = report.objects.emplace_back(LiftedObject{object.id, object.where, {}, {}});
        auto file = lift(object.bytes);
        if (!file) {
            lifted.error = file.error().text;
            continue;
        }
        if (!chip.empty() && object.id.empty() && (file->chip == nullptr || file->chip->name != chip)) {
            report.objects.pop_back();
            continue;
        }
        lifted.file = std::move(*file);
    }
    return report;
}

std::string summary_text(const Report& report) {
    std::string out;
    for (const ContainerLoss& loss : report.losses)
        out += fmt::format("{}: unchecked: {}\n", shown(loss.where), shown(loss.reason));
    for (const LiftedObject& object : report.objects) {
        if (!object.file) {
            out += fmt::format("{}: unchecked: {}\n", shown(object.where), shown(object.error));
            continue;
        }
        const File& file = *object.file;
        for (const Unchecked& one : file.unchecked)
            out += fmt::format("{}: offset {:#x}: unchecked: {}: {}\n", shown(object.where), one.offset,
                               shown(one.part), shown(one.reason));
        const Counts counts = counts_of(file);
        out += fmt::format("{}: {}: {} kernels, {} functions, {} instructions; {} of {} bytes equal ({} opaque), {} "
                           "unchecked\n",
                           shown(object.where), chip_name(file), counts.kernels, counts.functions, counts.instructions,
                           file.equal, file.size, file.opaque, file.unchecked.size());
    }
    return out;
}

std::string program_text(const Report& report) {
    std::string out;
    for (const LiftedObject& object : report.objects) {
        if (!object.file) continue;
        out += fmt::format("{}: {}\n", shown(object.where), chip_name(*object.file));
        for (const Part& part : object.file->parts)
            out += fmt::format("{:#010x} {:#10x} bytes  {:<24}{}\n", part.offset, part.size, kind_of(part.content),
                               shown(part.name));
        for_each_function(*object.file,
                          [&](const Part&, const Function& function) { out += function_text(*object.file, function); });
        out += '\n';
    }
    return out;
}

std::string to_json(const Report& report) {
    Json out = {{"whole", report.whole()}, {"objects", Json::array()}, {"unchecked", Json::array()}};
    for (const LiftedObject& object : report.objects) out["objects"].push_back(object_json(object));
    for (const ContainerLoss& loss : report.losses)
        out["unchecked"].push_back({{"where", shown(loss.where)}, {"reason", shown(loss.reason)}});
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace pm::lift
