#include "contract/registry/draft.h"

#include "peacemaker/support/file.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace hkc {
namespace {

constexpr std::int64_t kMostBufferBytes = std::int64_t{1} << 40;
constexpr std::int64_t kMostGrid = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostWorkItems = std::numeric_limits<std::uint32_t>::max(); // of one dimension of a launch
constexpr std::int64_t kMostBlock = 1024;

std::string describe(const Shape& shape) {
    std::string text = "shape";
    for (const auto& [name, value] : shape.values) text += fmt::format(" {}={}", name, value);
    return text;
}

struct Range {
    std::int64_t least, most;
};

template <typename T>
constexpr Range range_of() {
    return {static_cast<std::int64_t>(std::numeric_limits<T>::min()),
            static_cast<std::int64_t>(std::numeric_limits<T>::max())};
}

/// What a scalar of that type can hold; the floating types and 64-bit integers take any value.
Range scalar_range(ElementType type) {
    switch (type) {
    case ElementType::kI8:
        return range_of<std::int8_t>();
    case ElementType::kU8:
        return range_of<std::uint8_t>();
    case ElementType::kI16:
        return range_of<std::int16_t>();
    case ElementType::kU16:
        return range_of<std::uint16_t>();
    case ElementType::kI32:
        return range_of<std::int32_t>();
    case ElementType::kU32:
        return range_of<std::uint32_t>();
    case ElementType::kU64:
        return {0, std::numeric_limits<std::int64_t>::max()};
    default:
        return range_of<std::int64_t>();
    }
}

/// Evaluates everything of one kernel in one scope.
class Evaluation {
public:
    /// `where` opens each message; with `at` all problems are reported there, and the chips' limits are not asked.
    Evaluation(const KernelDraft& draft, const Scope& scope, std::string where, const SourceLocation* at,
               Diagnostics& diagnostics)
        : draft_(draft), scope_(scope), where_(std::move(where)), at_(at), diagnostics_(diagnostics) {}

    void run() const {
        const Kernel& kernel = draft_.kernel;
        for (std::size_t i = 0; i < kernel.args.size(); ++i) check_argument(kernel.args[i], draft_.arg_lines[i]);
        for (std::size_t i = 0; i < kernel.launches.size(); ++i)
            check_launch(kernel.launches[i], draft_.launch_lines[i],
                         kernel.launches.size() > 1 ? fmt::format("launch {}: ", i + 1) : "");
    }

private:
    void problem(const SourceLocation& at, const std::string& topic, const std::string& text) const {
        diagnostics_.add_once(at_ == nullptr ? at : *at_, topic, fmt::format("{}: {}: {}", where_, topic, text));
    }

    std::optional<std::int64_t> value(const Expr& expr, const SourceLocation& at, const std::string& topic,
                                      Range range) const {
        const auto result = expr.evaluate(scope_);
        if (!result) {
            problem(at, topic, result.error().text);
            return std::nullopt;
        }
        if (*result < range.least || *result > range.most) {
            problem(at, topic,
                    fmt::format("'{}' is {}; expected {} to {}", expr.text(), *result, range.least, range.most));
            return std::nullopt;
        }
        return *result;
    }

    void check_argument(const Argument& argument, const ArgumentLines& lines) const {
        const std::string topic = fmt::format("argument \"{}\"", argument.name);
        if (!argument.is_buffer()) {
            if (argument.value) value(*argument.value, lines.value, topic, scalar_range(argument.type));
            return;
        }
        std::int64_t bytes = element_bytes(argument.type);
        for (std::size_t i = 0; i < argument.dims.size(); ++i) {
            const auto dim = value(argument.dims[i], lines.dims[i], fmt::format("{} dims[{}]", topic, i),
                                   {0, std::numeric_limits<std::int64_t>::max()});
            if (!dim) return;
            if (__builtin_mul_overflow(bytes, *dim, &bytes) || bytes > kMostBufferBytes) {
                problem(lines.dims[i], topic, "over 1 TiB");
                return;
            }
        }
    }

