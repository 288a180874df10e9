// Calls from a kernel to the host, as ROCm's device libraries make them: `printf` of HIP, and what is built of it.
//
// A launch whose kernel asks for a hostcall buffer gets one in device memory. A wave takes a packet from the stack of
// free ones, fills it in (a slot of eight 64-bit words a lane), puts it onto the stack of ready ones, adds to the
// doorbell's value and polls the packet until the host has answered. Here the addition itself serves every packet that
// is ready, so that no wave polls twice, and as many packets as host threads are enough.
//
// Served: text of printf and fprintf. Any other service stops the launch.
//
// Source: the buffer's layout and the messages of ROCm's device libraries (ockl: __ockl_hostcall_internal,
// __ockl_fprintf_append_args, __ockl_fprintf_append_string_n).
#pragma once

#include "peacemaker/emu/memory.h"
#include "peacemaker/emu/wave.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace pm::emu {

class Hostcall {
public:
    /// Takes a text and whether it goes to stderr; an empty function: stdout and stderr of this process.
    using Print = std::function<void(std::string_view, bool)>;

    /// A buffer for `threads` host threads, or null where memory is out.
    static std::unique_ptr<Hostcall> create(Memory& memory, std::uint32_t threads, Print print);
    ~Hostcall();
    Hostcall(const Hostcall&) = delete;
    Hostcall& operator=(const Hostcall&) = delete;

    /// What the hidden argument holds.
    std::uint64_t address() const { return buffer_->address; }

    /// The lanes of `wave` have executed an atomic on the buffer: serves what is ready if it was one on the doorbell.
    void after_atomic(Wave& wave, const std::uint64_t (&at)[kLanes], std::uint32_t lanes);

private:
    Hostcall(Memory& memory, Allocation* buffer, std::uint32_t packets, Print print);

    std::uint64_t& word(std::uint64_t offset) const {
        return *reinterpret_cast<std::uint64_t*>(buffer_->data + offset);
    }
    void serve_packet(Wave& wave, std::uint32_t packet);
    /// One lane's part of a message; the answer goes to the slot's first word.
    void take_message(Wave& wave, std::uint32_t lane, std::uint64_t slot);

    Memory& memory_;
    Allocation* buffer_ = nullptr;
    // Not what the buffer says, which the kernel may overwrite: the number of packets, and offsets.
    std::uint32_t packets_ = 0;
    std::uint64_t headers_ = 0, payloads_ = 0;
    Print print_;
    std::mutex mutex_;
    std::map<std::uint64_t, std::vector<std::uint64_t>> messages_; // unfinished ones, by number
    std::uint64_t messages_begun_ = 0;
};

} // namespace pm::emu
