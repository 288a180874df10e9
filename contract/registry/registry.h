// The registry: every launch under contract, as data. Read from TOML (one file a family), checked whole, expanded over
// `each`.
//
// Nothing runs on a half-read registry: load_registry returns every launch, or an Error that lists what is wrong as
// `file:line: what was read; what was expected`, with the nearest valid name.
#pragma once

#include "contract/expr/expr.h"
#include "peacemaker/chip/chip.h"
#include "peacemaker/mutate/mutate.h"
#include "peacemaker/support/result.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hkc {

/// What stands in a file where `hip-kernel-contract new` cannot know what belongs there. A file with one is refused.
inline constexpr std::string_view kBlank = "FILL_IN";

/// Where a declaration stands.
struct SourceLocation {
    std::string file;
    std::uint32_t line = 0;
};

/// What a launch may do with an argument's buffer. kIntermediate is no argument of the launch: it holds what a replaced
/// chain hands on.
enum class Direction : std::uint8_t { kIn, kOut, kInOut, kWorkspace, kIntermediate };

/// Element types. kActivation is the chip's kind (fp16 or bf16).
enum class ElementType : std::uint8_t {
    kActivation,
    kFp16,
    kBf16,
    kF32,
    kF64,
    kI8,
    kU8,
    kI16,
    kU16,
    kI32,
    kU32,
    kI64,
    kU64
};

/// Bytes an element; kActivation is 2 on every chip.
std::uint32_t element_bytes(ElementType type);
std::string_view element_name(ElementType type);

/// How a buffer is filled before a launch, where the contract asks for more than "random" inputs and "poisoned"
/// outputs.
enum class Init : std::uint8_t { kDefault, kZero };

/// One argument (or intermediate buffer). A buffer has dims; a scalar has none, and its value is `value`.
struct Argument {
    std::string name;
    Direction dir = Direction::kIn;
    ElementType type = ElementType::kActivation;
    std::vector<Expr> dims;    // elements, outermost first; empty for a scalar
    std::optional<Expr> value; // scalars; the argument's own name where the registry says nothing
    std::uint32_t align = 0;   // bytes: the smallest legal alignment of the buffer; 0 = the element's size
    Init init = Init::kDefault;
    SourceLocation at;

    bool is_buffer() const { return !dims.empty(); }
};

/// One launch of a launch set.
struct Launch {
    std::string symbol;
    std::array<Expr, 3> grid;      // workgroups
    std::array<Expr, 3> block;     // work-items
    Expr lds;                      // dynamic LDS, bytes
    std::vector<std::string> args; // names of Arguments, in call order
    SourceLocation at;
};

/// Values of the shape variables of one declared shape.
struct Shape {
    Scope values;
    bool served = false; // a shape of a real model
    bool ragged = false; // fills its last workgroups only partly
    SourceLocation at;
};

/// One stage of the replaced chain: a kernel of the registry, and where its names come from in this kernel's scope.
/// `args` maps the stage's argument or shape-variable name to an argument name or an expression here; names left out
/// bind to equal ones.
struct ReplacedStage {
    std::string kernel;
    std::map<std::string, std::string> args;
};

enum class Match : std::uint8_t { kBytes, kBound };

/// A finding that is there, known, and must still occur.
struct KnownFinding {
    std::uint32_t gate = 0;
    std::string chip;
    std::string finding; // the kind, as reports print it
    std::string reason;
    SourceLocation at;
};

/// One registration.
struct Kernel {
    std::string name;
    std::string family;
    std::string source;             // relative to the root
    std::vector<std::string> flags; // the family's compiler flags
    std::vector<std::string> chips;
    std::vector<ReplacedStage> replaces; // empty: replaces nothing
    Match match = Match::kBound;
    bool bitwise = true;    // repeats of a launch give the same bytes
    bool certify = false;   // gate 1 is red where a kernel is not certified
    bool nan_bytes = false; // nan = "bytes": NaN payloads must agree too
    std::string oracle;
    Scope params; // names that expressions may use, and the oracle gets
    std::vector<Argument> args;
    std::vector<Launch> launches;
    std::vector<Shape> shapes;
    std::vector<KnownFinding> known_findings;
    SourceLocation at;

    const Argument* find_argument(std::string_view name) const;
};

/// What a control plants. Exactly one of the forms below.
struct PlantSymbol {
    std::string symbol;
}; // another kernel of the same object, same contract
struct PlantArgs {
    std::vector<std::string> args;
}; // another argument list at the call site
struct PlantParams {
    Scope params;
};                                   // buffers, dims and oracle follow; the symbol stays
struct PlantBuild {                  // another build, compared with the same contract
    std::string source;              // empty: the family's own source
    std::vector<std::string> define; // NAME or NAME=VALUE
    std::vector<std::pair<std::string, std::string>>
        edit; // text of the source, each found exactly once, and its replacement
};
struct PlantMutate {
    pm::mutate::Edit edit; // the symbol that the registry leaves out is the registration's
};                         // a place of the object patched, its length kept
using Plant = std::variant<PlantSymbol, PlantArgs, PlantParams, PlantBuild, PlantMutate>;

/// A planted fault that must be red at the gate it names.
struct Control {
    std::string name;
    std::string of; // the registration it is planted in, its passing twin
    std::string family;
    std::vector<std::string> chips; // those of its registration where the registry says nothing
    Plant plant;
    std::uint32_t red_at = 0;
    std::vector<std::string>
        findings; // the kinds that may turn it red, at least one; the first kind found must be among them
    bool embedded_only = false;
    SourceLocation at;
};

struct Registry {
    std::filesystem::path root; // the folder that `source` is relative to
    std::vector<Kernel> kernels;
    std::vector<Control> controls;

    const Kernel* find_kernel(std::string_view name) const;
};

/// Names the registry is checked against but does not own.
struct KnownNames {
    std::vector<std::string> oracles;
    std::vector<std::string> finding_kinds;
};

/// Reads every *.toml under `root`/registry (sorted by name), expands and checks them together. A source that is not
/// there is an error.
pm::Result<Registry> load_registry(const std::filesystem::path& root, const KnownNames& names);

/// The same from one text, for tests and tools; `file` is how messages call it. Does not look for sources.
pm::Result<Registry> parse_registry(std::string_view toml_text, const std::string& file, const KnownNames& names);

/// The scope in which the expressions of `kernel` are evaluated for `shape`: params and shape variables.
Scope scope_of(const Kernel& kernel, const Shape& shape);

/// One stage of a replaced chain, bound to one shape of the kernel that replaces it.
struct StageBinding {
    const Kernel* kernel = nullptr;             // the stage, owned by the registry
    Scope scope;                                // in which the stage's own expressions are evaluated
    std::map<std::string, std::string> buffers; // the stage's buffer argument -> the replacing kernel's
};

/// Binds `stage` of `kernel`'s chain in `scope` (scope_of(kernel, shape)). Every stage of a loaded registry binds for
/// every declared shape. Error: the name that has nothing to bind to, or the expression that fails.
pm::Result<StageBinding> bind_stage(const Registry& registry, const Kernel& kernel, const ReplacedStage& stage,
                                    const Scope& scope);

/// `text` with the build's edits made one after the other. Error: an edit whose `from` is not there exactly once at its
/// turn.
pm::Result<std::string> apply_edits(std::string text, const PlantBuild& build);

/// Elements of a buffer argument in that scope (>= 0); Error names the argument and dimension.
pm::Result<std::int64_t> element_count(const Argument& argument, const Scope& scope);

} // namespace hkc
