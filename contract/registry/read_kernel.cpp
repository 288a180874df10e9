#include "contract/registry/draft.h"
#include "contract/registry/each.h"

#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace hkc {
namespace {

constexpr std::size_t kMostShapes = 1024; // of a registration
constexpr std::size_t kMostRegistrations = 16384;
constexpr std::size_t kMostLaunches = 131072; // registrations times shapes
constexpr std::uint32_t kMostAlign = 4096;

constexpr std::array<std::string_view, 15> kKernelKeys{"intermediate", "name",  "each",   "chips",   "replaces",
                                                       "certify",      "match", "oracle", "bitwise", "nan",
                                                       "params",       "arg",   "launch", "shape",   "known"};
constexpr std::array<std::string_view, 7> kArgumentKeys{"name", "dir", "type", "dims", "value", "align", "init"};
constexpr std::array<std::string_view, 4> kIntermediateKeys{"name", "type", "dims", "align"};
constexpr std::array<std::string_view, 5> kLaunchKeys{"symbol", "block", "grid", "lds", "args"};
constexpr std::array<std::string_view, 4> kKnownKeys{"gate", "chip", "finding", "reason"};
constexpr std::array<std::string_view, 2> kStageKeys{"kernel", "args"};

constexpr std::array<std::string_view, 5> kDirections{"in", "out", "inout", "workspace",
                                                      "intermediate"}; // as Direction
constexpr std::array<std::string_view, 13> kTypes{"activation", "fp16", "bf16", "f32", "f64", "i8", "u8",
                                                  "i16",        "u16",  "i32",  "u32", "i64", "u64"}; // as ElementType
constexpr std::array<std::string_view, 2> kMatches{"bytes", "bound"};                                 // as Match
constexpr std::array<std::string_view, 2> kNans{"any", "bytes"};
constexpr std::array<std::string_view, 1> kInits{"zero"};

/// Reads one `[[kernel]]` for one cell of its `each`.
class KernelReader {
public:
    KernelReader(KernelDraft& draft, const Entry& entry, const Variant& variant, const toml::table& defaults,
                 const KnownNames& names)
        : draft_(draft), kernel_(draft.kernel), entry_(entry), variant_(variant), defaults_(defaults), names_(names) {}

    void read() {
        kernel_.at = entry_.at();
        read_chips();
        read_checks();
        read_replaces();
        read_known();
        const std::size_t before = entry_.diagnostics().count();
        read_params();
        read_arguments();
        read_launches();
        if (entry_.diagnostics().count() == before) read_shapes();
        draft_.evaluable = entry_.diagnostics().count() == before;
    }

private:
    void read_chips() {
        const toml::node* node = entry_.require("chips");
        if (node == nullptr) return;
        for (auto& [chip, at] : entry_.texts(*node, "chips")) {
            if (const auto found = pm::find_chip(chip); !found) {
                entry_.problem(at, found.error().text);
            } else if (std::find(kernel_.chips.begin(), kernel_.chips.end(), chip) != kernel_.chips.end()) {
                entry_.problem(at, fmt::format("chip '{}' is listed twice", chip));
            } else {
                kernel_.chips.push_back(chip);
            }
        }
    }

    void read_checks() {
        if (const toml::node* node = entry_.require("oracle")) {
            if (const auto oracle = entry_.text(*node, "oracle")) {
                kernel_.oracle = *oracle;
                if (std::find(names_.oracles.begin(), names_.oracles.end(), *oracle) == names_.oracles.end())
                    entry_.problem(
                        entry_.at(*node),
                        fmt::format(
                            "unknown oracle '{}'{}; expected one of {}, or one of a library that --oracles names",
                            *oracle, pm::did_you_mean(*oracle, names_.oracles), fmt::join(names_.oracles, ", ")));
            }
        }
        if (const toml::node* node = entry_.find("bitwise"))
            kernel_.bitwise = entry_.boolean(*node, "bitwise").value_or(true);
        if (const toml::node* node = entry_.find("certify"))
            kernel_.certify = entry_.boolean(*node, "certify").value_or(true);
        if (const toml::node* node = entry_.find("nan"))
            kernel_.nan_bytes = entry_.choice(*node, "nan", kNans).value_or(0) == 1;
        const toml::node* replaces = entry_.find("replaces");
        const toml::node* match = replaces == nullptr ? entry_.find("match") : entry_.require("match");
        if (match == nullptr) return;
        kernel_.match = static_cast<Match>(entry_.choice(*match, "match", kMatches).value_or(1));
        if (kernel_.match == Match::kBytes && replaces == nullptr)
            entry_.problem(entry_.at(*match),
                           "match is 'bytes' but nothing is replaced; expected 'bound' or a key 'replaces'");
    }

