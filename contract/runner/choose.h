// Choosing what runs: the device, its chips, the registrations and controls.
#pragma once

#include "contract/device/hip_library.h"
#include "contract/registry/registry.h"
#include "peacemaker/support/result.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hkc {

enum class DeviceWish : std::uint8_t { kAuto, kRocm, kEmbedded };
/// As --device names them.
const std::map<std::string, DeviceWish>& device_wishes();

/// A device that is there.
struct DeviceChoice {
    DeviceKind kind = DeviceKind::kEmbedded;
    std::string library;              // as it was opened
    std::map<std::string, int> chips; // chip -> ordinal of its first device
};

/// Asks the HIP libraries, each in a child process: a runtime must not be initialised before a fork, and may crash.
/// kAuto takes a GPU if there is one, else the embedded device. Error: why there is no device.
pm::Result<DeviceChoice> choose_device(DeviceWish wish);

/// `1-4`, `2`, `1,3-5`: gate numbers, ascending and each once. Error: what was read and what was expected.
pm::Result<std::vector<std::uint32_t>> parse_gates(std::string_view text);

/// One of the equal parts that a run is cut into: of the selected tasks those at `index`, `index` + `of`, .., from 1.
struct Shard {
    std::uint32_t index = 1, of = 1;

    bool operator==(const Shard&) const = default;
};
/// `2/3`.
std::string shard_text(const Shard& shard);
/// Error: what was read, and that I/N with 1 <= I <= N was expected.
pm::Result<Shard> parse_shard(std::string_view text);

/// One thing to run: a registration, or a control, on a chip.
struct Task {
    const Kernel* kernel = nullptr;   // the registration, or that of the control
    const Control* control = nullptr; // null for a registration
    std::string chip;
};

/// The tasks that `filter` and `gates` select on `chips`: registrations by their name; controls by their name or that
/// of their registration, where the gate they must be red at is asked for. Chip by chip, in the order of the registry.
std::vector<Task> select_tasks(const Registry& registry, const std::vector<std::string>& chips, std::string_view filter,
                               const std::vector<std::uint32_t>& gates);

/// The tasks of one shard, in the same order. Controls are tasks as registrations are.
std::vector<Task> tasks_of_shard(const std::vector<Task>& tasks, const Shard& shard);

/// What gate 2 does not ask for want of shapes: a line each for the registrations among the tasks that have none marked
/// `served`, and those that have none marked `ragged`.
std::vector<std::string> shape_warnings(const std::vector<Task>& tasks);

/// The chips that any registration names, in the order of chips.toml.
std::vector<std::string> registered_chips(const Registry& registry);

/// Those of the registered chips that are asked for, in the order of chips.toml; all where none is named, or `all`.
/// Error: a chip that no registration names, with the chips that there are and the nearest.
pm::Result<std::vector<std::string>> named_chips(const Registry& registry, const std::vector<std::string>& named);

} // namespace hkc
