#include "peacemaker/chip/chip.h"

#include "peacemaker/chip/chips_toml.h"
#include "peacemaker/chip/hazards.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

namespace pm {
namespace {

/// One key of a row: what its value must be, and where it goes. `set` gives false for a value it does not take.
struct Key {
    const char* name;
    const char* expected;
    std::function<bool(Chip&, const toml::node&)> set;
};

bool read_u32(const toml::node& node, std::uint32_t least, std::uint32_t& out) {
    const toml::value<std::int64_t>* value = node.as_integer();
    if (value == nullptr) return false;
    const std::int64_t number = value->get();
    if (number < least || number > std::numeric_limits<std::uint32_t>::max()) return false;
    out = static_cast<std::uint32_t>(number);
    return true;
}

Key positive(const char* name, std::uint32_t Chip::*field) {
    return {name, "an integer of at least 1",
            [field](Chip& chip, const toml::node& node) { return read_u32(node, 1, chip.*field); }};
}

bool set_name(Chip& chip, const toml::node& node) {
    const toml::value<std::string>* value = node.as_string();
    if (value == nullptr || value->get().empty()) return false;
    chip.name = value->get();
    return true;
}

bool set_activation(Chip& chip, const toml::node& node) {
    const toml::value<std::string>* value = node.as_string();
    if (value == nullptr || (value->get() != "fp16" && value->get() != "bf16")) return false;
    chip.activation = value->get() == "fp16" ? Activation::kFp16 : Activation::kBf16;
    return true;
}

bool set_loads_in_order(Chip& chip, const toml::node& node) {
    const toml::value<bool>* value = node.as_boolean();
    if (value == nullptr) return false;
    chip.vmem_loads_in_order = value->get();
    return true;
}

const std::vector<Key>& chip_keys() {
    static const std::vector<Key> keys = {
        {"name", "a name, like \"gfx1151\"", set_name},
        positive("elf_mach", &Chip::elf_mach),
        positive("generation", &Chip::generation),
        {"activation", "\"fp16\" or \"bf16\"", set_activation},
        positive("lds_bytes", &Chip::lds_bytes),
        positive("max_workgroup", &Chip::max_workgroup),
        positive("kernarg_bytes", &Chip::kernarg_bytes),
        positive("vgprs", &Chip::vgprs),
        positive("vgpr_granule", &Chip::vgpr_granule),
        positive("vgprs_simd", &Chip::vgprs_simd),
        positive("waves_simd", &Chip::waves_simd),
        positive("simds_cu", &Chip::simds_cu),
        positive("workgroups_cu", &Chip::workgroups_cu),
        positive("sgprs", &Chip::sgprs),
        positive("flat_offset_bits", &Chip::flat_offset_bits),
        positive("smem_offset_bits", &Chip::smem_offset_bits),
        {"vmem_loads_in_order", "true or false", set_loads_in_order},
        {"counters", "a table of counter capacities", [](Chip&, const toml::node& node) { return node.is_table(); }},
    };
    return keys;
}

struct CounterKey {
    const char* name;
    std::uint32_t CounterCapacities::*field;
};

constexpr std::array<CounterKey, 7> kCounterKeys{{
    {"load", &CounterCapacities::load},
    {"store", &CounterCapacities::store},
    {"lgkm", &CounterCapacities::lgkm},
    {"exp", &CounterCapacities::exp},
    {"sample", &CounterCapacities::sample},
    {"bvh", &CounterCapacities::bvh},
    {"km", &CounterCapacities::km},
}};

struct HazardKey {
    const char* name;
    Hazard hazard;
};

constexpr std::array<HazardKey, 7> kHazardKeys{{
    {"transcendental_use", Hazard::kTranscendentalUse},
    {"vcmpx_permlane", Hazard::kVcmpxPermlane},
    {"matrix_operand", Hazard::kMatrixOperand},
    {"sgpr_read", Hazard::kSgprRead},
    {"mad_overlap", Hazard::kMadOverlap},
    {"fp_atomic_denorm", Hazard::kFpAtomicDenorm},
    {"long_clause", Hazard::kLongClause},
}};

/// The keys of a [[hazard]] table.
struct HazardField {
    const char* name;
};
constexpr std::array<HazardField, 4> kHazardFields{{{"name"}, {"chips"}, {"must"}, {"source"}}};

std::string text_of(const toml::node& node) {
    std::ostringstream out;
    node.visit([&out](const auto& value) { out << value; });
    return out.str();
}

/// Reads one chips.toml; every message begins with file:line.
class Parser {
public:
    explicit Parser(const std::string& file) : file_(file) {}

