// What a receipt costs beside the run that it holds, where its base was run before, and what its verification costs.
// Base and head are the same commit: the caches of both are warm, and everything is compared.
//
//   receipt_bench [chips]      gfx1151 where none is given

#include "bench/run_tool.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace {

constexpr double kRatio = 1.2;         // of one run
constexpr double kVerifySeconds = 2.0; // without --rerun

double seconds_of(const std::string& program, const std::vector<std::string>& options) {
    const auto start = std::chrono::steady_clock::now();
    const int status = bench::run_tool(program, options);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{}: exit status {}\n", program, status);
    return seconds;
}

} // namespace

int main(int argc, char** argv) {
    std::string out = (std::filesystem::temp_directory_path() / "receipt-bench-XXXXXX").string();
    if (mkdtemp(out.data()) == nullptr) return 1;
    const std::vector<std::string> run{"--root",   HKC_SOURCE_DIR, "--device",
                                       "embedded", "--chip",       argc > 1 ? argv[1] : "gfx1151"};
    std::vector<std::string> make = run;
    make.insert(make.end(), {"--base", "HEAD", "--out", out});
    const std::vector<std::string> verify{"verify", out + "/receipt.md", "--root", HKC_SOURCE_DIR};
    (void)seconds_of("hip-kernel-contract-receipt", make); // the base is kept
    const double one_run = seconds_of("hip-kernel-contract", run);
    const double receipt = seconds_of("hip-kernel-contract-receipt", make);
    const double verified = seconds_of("hip-kernel-contract-receipt", verify);
    fmt::print("one run      {:8.2f} s\n", one_run);
    fmt::print("receipt      {:8.2f} s  ratio {:.2f} (bound {:.1f})\n", receipt, receipt / one_run, kRatio);
    fmt::print("verify       {:8.2f} s  of {:.0f} s, ratio {:.2f}\n", verified, kVerifySeconds,
               verified / kVerifySeconds);
    std::error_code ignored;
    std::filesystem::remove_all(out, ignored);
    return receipt <= kRatio * one_run && verified <= kVerifySeconds ? 0 : 1;
}
