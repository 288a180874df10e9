// The state behind the HIP C API. The API has no object of its own, so there is one Runtime a process; its mutex is
// held through every call.
//
// Work runs when it is enqueued. On a capturing stream it is kept instead, and runs at each hipGraphLaunch.
#pragma once

#include "peacemaker/chip/chip.h"
#include "peacemaker/emu/launch.h"
#include "peacemaker/hip/handles.h"
#include "peacemaker/hip/sanitizer.h"

#include <hip/hip_runtime_api.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pm::hip {

class Runtime;

/// Something that a stream does: run at once, or kept in a graph.
struct Work {
    hipGraphNodeType kind = hipGraphNodeTypeEmpty;
    std::function<hipError_t(Runtime&)> run;
    std::string kernel; // a launch's
};

/// One HIP device: a chip and its memory.
struct Device {
    const Chip* chip = nullptr;
    emu::Memory memory;
    std::set<std::uint64_t> owned; // what hipMalloc and its like gave; a module's memory is not here
};

/// Page-aligned bytes of the host's.
struct DeletePages {
    void operator()(std::byte* bytes) const;
};
using HostBytes = std::unique_ptr<std::byte, DeletePages>;

/// Host memory that every device sees.
struct HostMemory {
    enum class Kind : std::uint8_t { kPinned, kManaged, kRegistered };
    Kind kind = Kind::kPinned;
    int device = 0; // current when it was made
    std::uint64_t size = 0;
    unsigned flags = 0;
    HostBytes bytes; // null where they are the caller's
};

/// A capture sequence, shared by the streams that take part.
struct Capture {
    std::vector<Work> work;
    hipStream_t origin = nullptr;
    hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
    std::thread::id thread;
    unsigned long long number = 0; // counted from 1
    bool invalidated = false;
    bool ended = false;
    std::map<hipStream_t, std::size_t> issued; // work items a stream has contributed
};

/// How many work items of each stream of a capture come before a point of it.
using Seen = std::map<hipStream_t, std::size_t>;

struct Stream {
    int device = 0;
    unsigned flags = 0;
    std::shared_ptr<Capture> capture; // null unless capturing
    Seen seen;                        // what its next work item comes after
};

struct Event {
    unsigned flags = 0;
    bool recorded = false;
    std::chrono::steady_clock::time_point when;
    std::shared_ptr<Capture> captured; // where it was last recorded, if that was while capturing
    Seen seen;                         // the work of that capture it stands for
};

struct Module {
    int device = 0;
    std::shared_ptr<emu::Module> code;
    std::map<std::string, hipFunction_t> functions; // those handed out
};

/// What the compiler registered from one source file: device objects in a bundle, loaded on a device at first use.
struct FatBinary {
    struct Managed {
        std::string name;
        void** pointer = nullptr; // the host's, which points to the variable
    };
    const void* image = nullptr;
    std::vector<Managed> managed;
    std::map<int, std::shared_ptr<emu::Module>> loaded; // by device
};
using FatBinaryHandle = void**;

/// What a host address stands for on a device: a kernel, or a variable.
struct HostSymbol {
    FatBinaryHandle binary = nullptr;
    std::string name;
};

struct Function {
    int device = 0;
    std::shared_ptr<emu::Module> code;
    std::string kernel;
};

/// A captured graph, or an executable one.
struct Graph {
    std::vector<Work> work;
};

/// An allocation and the device it is on; null where there is none.
struct Place {
    Device* device = nullptr;
    emu::Allocation* allocation = nullptr;
};

class Runtime {
public:
    /// The one of this process; made on first use and never destroyed, as programs call HIP from their own destructors.
    static Runtime& instance();
    /// The same, or null where nothing has used it.
    static Runtime* made();

    Runtime();
    Runtime(const Runtime&) = delete;
    Runtime& operator=(const Runtime&) = delete;

    std::mutex mutex;
    std::vector<std::unique_ptr<Device>> devices; // the chips of chips.toml, or those that HIP_VISIBLE_DEVICES names
    HandleTable<hipStream_t, Stream> streams;
    HandleTable<hipEvent_t, Event> events;
    HandleTable<hipModule_t, Module> modules;
    HandleTable<hipFunction_t, Function> functions;
    HandleTable<FatBinaryHandle, FatBinary> fat_binaries;
    std::map<const void*, HostSymbol> host_functions; // by the address that <<<>>> launches
    std::map<const void*, HostSymbol> host_variables;
    std::map<std::uint64_t, HostMemory> host_memory; // by address; mapped in every device's memory
    HandleTable<hipGraph_t, Graph> graphs;
    HandleTable<hipGraphExec_t, Graph> executables;
    std::vector<std::weak_ptr<Capture>> captures; // those that have begun and not ended
    unsigned long long captures_begun = 0;
    emu::Report pending; // since the last pmTakeReport
    Sanitizer sanitizer;
    std::uint32_t threads = 0;              // a launch; HKC_DEVICE_THREADS, 0 = one a core
    Result<std::uint64_t> max_instructions; // a wave; HKC_MAX_INSTRUCTIONS, where it is a number

    /// The calling thread's device, or null where there is none at all.
    Device* current_device();
    Device* device(int ordinal);

    /// The allocation that holds the byte at `pointer`, on whichever device.
    Place place_of(const void* pointer);

    /// Runs the work, or keeps it where the stream is capturing. A null or per-thread stream never captures.
    hipError_t enqueue(hipStream_t stream, Work work);
    /// Whether `stream` can take work.
    bool valid(hipStream_t stream);
    /// The device that work on `stream` runs on; the stream must be valid.
    int device_of(hipStream_t stream);
    /// The capture that makes a synchronising call illegal for this thread, or null.
    std::shared_ptr<Capture> capture_in_the_way();

    /// Adds to the pending report.
    void note(const emu::Report& report);
    /// Notes why something could not start; the next report carries it.
    void refuse(const std::string& text);
};

/// The stream handles that mean a thread's or the device's default stream.
bool is_default_stream(hipStream_t stream);

/// Of the calling thread.
int& current_ordinal();
/// Which captures forbid this thread to synchronise (hipThreadExchangeStreamCaptureMode).
hipStreamCaptureMode& thread_capture_mode();
hipError_t& last_error();

/// What every API function does around its body: the lock, no exception to the caller, the thread's last error.
template <typename Body>
hipError_t api(Body&& body) {
    hipError_t result = hipErrorUnknown;
    try {
        Runtime& runtime = Runtime::instance();
        const std::lock_guard lock(runtime.mutex);
        result = body(runtime);
    } catch (const std::bad_alloc&) {
        result = hipErrorOutOfMemory;
    } catch (...) {
        result = hipErrorUnknown;
    }
    // hipErrorNotReady is an answer, not an error.
    if (result != hipSuccess && result != hipErrorNotReady) last_error() = result;
    return result;
}

} // namespace pm::hip
