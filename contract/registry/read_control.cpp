#include "contract/registry/draft.h"
#include "contract/registry/each.h"

#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace hkc {
namespace {

constexpr std::array<std::string_view, 8> kControlKeys{"name",  "each",   "of",      "chips",
                                                       "plant", "red_at", "finding", "device"};
constexpr std::array<std::string_view, 7> kPlantKeys{"symbol", "args", "params", "source", "define", "edit", "mutate"};
constexpr std::array<std::string_view, 2> kEditKeys{"from", "to"};
constexpr std::array<std::string_view, 1> kDevices{"embedded"};

void read_edits(const Entry& entry, const toml::node& node, PlantBuild& build, ControlDraft& draft) {
    for (const toml::table* table : entry.tables(node, "edit")) {
        const Entry edit = entry.nested(*table, entry.what() + ": edit");
        edit.allow(kEditKeys);
        const toml::node* from = edit.require("from");
        const toml::node* to = edit.require("to");
        if (from == nullptr || to == nullptr) continue;
        auto old_text = edit.code(*from, "from");
        auto new_text = edit.code(*to, "to");
        if (!old_text || !new_text) continue;
        if (old_text->empty())
            edit.problem(edit.at(*from), "from is empty; expected the text to replace");
        else if (*old_text == *new_text)
            edit.problem(edit.at(*from), "from and to are the same; the edit plants nothing");
        build.edit.emplace_back(std::move(*old_text), std::move(*new_text));
        draft.edit_lines.push_back(edit.at());
    }
}

void read_build(const Entry& entry, ControlDraft& draft) {
    PlantBuild build;
    if (const toml::node* source = entry.find("source")) {
        build.source = entry.text(*source, "source").value_or("");
        if (const std::string why = bad_source_path(build.source); !why.empty())
            entry.problem(entry.at(*source), fmt::format("source '{}' {}", build.source, why));
    }
    if (const toml::node* define = entry.find("define")) {
        if (const toml::array* list = entry.array(*define, "define", "NAME or NAME=VALUE")) {
            if (list->empty()) entry.problem(entry.at(*define), "define is empty; expected NAME or NAME=VALUE");
            for (const toml::node& element : *list) {
                auto text = entry.code(element, "an element of define");
                if (!text) continue;
                if (!is_identifier(std::string_view(*text).substr(0, text->find('='))))
                    entry.problem(entry.at(element), fmt::format("define '{}'; expected NAME or NAME=VALUE", *text));
                build.define.push_back(std::move(*text));
            }
        }
    }
    if (const toml::node* edit = entry.find("edit")) read_edits(entry, *edit, build, draft);
    draft.control.plant = std::move(build);
}

void read_plant(const Entry& control, const toml::node& node, ControlDraft& draft) {
    draft.plant_at = control.at(node);
    const toml::table* table = control.table(node, "plant", "{ symbol = \"..\" }");
    if (table == nullptr) return;
    const Entry entry = control.nested(*table, control.what() + ": plant");
    entry.allow(kPlantKeys);
    std::vector<std::string_view> forms;
    for (const std::string_view key : {"symbol", "args", "params", "mutate"}) {
        if (table->contains(key)) forms.push_back(key);
    }
    if (table->contains("source") || table->contains("define") || table->contains("edit"))
        forms.emplace_back("source, define or edit");
    if (forms.size() != 1) {
        entry.problem(
            draft.plant_at,
            forms.empty()
                ? std::string(
                      "holds no fault; expected one of symbol, args, params, mutate, or source, define and edit")
                : fmt::format("holds {} faults ({}); expected exactly one", forms.size(), fmt::join(forms, "; ")));
        return;
    }
    if (const toml::node* symbol = entry.find("symbol")) {
        PlantSymbol plant{entry.text(*symbol, "symbol").value_or("")};
        if (plant.symbol.empty()) entry.problem(entry.at(*symbol), "symbol is empty");
        draft.control.plant = std::move(plant);
    } else if (const toml::node* args = entry.find("args")) {
        PlantArgs plant;
        if (const toml::array* list = entry.array(*args, "args", "argument names")) {
            for (const toml::node& element : *list)
                plant.args.push_back(entry.text(element, "an element of args").value_or(""));
        }
        draft.control.plant = std::move(plant);
    } else if (const toml::node* params = entry.find("params")) {
        if (const toml::table* values = entry.table(*params, "params", "{ bits = 5 }")) {
            if (values->empty()) entry.problem(entry.at(*params), "params is empty; expected at least one");
            for (const auto& [key, value] : *values) {
                if (auto expr = entry.expression(value, fmt::format("params.{}", key.str())))
                    draft.planted[std::string(key.str())] = std::move(*expr);
            }
        }
        draft.control.plant = PlantParams{};
    } else if (const toml::node* mutate = entry.find("mutate")) {
        draft.control.plant = read_mutation(entry, *mutate);
    } else {
        read_build(entry, draft);
    }
}

void read_finding(const Entry& entry, const toml::node& node, const KnownNames& names, Control& control) {
    std::vector<std::pair<std::string, SourceLocation>> kinds;
    if (node.is_array()) {
        kinds = entry.texts(node, "finding");
    } else if (const auto text = entry.text(node, "finding")) {
        kinds.emplace_back(*text, entry.at(node));
    }
    for (auto& [kind, at] : kinds) {
        if (std::find(names.finding_kinds.begin(), names.finding_kinds.end(), kind) == names.finding_kinds.end())
            entry.problem(at, fmt::format("unknown finding kind '{}'{}; expected one of {}", kind,
                                          pm::did_you_mean(kind, names.finding_kinds),
                                          fmt::join(names.finding_kinds, ", ")));
        control.findings.push_back(std::move(kind));
    }
}

} // namespace

