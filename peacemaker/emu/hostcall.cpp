#include "peacemaker/emu/hostcall.h"

#include "peacemaker/emu/printf_text.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The buffer, then its doorbell (amd_signal_t), the packets' headers, and their payloads.
constexpr u64 kHeaders = 0, kPayloads = 8, kDoorbell = 16, kFreeStack = 24, kReadyStack = 32, kIndexMask = 40;
constexpr u64 kSignal = 64, kSignalValue = kSignal + 8, kSignalBytes = 64;
constexpr u64 kFirstHeader = kSignal + kSignalBytes;
constexpr u64 kHeaderBytes = 24, kNext = 0, kLanesOfPacket = 8, kServiceAndControl = 16;
constexpr u64 kSlotBytes = 64, kPayloadBytes = 64 * kSlotBytes;
constexpr u64 kUserSignal = 1; // amd_signal_kind_t

constexpr u32 kPrintfService = 2;
constexpr u64 kReady = u64{1} << 32; // of the header's control word

// The first word of a message's slot: whether it begins and ends a message, how many of the other words count, and the
// message's number.
constexpr u64 kBegins = 1, kEnds = 2;
constexpr u32 kCountShift = 5, kNumberShift = 8;

} // namespace

std::unique_ptr<Hostcall> Hostcall::create(Memory& memory, u32 threads, Print print) {
    const u32 packets = std::bit_ceil(std::max(threads, 1u));
    Allocation* const buffer = memory.allocate(kFirstHeader + packets * (kHeaderBytes + kPayloadBytes));
    if (buffer == nullptr) return nullptr;
    return std::unique_ptr<Hostcall>(new Hostcall(memory, buffer, packets, std::move(print)));
}

Hostcall::Hostcall(Memory& memory, Allocation* buffer, u32 packets, Print print)
    : memory_(memory), buffer_(buffer), packets_(packets), headers_(kFirstHeader),
      payloads_(kFirstHeader + packets * kHeaderBytes), print_(std::move(print)) {
    buffer_->protocol = true;
    std::memset(buffer_->data, 0, payloads_);
    Memory::set_defined(*buffer_, buffer_->address, payloads_);
    word(kHeaders) = buffer_->address + headers_;
    word(kPayloads) = buffer_->address + payloads_;
    word(kDoorbell) = buffer_->address + kSignal;
    word(kSignal) = kUserSignal;
    word(kIndexMask) = packets - 1;
    // A packet is named by its index and, above that, a tag that is never 0: 0 ends a stack.
    for (u32 i = 0; i < packets; ++i) {
        word(headers_ + i * kHeaderBytes + kNext) = word(kFreeStack);
        word(kFreeStack) = packets + i;
    }
}

Hostcall::~Hostcall() { (void)memory_.free(buffer_->address); }

void Hostcall::after_atomic(Wave& wave, const u64 (&at)[kLanes], u32 lanes) {
    if (lanes == 0 || at[std::countr_zero(lanes)] != buffer_->address + kSignalValue) return;
    const std::lock_guard lock(mutex_);
    u64 ready = std::atomic_ref(word(kReadyStack)).exchange(0);
    // The latest is on top: the first that was made ready is served first.
    std::vector<u32> packets;
    while (ready != 0 && packets.size() < packets_) {
        packets.push_back(static_cast<u32>(ready & (packets_ - 1)));
        ready = word(headers_ + packets.back() * kHeaderBytes + kNext);
    }
    std::reverse(packets.begin(), packets.end());
    for (const u32 packet : packets) serve_packet(wave, packet);
}

void Hostcall::serve_packet(Wave& wave, u32 packet) {
    const u64 header = headers_ + packet * kHeaderBytes;
    const u64 lanes = word(header + kLanesOfPacket);
    const u32 service = static_cast<u32>(word(header + kServiceAndControl));
    if (service != kPrintfService) stop_unsupported(wave, fmt::format("unsupported host service {}", service));
    for (u32 lane = 0; lane < 64 && service == kPrintfService; ++lane)
        if (((lanes >> lane) & 1u) != 0)
            take_message(wave, lane, payloads_ + packet * kPayloadBytes + lane * kSlotBytes);
    // Answered in any case: the packet may be another wave's, which would wait for ever.
    std::atomic_ref(word(header + kServiceAndControl)).fetch_and(~kReady);
}

void Hostcall::take_message(Wave& wave, u32 lane, u64 slot) {
    const u64 first = word(slot);
    const u64 number = (first & kBegins) != 0 ? ++messages_begun_ : first >> kNumberShift;
    const u64 count = (first >> kCountShift) & 7u;
    std::vector<u64>& message = messages_[number];
    for (u64 i = 1; i <= count; ++i) message.push_back(word(slot + 8 * i));
    const u64 at = buffer_->address + slot;
    if (const u64 undefined = Memory::first_undefined(*buffer_, at, 8 * (count + 1)))
        report(wave, FindingKind::kUndefinedOutput, lane, undefined,
               fmt::format("word {} of what printf is given holds what was never written", (undefined - at) / 8));
    u64 answer = (number << kNumberShift) | (first & 0xffu & ~kBegins);
    if ((first & kEnds) != 0) {
        const bool to_stderr = !message.empty() && message[0] != 0;
        const std::string text = message.empty() ? std::string() : printf_text(std::span(message).subspan(1));
        if (print_)
            print_(text, to_stderr);
        else
            (void)std::fwrite(text.data(), 1, text.size(), to_stderr ? stderr : stdout);
        messages_.erase(number);
        answer = text.size();
    }
    word(slot) = answer;
    word(slot + 8) = 0;
    Memory::set_defined(*buffer_, at, 16);
}

} // namespace pm::emu