    void read_replaces() {
        const toml::node* node = entry_.find("replaces");
        if (node == nullptr) return;
        const toml::array* stages = entry_.array(*node, "replaces", "kernel names or tables");
        if (stages == nullptr) return;
        if (stages->empty())
            entry_.problem(entry_.at(*node), "replaces is empty; leave the key out where nothing is replaced");
        for (const toml::node& element : *stages) {
            ReplacedStage stage;
            if (const toml::table* table = element.as_table()) {
                const Entry inner = entry_.nested(*table, entry_.what() + ": replaces");
                inner.allow(kStageKeys);
                const toml::node* name = inner.require("kernel");
                if (name == nullptr) continue;
                const auto text = inner.text(*name, "kernel");
                if (!text) continue;
                stage.kernel = *text;
                if (const toml::node* args = inner.find("args")) read_bindings(inner, *args, stage);
            } else {
                const auto text = entry_.text(element, "an element of replaces");
                if (!text) continue;
                stage.kernel = *text;
            }
            kernel_.replaces.push_back(std::move(stage));
            draft_.stage_lines.push_back(entry_.at(element));
        }
    }

    static void read_bindings(const Entry& entry, const toml::node& node, ReplacedStage& stage) {
        const toml::table* bindings = entry.table(node, "args", "{ v = \"mid\", count = \"m*n\" }");
        if (bindings == nullptr) return;
        for (const auto& [key, value] : *bindings) {
            if (const auto expr = entry.expression(value, fmt::format("args.{}", key.str())))
                stage.args[std::string(key.str())] = expr->expr.text();
        }
    }

    void read_known() {
        const toml::node* node = entry_.find("known");
        if (node == nullptr) return;
        for (const toml::table* table : entry_.tables(*node, "known")) {
            const Entry entry = entry_.nested(*table, entry_.what() + ": known finding");
            entry.allow(kKnownKeys);
            KnownFinding known;
            known.at = entry.at();
            if (const toml::node* gate = entry.require("gate")) {
                const auto number = entry.integer(*gate, "gate");
                if (number && (*number < 1 || *number > 5))
                    entry.problem(entry.at(*gate), fmt::format("gate is {}; expected 1 to 5", *number));
                known.gate = static_cast<std::uint32_t>(number.value_or(0));
            }
            if (const toml::node* chip = entry.require("chip")) {
                known.chip = entry.text(*chip, "chip").value_or("");
                if (!known.chip.empty() &&
                    std::find(kernel_.chips.begin(), kernel_.chips.end(), known.chip) == kernel_.chips.end())
                    entry.problem(entry.at(*chip),
                                  fmt::format("chip '{}' is not one of the registration's{}; expected one of {}",
                                              known.chip, pm::did_you_mean(known.chip, kernel_.chips),
                                              fmt::join(kernel_.chips, ", ")));
            }
            if (const toml::node* finding = entry.require("finding")) {
                known.finding = entry.text(*finding, "finding").value_or("");
                if (!known.finding.empty() && std::find(names_.finding_kinds.begin(), names_.finding_kinds.end(),
                                                        known.finding) == names_.finding_kinds.end())
                    entry.problem(entry.at(*finding),
                                  fmt::format("unknown finding kind '{}'{}", known.finding,
                                              pm::did_you_mean(known.finding, names_.finding_kinds)));
            }
            if (const toml::node* reason = entry.require("reason")) {
                known.reason = entry.text(*reason, "reason").value_or("");
                if (known.reason.empty())
                    entry.problem(entry.at(*reason), "reason is empty; expected why the finding is accepted");
            }
            kernel_.known_findings.push_back(std::move(known));
        }
    }

