#include "peacemaker/emu/row.h"

#include <unordered_map>

namespace pm::emu {

const Row* find_row(std::string_view base_name) {
    static const std::unordered_map<std::string_view, const Row*> kByName = [] {
        std::unordered_map<std::string_view, const Row*> map;
        for (const auto rows :
             {vector_rows(), integer_rows(), half_rows(), double_rows(), single_rows(), scalar_rows(),
              scalar_float_rows(), memory_rows(), buffer_rows(), scalar_memory_rows(), lds_rows(), control_rows()})
            for (const Row& row : rows) map.emplace(row.name, &row);
        return map;
    }();
    const auto found = kByName.find(base_name);
    return found == kByName.end() ? nullptr : found->second;
}

} // namespace pm::emu
