#include "contract/runner/plant.h"

#include "peacemaker/mutate/mutate.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/support/overloaded.h"

namespace hkc {

BuildPlan build_of(const Kernel& kernel) { return {kernel.source, kernel.flags, {}, {}}; }

Planted plant(const Control& control, const Kernel& twin) {
    Planted planted{twin, build_of(twin), nullptr};
    std::visit(pm::Overloaded{
                   [&](const PlantSymbol& p) { planted.kernel.launches.front().symbol = p.symbol; },
                   [&](const PlantArgs& p) { planted.kernel.launches.front().args = p.args; },
                   [&](const PlantParams& p) {
                       for (const auto& [name, value] : p.params) planted.kernel.params[name] = value;
                   },
                   [&](const PlantBuild& p) {
                       if (!p.source.empty()) planted.build.source = p.source;
                       planted.build.defines = p.define;
                       planted.build.edits = p.edit;
                   },
                   [&](const PlantMutate& p) { planted.mutate = &p; },
               },
               control.plant);
    return planted;
}

pm::Result<std::string> mutate_bytes(std::string bytes, const PlantMutate& mutate) {
    const auto make = [&]() -> pm::Result<pm::mutate::Patch> {
        if (const auto* edit = std::get_if<pm::mutate::BytesEdit>(&mutate.edit))
            return pm::mutate::make_patch(bytes, *edit);
        auto object = pm::parse_code_object(bytes, "the object");
        if (!object) return object.error();
        auto patch = pm::mutate::make_patch(*object, mutate.edit);
        bytes = std::move(object->bytes);
        return patch;
    };
    const auto patch = make();
    if (!patch) return patch.error().with("mutate");
    return pm::mutate::patched(std::move(bytes), *patch);
}

} // namespace hkc