    void read_params() {
        // The family's first, then the kernel's own, then those of `each`, which no declaration may repeat.
        for (const toml::table* owner : {&defaults_, &entry_.raw()}) {
            const toml::node* node = owner->get("params");
            if (node == nullptr) continue;
            const toml::table* params = entry_.table(*node, "params", "{ bits = 4, group = 64 }");
            if (params == nullptr) continue;
            for (const auto& [key, value] : *params) {
                const std::string name(key.str());
                const SourceLocation at{entry_.file(), key.source().begin.line};
                if (!is_identifier(name)) {
                    entry_.problem(
                        at, fmt::format("parameter '{}' is no identifier; expected letters, digits and '_'", name));
                    continue;
                }
                if (owner == &entry_.raw() && variant_.names.contains(name)) {
                    entry_.problem(at, fmt::format("parameter '{}' is also a name of 'each'", name));
                    continue;
                }
                if (const auto expr = entry_.expression(value, fmt::format("params.{}", name)))
                    draft_.params[name] = *expr;
            }
        }
        for (const auto& [name, value] : variant_.params) draft_.params[name] = value;
        if (const auto scope = resolve(draft_.params, {}, entry_.what() + ": parameter", entry_.diagnostics()))
            kernel_.params = *scope;
    }

    void read_arguments() {
        const toml::node* node = entry_.require("arg");
        if (node == nullptr) return;
        for (const toml::table* table : entry_.tables(*node, "arg")) declare(*table, "argument", kArgumentKeys);
        if (const toml::node* buffers = entry_.find("intermediate")) {
            for (const toml::table* table : entry_.tables(*buffers, "intermediate"))
                declare(*table, "intermediate", kIntermediateKeys);
        }
        const bool writes = std::any_of(kernel_.args.begin(), kernel_.args.end(), [](const Argument& argument) {
            return argument.dir == Direction::kOut || argument.dir == Direction::kInOut;
        });
        if (!writes)
            entry_.problem(entry_.at(*node),
                           "no argument has dir 'out' or 'inout'; a contract without an output checks nothing");
    }

    void declare(const toml::table& table, std::string_view what, std::span<const std::string_view> keys) {
        Argument argument;
        ArgumentLines lines;
        std::string name = "?";
        if (const auto* text = table.get_as<std::string>("name")) name = text->get();
        const Entry entry = entry_.nested(table, fmt::format("{}: {} \"{}\"", entry_.what(), what, name));
        entry.allow(keys);
        const bool has_dir = std::find(keys.begin(), keys.end(), "dir") != keys.end();
        if (!has_dir) argument.dir = Direction::kIntermediate;
        read_argument(entry, has_dir, argument, lines);
        if (!argument.name.empty() && kernel_.find_argument(argument.name) != nullptr)
            entry.problem(entry.at(), "declared twice");
        kernel_.args.push_back(std::move(argument));
        draft_.arg_lines.push_back(std::move(lines));
    }

    static void read_argument(const Entry& entry, bool has_dir, Argument& argument, ArgumentLines& lines) {
        argument.at = entry.at();
        if (const toml::node* node = entry.require("name")) {
            argument.name = entry.text(*node, "name").value_or("");
            if (!is_identifier(argument.name))
                entry.problem(
                    entry.at(*node),
                    fmt::format("name '{}' is no identifier; expected letters, digits and '_'", argument.name));
        }
        if (const toml::node* node = entry.require("type"))
            argument.type = static_cast<ElementType>(entry.choice(*node, "type", kTypes).value_or(0));

        const toml::node* dims = has_dir ? entry.find("dims") : entry.require("dims");
        if (dims == nullptr && !has_dir) return;
        const toml::node* dir = !has_dir ? nullptr : dims != nullptr ? entry.require("dir") : entry.find("dir");
        if (dir != nullptr) argument.dir = static_cast<Direction>(entry.choice(*dir, "dir", kDirections).value_or(0));
        if (dims != nullptr) {
            read_buffer(entry, *dims, argument, lines);
            return;
        }
        if (dir != nullptr && argument.dir != Direction::kIn)
            entry.problem(entry.at(*dir),
                          fmt::format("a scalar with dir '{}'; expected 'in', or the key 'dims' for a buffer",
                                      kDirections[static_cast<std::size_t>(argument.dir)]));
        for (const std::string_view key : {"align", "init"}) {
            if (const toml::node* node = entry.find(key))
                entry.problem(entry.at(*node),
                              fmt::format("'{}' is for buffers; expected the key 'dims' beside it", key));
        }
        lines.value = entry.at();
        if (const toml::node* value = entry.find("value")) {
            if (auto expr = entry.expression(*value, "value")) {
                argument.value = std::move(expr->expr);
                lines.value = expr->at;
            }
        } else if (auto own = Expr::parse(argument.name)) {
            argument.value = std::move(*own);
        }
    }

