#include "peacemaker/emu/row.h"

#include <cstdlib>

#include <fmt/format.h>

namespace pm::emu {

std::vector<std::span<const Row>> all_rows() {
    return {vector_rows(), integer_rows(),       half_rows(),   double_rows(),       single_rows(),
            matrix_rows(), byte_float_rows(),    scalar_rows(), scalar_float_rows(), memory_rows(),
            buffer_rows(), scalar_memory_rows(), lds_rows(),    control_rows()};
}

Result<RowIndex> index_of(const std::vector<std::span<const Row>>& tables) {
    RowIndex index;
    for (const auto rows : tables)
        for (const Row& row : rows)
            if (!index.emplace(row.name, &row).second) return Error{fmt::format("two rows are named {}", row.name)};
    return index;
}

const Row* find_row(std::string_view base_name) {
    static const RowIndex kByName = [] {
        auto index = index_of(all_rows());
        if (!index) {
            // One of the two would never run.
            fmt::print(stderr, "{}\n", index.error().text);
            std::abort();
        }
        return std::move(*index);
    }();
    const auto found = kByName.find(base_name);
    return found == kByName.end() ? nullptr : found->second;
}

} // namespace pm::emu
