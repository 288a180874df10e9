#include "peacemaker/hip/registration.h"

#include "peacemaker/hip/export.h"
#include "peacemaker/hip/host_memory.h"
#include "peacemaker/hip/image.h"

#include <fmt/format.h>

#include <cstring>

namespace pm::hip {
namespace {

/// What __hipRegisterFatBinary is given (clang/lib/CodeGen/CGCUDANV.cpp, "__hip_fatbin_wrapper").
struct FatBinaryWrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const void* image;
    const void* unused;
};
constexpr std::uint32_t kHipMagic = 0x48495046; // "HIPF"

constexpr const char* kWhere = "a registered fat binary";

/// A managed variable's device side is a pointer to where it lies.
hipError_t set_managed(Runtime& runtime, const FatBinary& binary, const emu::Module& code) {
    for (const FatBinary::Managed& managed : binary.managed) {
        const auto global = emu::find_global(code, managed.name);
        if (!global) continue; // the optimiser dropped what no kernel of this file uses
        const Place place = runtime.place_of(reinterpret_cast<const void*>(global->first));
        if (place.allocation == nullptr || !place.allocation->contains(global->first, sizeof(void*)))
            return hipErrorInvalidImage;
        std::memcpy(reinterpret_cast<void*>(global->first), static_cast<const void*>(managed.pointer), sizeof(void*));
        emu::Memory::set_defined(*place.allocation, global->first, sizeof(void*));
    }
    return hipSuccess;
}

hipError_t load_on(Runtime& runtime, FatBinaryHandle handle, int ordinal, std::shared_ptr<emu::Module>& code) {
    FatBinary* binary = runtime.fat_binaries.find(handle);
    Device* device = runtime.device(ordinal);
    if (device == nullptr) return hipErrorNoDevice;
    if (binary == nullptr) return hipErrorInvalidImage;
    if (const auto known = binary->loaded.find(ordinal); known != binary->loaded.end()) {
        code = known->second;
        return hipSuccess;
    }
    const Result<std::string> bytes = read_image(binary->image);
    if (!bytes) {
        runtime.refuse(fmt::format("{}: {}", kWhere, bytes.error().text));
        return hipErrorInvalidImage;
    }
    auto parsed = parse_image(*bytes, kWhere, *device->chip);
    if (const LoadFailure* failure = std::get_if<LoadFailure>(&parsed)) {
        runtime.refuse(failure->text);
        return failure->code;
    }
    auto loaded = emu::load_module(std::move(std::get<CodeObject>(parsed)), device->memory);
    if (!loaded) {
        runtime.refuse(fmt::format("{}: {}", kWhere, loaded.error().text));
        return hipErrorOutOfMemory;
    }
    if (const hipError_t error = set_managed(runtime, *binary, **loaded); error != hipSuccess) return error;
    code = std::move(*loaded);
    binary->loaded.emplace(ordinal, code);
    return hipSuccess;
}

/// Registering has no way to fail: what goes wrong shows when something of the binary is used.
template <typename Body>
void registering(Body&& body) {
    const hipError_t before = last_error();
    (void)api([&](Runtime& runtime) {
        body(runtime);
        return hipSuccess;
    });
    last_error() = before;
}

} // namespace

hipError_t find_host_function(Runtime& runtime, const void* address, int device, Function& found) {
    const auto symbol = runtime.host_functions.find(address);
    if (symbol == runtime.host_functions.end()) return hipErrorInvalidDeviceFunction;
    std::shared_ptr<emu::Module> code;
    if (const hipError_t error = load_on(runtime, symbol->second.binary, device, code); error != hipSuccess)
        return error;
    if (emu::code_object_of(*code).find_kernel(symbol->second.name) == nullptr) return hipErrorInvalidDeviceFunction;
    found = {device, std::move(code), symbol->second.name};
    return hipSuccess;
}

hipError_t find_host_variable(Runtime& runtime, const void* address, int device, Variable& found) {
    const auto symbol = runtime.host_variables.find(address);
    if (symbol == runtime.host_variables.end()) return hipErrorInvalidSymbol;
    std::shared_ptr<emu::Module> code;
    if (const hipError_t error = load_on(runtime, symbol->second.binary, device, code); error != hipSuccess)
        return error;
    const auto global = emu::find_global(*code, symbol->second.name);
    if (!global) return hipErrorInvalidSymbol;
    found = {global->first, global->second};
    return hipSuccess;
}

} // namespace pm::hip

using pm::hip::FatBinaryHandle;
using pm::hip::Runtime;

PM_EXPORT FatBinaryHandle __hipRegisterFatBinary(const void* data) {
    FatBinaryHandle handle = nullptr;
    pm::hip::registering([&](Runtime& runtime) {
        const auto* wrapper = static_cast<const pm::hip::FatBinaryWrapper*>(data);
        if (wrapper == nullptr || wrapper->magic != pm::hip::kHipMagic || wrapper->version != 1) return;
        pm::hip::FatBinary binary;
        binary.image = wrapper->image;
        handle = runtime.fat_binaries.add(std::move(binary));
    });
    return handle;
}

PM_EXPORT void __hipRegisterFunction(FatBinaryHandle modules, const void* hostFunction, char* /*deviceFunction*/,
                                     const char* deviceName, unsigned /*threadLimit*/, void* /*tid*/, void* /*bid*/,
                                     void* /*blockDim*/, void* /*gridDim*/, int* /*wSize*/) {
    pm::hip::registering([&](Runtime& runtime) {
        if (deviceName != nullptr) runtime.host_functions[hostFunction] = {modules, deviceName};
    });
}

PM_EXPORT void __hipRegisterVar(FatBinaryHandle modules, void* var, char* /*hostVar*/, char* deviceVar, int /*ext*/,
                                size_t /*size*/, int /*constant*/, int /*global*/) {
    pm::hip::registering([&](Runtime& runtime) {
        if (deviceVar != nullptr) runtime.host_variables[var] = {modules, deviceVar};
    });
}

PM_EXPORT void __hipRegisterManagedVar(FatBinaryHandle modules, void** pointer, void* init_value, const char* name,
                                       size_t size, unsigned /*align*/) {
    pm::hip::registering([&](Runtime& runtime) {
        pm::hip::FatBinary* binary = runtime.fat_binaries.find(modules);
        if (binary == nullptr || pointer == nullptr || name == nullptr) return;
        // The host uses the variable with no call that could come first.
        void* bytes = nullptr;
        if (pm::hip::make_host_memory(runtime, &bytes, size, pm::hip::HostMemory::Kind::kManaged, 0) != hipSuccess)
            return;
        if (init_value != nullptr) std::memcpy(bytes, init_value, size);
        *pointer = bytes;
        binary->managed.push_back({name, pointer});
    });
}

PM_EXPORT void __hipUnregisterFatBinary(FatBinaryHandle modules) {
    pm::hip::registering([&](Runtime& runtime) {
        pm::hip::FatBinary* binary = runtime.fat_binaries.find(modules);
        if (binary == nullptr) return;
        for (const auto& managed : binary->managed) (void)pm::hip::drop_host_memory(runtime, *managed.pointer);
        const auto ours = [&](const auto& entry) { return entry.second.binary == modules; };
        std::erase_if(runtime.host_functions, ours);
        std::erase_if(runtime.host_variables, ours);
        runtime.fat_binaries.remove(modules);
    });
}