    static void read_buffer(const Entry& entry, const toml::node& node, Argument& argument, ArgumentLines& lines) {
        if (const toml::array* dims = entry.array(node, "dims", "integers or integer expressions")) {
            if (dims->empty()) entry.problem(entry.at(node), "dims is empty; leave the key out for a scalar");
            for (std::size_t i = 0; i < dims->size(); ++i) {
                if (auto expr = entry.expression((*dims)[i], fmt::format("dims[{}]", i))) {
                    argument.dims.push_back(std::move(expr->expr));
                    lines.dims.push_back(expr->at);
                }
            }
        }
        if (const toml::node* value = entry.find("value"))
            entry.problem(entry.at(*value), "'value' is for scalars; a buffer has 'dims'");
        const std::uint32_t bytes = element_bytes(argument.type);
        argument.align = bytes;
        if (const toml::node* align = entry.find("align")) {
            const auto number = entry.integer(*align, "align");
            const bool good = number && *number >= bytes && *number <= kMostAlign && (*number & (*number - 1)) == 0;
            if (number && !good)
                entry.problem(entry.at(*align),
                              fmt::format("align is {}; expected a power of two from the element's {} to {} bytes",
                                          *number, bytes, kMostAlign));
            if (good) argument.align = static_cast<std::uint32_t>(*number);
        }
        if (const toml::node* init = entry.find("init")) {
            if (entry.choice(*init, "init", kInits)) argument.init = Init::kZero;
        }
    }

    void read_launches() {
        const toml::node* node = entry_.require("launch");
        if (node == nullptr) return;
        const auto tables = entry_.tables(*node, "launch");
        for (std::size_t i = 0; i < tables.size(); ++i) {
            const Entry entry = entry_.nested(*tables[i], fmt::format("{}: launch {}", entry_.what(), i + 1));
            entry.allow(kLaunchKeys);
            Launch launch;
            LaunchLines lines;
            launch.at = entry.at();
            launch.symbol = kernel_.name;
            if (const toml::node* symbol = entry.find("symbol")) {
                launch.symbol = entry.text(*symbol, "symbol").value_or("");
                if (launch.symbol.empty()) entry.problem(entry.at(*symbol), "symbol is empty");
            }
            read_extent(entry, "block", launch.block, lines.block);
            read_extent(entry, "grid", launch.grid, lines.grid);
            lines.lds = entry.at();
            if (const toml::node* lds = entry.find("lds")) {
                if (auto expr = entry.expression(*lds, "lds")) {
                    launch.lds = std::move(expr->expr);
                    lines.lds = expr->at;
                }
            }
            // A single launch takes every argument in the order of declaration unless it says otherwise.
            const toml::node* args = tables.size() == 1 ? entry.find("args") : entry.require("args");
            if (args != nullptr) {
                for (auto& [name, at] : entry.texts(*args, "args")) {
                    launch.args.push_back(name);
                    lines.args.push_back(at);
                }
            } else {
                for (const Argument& argument : kernel_.args) {
                    if (argument.dir == Direction::kIntermediate) continue;
                    launch.args.push_back(argument.name);
                    lines.args.push_back(entry.at());
                }
            }
            check_launch_arguments(entry, launch, lines);
            kernel_.launches.push_back(std::move(launch));
            draft_.launch_lines.push_back(std::move(lines));
        }
        for (const Argument& argument : kernel_.args) {
            const bool used = std::any_of(kernel_.launches.begin(), kernel_.launches.end(), [&](const Launch& launch) {
                return std::find(launch.args.begin(), launch.args.end(), argument.name) != launch.args.end();
            });
            if (!used && argument.dir != Direction::kIntermediate)
                entry_.problem(argument.at,
                               fmt::format("argument \"{}\" is declared, but no launch takes it", argument.name));
        }
    }

