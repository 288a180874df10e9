#include "peacemaker/mutate/weaken.h"

#include "peacemaker/lift/listing.h"
#include "peacemaker/mutate/assemble.h"
#include "peacemaker/object/source_line.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>

namespace pm::mutate {
namespace {

constexpr std::string_view kNop = "s_nop 0";

/// The counters of a chip's waits, and the count that waits for nothing. Source: llvm/lib/Target/AMDGPU/Utils/
/// AMDGPUBaseInfo.cpp, the bit widths of the counters.
struct CounterRow {
    std::string_view name;
    std::uint32_t none;
    bool stores; // guards no register and no LDS
};
constexpr CounterRow kCounters[] = {
    {"vmcnt", 63, false},   {"lgkmcnt", 63, false}, {"expcnt", 7, true},  {"vscnt", 63, true},
    {"loadcnt", 63, false}, {"dscnt", 63, false},   {"kmcnt", 31, false}, {"samplecnt", 63, false},
    {"bvhcnt", 7, false},   {"storecnt", 63, true},
};

/// Instructions that wait by a field of one or two counters, the higher byte first. Source: RDNA ISA documents, SOPP
/// and SOPK.
struct WaitRow {
    std::string_view mnemonic;
    std::string_view high, low; // low is empty where there is one
};
constexpr WaitRow kWaits[] = {
    {"s_waitcnt_vmcnt", "vmcnt", ""},
    {"s_waitcnt_lgkmcnt", "lgkmcnt", ""},
    {"s_waitcnt_expcnt", "expcnt", ""},
    {"s_waitcnt_vscnt", "vscnt", ""},
    {"s_wait_loadcnt", "loadcnt", ""},
    {"s_wait_storecnt", "storecnt", ""},
    {"s_wait_samplecnt", "samplecnt", ""},
    {"s_wait_bvhcnt", "bvhcnt", ""},
    {"s_wait_expcnt", "expcnt", ""},
    {"s_wait_dscnt", "dscnt", ""},
    {"s_wait_kmcnt", "kmcnt", ""},
    {"s_wait_loadcnt_dscnt", "loadcnt", "dscnt"},
    {"s_wait_storecnt_dscnt", "storecnt", "dscnt"},
};
constexpr std::string_view kHazardWaits[] = {"s_waitcnt_depctr", "s_wait_alu", "s_wait_event"};

const CounterRow* counter_row(std::string_view name) {
    const auto* const found = std::find_if(std::begin(kCounters), std::end(kCounters),
                                           [&](const CounterRow& row) { return row.name == name; });
    return found == std::end(kCounters) ? nullptr : found;
}

const WaitRow* wait_row(std::string_view mnemonic) {
    const auto* const found = std::find_if(std::begin(kWaits), std::end(kWaits),
                                           [&](const WaitRow& row) { return row.mnemonic == mnemonic; });
    return found == std::end(kWaits) ? nullptr : found;
}

/// An instruction's text, taken apart.
struct Words {
    std::string_view mnemonic;
    std::vector<std::string> operands;
};

Words words_of(std::string_view text) {
    Words words;
    const std::size_t blank = std::min(text.find(' '), text.size());
    words.mnemonic = text.substr(0, blank);
    for (std::string operand : split(std::string(text.substr(blank)), ',')) {
        operand.erase(0, operand.find_first_not_of(' '));
        operand.erase(operand.find_last_not_of(' ') + 1);
        words.operands.push_back(std::move(operand));
    }
    return words;
}

std::optional<std::uint32_t> number_of(std::string_view text) {
    const int base = text.starts_with("0x") ? 16 : 10;
    if (base == 16) text.remove_prefix(2);
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The text of a wait of the same kind for `counts`; those of s_waitcnt that are not named wait for nothing.
std::string wait_text(std::string_view mnemonic, const std::vector<WaitCount>& counts) {
    const auto most = [&](std::string_view counter) {
        for (const WaitCount& count : counts)
            if (count.counter == counter) return count.most;
        return counter_row(counter)->none;
    };
    const WaitRow* const row = wait_row(mnemonic);
    if (row == nullptr) {
        std::string text(mnemonic);
        for (const WaitCount& count : counts) text += fmt::format(" {}({})", count.counter, count.most);
        return text;
    }
    constexpr unsigned kByte = 8;
    const std::uint32_t field = row->low.empty() ? most(row->high) : most(row->high) << kByte | most(row->low);
    return fmt::format("{} {}{:#x}", mnemonic, mnemonic.starts_with("s_waitcnt_") ? "null, " : "", field);
}

/// What a write of EXEC that can narrow it becomes; nothing for one that only widens it, or is none.
std::optional<std::string> kept_from_narrowing(const Words& words) {
    if (words.mnemonic.starts_with("v_cmpx_")) return std::string(kNop);
    const bool wide = words.mnemonic.ends_with("_b64");
    if (words.operands.empty() || (!wide && !words.mnemonic.ends_with("_b32"))) return std::nullopt;
    const std::string exec = wide ? "exec" : "exec_lo", bits = wide ? "b64" : "b32";
    const std::string& to = words.operands[0];
    const std::string_view name = words.mnemonic.substr(0, words.mnemonic.size() - 4);
    if (name.ends_with("_saveexec") && words.operands.size() == 2) {
        if (name.starts_with("s_or")) return std::nullopt;
        const std::string& with = name.starts_with("s_and") ? exec : words.operands[1];
        return fmt::format("s_or_saveexec_{} {}, {}", bits, to, with);
    }
    if (name.ends_with("_wrexec")) return fmt::format("s_mov_{} {}, {}", bits, to, exec);
    if (to != exec || name == "s_or" || name == "s_orn2" || name == "s_or_not1") return std::nullopt;
    if (name == "s_mov") {
        if (words.operands[1] == "-1") return std::nullopt;
        return fmt::format("s_or_{0} {1}, {1}, {2}", bits, exec, words.operands[1]);
    }
    if (name == "s_xor") return fmt::format("s_or_{} {}, {}, {}", bits, exec, words.operands[1], words.operands[2]);
    return fmt::format("s_or_{0} {1}, {1}, {1}", bits, exec);
}

class Weakener {
public:
    explicit Weakener(const CodeObject& object) : object_(object) {}

    Result<void> add_kernel(const Kernel& kernel) {
        const auto listing = lift::instructions_of(object_, kernel);
        if (!listing) return listing.error();
        kernel_ = &kernel;
        const std::size_t first = out_.size();
        for (std::size_t i = 0; i < listing->size(); ++i)
            if (auto added = add_instruction(*listing, i); !added) return added.error();
        std::vector<std::uint64_t> addresses;
        for (std::size_t i = first; i < out_.size(); ++i) addresses.push_back(kernel.entry_address + out_[i].at);
        const std::vector<std::string> lines = source_lines(object_, addresses);
        for (std::size_t i = first; i < out_.size(); ++i) out_[i].source = lines[i - first];
        return {};
    }

    std::vector<Mutant> take() { return std::move(out_); }

private:
    Result<void> add_instruction(const std::vector<lift::Instruction>& listing, std::size_t i) {
        const lift::Instruction& one = listing[i];
        const Words words = words_of(one.text);
        if (const auto counts = wait_counts(one.text); !counts.empty()) return add_wait(one, words.mnemonic, counts);
        if (std::find(std::begin(kHazardWaits), std::end(kHazardWaits), words.mnemonic) != std::end(kHazardWaits))
            return add(one, Target::kHazardWait, std::string(kNop));
        if (words.mnemonic == "s_wait_idle") return add(one, Target::kWait, std::string(kNop));
        if (words.mnemonic.starts_with("s_barrier")) return add_barrier(listing, i, words);
        if (words.mnemonic == "s_clause") return add(one, Target::kClause, std::string(kNop));
        if (auto kept = kept_from_narrowing(words)) return add(one, Target::kExecMask, *kept);
        return {};
    }

    Result<void> add_wait(const lift::Instruction& one, std::string_view mnemonic,
                          const std::vector<WaitCount>& counts) {
        const auto stores = [](const WaitCount& count) { return counter_row(count.counter)->stores; };
        const auto target = [&](bool all) { return all ? Target::kStoreWait : Target::kWait; };
        const bool only_stores = std::all_of(counts.begin(), counts.end(), stores);
        if (auto added = add(one, target(only_stores), std::string(kNop), counts); !added) return added;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            std::vector<WaitCount> more = counts, fewer = counts;
            ++more[i].most;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
            const Target kind = target(stores(counts[i]));
            if (more[i].most < counter_row(counts[i].counter)->none)
                if (auto added = add(one, kind, wait_text(mnemonic, more), {counts[i]}); !added) return added;
            if (!fewer.empty())
                if (auto added = add(one, kind, wait_text(mnemonic, fewer), {counts[i]}); !added) return added;
        }
        return {};
    }

    Result<void> add_barrier(const std::vector<lift::Instruction>& listing, std::size_t i, const Words& words) {
        if (words.mnemonic == "s_barrier" || words.mnemonic == "s_barrier_wait")
            return add(listing[i], Target::kBarrier, std::string(kNop));
        if (!words.mnemonic.starts_with("s_barrier_signal")) return {};
        if (auto added = add(listing[i], Target::kBarrier, std::string(kNop)); !added) return added;
        const auto ends = [](const lift::Instruction& one) {
            const std::string_view text = one.text;
            return one.target || text.starts_with("s_endpgm") || text.starts_with("s_setpc") ||
                   text.starts_with("s_swappc") || text.starts_with("s_barrier");
        };
        std::size_t end = i + 1;
        while (end < listing.size() && !ends(listing[end])) ++end;
        if (end == listing.size() || !listing[end].text.starts_with("s_barrier_wait")) return {};
        return add_pair(listing[i], listing[end]);
    }

    Result<std::string> bytes_of(const std::string& text, std::size_t size) {
        auto found = assembled_.find(text);
        if (found == assembled_.end()) {
            auto bytes = assemble(*object_.chip, text);
            if (!bytes) return bytes.error();
            found = assembled_.emplace(text, std::move(*bytes)).first;
        }
        std::string bytes = found->second;
        if (bytes.size() > size)
            return Error{fmt::format("\"{}\" has {} bytes; expected no more than {}", text, bytes.size(), size)};
        while (bytes.size() < size) {
            auto nop = text == kNop ? Result<std::string>(found->second) : bytes_of(std::string(kNop), 4);
            if (!nop) return nop;
            bytes += *nop;
        }
        return bytes;
    }

    Result<void> add(const lift::Instruction& one, Target target, std::string becomes,
                     std::vector<WaitCount> weakened = {}) {
        auto after = bytes_of(becomes, one.size);
        if (!after) return after.error();
        return push(one.at, one.text, target, std::move(becomes), std::move(*after), std::move(weakened));
    }

    Result<void> add_pair(const lift::Instruction& signal, const lift::Instruction& wait) {
        const auto nop = bytes_of(std::string(kNop), 4);
        if (!nop) return nop.error();
        std::string after(object_.at(kernel_->entry_address + signal.at, wait.at + wait.size - signal.at));
        after.replace(0, nop->size(), *nop);
        after.replace(after.size() - nop->size(), nop->size(), *nop);
        return push(signal.at, signal.text + " and " + wait.text, Target::kBarrier, "s_nop 0 and s_nop 0",
                    std::move(after), {});
    }

    Result<void> push(std::uint64_t at, std::string instruction, Target target, std::string becomes, std::string after,
                      std::vector<WaitCount> weakened) {
        const std::string_view before = object_.at(kernel_->entry_address + at, after.size());
        if (before.empty()) return Error{fmt::format("{}+{:#x} does not lie in the file", kernel_->name, at)};
        if (before == after) return {};
        Mutant mutant{kernel_->name,      target, at, std::move(instruction),
                      std::move(becomes), "",     {}, std::move(weakened)};
        mutant.patch = {static_cast<std::uint64_t>(before.data() - object_.bytes.data()), std::string(before),
                        std::move(after),
                        fmt::format("{}+{:#x}: {} becomes {}", mutant.kernel, at, mutant.instruction, mutant.becomes)};
        out_.push_back(std::move(mutant));
        return {};
    }

    const CodeObject& object_;
    const Kernel* kernel_ = nullptr;
    std::map<std::string, std::string> assembled_;
    std::vector<Mutant> out_;
};

} // namespace

std::string_view target_name(Target target) {
    constexpr std::array<std::string_view, 6> kNames = {"wait",    "store wait", "hazard wait",
                                                        "barrier", "exec mask",  "clause"};
    return kNames.at(static_cast<std::size_t>(target));
}

std::vector<WaitCount> wait_counts(std::string_view text) {
    const Words words = words_of(text);
    std::vector<WaitCount> counts;
    const auto add = [&](std::string_view counter, std::optional<std::uint32_t> most) {
        const CounterRow* const row = counter_row(counter);
        if (row != nullptr && most && *most < row->none) counts.push_back({std::string(counter), *most});
    };
    if (words.mnemonic == "s_waitcnt") {
        for (const std::string& part : split(words.operands.empty() ? "" : words.operands[0], ' ')) {
            const std::size_t open = part.find('(');
            if (open == std::string::npos || !part.ends_with(')')) continue;
            add(std::string_view(part).substr(0, open), number_of(part.substr(open + 1, part.size() - open - 2)));
        }
        return counts;
    }
    const WaitRow* const row = wait_row(words.mnemonic);
    if (row == nullptr || words.operands.empty()) return counts;
    // The SOPK forms add a register to the count; only with null is it known.
    if (words.operands.size() > 1 && words.operands[0] != "null") return counts;
    const auto field = number_of(words.operands.back());
    if (!field) return counts;
    if (row->low.empty()) {
        add(row->high, field);
    } else {
        add(row->high, *field >> 8U & 0x3fU);
        add(row->low, *field & 0x3fU);
    }
    return counts;
}

Result<std::vector<Mutant>> mutants_of(const CodeObject& object, std::string_view kernels) {
    Weakener weakener(object);
    std::vector<std::string> names;
    bool matched = false;
    for (const Kernel& kernel : object.kernels) {
        names.push_back(kernel.name);
        if (!glob_match(kernels, kernel.name)) continue;
        matched = true;
        if (const auto added = weakener.add_kernel(kernel); !added) return added.error().with(kernel.name);
    }
    if (!matched)
        return Error{
            fmt::format("none of its {} kernels is {}{}", names.size(), kernels, did_you_mean(kernels, names))};
    return weakener.take();
}

std::string index_json(std::string_view file, const CodeObject& object, const std::vector<Mutant>& mutants,
                       const std::vector<std::string>& names) {
    using nlohmann::ordered_json;
    ordered_json list = ordered_json::array();
    for (std::size_t i = 0; i < mutants.size(); ++i) {
        const Mutant& mutant = mutants[i];
        list.push_back({{"file", names[i]},
                        {"kernel", mutant.kernel},
                        {"target", target_name(mutant.target)},
                        {"offset", mutant.at},
                        {"file_offset", mutant.patch.offset},
                        {"instruction", mutant.instruction},
                        {"becomes", mutant.becomes},
                        {"source", mutant.source}});
    }
    const ordered_json whole = {{"schema", 1},
                                {"tool", "peacemaker mutate"},
                                {"file", file},
                                {"chip", object.chip->name},
                                {"mutants", std::move(list)}};
    return whole.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace pm::mutate
