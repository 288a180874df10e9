#include "contract/toolchain/fingerprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace hkc {
namespace {

/// What a flag is to a fingerprint.
enum class Use : std::uint8_t {
    kDrop,      // changes no code
    kDropValue, // so does it with the word behind it, or its own rest
    kJoin,      // stays, together with the word behind it
};

struct Rule {
    std::string_view flag;
    bool prefix; // whether words that only begin so are meant too
    Use use;
};

// The first rule that fits counts.
constexpr std::array kRules = {
    // The output, its form and its dependency list.
    Rule{"-o", true, Use::kDropValue},
    Rule{"-c", false, Use::kDrop},
    Rule{"-v", false, Use::kDrop},
    Rule{"-MF", true, Use::kDropValue},
    Rule{"-MT", true, Use::kDropValue},
    Rule{"-MQ", true, Use::kDropValue},
    Rule{"-MJ", true, Use::kDropValue},
    Rule{"-M", true, Use::kDrop},
    Rule{"--no-gpu-bundle-output", false, Use::kDrop},
    Rule{"--gpu-bundle-output", false, Use::kDrop},
    Rule{"-save-temps", true, Use::kDrop},
    Rule{"--save-temps", true, Use::kDrop},
    Rule{"-parallel-jobs=", true, Use::kDrop},
    // An id that the driver makes of the file's path; it names no code.
    Rule{"-fuse-cuid=", true, Use::kDrop},
    // The chip is told apart everywhere.
    Rule{"--offload-arch=", true, Use::kDrop},
    Rule{"--cuda-gpu-arch=", true, Use::kDrop},
    // Where files are looked for.
    Rule{"-I", true, Use::kDropValue},
    Rule{"-isystem", true, Use::kDropValue},
    Rule{"-iquote", true, Use::kDropValue},
    Rule{"-idirafter", true, Use::kDropValue},
    Rule{"-isysroot", true, Use::kDropValue},
    Rule{"-include", false, Use::kDropValue},
    Rule{"-imacros", false, Use::kDropValue},
    Rule{"-L", true, Use::kDropValue},
    Rule{"-B", true, Use::kDropValue},
    Rule{"-resource-dir", false, Use::kDropValue},
    Rule{"--sysroot", false, Use::kDropValue},
    // Words that take another one.
    Rule{"-x", false, Use::kJoin},
    Rule{"-D", false, Use::kJoin},
    Rule{"-U", false, Use::kJoin},
    Rule{"-target", false, Use::kJoin},
    Rule{"-mllvm", false, Use::kJoin},
    Rule{"-Xclang", false, Use::kJoin},
    Rule{"-Xarch_device", false, Use::kJoin},
    Rule{"-Xoffload-linker", false, Use::kJoin},
};

const Rule* rule_of(std::string_view flag) {
    for (const Rule& rule : kRules)
        if (flag == rule.flag || (rule.prefix && flag.starts_with(rule.flag))) return &rule;
    return nullptr;
}

/// `flag` without the path behind its `=`; a macro's text is kept whole.
std::string without_path(const std::string& flag) {
    if (flag.starts_with("-D")) return flag;
    const std::size_t slash = flag.find('/');
    if (slash == std::string::npos) return flag;
    const std::size_t equals = flag.find('=');
    return equals < slash ? flag.substr(0, equals + 1) : std::string();
}

} // namespace

std::vector<std::string> normalised_flags(std::span<const std::string> flags) {
    std::vector<std::string> kept;
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::string& flag = flags[i];
        if (!flag.starts_with('-')) continue; // a file
        const Rule* rule = rule_of(flag);
        if (rule == nullptr) {
            if (std::string rest = without_path(flag); !rest.empty()) kept.push_back(std::move(rest));
            continue;
        }
        if (rule->use == Use::kDrop) continue;
        if (rule->use == Use::kDropValue) {
            if (flag == rule->flag) ++i;
            continue;
        }
        if (i + 1 == flags.size()) {
            kept.push_back(flag);
            continue;
        }
        const bool macro = flag == "-D" || flag == "-U";
        kept.push_back(flag + (macro ? "" : " ") + flags[++i]);
    }
    return kept;
}

Fingerprint make_fingerprint(std::span<const std::string> idents, std::span<const std::string> flags) {
    Fingerprint made;
    for (const std::string& ident : idents)
        (ident.starts_with("Linker:") ? made.linkers : made.idents).push_back(ident);
    for (std::vector<std::string>* lines : {&made.idents, &made.linkers}) {
        std::sort(lines->begin(), lines->end());
        lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
    }
    made.flags = normalised_flags(flags);
    return made;
}

std::string Fingerprint::text() const {
    return fmt::format("{} with {}",
                       idents.empty() ? "an unnamed compiler" : fmt::format("{}", fmt::join(idents, " + ")),
                       flags.empty() ? "no flags" : fmt::format("{}", fmt::join(flags, " ")));
}

} // namespace hkc