    void check_launch(const Launch& launch, const LaunchLines& lines, const std::string& prefix) const {
        std::int64_t items = 1;
        bool known = true;
        for (std::size_t i = 0; i < 3; ++i) {
            const auto block =
                value(launch.block[i], lines.block[i], fmt::format("{}block[{}]", prefix, i), {1, kMostBlock});
            const auto grid =
                value(launch.grid[i], lines.grid[i], fmt::format("{}grid[{}]", prefix, i), {1, kMostGrid});
            known = known && block.has_value();
            if (block) items *= *block;
            if (block && grid && *block * *grid > kMostWorkItems)
                problem(lines.grid[i], fmt::format("{}grid[{}]", prefix, i),
                        fmt::format("{} workgroups of {} are over {} work-items", *grid, *block, kMostWorkItems));
        }
        const auto lds = value(launch.lds, lines.lds, prefix + "lds", {0, std::numeric_limits<std::int32_t>::max()});
        if (at_ != nullptr) return;
        for (const std::string& name : draft_.kernel.chips) {
            const auto chip = pm::find_chip(name);
            if (!chip) continue;
            if (known && items > (*chip)->max_workgroup)
                problem(lines.block[0], prefix + "block",
                        fmt::format("{} work-items; {} allows {}", items, name, (*chip)->max_workgroup));
            if (lds && *lds > (*chip)->lds_bytes)
                problem(lines.lds, prefix + "lds",
                        fmt::format("{} bytes; {} allows {}", *lds, name, (*chip)->lds_bytes));
        }
    }

    const KernelDraft& draft_;
    const Scope& scope_;
    std::string where_;
    const SourceLocation* at_;
    Diagnostics& diagnostics_;
};

/// The checks that see all declarations.
class Checker {
public:
    Checker(Draft& draft, Registry& registry, Diagnostics& diagnostics)
        : draft_(draft), registry_(registry), diagnostics_(diagnostics) {
        for (std::size_t i = 0; i < draft_.kernels.size(); ++i) {
            const Kernel& kernel = draft_.kernels[i].kernel;
            const auto [known, fresh] = index_.emplace(kernel.name, i);
            if (fresh) {
                names_.push_back(kernel.name);
                continue;
            }
            diagnostics_.add(kernel.at, fmt::format("kernel \"{}\" is declared twice; the first is at {}", kernel.name,
                                                    place(draft_.kernels[known->second].kernel.at)));
        }
    }

    void run() {
        check_unique(draft_.families, "family",
                     [](const FamilyDraft& family) { return std::pair(&family.name, &family.at); });
        check_unique(draft_.controls, "control",
                     [](const ControlDraft& one) { return std::pair(&one.control.name, &one.control.at); });
        for (const KernelDraft& kernel : draft_.kernels) check_stages(kernel);
        find_cycles();
        for (const KernelDraft& kernel : draft_.kernels) {
            if (!kernel.evaluable) continue;
            for (const Shape& shape : kernel.kernel.shapes) {
                const Scope scope = scope_of(kernel.kernel, shape);
                const std::string where = fmt::format("kernel \"{}\", {}", kernel.kernel.name, describe(shape));
                const std::size_t before = diagnostics_.count();
                Evaluation(kernel, scope, where, nullptr, diagnostics_).run();
                if (diagnostics_.count() != before) broken_.insert(kernel.kernel.name);
            }
        }
        for (const KernelDraft& kernel : draft_.kernels) {
            if (kernel.evaluable) check_chain(kernel);
        }
        for (ControlDraft& control : draft_.controls) check_control(control);
    }

private:
    static std::string place(const SourceLocation& at) { return fmt::format("{}:{}", at.file, at.line); }