    void check_launch_arguments(const Entry& entry, const Launch& launch, const LaunchLines& lines) const {
        std::vector<std::string> declared;
        for (const Argument& argument : kernel_.args) declared.push_back(argument.name);
        for (std::size_t i = 0; i < launch.args.size(); ++i) {
            const Argument* argument = kernel_.find_argument(launch.args[i]);
            if (argument == nullptr)
                entry.problem(lines.args[i],
                              fmt::format("args: '{}' is not declared{}; expected one of {}", launch.args[i],
                                          pm::did_you_mean(launch.args[i], declared), fmt::join(declared, ", ")));
            else if (argument->dir == Direction::kIntermediate)
                entry.problem(lines.args[i],
                              fmt::format("args: '{}' is an intermediate of the replaced chain, which no launch takes",
                                          launch.args[i]));
        }
    }

    /// One to three numbers; those left out are 1. A single number stands for a list of one.
    static void read_extent(const Entry& entry, std::string_view key, std::array<Expr, 3>& out,
                            std::array<SourceLocation, 3>& lines) {
        out.fill(Expr::constant(1));
        lines.fill(entry.at());
        const toml::node* node = entry.require(key);
        if (node == nullptr) return;
        const toml::array* list = entry.array(*node, key, "one to three integers or integer expressions");
        if (list == nullptr) return;
        if (list->empty() || list->size() > 3) {
            entry.problem(entry.at(*node), fmt::format("{} has {} elements; expected 1 to 3", key, list->size()));
            return;
        }
        for (std::size_t i = 0; i < list->size(); ++i) {
            if (auto expr = entry.expression((*list)[i], fmt::format("{}[{}]", key, i))) {
                out[i] = std::move(expr->expr);
                lines[i] = expr->at;
            }
        }
    }

    void read_shapes() {
        const toml::node* node = entry_.require("shape");
        if (node == nullptr) return;
        for (const toml::table* table : entry_.tables(*node, "shape")) {
            read_shape(entry_.nested(*table, entry_.what() + ": shape"));
            if (kernel_.shapes.size() > kMostShapes) {
                entry_.problem(entry_.at(*table), fmt::format("more than {} shapes", kMostShapes));
                return;
            }
        }
    }

    void read_shape(const Entry& entry) {
        Shape shape;
        shape.at = entry.at();
        if (const toml::node* node = entry.find("served"))
            shape.served = entry.boolean(*node, "served").value_or(false);
        if (const toml::node* node = entry.find("ragged"))
            shape.ragged = entry.boolean(*node, "ragged").value_or(false);
        std::vector<NamedExprs> combinations{NamedExprs{}};
        for (const auto& [key, node] : entry.raw()) {
            const std::string name(key.str());
            if (name == "served" || name == "ragged") continue;
            if (node.is_boolean()) {
                static const std::vector<std::string> kMarks{"served", "ragged"};
                entry.problem({entry.file(), key.source().begin.line},
                              fmt::format("unknown mark '{}'{}; expected one of {}", name,
                                          pm::did_you_mean(name, kMarks), fmt::join(kMarks, ", ")));
                return;
            }
            const SourceLocation at{entry.file(), key.source().begin.line};
            if (!is_identifier(name)) {
                entry.problem(at,
                              fmt::format("variable '{}' is no identifier; expected letters, digits and '_'", name));
                return;
            }
            if (kernel_.params.contains(name)) {
                entry.problem(at, fmt::format("variable '{}' is also a parameter of the kernel", name));
                return;
            }
            std::vector<LocatedExpr> values;
            const toml::array* list = node.as_array();
            for (std::size_t i = 0; i < (list == nullptr ? 1 : list->size()); ++i) {
                const auto expr = entry.expression(list == nullptr ? node : (*list)[i], name);
                if (!expr) return;
                values.push_back(*expr);
            }
            if (values.empty()) entry.problem(at, fmt::format("variable '{}' has no values", name));
            if (combinations.size() * values.size() > kMostShapes) {
                entry.problem(at, fmt::format("more than {} shapes", kMostShapes));
                return;
            }
            std::vector<NamedExprs> wider;
            for (const NamedExprs& one : combinations) {
                for (const LocatedExpr& value : values) {
                    wider.push_back(one);
                    wider.back()[name] = value;
                }
            }
            combinations = std::move(wider);
        }
        if (entry.raw().size() - (entry.raw().contains("served") ? 1 : 0) - (entry.raw().contains("ragged") ? 1 : 0) ==
            0) {
            entry.problem(entry.at(), "no variables; expected at least one, such as n = 128");
            return;
        }
        for (const NamedExprs& values : combinations) add_shape(entry, shape, values);
    }

