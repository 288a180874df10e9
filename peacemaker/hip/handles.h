// Handles that HIP hands out, checked against a table whenever they come back.
//
// A handle is a number that is never given twice, for any kind of object: a destroyed, foreign or mixed-up handle is
// simply not found.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

namespace pm::hip {

/// A number that no handle had before. The caller holds the runtime's mutex.
std::uintptr_t next_handle();

template <typename Handle, typename T>
class HandleTable {
public:
    Handle add(T value) {
        const std::uintptr_t number = next_handle();
        entries_.emplace(number, std::move(value));
        return reinterpret_cast<Handle>(number);
    }
    /// Null where the handle is not one of this table; the object stays where it is until removed.
    T* find(Handle handle) {
        const auto found = entries_.find(reinterpret_cast<std::uintptr_t>(handle));
        return found == entries_.end() ? nullptr : &found->second;
    }
    bool remove(Handle handle) { return entries_.erase(reinterpret_cast<std::uintptr_t>(handle)) != 0; }
    template <typename Action>
    void for_each(Action action) {
        for (auto& [number, value] : entries_) action(value);
    }
    template <typename Predicate>
    void remove_if(Predicate predicate) {
        std::erase_if(entries_, [&](const auto& entry) { return predicate(entry.second); });
    }

private:
    std::map<std::uintptr_t, T> entries_;
};

} // namespace pm::hip