    template <typename T, typename Of>
    void check_unique(const std::vector<T>& all, std::string_view what, Of of) {
        std::map<std::string, SourceLocation> seen;
        for (const T& one : all) {
            const auto [name, at] = of(one);
            const auto [known, fresh] = seen.emplace(*name, *at);
            if (!fresh)
                diagnostics_.add(*at, fmt::format("{} \"{}\" is declared twice; the first is at {}", what, *name,
                                                  place(known->second)));
        }
    }

    const KernelDraft* find(std::string_view name) const {
        const auto found = index_.find(name);
        return found == index_.end() ? nullptr : &draft_.kernels[found->second];
    }

    void check_stages(const KernelDraft& draft) {
        const Kernel& kernel = draft.kernel;
        for (std::size_t i = 0; i < kernel.replaces.size(); ++i) {
            const std::string& name = kernel.replaces[i].kernel;
            const KernelDraft* stage = find(name);
            if (stage == nullptr) {
                diagnostics_.add(draft.stage_lines[i], fmt::format("kernel \"{}\": replaces unknown kernel '{}'{}; a "
                                                                   "replaced kernel is declared under the same root",
                                                                   kernel.name, name, pm::did_you_mean(name, names_)));
                continue;
            }
            for (const std::string& chip : kernel.chips) {
                const auto& chips = stage->kernel.chips;
                if (std::find(chips.begin(), chips.end(), chip) == chips.end())
                    diagnostics_.add(draft.stage_lines[i],
                                     fmt::format("kernel \"{}\": replaces '{}', which is not declared for {}",
                                                 kernel.name, name, chip));
            }
        }
    }

    /// Reports each cycle of `replaces` once, at its first kernel in order of declaration.
    void find_cycles() {
        enum class Mark : std::uint8_t { kNew, kOpen, kDone };
        struct Frame {
            std::size_t kernel;
            std::size_t next_stage;
        };
        std::vector<Mark> marks(draft_.kernels.size(), Mark::kNew);
        for (std::size_t start = 0; start < draft_.kernels.size(); ++start) {
            if (marks[start] != Mark::kNew) continue;
            std::vector<Frame> path{{start, 0}};
            marks[start] = Mark::kOpen;
            while (!path.empty()) {
                const std::size_t at = path.back().kernel;
                const auto& stages = draft_.kernels[at].kernel.replaces;
                if (path.back().next_stage == stages.size()) {
                    marks[at] = Mark::kDone;
                    path.pop_back();
                    continue;
                }
                const auto target = index_.find(stages[path.back().next_stage++].kernel);
                if (target == index_.end() || marks[target->second] == Mark::kDone) continue;
                if (marks[target->second] == Mark::kNew) {
                    marks[target->second] = Mark::kOpen;
                    path.push_back({target->second, 0});
                    continue;
                }
                std::string chain;
                bool inside = false;
                for (const Frame& frame : path) {
                    inside = inside || frame.kernel == target->second;
                    if (!inside) continue;
                    chain += draft_.kernels[frame.kernel].kernel.name + " -> ";
                    cyclic_.insert(frame.kernel);
                }
                diagnostics_.add(draft_.kernels[target->second].kernel.at,
                                 fmt::format("kernel \"{0}\": 'replaces' is cyclic: {1}{0}", target->first, chain));
            }
        }
    }

