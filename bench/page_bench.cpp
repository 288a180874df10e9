// How large the page of a report is, and how long Chromium takes until it is read, filtered and laid out.
//
//   page_bench REPORT.json      of a run of the whole registry on all chips

#include "contract/page/compared.h"
#include "contract/page/page.h"
#include "contract/toolchain/subprocess.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

namespace {

constexpr double kMebibyte = 1024.0 * 1024.0, kMostMebibytes = 3.0, kMostMilliseconds = 1000.0;

constexpr const char* kClock = R"js(
document.body.getBoundingClientRect();
const line = document.createElement("p");
line.textContent = "laid out after " + performance.now() + " ms";
document.body.append(line);
)js";

/// The document of `page` once Chromium laid it out; `folder` is filled.
pm::Result<std::string> laid_out(const std::filesystem::path& folder, const std::string& page) {
    const std::filesystem::path file = folder / "page.html";
    if (auto written = pm::write_file_atomically(file, page + "<script>" + kClock + "</script>\n"); !written)
        return written.error();
    const auto done =
        hkc::run({{"/usr/bin/env", "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--user-data-dir=" + (folder / "profile").string(), "--dump-dom", "file://" + file.string()},
                  folder,
                  {"PATH=/usr/bin:/bin", "HOME=" + folder.string()}});
    if (!done) return done.error();
    if (!done->succeeded()) return pm::Error{"chromium: " + done->how() + ": " + done->err};
    return done->out;
}

int complain(const std::string& text) {
    fmt::print(stderr, "page_bench: {}\n", text);
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) return complain("expected one report of hip-kernel-contract --json");
    auto text = pm::read_file(argv[1]);
    if (!text) return complain(text.error().text);
    const auto compared = hkc::page::read_compared({{argv[1], std::move(*text)}}, std::nullopt);
    if (!compared) return complain(compared.error().text);
    const std::string page =
        hkc::page::page_html({compared->report, compared->base ? &*compared->base : nullptr, compared->base_name, {}});

    std::string folder = (std::filesystem::temp_directory_path() / "page-bench-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) return complain("cannot make a folder");
    const auto shown = laid_out(folder, page);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (!shown) return complain(shown.error().text);
    const std::string_view told = "laid out after ";
    const std::size_t at = shown->rfind(told);
    if (at == std::string::npos) return complain("Chromium did not run the script behind the page");
    const double milliseconds = std::strtod(shown->c_str() + at + told.size(), nullptr);
    const double mebibytes = static_cast<double>(page.size()) / kMebibyte;
    fmt::print("page       {:8.2f} MiB  of {:.0f}, ratio {:.2f}\n", mebibytes, kMostMebibytes,
               mebibytes / kMostMebibytes);
    fmt::print("laid out   {:8.0f} ms   of {:.0f}, ratio {:.2f}\n", milliseconds, kMostMilliseconds,
               milliseconds / kMostMilliseconds);
    return mebibytes <= kMostMebibytes && milliseconds <= kMostMilliseconds ? 0 : 1;
}
