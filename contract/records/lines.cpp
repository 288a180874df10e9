#include "contract/records/lines.h"

#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace hkc::records {
namespace {

using nlohmann::json;

constexpr std::string_view kRecord = "RECORD ";
constexpr std::string_view kFingerprint = "FINGERPRINT ";

std::string expected_fields() {
    std::string text;
    for (const Field& field : fields()) text += fmt::format(" {}=..", field.name);
    return text;
}

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
    return value;
}

pm::Result<Fingerprint> fingerprint_of(std::string_view text) {
    const std::string expected = R"(expected {"idents":[..],"flags":[..],"linkers":[..]} of texts)";
    const json value = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!value.is_object() || value.size() != 3) return pm::Error{fmt::format("\"{}\"; {}", text, expected)};
    try {
        Fingerprint made;
        value.at("idents").get_to(made.idents);
        value.at("flags").get_to(made.flags);
        value.at("linkers").get_to(made.linkers);
        return made;
    } catch (const json::exception&) {
        return pm::Error{fmt::format("\"{}\"; {}", text, expected)};
    }
}

pm::Result<FingerprintLine> fingerprint_line(std::string_view line) {
    const std::size_t brace = line.find('{');
    const std::vector<std::string> words =
        pm::split(line.substr(0, brace == std::string_view::npos ? line.size() : brace), ' ');
    // The blank before the brace leaves an empty last word.
    if (brace == std::string_view::npos || words.size() != 5 || !words[4].empty())
        return pm::Error{"expected FINGERPRINT <toolchain> <chip> <family> {..}"};
    pm::Result<Fingerprint> fingerprint = fingerprint_of(line.substr(brace));
    if (!fingerprint) return fingerprint.error();
    return FingerprintLine{0, words[1], words[2], words[3], std::move(*fingerprint)};
}

pm::Result<RecordLine> record_line(std::string_view line) {
    const std::vector<std::string> words = pm::split(line, ' ');
    constexpr std::size_t kNames = 4; // RECORD, toolchain, chip, kernel
    if (words.size() != kNames + fields().size())
        return pm::Error{
            fmt::format("{} words; expected RECORD <toolchain> <chip> <kernel>{}", words.size(), expected_fields())};
    RecordLine read;
    read.toolchain = words[1];
    read.chip = words[2];
    read.kernel = words[3];
    for (std::size_t i = 0; i < fields().size(); ++i) {
        const Field& field = fields()[i];
        const std::string& word = words[kNames + i];
        const std::string head = std::string(field.name) + "=";
        if (!word.starts_with(head)) return pm::Error{fmt::format("\"{}\"; expected {}..", word, head)};
        const std::optional<std::uint32_t> value = number(std::string_view(word).substr(head.size()));
        if (!value)
            return pm::Error{fmt::format("\"{}\"; expected {} and an integer from 0 to 4294967295", word, head)};
        read.resources.*field.value = *value;
    }
    return read;
}

} // namespace

std::string fingerprint_text(std::string_view toolchain, std::string_view chip, std::string_view family,
                             const Fingerprint& fingerprint) {
    const json value = {{"idents", fingerprint.idents}, {"flags", fingerprint.flags}, {"linkers", fingerprint.linkers}};
    return fmt::format("{}{} {} {} {}", kFingerprint, toolchain, chip, family,
                       value.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string record_text(std::string_view toolchain, std::string_view chip, std::string_view kernel,
                        const pm::Resources& resources) {
    std::string text = fmt::format("{}{} {} {}", kRecord, toolchain, chip, kernel);
    for (const Field& field : fields()) text += fmt::format(" {}={}", field.name, resources.*field.value);
    return text;
}

std::string record_command(std::string_view toolchain) {
    return fmt::format("hip-kernel-contract-limits --toolchain {} --records all | hip-kernel-contract-records apply",
                       toolchain);
}

std::string how_to_record_changes(std::string_view toolchain) {
    return "if what differs is meant, record it with: " + record_command(toolchain);
}

pm::Result<Log> parse_log(std::string_view text, const std::string& where) {
    Log log;
    std::string errors;
    std::uint32_t number_of_line = 0;
    const auto wrong = [&](const std::string& what) {
        errors += fmt::format("{}{}:{}: {}", errors.empty() ? "" : "\n", where, number_of_line, what);
    };
    while (!text.empty()) {
        ++number_of_line;
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        const bool record = line.starts_with(kRecord);
        if (!record && !line.starts_with(kFingerprint)) continue;
        if (end == std::string_view::npos) {
            // A cut line may still look whole: 12 of 128.
            wrong("the log ends inside this line; expected a line end. Run the audit again");
        } else if (record) {
            pm::Result<RecordLine> read = record_line(line);
            if (!read) {
                wrong(read.error().text);
                continue;
            }
            const auto owner =
                std::find_if(log.fingerprints.rbegin(), log.fingerprints.rend(), [&](const FingerprintLine& f) {
                    return f.toolchain == read->toolchain && f.chip == read->chip;
                });
            if (owner == log.fingerprints.rend()) {
                wrong(fmt::format("no FINGERPRINT line for {} {} before it; expected the audit's output whole",
                                  read->toolchain, read->chip));
                continue;
            }
            read->line = number_of_line;
            read->family = owner->family;
            read->fingerprint = owner->fingerprint;
            log.records.push_back(std::move(*read));
        } else {
            pm::Result<FingerprintLine> read = fingerprint_line(line);
            if (!read) {
                wrong(read.error().text);
                continue;
            }
            read->line = number_of_line;
            log.fingerprints.push_back(std::move(*read));
        }
    }
    if (!errors.empty()) return pm::Error{errors};
    return log;
}

} // namespace hkc::records
