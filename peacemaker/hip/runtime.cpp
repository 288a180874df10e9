#include "peacemaker/hip/runtime.h"

#include "peacemaker/emu/budget.h"
#include "peacemaker/support/text.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace pm::hip {
namespace {

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

/// The chips that HIP_VISIBLE_DEVICES leaves visible: as HIP has it, the list counts up to its first ordinal that is
/// none.
std::vector<const Chip*> visible_chips() {
    std::vector<const Chip*> visible;
    const std::span<const Chip> all = chips();
    const char* names = std::getenv("HIP_VISIBLE_DEVICES");
    if (names == nullptr) {
        for (const Chip& chip : all) visible.push_back(&chip);
        return visible;
    }
    for (const std::string& name : split(names, ',')) {
        const auto ordinal = number(name);
        if (!ordinal || *ordinal >= all.size()) break;
        const Chip* chip = &all[*ordinal];
        if (std::find(visible.begin(), visible.end(), chip) != visible.end()) break;
        visible.push_back(chip);
    }
    return visible;
}

} // namespace

std::uintptr_t next_handle() {
    // Far from 0, 1 and 2, which HIP gives meanings of their own.
    static std::uintptr_t number = 0x1000;
    return number += 16;
}

bool is_default_stream(hipStream_t stream) { return stream == nullptr || stream == hipStreamPerThread; }

int& current_ordinal() {
    thread_local int ordinal = 0;
    return ordinal;
}

hipStreamCaptureMode& thread_capture_mode() {
    thread_local hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
    return mode;
}

hipError_t& last_error() {
    thread_local hipError_t error = hipSuccess;
    return error;
}

namespace {
std::atomic<Runtime*> the_runtime = nullptr;
} // namespace

Runtime& Runtime::instance() {
    static Runtime* const runtime = the_runtime = new Runtime;
    return *runtime;
}

Runtime* Runtime::made() { return the_runtime; }

Runtime::Runtime() : max_instructions(emu::instruction_budget(std::getenv(emu::kMaxInstructionsVariable))) {
    for (const Chip* chip : visible_chips()) {
        devices.push_back(std::make_unique<Device>());
        devices.back()->chip = chip;
    }
    if (const char* text = std::getenv("HKC_DEVICE_THREADS"); text != nullptr) threads = number(text).value_or(0);
}

Device* Runtime::current_device() { return device(current_ordinal()); }

Device* Runtime::device(int ordinal) {
    if (ordinal < 0 || static_cast<std::size_t>(ordinal) >= devices.size()) return nullptr;
    return devices[static_cast<std::size_t>(ordinal)].get();
}

Place Runtime::place_of(const void* pointer) {
    for (const auto& candidate : devices)
        if (emu::Allocation* found = candidate->memory.find(reinterpret_cast<std::uint64_t>(pointer)))
            return {candidate.get(), found};
    return {};
}

bool Runtime::valid(hipStream_t stream) {
    return is_default_stream(stream) ? current_device() != nullptr : streams.find(stream) != nullptr;
}

int Runtime::device_of(hipStream_t stream) {
    const Stream* found = is_default_stream(stream) ? nullptr : streams.find(stream);
    return found == nullptr ? current_ordinal() : found->device;
}

hipError_t Runtime::enqueue(hipStream_t stream, Work work) {
    if (!valid(stream)) return hipErrorInvalidHandle;
    if (is_default_stream(stream)) return work.run(*this);
    const std::shared_ptr<Capture>& capture = streams.find(stream)->capture;
    if (capture == nullptr) return work.run(*this);
    if (capture->invalidated) return hipErrorStreamCaptureInvalidated;
    capture->work.push_back(std::move(work));
    ++capture->issued[stream];
    return hipSuccess;
}

std::shared_ptr<Capture> Runtime::capture_in_the_way() {
    std::erase_if(captures, [](const auto& capture) { return capture.expired(); });
    for (const auto& entry : captures) {
        std::shared_ptr<Capture> capture = entry.lock();
        const bool ours = capture->thread == std::this_thread::get_id();
        const bool anyones =
            capture->mode == hipStreamCaptureModeGlobal && thread_capture_mode() == hipStreamCaptureModeGlobal;
        if (capture->mode != hipStreamCaptureModeRelaxed && thread_capture_mode() != hipStreamCaptureModeRelaxed &&
            (ours || anyones))
            return capture;
    }
    return nullptr;
}

void Runtime::note(const emu::Report& report) {
    pending.merge(report);
    sanitizer.add(report);
}

void Runtime::refuse(const std::string& text) {
    emu::Report report;
    report.refused.push_back(text);
    note(report);
}

} // namespace pm::hip
