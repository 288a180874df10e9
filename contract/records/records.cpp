#include "contract/records/records.h"

#include "peacemaker/chip/chip.h"
#include "peacemaker/support/file.h"
#include "peacemaker/support/text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <set>
#include <system_error>
#include <vector>

namespace hkc::records {
namespace {

using nlohmann::json;

/// Reads one record file; every message begins with the file and the place in it, as a JSON pointer.
class Reader {
public:
    explicit Reader(const std::string& where) : where_(where) {}

    pm::Result<RecordFile> read(const json& root, std::string_view toolchain, std::string_view family) const {
        if (auto ok = keys(root, "", {"format", "toolchain", "family", "chips"}); !ok) return ok.error();
        if (root["format"] != kFormat)
            return wrong("/format", root["format"], fmt::format("{}, the only format this version reads", kFormat));
        if (root["toolchain"] != toolchain)
            return wrong("/toolchain", root["toolchain"], fmt::format("\"{}\", the name of its folder", toolchain));
        if (root["family"] != family)
            return wrong("/family", root["family"], fmt::format("\"{}\", the name of the file", family));
        RecordFile file;
        file.toolchain = toolchain;
        file.family = family;
        const json& chips = root["chips"];
        if (!chips.is_object()) return wrong("/chips", chips, "an object, a key a chip");
        for (const auto& [name, value] : chips.items()) {
            const std::string at = "/chips/" + name;
            if (auto chip = pm::find_chip(name); !chip) return error(at, chip.error().text);
            pm::Result<ChipRecords> records = read_chip(value, at);
            if (!records) return records.error();
            file.chips.emplace(name, std::move(*records));
        }
        return file;
    }

private:
    [[nodiscard]] pm::Error error(const std::string& at, const std::string& what) const {
        return pm::Error{fmt::format("{}: at {}: {}", where_, at.empty() ? "/" : at, what)};
    }

    [[nodiscard]] pm::Error wrong(const std::string& at, const json& value, std::string_view expected) const {
        std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
        constexpr std::size_t kShown = 60;
        if (text.size() > kShown) text = text.substr(0, kShown) + "..";
        return error(at, fmt::format("{}; expected {}", text, expected));
    }

    /// Exactly those keys.
    [[nodiscard]] pm::Result<void> keys(const json& value, const std::string& at,
                                        const std::vector<std::string>& names) const {
        if (!value.is_object()) return wrong(at, value, "an object");
        for (const auto& [key, ignored] : value.items())
            if (std::find(names.begin(), names.end(), key) == names.end())
                return error(at, fmt::format("unknown key \"{}\"{}; expected {}", key, pm::did_you_mean(key, names),
                                             fmt::join(names, ", ")));
        for (const std::string& name : names)
            if (!value.contains(name))
                return error(at, fmt::format("no \"{}\"; expected {}", name, fmt::join(names, ", ")));
        return {};
    }

    [[nodiscard]] pm::Result<std::vector<std::string>> lines(const json& value, const std::string& at) const {
        if (!value.is_array()) return wrong(at, value, "a list of texts");
        std::vector<std::string> out;
        for (const json& line : value) {
            if (!line.is_string()) return wrong(at, line, "a text");
            out.push_back(line.get<std::string>());
        }
        return out;
    }

    [[nodiscard]] pm::Result<Fingerprint> read_fingerprint(const json& value, const std::string& at) const {
        if (auto ok = keys(value, at, {"idents", "flags", "linkers"}); !ok) return ok.error();
        Fingerprint made;
        const std::vector<std::pair<const char*, std::vector<std::string>*>> parts = {
            {"idents", &made.idents}, {"flags", &made.flags}, {"linkers", &made.linkers}};
        for (const auto& [name, part] : parts) {
            pm::Result<std::vector<std::string>> read = lines(value[name], at + "/" + name);
            if (!read) return read.error();
            *part = std::move(*read);
        }
        return made;
    }

    [[nodiscard]] pm::Result<ChipRecords> read_chip(const json& value, const std::string& at) const {
        if (auto ok = keys(value, at, {"fingerprint", "kernels"}); !ok) return ok.error();
        ChipRecords records;
        pm::Result<Fingerprint> fingerprint = read_fingerprint(value["fingerprint"], at + "/fingerprint");
        if (!fingerprint) return fingerprint.error();
        records.fingerprint = std::move(*fingerprint);
        const json& kernels = value["kernels"];
        if (!kernels.is_object()) return wrong(at + "/kernels", kernels, "an object, a key a kernel");
        for (const auto& [name, fields] : kernels.items()) {
            pm::Result<pm::Resources> read = read_kernel(fields, at + "/kernels/" + name);
            if (!read) return read.error();
            records.kernels.emplace(name, *read);
        }
        return records;
    }

