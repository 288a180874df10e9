#include "contract/runner/declaration.h"

#include "peacemaker/support/file.h"
#include "peacemaker/support/hex.h"
#include "peacemaker/support/overloaded.h"

#include <nlohmann/json.hpp>

namespace hkc {
namespace {

using Json = nlohmann::ordered_json;

std::string_view direction_name(Direction dir) {
    switch (dir) {
    case Direction::kIn:
        return "in";
    case Direction::kOut:
        return "out";
    case Direction::kInOut:
        return "inout";
    case Direction::kWorkspace:
        return "workspace";
    case Direction::kIntermediate:
        break;
    }
    return "intermediate";
}

Json texts_of(const auto& expressions) {
    Json texts = Json::array();
    for (const Expr& expression : expressions) texts.push_back(expression.text());
    return texts;
}

Json json_of(const Scope& scope) {
    Json json = Json::object();
    for (const auto& [name, value] : scope) json[name] = value;
    return json;
}

Json json_of(const Argument& argument) {
    Json json = {{"name", argument.name},
                 {"dir", direction_name(argument.dir)},
                 {"type", element_name(argument.type)},
                 {"dims", texts_of(argument.dims)},
                 {"align", argument.align},
                 {"init", argument.init == Init::kZero ? "zero" : ""}};
    if (argument.value) json["value"] = argument.value->text();
    return json;
}

Json json_of(const Launch& launch) {
    return {{"symbol", launch.symbol},
            {"grid", texts_of(launch.grid)},
            {"block", texts_of(launch.block)},
            {"lds", launch.lds.text()},
            {"args", launch.args}};
}

Json json_of(const pm::mutate::Edit& edit) {
    return std::visit(pm::Overloaded{
                          [](const pm::mutate::BytesEdit& e) -> Json {
                              return {{"find", pm::hex_of_bytes(e.find)}, {"replace", pm::hex_of_bytes(e.replace)}};
                          },
                          [](const pm::mutate::InstructionEdit& e) -> Json {
                              Json json = {{"symbol", e.symbol}, {"instruction", e.find}, {"replace", e.replace}};
                              if (e.occurrence) json["occurrence"] = *e.occurrence;
                              return json;
                          },
                          [](const pm::mutate::MetadataEdit& e) -> Json {
                              return {{"symbol", e.symbol}, {"metadata", e.field}, {e.add ? "add" : "value", e.value}};
                          },
                      },
                      edit);
}

Json json_of(const Plant& plant) {
    return std::visit(pm::Overloaded{
                          [](const PlantSymbol& p) -> Json {
                              return {{"symbol", p.symbol}};
                          },
                          [](const PlantArgs& p) -> Json {
                              return {{"args", p.args}};
                          },
                          [](const PlantParams& p) -> Json {
                              return {{"params", json_of(p.params)}};
                          },
                          [](const PlantBuild& p) -> Json {
                              Json edits = Json::array();
                              for (const auto& [from, to] : p.edit) edits.push_back({{"from", from}, {"to", to}});
                              return {{"source", p.source}, {"define", p.define}, {"edit", edits}};
                          },
                          [](const PlantMutate& p) -> Json {
                              return {{"mutate", json_of(p.edit)}};
                          },
                      },
                      plant);
}

} // namespace

Json declaration_of(const Kernel& kernel) {
    Json replaces = Json::array(), args = Json::array(), launches = Json::array(), shapes = Json::array(),
         known = Json::array();
    for (const ReplacedStage& stage : kernel.replaces)
        replaces.push_back({{"kernel", stage.kernel}, {"args", stage.args}});
    for (const Argument& argument : kernel.args) args.push_back(json_of(argument));
    for (const Launch& launch : kernel.launches) launches.push_back(json_of(launch));
    for (const Shape& shape : kernel.shapes)
        shapes.push_back({{"values", json_of(shape.values)}, {"served", shape.served}, {"ragged", shape.ragged}});
    for (const KnownFinding& one : kernel.known_findings)
        known.push_back({{"gate", one.gate}, {"chip", one.chip}, {"finding", one.finding}, {"reason", one.reason}});
    return {{"name", kernel.name},
            {"family", kernel.family},
            {"source", kernel.source},
            {"flags", kernel.flags},
            {"chips", kernel.chips},
            {"replaces", replaces},
            {"match", kernel.match == Match::kBytes ? "bytes" : "bound"},
            {"bitwise", kernel.bitwise},
            {"certify", kernel.certify},
            {"nan", kernel.nan_bytes ? "bytes" : ""},
            {"oracle", kernel.oracle},
            {"params", json_of(kernel.params)},
            {"arg", args},
            {"launch", launches},
            {"shape", shapes},
            {"known", known}};
}

Json declaration_of(const Control& control) {
    return {{"name", control.name},
            {"of", control.of},
            {"family", control.family},
            {"chips", control.chips},
            {"plant", json_of(control.plant)},
            {"red_at", control.red_at},
            {"finding", control.findings},
            {"device", control.embedded_only ? "embedded" : ""}};
}

std::string declaration_hash(const Json& declaration) {
    return pm::sha256_hex(declaration.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace hkc
