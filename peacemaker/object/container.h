// The device objects that a file holds: a code object itself, an offload bundle, plain or compressed, or the bundles in
// a host program's .hip_fatbin section.
#pragma once

#include "peacemaker/support/result.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace pm {

/// One device object.
struct DeviceObject {
    std::string id; // its bundle entry's; empty for a file that is one code object
    std::string
        where; // how messages call it: "a.out: .hip_fatbin+0x0: entry hipv4-amdgcn-amd-amdhsa--gfx1151 at 0x1000"
    std::string_view bytes;
};

/// Bytes of a container, not of an object in it, that could not be read or do not come back from what was read.
struct ContainerLoss {
    std::string where;  // the bundle or the file that they are in
    std::string reason; // "offset 0x20: ..", the offset being in that
};

/// What a file holds. Moving one keeps the views in `objects`.
struct Container {
    std::vector<DeviceObject> objects; // in the file's order
    std::vector<ContainerLoss> losses;
    std::deque<std::string> unpacked; // what compressed bundles came to; `objects` look into it
};

/// Whether `bytes` are objects in a wrapping, not one object: a bundle, or a host's ELF file with .hip_fatbin.
bool is_container(std::string_view bytes);

/// The device objects of `bytes`, which must outlive the answer; `where` is how messages call them. Objects are not
/// looked into. Bundle tables and headers are written back from what was read and compared. What is damaged is among
/// the losses.
Container read_container(std::string_view bytes, const std::string& where);

} // namespace pm
