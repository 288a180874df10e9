#include "peacemaker/object/kernel_name.h"

#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/Demangle/Demangle.h>

#include <cstdlib>
#include <vector>

namespace pm {
namespace {

constexpr std::size_t kMostListed = 8;

/// What a C++ symbol says; all empty for a symbol that is none.
struct FunctionName {
    std::string base;      // sum
    std::string qualified; // kernels::sum
    std::string whole;     // kernels::sum(float const*, float*, int)
};

/// What the demangler has allocated, as a string.
std::string taken(char* text) {
    std::string out = text == nullptr ? "" : text;
    std::free(text);
    return out;
}

FunctionName function_name(const std::string& symbol) {
    llvm::ItaniumPartialDemangler demangler;
    if (demangler.partialDemangle(symbol.c_str()) || !demangler.isFunction()) return {};
    return {taken(demangler.getFunctionBaseName(nullptr, nullptr)), taken(demangler.getFunctionName(nullptr, nullptr)),
            taken(demangler.finishDemangle(nullptr, nullptr))};
}

std::string list_text(const std::vector<const Kernel*>& kernels) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < kernels.size() && i < kMostListed; ++i) {
        const std::string whole = function_name(kernels[i]->name).whole;
        texts.push_back(whole.empty() ? kernels[i]->name : fmt::format("{} ({})", kernels[i]->name, whole));
    }
    if (kernels.size() > kMostListed) texts.push_back(fmt::format("and {} more", kernels.size() - kMostListed));
    return fmt::format("{}", fmt::join(texts, ", "));
}

} // namespace

Result<const Kernel*> named_kernel(const CodeObject& object, std::string_view name) {
    if (const Kernel* const exact = object.find_kernel(name)) return exact;
    std::vector<const Kernel*> all, called;
    std::vector<std::string> names;
    for (const Kernel& kernel : object.kernels) {
        const FunctionName function = function_name(kernel.name);
        all.push_back(&kernel);
        names.push_back(kernel.name);
        if (function.whole.empty()) continue;
        names.push_back(function.base);
        if (name == function.base || name == function.qualified || name == function.whole) called.push_back(&kernel);
    }
    if (called.size() == 1) return called.front();
    if (!called.empty())
        return Error{fmt::format("{} kernels are called {}: {}; expected the symbol of one", called.size(), name,
                                 list_text(called))};
    return Error{fmt::format("no kernel {} in the code object{}; it has {}", name, did_you_mean(name, names),
                             all.empty() ? "none" : list_text(all))};
}

} // namespace pm
