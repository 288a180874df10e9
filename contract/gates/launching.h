// Runs launch sets on a device: buffers bound and filled, kernarg packed and passed in the `extra` form, results read
// back.
//
// What goes wrong on the way is data (LaunchTrouble), so that a gate can go on or stop as its rules say.
#pragma once

#include "contract/device/buffer.h"
#include "contract/gates/inputs.h"
#include "contract/gates/program.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hkc {

/// What outputs and workspaces hold before a launch: one of two patterns that differ in every byte, or nothing at all.
enum class Poison : std::uint8_t { kFirst, kSecond, kNone };

/// Byte `i` of the pattern.
std::byte poison_byte(Poison poison, std::size_t i);

/// What stopped a launch, or what the device said of it.
struct LaunchTrouble {
    std::vector<Finding> findings;        // of the device, and HIP errors
    std::vector<std::string> unsupported; // reasons why nothing is known of this launch
    bool stopped = false;                 // the outputs mean nothing
};

/// A loaded object, and what its writable segments held then.
struct LoadedModule {
    hipModule_t handle = nullptr;
    std::vector<std::vector<std::byte>> writable; // as the object's writable segments; none where they cannot be read
};

/// A device with loaded modules; one a process.
class Session {
public:
    /// Selects the device. Error: the HIP call that failed.
    static pm::Result<Session> open(std::shared_ptr<const HipLibrary> library, int ordinal);
    Session(Session&&) noexcept;
    Session& operator=(Session&&) = delete;
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    const HipApi& api() const { return library_->api; }
    const HipLibrary& library() const { return *library_; }
    /// The loaded function, loading the object when first asked. Error: the HIP call that failed.
    pm::Result<hipFunction_t> function(const pm::CodeObject& object, const std::string& symbol);
    /// Variables of the loaded object that are not what they were when it was loaded, as findings whose text is behind
    /// `where`: memory that no contract declares. Nothing where the object was not loaded, or on a card,
    /// whose library does not tell where an object lies. Error: the HIP call that failed.
    pm::Result<std::vector<Finding>> changed_globals(const pm::CodeObject& object, const std::string& where) const;
    /// Takes what the device says of the launches since the last call into `trouble`, and counts it.
    void take_report(LaunchTrouble& trouble);

    std::uint64_t launches = 0; // kernel launches so far, each replay of a graph included
    DeviceReport totals;        // of every report taken, without its findings

private:
    explicit Session(std::shared_ptr<const HipLibrary> library) : library_(std::move(library)) {}

    std::shared_ptr<const HipLibrary> library_;
    std::map<const pm::CodeObject*, LoadedModule> modules_;
};

/// How the buffers of a launch set stand.
struct BufferOptions {
    Placement placement = Placement::kExact;
    /// 0: payloads start where allocations do. 1: each at its argument's `align` and no greater alignment. Further
    /// steps: at other multiples of its `align`.
    std::uint32_t step = 0;
};

/// The last step that is needed to bring a payload to every multiple of `align` (at least 1) within 16 bytes, the
/// widest access.
std::uint32_t alignment_steps(std::uint32_t align);

/// A launch set whose buffers are on the device.
class Prepared {
public:
    /// Allocates the buffers and writes the inputs. Error: the HIP call that failed.
    static pm::Result<Prepared> create(Session& session, const ProgramPlan& plan, const Inputs& inputs,
                                       const BufferOptions& options);

    /// Writes inout buffers, zeroes and poison, as before every launch. `Poison::kNone` leaves outputs and workspaces
    /// as they are: never written, on the first launch.
    pm::Result<void> fill(Poison poison) const;
    /// Puts the launches on `stream` in order.
    pm::Result<void> enqueue(hipStream_t stream) const;
    /// Replays `graph`, which enqueue() was captured into.
    pm::Result<void> replay(hipGraphExec_t graph, hipStream_t stream) const;
    /// Waits for `stream`.
    pm::Result<void> wait(hipStream_t stream) const;
    /// Reads the out and inout buffers.
    pm::Result<std::map<std::string, std::vector<std::byte>>> read_outputs() const;
    /// Guards and inputs that are not what they were, as findings whose text is behind `where`.
    pm::Result<std::vector<Finding>> changed(const std::string& where) const;

    /// Guard and input comparisons that changed() makes.
    std::uint64_t checks_of_changed() const;

private:
    Prepared(Session& session, const ProgramPlan& plan, const Inputs& inputs)
        : session_(&session), plan_(&plan), inputs_(&inputs) {}

    Session* session_;
    const ProgramPlan* plan_;
    const Inputs* inputs_;
    std::vector<DeviceBuffer> buffers_; // as in plan_->buffers
};

/// The bytes of a launch set's out and inout buffers, by name.
using Outputs = std::map<std::string, std::vector<std::byte>>;

/// One launch of `prepared` on the default stream, read back: fill, enqueue, wait, read. `where` heads every text.
/// Nothing where the trouble stopped it.
std::optional<Outputs> run_once(Session& session, const Prepared& prepared, Poison poison, const std::string& where,
                                LaunchTrouble& trouble);

/// Adds a HIP error (or the device's reason for it) to `trouble` and stops it.
void note_error(Session& session, const pm::Error& error, const std::string& where, LaunchTrouble& trouble);

} // namespace hkc