    Result<std::vector<Chip>> parse(const toml::table& root) {
        for (const auto& [key, value] : root)
            if (key.str() != "chip" && key.str() != "hazard")
                return at(value,
                          fmt::format("unknown key \"{}\"; expected [[chip]] and [[hazard]] tables only", key.str()));
        const toml::array* rows = root["chip"].as_array();
        if (rows == nullptr || rows->empty())
            return Error{fmt::format("{}:1: no chip; expected at least one [[chip]] table", file_)};

        std::vector<Chip> chips;
        std::set<std::string> names;
        std::set<std::uint32_t> machs;
        for (const toml::node& row : *rows) {
            const toml::table* table = row.as_table();
            if (table == nullptr) return at(row, "\"chip\" is no table; expected [[chip]]");
            Result<Chip> chip = parse_chip(*table);
            if (!chip) return chip.error();
            if (!names.insert(chip->name).second)
                return at(row, fmt::format("chip \"{}\" is there twice; expected one row a chip", chip->name));
            if (!machs.insert(chip->elf_mach).second)
                return at(row, fmt::format("elf_mach {:#x} of chip \"{}\" is another chip's too", chip->elf_mach,
                                           chip->name));
            chips.push_back(std::move(*chip));
        }
        return chips;
    }

    /// Of the chips that parse() gave.
    Result<std::vector<HazardRule>> parse_hazards(const toml::table& root, std::span<const Chip> chips) const {
        std::vector<HazardRule> rules;
        const toml::node* const node = root.get("hazard");
        if (node == nullptr) return rules;
        const toml::array* const rows = node->as_array();
        if (rows == nullptr) return at(*node, "\"hazard\" is no table; expected [[hazard]]");
        for (const toml::node& row : *rows) {
            const toml::table* table = row.as_table();
            if (table == nullptr) return at(row, "\"hazard\" is no table; expected [[hazard]]");
            Result<HazardRule> rule = parse_hazard(*table, chips);
            if (!rule) return rule.error();
            for (const HazardRule& other : rules)
                if (other.hazard == rule->hazard)
                    return at(row, fmt::format("hazard \"{}\" is there twice; expected one row a hazard", rule->name));
            rules.push_back(std::move(*rule));
        }
        return rules;
    }

private:
    [[nodiscard]] Error at(const toml::node& node, const std::string& what) const {
        return Error{fmt::format("{}:{}: {}", file_, node.source().begin.line, what)};
    }

    template <typename Keys>
    [[nodiscard]] std::optional<Error> check_keys(const toml::table& table, const Keys& keys,
                                                  const std::string& owner) const {
        std::vector<std::string> known;
        known.reserve(std::size(keys));
        for (const auto& key : keys) known.emplace_back(key.name);
        for (const auto& [name, value] : table)
            if (std::find(known.begin(), known.end(), name.str()) == known.end())
                return at(value, fmt::format("unknown key \"{}\" in {}{}", name.str(), owner,
                                             did_you_mean(name.str(), known)));
        for (const std::string& name : known)
            if (!table.contains(name)) return at(table, fmt::format("{} has no \"{}\"", owner, name));
        return std::nullopt;
    }

    Result<Chip> parse_chip(const toml::table& table) const {
        if (auto error = check_keys(table, chip_keys(), "a [[chip]] table")) return *error;
        Chip chip;
        for (const Key& key : chip_keys()) {
            const toml::node& node = *table.get(key.name);
            if (!key.set(chip, node))
                return at(node, fmt::format("{} = {}; expected {}", key.name, text_of(node), key.expected));
        }
        const toml::table& counters = *table.get_as<toml::table>("counters");
        if (auto error = check_keys(counters, kCounterKeys, "counters")) return *error;
        for (const CounterKey& key : kCounterKeys) {
            const toml::node& node = *counters.get(key.name);
            if (!read_u32(node, 0, chip.counters.*key.field))
                return at(node,
                          fmt::format("counters.{} = {}; expected an integer of at least 0", key.name, text_of(node)));
        }
        return chip;
    }