    /// Binds the replaced chain for every shape, evaluates its stages there, and follows the data through it.
    void check_chain(const KernelDraft& draft) {
        const Kernel& kernel = draft.kernel;
        // What is wrong with a stage itself is said where the stage is declared, once.
        bool clean = !cyclic_.contains(static_cast<std::size_t>(&draft - draft_.kernels.data())) &&
                     !broken_.contains(kernel.name);
        for (const ReplacedStage& stage : kernel.replaces) {
            const KernelDraft* target = find(stage.kernel);
            clean = clean && target != nullptr && target->evaluable && !broken_.contains(stage.kernel);
        }
        if (!clean) return;
        for (const Shape& shape : kernel.shapes) {
            const Scope scope = scope_of(kernel, shape);
            std::set<std::string> filled;
            std::set<std::string> written;
            for (const Argument& argument : kernel.args) {
                if (argument.is_buffer() && (argument.dir == Direction::kIn || argument.dir == Direction::kInOut))
                    filled.insert(argument.name);
            }
            for (std::size_t i = 0; i < kernel.replaces.size(); ++i) {
                if (!check_stage(draft, i, shape, scope, filled, written)) return;
            }
            for (const Argument& argument : kernel.args) {
                const bool needed = argument.dir == Direction::kOut || argument.dir == Direction::kInOut ||
                                    argument.dir == Direction::kIntermediate;
                if (needed && !written.contains(argument.name) && !kernel.replaces.empty())
                    diagnostics_.add_once(
                        argument.at, "unwritten " + argument.name,
                        fmt::format("kernel \"{}\": no stage of the replaced chain writes argument \"{}\"", kernel.name,
                                    argument.name));
                if (argument.dir == Direction::kIntermediate && kernel.replaces.empty())
                    diagnostics_.add_once(
                        argument.at, "unused " + argument.name,
                        fmt::format("kernel \"{}\": argument \"{}\" is an intermediate, but nothing is replaced",
                                    kernel.name, argument.name));
            }
        }
    }

    bool check_stage(const KernelDraft& draft, std::size_t index, const Shape& shape, const Scope& scope,
                     std::set<std::string>& filled, std::set<std::string>& written) {
        const Kernel& kernel = draft.kernel;
        const ReplacedStage& stage = kernel.replaces[index];
        const SourceLocation& at = draft.stage_lines[index];
        const auto refuse = [&](const std::string& text) {
            diagnostics_.add_once(at, fmt::format("stage {}", index),
                                  fmt::format("kernel \"{}\", {}: {}", kernel.name, describe(shape), text));
            return false;
        };
        const auto binding = bind_stage(registry_, kernel, stage, scope);
        if (!binding) return refuse(binding.error().text);
        const std::size_t before = diagnostics_.count();
        Evaluation(*find(stage.kernel), binding->scope,
                   fmt::format("kernel \"{}\", {}: replaced '{}'", kernel.name, describe(shape), stage.kernel), &at,
                   diagnostics_)
            .run();
        if (diagnostics_.count() != before) return false;
        std::vector<std::string> written_here;
        for (const auto& [inner_name, own_name] : binding->buffers) {
            const Argument& inner = *binding->kernel->find_argument(inner_name);
            const Argument& own = *kernel.find_argument(own_name);
            if (inner.type != own.type)
                return refuse(fmt::format("argument '{}' of '{}' is {}, but '{}' is {}", inner_name, stage.kernel,
                                          element_name(inner.type), own_name, element_name(own.type)));
            const auto inner_count = element_count(inner, binding->scope);
            const auto own_count = element_count(own, scope);
            if (!inner_count || !own_count) return false; // reported where the argument is declared
            if (*inner_count != *own_count)
                return refuse(fmt::format("argument '{}' of '{}' has {} elements, but '{}' has {}", inner_name,
                                          stage.kernel, *inner_count, own_name, *own_count));
            const bool reads = inner.dir == Direction::kIn || inner.dir == Direction::kInOut;
            const bool writes = inner.dir != Direction::kIn;
            if (reads && !filled.contains(own_name))
                return refuse(
                    fmt::format("argument '{}' of '{}' reads '{}', which is no input and which no earlier stage writes",
                                inner_name, stage.kernel, own_name));
            if (writes && own.dir == Direction::kIn)
                return refuse(fmt::format("argument '{}' of '{}' writes '{}', whose dir is 'in'", inner_name,
                                          stage.kernel, own_name));
            if (writes) written_here.push_back(own_name);
        }
        filled.insert(written_here.begin(), written_here.end());
        written.insert(written_here.begin(), written_here.end());
        return true;
    }

