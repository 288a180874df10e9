// Gives a fuzz target single inputs, in builds without the fuzzer: the files that are named, and those of named
// folders.
#include "peacemaker/support/file.h"
#include "tests/fuzz/fuzz.h"

#include <filesystem>
#include <span>
#include <vector>

namespace fs = std::filesystem;

int main(int count, char** words) {
    std::vector<fs::path> files;
    for (const char* word : std::span(words, static_cast<std::size_t>(count)).subspan(1)) {
        std::error_code failed;
        if (!fs::is_directory(word)) files.emplace_back(word);
        for (const auto& entry : fs::directory_iterator(word, failed)) files.push_back(entry.path());
    }
    for (const fs::path& file : files) {
        const auto bytes = pm::read_file(file);
        if (!bytes) {
            std::fprintf(stderr, "%s\n", bytes.error().text.c_str());
            return 2;
        }
        std::fprintf(stderr, "%s\n", file.c_str());
        LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
    }
    std::fprintf(stderr, "%zu inputs\n", files.size());
    return files.empty() ? 2 : 0;
}