void read_control(Draft& draft, const toml::table& table, const std::string& file, const KnownNames& names,
                  Diagnostics& diagnostics) {
    const Entry outer(table, "control", file, diagnostics);
    outer.allow(kControlKeys);
    const toml::node* name_node = outer.require("name");
    if (name_node == nullptr) return;
    for (const Variant& variant : expand_each(table, "control", file, diagnostics)) {
        const Entry unnamed(table, "control", file, diagnostics, &variant.names);
        const auto name = unnamed.text(*name_node, "name");
        if (!name) return;
        const Entry entry(table, fmt::format("control \"{}\"", *name), file, diagnostics, &variant.names);
        if (name->empty()) entry.problem(entry.at(*name_node), "name is empty");
        ControlDraft control;
        control.control.name = *name;
        control.control.at = entry.at();
        control.of_at = control.chips_at = control.plant_at = entry.at();
        if (const toml::node* of = entry.require("of")) {
            control.control.of = entry.text(*of, "of").value_or("");
            control.of_at = entry.at(*of);
        }
        if (const toml::node* chips = entry.find("chips")) {
            control.chips_at = entry.at(*chips);
            for (auto& [chip, at] : entry.texts(*chips, "chips")) control.control.chips.push_back(std::move(chip));
        }
        if (const toml::node* gate = entry.require("red_at")) {
            const auto number = entry.integer(*gate, "red_at");
            if (number && (*number < 1 || *number > 5))
                entry.problem(entry.at(*gate), fmt::format("red_at is {}; expected a gate, 1 to 5", *number));
            else
                control.control.red_at = static_cast<std::uint32_t>(number.value_or(0));
        }
        if (const toml::node* finding = entry.require("finding")) read_finding(entry, *finding, names, control.control);
        if (const toml::node* device = entry.find("device"))
            control.control.embedded_only = entry.choice(*device, "device", kDevices).has_value();
        const std::size_t before = diagnostics.count();
        if (const toml::node* plant = entry.require("plant")) read_plant(entry, *plant, control);
        control.planted_well = diagnostics.count() == before;
        draft.controls.push_back(std::move(control));
    }
}

} // namespace hkc