    void check_control(ControlDraft& draft) {
        Control& control = draft.control;
        const std::string what = fmt::format("control \"{}\"", control.name);
        if (control.of.empty()) return;
        const KernelDraft* of = find(control.of);
        if (of == nullptr) {
            diagnostics_.add(draft.of_at, fmt::format("{}: of unknown kernel '{}'{}", what, control.of,
                                                      pm::did_you_mean(control.of, names_)));
            return;
        }
        const Kernel& kernel = of->kernel;
        control.family = kernel.family;
        if (control.chips.empty()) control.chips = kernel.chips;
        for (const std::string& chip : control.chips) {
            if (std::find(kernel.chips.begin(), kernel.chips.end(), chip) == kernel.chips.end())
                diagnostics_.add(draft.chips_at,
                                 fmt::format("{}: chip '{}' is not one of '{}'{}; expected one of {}", what, chip,
                                             control.of, pm::did_you_mean(chip, kernel.chips),
                                             fmt::join(kernel.chips, ", ")));
        }
        if (std::set<std::string>(control.chips.begin(), control.chips.end()).size() != control.chips.size())
            diagnostics_.add(draft.chips_at, fmt::format("{}: a chip is listed twice", what));
        if (!draft.planted_well || !of->evaluable) return;
        if (const auto* symbol = std::get_if<PlantSymbol>(&control.plant))
            check_planted_call(draft, kernel, what, symbol->symbol == kernel.launches[0].symbol, "symbol");
        if (const auto* args = std::get_if<PlantArgs>(&control.plant)) {
            check_planted_call(draft, kernel, what, args->args == kernel.launches[0].args, "args");
            std::vector<std::string> declared;
            for (const Argument& argument : kernel.args) declared.push_back(argument.name);
            for (const std::string& name : args->args) {
                if (kernel.find_argument(name) == nullptr)
                    diagnostics_.add(draft.plant_at,
                                     fmt::format("{}: args: '{}' is no argument of '{}'{}; expected one of {}", what,
                                                 name, control.of, pm::did_you_mean(name, declared),
                                                 fmt::join(declared, ", ")));
            }
        }
        if (auto* params = std::get_if<PlantParams>(&control.plant)) check_planted_params(draft, *of, what, *params);
        if (auto* mutate = std::get_if<PlantMutate>(&control.plant)) {
            if (auto* edit = std::get_if<pm::mutate::InstructionEdit>(&mutate->edit))
                check_mutated_symbol(draft, kernel, what, edit->symbol);
            if (auto* edit = std::get_if<pm::mutate::MetadataEdit>(&mutate->edit))
                check_mutated_symbol(draft, kernel, what, edit->symbol);
        }
    }

    /// A fault in a kernel that the registration does not launch would never be seen.
    void check_mutated_symbol(const ControlDraft& draft, const Kernel& kernel, const std::string& what,
                              std::string& symbol) {
        std::vector<std::string> launched;
        for (const Launch& launch : kernel.launches) launched.push_back(launch.symbol);
        if (symbol.empty() && launched.size() == 1) symbol = launched.front();
        if (std::find(launched.begin(), launched.end(), symbol) != launched.end()) return;
        if (symbol.empty())
            diagnostics_.add(draft.plant_at,
                             fmt::format("{}: mutate: '{}' has {} launches; expected symbol, one of {}", what,
                                         kernel.name, launched.size(), fmt::join(launched, ", ")));
        else
            diagnostics_.add(draft.plant_at,
                             fmt::format("{}: mutate: '{}' launches no symbol '{}'{}; expected one of {}", what,
                                         kernel.name, symbol, pm::did_you_mean(symbol, launched),
                                         fmt::join(launched, ", ")));
    }

    void check_planted_call(const ControlDraft& draft, const Kernel& kernel, const std::string& what, bool same,
                            std::string_view form) {
        if (kernel.launches.size() != 1)
            diagnostics_.add(draft.plant_at,
                             fmt::format("{}: plants '{}' in '{}', which has {} launches; expected a kernel with one",
                                         what, form, kernel.name, kernel.launches.size()));
        else if (same)
            diagnostics_.add(draft.plant_at, fmt::format("{}: the planted {} is what '{}' has; nothing is planted",
                                                         what, form, kernel.name));
    }

