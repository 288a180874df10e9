// fuzz_seeds FOLDER: writes the seeds of each fuzz target to FOLDER/TARGET/, anew.
#include "tests/fuzz/seeds.h"

#include "peacemaker/support/file.h"

#include <fmt/format.h>

namespace {

pm::Result<void> write_seeds(const std::filesystem::path& folder) {
    for (const pm::fuzz::Target& target : pm::fuzz::targets()) {
        const auto seeds = target.seeds();
        if (!seeds) return seeds.error().with(std::string(target.name));
        if (seeds->empty()) return pm::Error{fmt::format("{}: no seeds", target.name)};
        const std::filesystem::path own = folder / target.name;
        std::error_code ignored;
        std::filesystem::remove_all(own, ignored);
        for (std::size_t i = 0; i < seeds->size(); ++i)
            if (const auto written = pm::write_file_atomically(own / fmt::format("{:02}", i), (*seeds)[i]); !written)
                return written;
        fmt::print("{}: {} seeds\n", target.name, seeds->size());
    }
    return {};
}

} // namespace

int main(int count, char** words) {
    if (count != 2) {
        fmt::print(stderr, "fuzz_seeds FOLDER\n");
        return 2;
    }
    if (const auto written = write_seeds(words[1]); !written) {
        fmt::print(stderr, "fuzz_seeds: {}\n", written.error().text);
        return 1;
    }
    return 0;
}
