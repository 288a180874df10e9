#include "peacemaker/hip/extension.h"

#include "peacemaker/hip/export.h"
#include "peacemaker/hip/runtime.h"

#include <cstring>

PM_EXPORT size_t pmTakeReport(char* json, size_t capacity) {
    size_t needed = 0;
    (void)pm::hip::api([&](pm::hip::Runtime& runtime) {
        const std::string text = pm::emu::to_json(runtime.pending);
        needed = text.size() + 1;
        if (json == nullptr || capacity < needed) return hipSuccess;
        std::memcpy(json, text.c_str(), needed);
        runtime.pending = {};
        return hipSuccess;
    });
    return needed;
}

PM_EXPORT int pmSetReadOnly(const void* address, int read_only) {
    return pm::hip::api([&](pm::hip::Runtime& runtime) {
        const auto place = runtime.place_of(address);
        if (place.allocation == nullptr) return hipErrorInvalidValue;
        place.allocation->read_only = read_only != 0;
        return hipSuccess;
    });
}
