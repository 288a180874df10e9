#include "contract/toolchain/depfile.h"

#include <algorithm>

namespace hkc {

std::vector<std::string> parse_depfile(std::string_view text) {
    std::vector<std::string> out;
    const std::size_t colon = text.find(": ");
    if (colon == std::string_view::npos) return out;
    std::string word;
    const auto end_word = [&] {
        if (!word.empty() && std::find(out.begin(), out.end(), word) == out.end()) out.push_back(word);
        word.clear();
    };
    for (std::size_t i = colon + 2; i < text.size(); ++i) {
        const char c = text[i];
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        if (c == '\\' && next == '\n') {
            end_word();
            ++i;
        } else if ((c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$')) {
            word += next;
            ++i;
        } else if (c == '\n') {
            break;
        } else if (c == ' ' || c == '\t') {
            end_word();
        } else {
            word += c;
        }
    }
    end_word();
    return out;
}

} // namespace hkc
