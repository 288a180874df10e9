#include "peacemaker/run/finding_text.h"

#include <fmt/format.h>

#include <vector>

namespace pm {

std::string finding_text(const emu::Finding& f) {
    std::string out = fmt::format("finding: {}", emu::finding_kind_name(f.kind));
    std::vector<std::string> where;
    // What the host saw happened at no instruction, and where several kernels wrote, in none.
    if (!f.kernel.empty()) out += ": " + f.kernel;
    if (!f.instruction.empty()) {
        out += fmt::format(" {:+#x}: {}", f.offset, f.instruction);
        if (!f.source.empty()) out += fmt::format(" ({})", f.source);
        where.push_back(fmt::format("workgroup {} wave {} lane {}", fmt::join(f.workgroup, ","), f.wave, f.lane));
    }
    if (f.address != 0) where.push_back(fmt::format("address 0x{:x}", f.address));
    out += fmt::format("\n  {}\n", f.detail);
    if (!where.empty())
        out += fmt::format("  {}{}\n", fmt::join(where, " "), f.count > 1 ? fmt::format("; {} times", f.count) : "");
    return out;
}

} // namespace pm