    void check_planted_params(const ControlDraft& draft, const KernelDraft& of, const std::string& what,
                              PlantParams& plant) {
        NamedExprs params = of.params;
        for (const auto& [name, value] : draft.planted) {
            if (!params.contains(name)) {
                std::vector<std::string> known;
                for (const auto& [key, ignored] : params) known.push_back(key);
                diagnostics_.add(value.at, fmt::format("{}: params: '{}' is no parameter of '{}'{}; expected one of {}",
                                                       what, name, of.kernel.name, pm::did_you_mean(name, known),
                                                       fmt::join(known, ", ")));
                return;
            }
            params[name] = value;
        }
        const auto scope = resolve(params, {}, what + ": planted parameter", diagnostics_);
        if (!scope) return;
        for (const auto& [name, value] : *scope) {
            if (of.kernel.params.find(name)->second != value) plant.params[name] = value;
        }
        if (plant.params.empty()) {
            diagnostics_.add(draft.plant_at, fmt::format("{}: the planted params are what '{}' has; nothing is planted",
                                                         what, of.kernel.name));
            return;
        }
        Kernel planted = of.kernel;
        planted.params = *scope;
        for (const Shape& shape : planted.shapes)
            Evaluation(of, scope_of(planted, shape), fmt::format("{}: with its params, {}", what, describe(shape)),
                       &draft.plant_at, diagnostics_)
                .run();
    }

    Draft& draft_;
    Registry& registry_;
    Diagnostics& diagnostics_;
    std::map<std::string, std::size_t, std::less<>> index_;
    std::vector<std::string> names_;
    std::set<std::size_t> cyclic_;
    std::set<std::string> broken_; // kernels that do not evaluate for some shape
};

bool is_file(const std::filesystem::path& path) {
    std::error_code failed;
    return std::filesystem::is_regular_file(path, failed);
}

} // namespace

std::string bad_source_path(std::string_view path) {
    if (path.empty()) return "is empty; expected a path relative to the project";
    const std::filesystem::path parsed(path);
    if (parsed.is_absolute()) return "is absolute; expected a path relative to the project";
    for (const auto& part : parsed) {
        if (part == "..") return "leaves its folder with '..'; expected a path inside the project";
    }
    return "";
}

void check_all(Draft& draft, Registry& registry, Diagnostics& diagnostics) {
    Checker(draft, registry, diagnostics).run();
}

void check_sources(const Draft& draft, const std::filesystem::path& root, Diagnostics& diagnostics) {
    std::map<std::string, std::string> source_of_family;
    for (const FamilyDraft& family : draft.families) {
        source_of_family[family.name] = family.source;
        if (bad_source_path(family.source).empty() && !is_file(root / family.source))
            diagnostics.add(family.source_at, fmt::format("family \"{}\": source '{}' is not a file under {}",
                                                          family.name, family.source, root.string()));
    }
    for (const ControlDraft& one : draft.controls) {
        const auto* build = std::get_if<PlantBuild>(&one.control.plant);
        if (build == nullptr || !one.planted_well) continue;
        const std::string what = fmt::format("control \"{}\"", one.control.name);
        const std::string& source = build->source.empty() ? source_of_family[one.control.family] : build->source;
        if (!build->source.empty() && !is_file(root / source)) {
            diagnostics.add(one.plant_at,
                            fmt::format("{}: source '{}' is not a file under {}", what, source, root.string()));
            continue;
        }
        if (build->edit.empty() || source.empty() || !is_file(root / source)) continue;
        auto text = pm::read_file(root / source);
        if (!text) {
            diagnostics.add(one.plant_at, fmt::format("{}: {}", what, text.error().text));
            continue;
        }
        if (const auto edited = apply_edits(std::move(*text), *build); !edited)
            diagnostics.add(one.plant_at, fmt::format("{}: source '{}': {}", what, source, edited.error().text));
    }
}

} // namespace hkc
