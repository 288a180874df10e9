// Device memory of one embedded device: exact-size allocations with bounds and initialisation per byte.
//
// A device address is the host address of the bytes, so host-visible memory needs no translation. Every access of a
// kernel is checked against the allocation table; nothing outside an allocation is ever touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace pm::emu {

/// One allocation. `undefined` is empty while every byte is defined; otherwise one mask a byte, a set bit is an
/// undefined bit.
struct Allocation {
    std::uint64_t address = 0;
    std::uint64_t size = 0; // bytes, exactly as asked for
    std::byte* data = nullptr;
    std::vector<std::uint8_t> undefined;
    bool read_only = false; // code, kernarg and what the host says is: a kernel's store is a finding
    bool code = false;      // part of a loaded module
    bool mapped = false;    // the bytes are the host's: Memory does not own them
    bool protocol = false;  // kernel and host talk through it by rules of their own: no races there

    bool whole() const { return undefined.empty(); }
    /// Whether a kernel has stored to it. Safe from many threads.
    bool stored_to() const { return stored_to_.load(std::memory_order_relaxed); }
    void note_store() { stored_to_.store(true, std::memory_order_relaxed); }
    bool contains(std::uint64_t at, std::uint64_t bytes) const {
        return at >= address && bytes <= size && at - address <= size - bytes;
    }

private:
    std::atomic<bool> stored_to_ = false;
};

/// The allocation table. Looking up is safe from many threads; allocate and free must not run during a launch.
class Memory {
public:
    /// `capacity` in bytes; allocations beyond it fail as they do on a card. 0 takes default_capacity().
    explicit Memory(std::uint64_t capacity = 0);
    ~Memory();
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    /// `size` bytes, all undefined, aligned to 256, at least 256 bytes away from any other allocation. Null when memory
    /// is out. A size of 0 gives an allocation that no access fits in.
    Allocation* allocate(std::uint64_t size);
    /// Makes `size` bytes of the host's an allocation, all defined, for as long as the caller keeps them; they do not
    /// count against the capacity. Null for no bytes, or where one of them lies in an allocation already.
    Allocation* map(std::byte* data, std::uint64_t size);
    /// False where `address` is not the start of an allocation.
    bool free(std::uint64_t address);
    /// The allocation that holds `address`, or null.
    Allocation* find(std::uint64_t address);
    const Allocation* find(std::uint64_t address) const;
    /// The allocation nearest below or above `address`, for messages; null when there is none.
    const Allocation* nearest(std::uint64_t address) const;

    /// A quarter of the host's memory, since a shadow may double what is allocated, and at most 16 GiB.
    static std::uint64_t default_capacity();

    /// Marks bytes defined, or undefined; the range must lie inside one allocation. Neither makes a shadow vanish, so
    /// threads may mark disjoint ranges at once; the first undefined byte of a whole allocation makes its shadow, and
    /// needs the allocation alone.
    static void set_defined(Allocation& allocation, std::uint64_t address, std::uint64_t size);
    static void set_undefined(Allocation& allocation, std::uint64_t address, std::uint64_t size);
    /// The address of the first byte of the range with an undefined bit, or 0.
    static std::uint64_t first_undefined(const Allocation& allocation, std::uint64_t address, std::uint64_t size);

    /// Drops the shadow if no bit of it is undefined; needs the allocation alone, as no launch gives it.
    static void settle(Allocation& allocation);

    std::uint64_t allocated_bytes() const { return allocated_; }
    std::uint64_t capacity() const { return capacity_; }

private:
    /// Drops what is mapped in the range: the host reused its bytes without saying so.
    void forget_mapped(std::uint64_t address, std::uint64_t size);

    std::map<std::uint64_t, std::unique_ptr<Allocation>> by_address_;
    std::uint64_t allocated_ = 0;
    std::uint64_t capacity_ = 0;
};

} // namespace pm::emu