    void add_shape(const Entry& entry, Shape shape, const NamedExprs& values) {
        const auto scope = resolve(values, kernel_.params, entry.what() + ": variable", entry.diagnostics());
        if (!scope) return;
        for (const auto& [name, value] : values) shape.values[name] = scope->find(name)->second;
        // The same shape twice is one shape, served or ragged where either says so.
        for (Shape& known : kernel_.shapes) {
            if (known.values != shape.values) continue;
            known.served = known.served || shape.served;
            known.ragged = known.ragged || shape.ragged;
            return;
        }
        if (!kernel_.shapes.empty() && !same_names(kernel_.shapes.front().values, shape.values)) {
            entry.diagnostics().add_once(
                shape.at, "variables",
                fmt::format(
                    "{}: its variables are not those of the shape at line {}; expected the same names in every shape",
                    entry.what(), kernel_.shapes.front().at.line));
            return;
        }
        kernel_.shapes.push_back(std::move(shape));
    }

    static bool same_names(const Scope& a, const Scope& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](const auto& x, const auto& y) { return x.first == y.first; });
    }

    KernelDraft& draft_;
    Kernel& kernel_;
    const Entry& entry_;
    const Variant& variant_;
    const toml::table& defaults_;
    const KnownNames& names_;
};

} // namespace

void read_kernel(Draft& draft, const FamilyDraft& family, const toml::table& table, const toml::table& defaults,
                 const std::string& file, const KnownNames& names, Diagnostics& diagnostics) {
    const Entry outer(table, "kernel", file, diagnostics);
    outer.allow(kKernelKeys);
    const toml::node* name_node = outer.require("name");
    if (name_node == nullptr) return;
    for (const Variant& variant : expand_each(table, "kernel", file, diagnostics)) {
        const Entry unnamed(table, "kernel", file, diagnostics, &variant.names, &defaults);
        const auto name = unnamed.text(*name_node, "name");
        if (!name) return;
        if (!is_plain_name(*name)) {
            unnamed.problem(unnamed.at(*name_node),
                            fmt::format("name '{}'; expected letters, digits, '_', '-' and '.'", *name));
            return;
        }
        if (draft.kernels.size() >= kMostRegistrations) {
            unnamed.problem(unnamed.at(), fmt::format("more than {} registrations", kMostRegistrations));
            return;
        }
        KernelDraft kernel;
        kernel.kernel.name = *name;
        kernel.kernel.family = family.name;
        kernel.kernel.source = family.source;
        kernel.kernel.flags = family.flags;
        const Entry entry(table, fmt::format("kernel \"{}\"", *name), file, diagnostics, &variant.names, &defaults);
        KernelReader(kernel, entry, variant, defaults, names).read();
        draft.launches += kernel.kernel.shapes.size();
        if (draft.launches > kMostLaunches) {
            unnamed.problem(unnamed.at(), fmt::format("more than {} shapes in all", kMostLaunches));
            return;
        }
        draft.kernels.push_back(std::move(kernel));
    }
}

} // namespace hkc
