// What lifting a file came to, for people and for programs.
#pragma once

#include "peacemaker/lift/file.h"
#include "peacemaker/object/container.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pm::lift {

/// One object of a container, lifted; where it could not be, why.
struct LiftedObject {
    std::string id, where;
    std::optional<File> file;
    std::string error;
};

/// A file with all that it holds.
struct Report {
    std::vector<LiftedObject> objects;
    std::vector<ContainerLoss> losses;

    /// Whether every byte of every object came back, and there is one.
    bool whole() const;
};

/// Lifts the objects of `container` that are for `chip`, or all where that is empty; a file that is one object counts
/// as its own chip's. `container` must outlive the answer.
Report lift_all(const Container& container, std::string_view chip);

/// A line an object with its kernels, functions, instructions and bytes; one for everything unchecked.
std::string summary_text(const Report& report);

/// The parts and the program of every object.
std::string program_text(const Report& report);

/// The structure of every object as JSON: parts, functions with their control-flow graph, innermost loops, registers,
/// memory operations and barriers, and what is unchecked. docs/peacemaker.md names the fields.
std::string to_json(const Report& report);

} // namespace pm::lift