    [[nodiscard]] pm::Result<pm::Resources> read_kernel(const json& value, const std::string& at) const {
        std::vector<std::string> names;
        for (const Field& field : fields()) names.emplace_back(field.name);
        if (auto ok = keys(value, at, names); !ok) return ok.error();
        pm::Resources resources;
        for (const Field& field : fields()) {
            const json& number = value[field.name];
            if (!number.is_number_unsigned() || number.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
                return wrong(fmt::format("{}/{}", at, field.name), number, "an integer from 0 to 4294967295");
            resources.*field.value = number.get<std::uint32_t>();
        }
        return resources;
    }

    const std::string& where_;
};

/// JSON text as a value. The library would take a key that is there twice; a record file must not say two things.
pm::Result<json> parse_json(std::string_view text, const std::string& where) {
    std::vector<std::set<std::string>> open;
    std::string doubled;
    const json::parser_callback_t note_keys = [&](int, json::parse_event_t event, json& parsed) {
        if (event == json::parse_event_t::object_start) open.emplace_back();
        if (event == json::parse_event_t::object_end) open.pop_back();
        if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
            doubled = parsed.get<std::string>();
        return true;
    };
    try {
        json root = json::parse(text, note_keys);
        if (!doubled.empty())
            return pm::Error{fmt::format("{}: the key \"{}\" is there twice; expected each key once", where, doubled)};
        return root;
    } catch (const json::exception& error) {
        const std::string what = error.what();
        const std::size_t end = what.find("] ");
        return pm::Error{fmt::format("{}: {}; expected a whole record file, as hip-kernel-contract-records writes it",
                                     where, end == std::string::npos ? what : what.substr(end + 2))};
    }
}

std::string json_text(std::string_view text) { return json(text).dump(-1, ' ', false, json::error_handler_t::replace); }

std::string list(const std::vector<std::string>& lines) {
    return json(lines).dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace

const std::array<Field, 9>& fields() {
    static constexpr std::array<Field, 9> kFields{{
        {"vgpr", &pm::Resources::vgpr},
        {"sgpr", &pm::Resources::sgpr},
        {"lds", &pm::Resources::lds},
        {"scratch", &pm::Resources::scratch},
        {"vgpr_spill", &pm::Resources::vgpr_spill},
        {"sgpr_spill", &pm::Resources::sgpr_spill},
        {"wave", &pm::Resources::wave},
        {"max_block", &pm::Resources::max_block},
        {"kernarg", &pm::Resources::kernarg},
    }};
    return kFields;
}

std::filesystem::path path_of(const std::filesystem::path& root, std::string_view toolchain, std::string_view family) {
    return root / "records" / toolchain / (std::string(family) + ".json");
}

pm::Result<RecordFile> parse(std::string_view json_text, const std::string& where, std::string_view toolchain,
                             std::string_view family) {
    const pm::Result<json> root = parse_json(json_text, where);
    if (!root) return root.error();
    return Reader(where).read(*root, toolchain, family);
}

pm::Result<std::optional<RecordFile>> load(const std::filesystem::path& root, std::string_view toolchain,
                                           std::string_view family) {
    const std::filesystem::path path = path_of(root, toolchain, family);
    std::error_code error;
    if (std::filesystem::status(path, error).type() == std::filesystem::file_type::not_found)
        return std::optional<RecordFile>();
    const pm::Result<std::string> text = pm::read_file(path);
    if (!text) return text.error();
    pm::Result<RecordFile> file = parse(*text, path.string(), toolchain, family);
    if (!file) return file.error();
    return std::optional<RecordFile>(std::move(*file));
}

std::string to_json(const RecordFile& file) {
    std::string out = fmt::format("{{\n  \"format\": {},\n  \"toolchain\": {},\n  \"family\": {},\n  \"chips\": {{",
                                  kFormat, json_text(file.toolchain), json_text(file.family));
    const char* chip_separator = "\n";
    for (const auto& [chip, records] : file.chips) {
        out += fmt::format(
            "{}    {}: {{\n      \"fingerprint\": {{\n        \"idents\": {},\n        \"flags\": {},\n        "
            "\"linkers\": {}\n      }},\n      \"kernels\": {{",
            chip_separator, json_text(chip), list(records.fingerprint.idents), list(records.fingerprint.flags),
            list(records.fingerprint.linkers));
        const char* kernel_separator = "\n";
        for (const auto& [name, resources] : records.kernels) {
            out += fmt::format("{}        {}: {{", kernel_separator, json_text(name));
            const char* separator = "";
            for (const Field& field : fields()) {
                out += fmt::format("{}\"{}\": {}", separator, field.name, resources.*field.value);
                separator = ", ";
            }
            out += "}";
            kernel_separator = ",\n";
        }
        out += records.kernels.empty() ? "}\n    }" : "\n      }\n    }";
        chip_separator = ",\n";
    }
    out += file.chips.empty() ? "}\n}\n" : "\n  }\n}\n";
    return out;
}

} // namespace hkc::records
