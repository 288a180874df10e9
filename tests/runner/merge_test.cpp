#include "contract/runner/merge.h"

#include "peacemaker/support/file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <functional>

namespace hkc {
namespace {

GateResult gate_result(std::uint32_t gate, Status status) {
    GateResult result;
    result.gate = gate;
    result.status = status;
    if (status == Status::kFail || status == Status::kKnownFinding)
        result.findings = {{"outside the oracle", "out[7]: 1.5, expected [0, 1]"}};
    if (status == Status::kUnchecked) result.unchecked = {"unsupported instruction v_foo"};
    result.checks = 10 + gate;
    result.launches = 3;
    return result;
}

RunDescription description() {
    RunDescription made;
    made.commit = "0123456789012345678901234567890123456789";
    made.inputs = std::string(64, 'a');
    made.device = "embedded";
    made.library = "libpm_hip.so";
    made.toolchain = "clang-22.1.8";
    made.compiler = "clang version 22.1.8";
    made.filter = "*";
    made.seed = 1;
    made.registered = {"gfx1030", "gfx1151", "gfx1201"};
    return made;
}

/// What a device that ran the gates would have counted.
DeviceReport fidelity(const std::vector<GateResult>& gates, std::uint64_t exact) {
    DeviceReport report;
    for (const GateResult& gate : gates) report.launches += gate.launches;
    report.exact = exact;
    report.approximate = 1;
    report.notes["v_rcp_f32"] = "within 1 ulp";
    report.instructions = exact + 1;
    report.lane_operations = 32 * (exact + 1);
    return report;
}

/// A run of `kernels` registrations and `controls` controls on each chip; no two outcomes are alike.
ReadReport whole_run(const std::vector<std::string>& chips, int kernels, int controls) {
    ReadReport whole;
    whole.description = description();
    whole.outcome.chips = chips;
    whole.outcome.gates = {1, 3};
    for (const std::string& chip : chips) {
        for (int i = 0; i < kernels; ++i) {
            KernelOutcome kernel;
            kernel.name = fmt::format("tile{}", i);
            kernel.family = "tiles";
            kernel.chip = chip;
            kernel.gates = {gate_result(1, Status::kPass),
                            gate_result(3, static_cast<Status>((i + static_cast<int>(chip.back())) % 4))};
            if (i == 1) kernel.known = {"gate 3 \"outside the oracle\": a reason"};
            kernel.device = fidelity(kernel.gates, 100U + static_cast<unsigned>(i));
            kernel.evidence = {pm::sha256_hex(kernel.name), pm::sha256_hex(chip), "a compiler with -O3"};
            kernel.certificates = {{kernel.name, pm::certify::Verdict::kCertified, {}}};
            whole.outcome.kernels.push_back(std::move(kernel));
        }
        for (int i = 0; i < controls; ++i) {
            ControlOutcome control;
            control.name = fmt::format("fault {}", i);
            control.of = "tile0";
            control.chip = chip;
            control.verdict = static_cast<ControlVerdict>(i % 4);
            control.why = i % 4 == 0 ? "" : "because";
            control.gates = {gate_result(1, Status::kPass), gate_result(2, Status::kFail)};
            control.device = fidelity(control.gates, 50U + static_cast<unsigned>(i));
            control.evidence = {pm::sha256_hex(control.name), pm::sha256_hex(chip + control.name),
                                "a compiler with -O3"};
            if (control.verdict == ControlVerdict::kNotAsked) {
                control.gates.clear();
                control.device = {};
                control.evidence.object = control.evidence.fingerprint = "";
            }
            whole.outcome.controls.push_back(std::move(control));
        }
    }
    whole.description.tasks = whole.outcome.kernels.size() + whole.outcome.controls.size();
    return whole;
}

/// The report of one shard: every `of`th task of the run, which goes chip by chip, registrations first.
std::string shard_of(const ReadReport& whole, std::uint32_t index, std::uint32_t of) {
    ReadReport part = whole;
    part.description.shard = {index, of};
    part.outcome.kernels.clear();
    part.outcome.controls.clear();
    std::size_t task = 0;
    const auto ours = [&] { return task++ % of == index - 1; };
    for (const std::string& chip : whole.outcome.chips) {
        for (const KernelOutcome& kernel : whole.outcome.kernels)
            if (kernel.chip == chip && ours()) part.outcome.kernels.push_back(kernel);
        for (const ControlOutcome& control : whole.outcome.controls)
            if (control.chip == chip && ours()) part.outcome.controls.push_back(control);
    }
    return report_json(part.outcome, part.description);
}

std::vector<NamedReport> shards_of(const ReadReport& whole, std::uint32_t of) {
    std::vector<NamedReport> reports;
    for (std::uint32_t i = 1; i <= of; ++i) reports.push_back({fmt::format("{}.json", i), shard_of(whole, i, of)});
    return reports;
}

std::string error_of(const std::vector<NamedReport>& reports, const std::vector<std::string>& chips = {}) {
    const auto merged = merge_reports(reports, chips);
    return merged ? "merged" : merged.error().text;
}

const std::vector<std::string> kChips{"gfx1030", "gfx1151"};

TEST(Merge, ShardsMakeTheReportOfTheWholeRun) {
    for (const auto& [kernels, controls] : {std::pair{5, 3}, std::pair{65, 25}, std::pair{0, 4}, std::pair{7, 0}}) {
        const ReadReport whole = whole_run(kChips, kernels, controls);
        const std::string expected = report_json(whole.outcome, whole.description);
        for (std::uint32_t of = 1; of <= std::min<std::size_t>(whole.description.tasks, 9); ++of) {
            std::vector<NamedReport> reports = shards_of(whole, of);
            std::reverse(reports.begin(), reports.end());
            const auto merged = merge_reports(reports, {});
            ASSERT_TRUE(merged) << of << ": " << merged.error().text;
            EXPECT_EQ(report_json(merged->outcome, merged->description), expected) << of;
        }
    }
}

TEST(Merge, ShardsOfEachChipMakeTheReportOfAllChips) {
    const ReadReport whole = whole_run(kChips, 5, 2);
    std::vector<NamedReport> reports = shards_of(whole_run({"gfx1151"}, 5, 2), 3);
    for (NamedReport& report : shards_of(whole_run({"gfx1030"}, 5, 2), 2)) reports.push_back(std::move(report));
    const auto merged = merge_reports(reports, kChips);
    ASSERT_TRUE(merged) << merged.error().text;
    EXPECT_EQ(report_json(merged->outcome, merged->description), report_json(whole.outcome, whole.description));
    EXPECT_EQ(error_of(reports, {"all"}), "missing: no report is on gfx1201");
}

TEST(Merge, AMissingOrDoubledShardIsNamed) {
    const ReadReport whole = whole_run(kChips, 5, 3);
    std::vector<NamedReport> reports = shards_of(whole, 4);
    std::vector<NamedReport> less{reports[0], reports[3]};
    EXPECT_EQ(error_of(less), "missing: shard 2/4, 3/4 on gfx1030, gfx1151");
    std::vector<NamedReport> twice = reports;
    twice.push_back({"again.json", reports[2].text});
    EXPECT_EQ(error_of(twice), "again.json: doubled: 3.json is shard 3/4 on gfx1030, gfx1151, too");
    std::vector<NamedReport> overlap = reports;
    overlap.push_back({"one.json", shard_of(whole_run({"gfx1151"}, 5, 3), 1, 1)});
    EXPECT_NE(error_of(overlap).find("doubled"), std::string::npos);
    std::vector<NamedReport> mixed{reports[0], {"2of5.json", shard_of(whole, 2, 5)}};
    EXPECT_EQ(error_of(mixed), "2of5.json: foreign: shard 2/5 of 16 tasks on gfx1030, gfx1151, but 1.json is shard 1/4 "
                               "of 16 tasks");
    EXPECT_EQ(error_of({}), "no report to merge");
}

TEST(Merge, AShardOfAnotherRunIsNamedWithWhatDiffers) {
    const ReadReport whole = whole_run(kChips, 5, 3);
    const std::string first = shard_of(whole, 1, 2);
    const auto foreign = [&](auto change) {
        ReadReport other = whole;
        change(other);
        return error_of({{"1.json", first}, {"2.json", shard_of(other, 2, 2)}});
    };
    const std::pair<std::string, std::string> cases[] = {
        {foreign([](ReadReport& r) { r.description.commit = "f00"; }), "commit is f00"},
        {foreign([](ReadReport& r) { r.description.commit = ""; }), "commit is none"},
        {foreign([](ReadReport& r) { r.description.dirty = true; }), "dirty flag is true"},
        {foreign([](ReadReport& r) { r.description.inputs = "b"; }), "registry with sources and records is b"},
        {foreign([](ReadReport& r) { r.description.toolchain = "hipcc-5.2"; }), "toolchain is hipcc-5.2"},
        {foreign([](ReadReport& r) { r.description.compiler = "other"; }), "compiler is other"},
        {foreign([](ReadReport& r) { r.description.device = "rocm"; }), "device is rocm"},
        {foreign([](ReadReport& r) { r.description.library = "libamdhip64.so"; }), "HIP library is libamdhip64.so"},
        {foreign([](ReadReport& r) {
             r.description.oracles = {{"mine.so", "01"}};
         }),
         "list of oracle libraries is mine.so sha256 01"},
        {foreign([](ReadReport& r) { r.description.filter = "tile*"; }), "filter is tile*"},
        {foreign([](ReadReport& r) { r.description.seed = 2; }), "seed is 2"},
        {foreign([](ReadReport& r) { r.description.thorough = true; }), "launch budget (--thorough) is true"},
        {foreign([](ReadReport& r) { r.description.allow_unchecked = true; }), "--allow-unchecked is true"},
        {foreign([](ReadReport& r) { r.description.registered = {"gfx1030"}; }), "list of registered chips is gfx1030"},
        {foreign([](ReadReport& r) {
             r.outcome.gates = {1, 2, 3};
         }),
         "list of gates is 1-3"},
    };
    for (const auto& [error, part] : cases) {
        EXPECT_TRUE(error.starts_with("2.json: foreign: its " + part)) << error;
        EXPECT_NE(error.find(", that of 1.json is "), std::string::npos) << error;
    }
}

TEST(Merge, AReportThatIsNoneOrWasAlteredIsNamed) {
    const ReadReport whole = whole_run(kChips, 5, 3);
    const std::string good = shard_of(whole, 1, 1);
    const auto altered = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        return error_of({{"a.json", text}});
    };
    for (const std::string& error :
         {altered("\"status\": \"fail\"", "\"status\": \"pass\""), altered("\"exact\": 102", "\"exact\": 103"),
          altered("\"missed\": 1", "\"missed\": 0"), altered("\"exit_status\": 1", "\"exit_status\": 0"),
          altered("\"schema\": 4", "\"schema\": 3"), altered("\"shard\": \"1/1\"", "\"shard\": \"2/1\""),
          altered("\"tool\": \"hip-kernel-contract\"", "\"tool\": \"another\""),
          altered("\"tasks\": 16", "\"tasks\": 17"), error_of({{"a.json", good.substr(0, good.size() / 2)}}),
          error_of({{"a.json", ""}}), error_of({{"a.json", "[]"}})})
        EXPECT_TRUE(error.starts_with("a.json: ")) << error;
    const std::string with_base = altered("\"exit_status\": 1", "\"exit_status\": 1,\n \"base\": {}");
    EXPECT_NE(with_base.find("without --base"), std::string::npos) << with_base;
}

/// The error of a merge whose second shard was altered and sealed anew.
std::string error_of_forged(const std::function<void(RunOutcome&)>& alter) {
    const ReadReport whole = whole_run(kChips, 5, 4);
    auto forged = read_report(shard_of(whole, 2, 2));
    EXPECT_TRUE(forged) << forged.error().text;
    alter(forged->outcome);
    return error_of({{"1.json", shard_of(whole, 1, 2)}, {"2.json", report_json(forged->outcome, forged->description)}});
}

TEST(Merge, AnyByteOfAShardAlteredIsToldByItsSeal) {
    const std::string good = shard_of(whole_run({"gfx1151"}, 1, 1), 1, 1);
    for (std::size_t i = 0; i < good.size(); ++i) {
        if (std::isalnum(static_cast<unsigned char>(good[i])) == 0) continue;
        std::string text = good;
        text[i] = good[i] == '7' ? '8' : '7';
        EXPECT_TRUE(error_of({{"a.json", text}}).starts_with("a.json: ")) << i;
    }
}

TEST(Merge, AForgedShardThatContradictsItselfIsRefused) {
    EXPECT_EQ(error_of_forged([](RunOutcome&) {}), "merged");
    const std::pair<const char*, std::function<void(RunOutcome&)>> cases[] = {
        {"its object's hash is \"\"; expected", [](RunOutcome& run) { run.kernels[0].evidence.object = ""; }},
        {"its object's hash is \"abc\"; expected", [](RunOutcome& run) { run.controls[0].evidence.object = "abc"; }},
        {"its declaration's hash is \"x\"; expected", [](RunOutcome& run) { run.kernels[0].evidence.entry = "x"; }},
        {"its fingerprint is empty", [](RunOutcome& run) { run.kernels[0].evidence.fingerprint = ""; }},
        {"and 0 checks", [](RunOutcome& run) { run.kernels[0].gates[0].checks = 0; }},
        {"passes without a launch", [](RunOutcome& run) { run.kernels[0].gates[0].launches = 0; }},
        {"the device counts", [](RunOutcome& run) { ++run.kernels[0].gates[0].launches; }},
        {"exact and", [](RunOutcome& run) { ++run.kernels[0].device.exact; }},
        {"operations of lanes", [](RunOutcome& run) { ++run.kernels[0].device.lane_operations; }},
        {"notes do not agree", [](RunOutcome& run) { run.kernels[0].device.notes.clear(); }},
        {"no gate finds \"nothing\"", [](RunOutcome& run) { run.controls[0].gates[1].findings[0].kind = "nothing"; }},
        {"gate 2 at place 1", [](RunOutcome& run) { run.controls[0].gates.erase(run.controls[0].gates.begin()); }},
        {"is open, with 0 reasons",
         [](RunOutcome& run) { run.kernels[0].certificates[0].verdict = pm::certify::Verdict::kOpen; }},
        {"pass with 1 findings",
         [](RunOutcome& run) {
             run.kernels[0].gates[0].findings = {{"HIP error", "out of memory"}};
         }},
    };
    for (const auto& [text, alter] : cases) {
        const std::string error = error_of_forged(alter);
        EXPECT_TRUE(error.starts_with("2.json: it cannot be so: ")) << error;
        EXPECT_NE(error.find(text), std::string::npos) << error;
    }
}

TEST(Merge, AForgedShardThatContradictsTheOthersIsRefused) {
    const std::string other(64, 'b');
    const std::pair<const char*, std::function<void(RunOutcome&)>> cases[] = {
        {"its object is not that of family tiles",
         [&](RunOutcome& run) {
             for (KernelOutcome& kernel : run.kernels) kernel.evidence.object = other;
         }},
        {"its object is not that of family tiles",
         [&](RunOutcome& run) {
             for (KernelOutcome& kernel : run.kernels) kernel.evidence.fingerprint = "another compiler";
             for (ControlOutcome& control : run.controls)
                 if (!control.evidence.fingerprint.empty()) control.evidence.fingerprint = "another compiler";
         }},
        {"its declaration's hash is not that of other chips",
         [&](RunOutcome& run) {
             for (KernelOutcome& kernel : run.kernels) kernel.evidence.entry = other;
         }},
        {"its declaration's hash is not that of other chips",
         [&](RunOutcome& run) {
             for (ControlOutcome& control : run.controls) control.evidence.entry = other;
         }},
        {"name different compilers or flags",
         [](RunOutcome& run) {
             for (ControlOutcome& control : run.controls)
                 if (control.chip == "gfx1030") control.evidence.fingerprint = "another compiler";
         }},
    };
    for (const auto& [text, alter] : cases) {
        const std::string error = error_of_forged(alter);
        EXPECT_TRUE(error.starts_with("the shards do not agree: ")) << error;
        EXPECT_NE(error.find(text), std::string::npos) << error;
    }
}

// What docs/kernel-contract.md says that a merge cannot tell: a number of checks that is not 0 stands for itself.
TEST(Merge, AForgedNumberOfChecksIsNotTold) {
    EXPECT_EQ(error_of_forged([](RunOutcome& run) { ++run.kernels[0].gates[0].checks; }), "merged");
}

TEST(Merge, OutcomesInAnotherOrderThanARunsAreRefused) {
    ReadReport whole = whole_run(kChips, 2, 0);
    std::swap(whole.outcome.kernels[0], whole.outcome.kernels[2]);
    const std::string error = error_of({{"a.json", report_json(whole.outcome, whole.description)}});
    EXPECT_NE(error.find("not in the order of a run"), std::string::npos) << error;
}

} // namespace
} // namespace hkc
