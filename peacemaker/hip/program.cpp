#include "peacemaker/hip/program.h"

#include <hip/hip_version.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <link.h>
#include <string_view>

namespace pm::hip {
namespace {

constexpr std::string_view kSoname = "libamdhip64.so.";

/// The dynamic section holds addresses: relocated by the loader, except in what the kernel maps (the vdso).
const char* at(const dl_phdr_info& info, ElfW(Addr) address) {
    return reinterpret_cast<const char*>(address < info.dlpi_addr ? info.dlpi_addr + address : address);
}

int generation_of(const dl_phdr_info& info) {
    const ElfW(Dyn)* dynamic = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i)
        if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    if (dynamic == nullptr) return 0;
    const char* names = nullptr;
    for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry)
        if (entry->d_tag == DT_STRTAB) names = at(info, entry->d_un.d_ptr);
    int highest = 0;
    for (const ElfW(Dyn)* entry = dynamic; names != nullptr && entry->d_tag != DT_NULL; ++entry) {
        if (entry->d_tag != DT_NEEDED) continue;
        const std::string_view name = names + entry->d_un.d_val;
        int generation = 0;
        if (name.starts_with(kSoname))
            std::from_chars(name.data() + kSoname.size(), name.data() + name.size(), generation);
        highest = std::max(highest, generation);
    }
    return highest;
}

} // namespace

int hip_generation() {
    int highest = 0;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* out) {
            int& most = *static_cast<int*>(out);
            most = std::max(most, generation_of(*info));
            return 0;
        },
        &highest);
    return highest != 0 ? highest : HIP_VERSION_MAJOR;
}

} // namespace pm::hip