    Result<HazardRule> parse_hazard(const toml::table& table, std::span<const Chip> chips) const {
        if (auto error = check_keys(table, kHazardFields, "a [[hazard]] table")) return *error;
        for (const char* const key : {"name", "must", "source"})
            if (const toml::node& node = *table.get(key); node.value_or(std::string()).empty())
                return at(node, fmt::format("{} = {}; expected a text", key, text_of(node)));
        HazardRule rule;
        rule.name = table["name"].value_or(std::string());
        rule.must = table["must"].value_or(std::string());
        const auto* const known = std::find_if(kHazardKeys.begin(), kHazardKeys.end(),
                                               [&](const HazardKey& key) { return key.name == rule.name; });
        if (known == kHazardKeys.end()) {
            std::vector<std::string> names;
            for (const HazardKey& key : kHazardKeys) names.emplace_back(key.name);
            return at(table, fmt::format("unknown hazard \"{}\"{}", rule.name, did_you_mean(rule.name, names)));
        }
        rule.hazard = known->hazard;
        const toml::array* const on = table["chips"].as_array();
        if (on == nullptr || on->empty())
            return at(*table.get("chips"),
                      fmt::format("chips = {}; expected an array of chip names", text_of(*table.get("chips"))));
        for (const toml::node& one : *on) {
            const std::string name = one.value_or(std::string());
            if (std::none_of(chips.begin(), chips.end(), [&](const Chip& chip) { return chip.name == name; }))
                return at(one, fmt::format("chips has {}; expected the name of a [[chip]]", text_of(one)));
            rule.chips.push_back(name);
        }
        return rule;
    }

    const std::string& file_;
};

/// What `read` makes of the text's root table. Error: file:line where the text is no TOML.
template <typename T, typename Read>
Result<T> parsed(std::string_view toml_text, const std::string& file, const Read& read) {
    try {
        return read(toml::parse(toml_text, file));
    } catch (const toml::parse_error& error) {
        return Error{fmt::format("{}:{}: {}", file, error.source().begin.line, error.description())};
    }
}

/// The table is part of the program: nothing can go on without it.
template <typename T>
T compiled_in(Result<T> parsed) {
    if (!parsed) {
        std::fprintf(stderr, "%s\n", parsed.error().text.c_str());
        std::abort();
    }
    return std::move(*parsed);
}

} // namespace

Result<std::vector<Chip>> parse_chips(std::string_view toml_text, const std::string& file) {
    return parsed<std::vector<Chip>>(toml_text, file,
                                     [&](const toml::table& root) { return Parser(file).parse(root); });
}

std::span<const Chip> chips() {
    static const std::vector<Chip> table = compiled_in(parse_chips(kChipsToml, "chips.toml"));
    return table;
}

Result<std::vector<HazardRule>> parse_hazards(std::string_view toml_text, const std::string& file) {
    return parsed<std::vector<HazardRule>>(toml_text, file,
                                           [&](const toml::table& root) -> Result<std::vector<HazardRule>> {
                                               Parser parser(file);
                                               const Result<std::vector<Chip>> chips = parser.parse(root);
                                               if (!chips) return chips.error();
                                               return parser.parse_hazards(root, *chips);
                                           });
}

std::span<const HazardRule> hazards() {
    static const std::vector<HazardRule> table = compiled_in(parse_hazards(kChipsToml, "chips.toml"));
    return table;
}

const HazardRule* hazard_of(const Chip& chip, Hazard hazard) {
    for (const HazardRule& rule : hazards())
        if (rule.hazard == hazard && std::find(rule.chips.begin(), rule.chips.end(), chip.name) != rule.chips.end())
            return &rule;
    return nullptr;
}

Result<const Chip*> find_chip(std::string_view name) {
    std::vector<std::string> names;
    for (const Chip& chip : chips()) {
        if (chip.name == name) return &chip;
        names.push_back(chip.name);
    }
    return Error{
        fmt::format("unknown chip \"{}\"{}; known are {}", name, did_you_mean(name, names), fmt::join(names, ", "))};
}

const Chip* chip_of_mach(std::uint32_t elf_mach) {
    for (const Chip& chip : chips())
        if (chip.elf_mach == elf_mach) return &chip;
    return nullptr;
}

} // namespace pm
