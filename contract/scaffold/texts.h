// The files of a first contract, as texts: what the compiled object tells is filled in, the rest is kBlank with what it
// wants beside it.
#pragma once

#include "peacemaker/object/code_object.h"
#include "peacemaker/object/source_parameter.h"

#include <span>
#include <string>
#include <vector>

namespace hkc {

/// What is known of the kernel.
struct NewKernel {
    std::string name;   // of the registration, its files, and its oracle
    std::string source; // relative to the root
    std::vector<std::string> flags, chips;
    pm::Kernel object;                           // on the first of the chips
    std::vector<pm::SourceParameter> parameters; // one for each explicit argument; empty where unknown
};

/// The registry's word for a parameter's type; empty where it has none (a structure, a vector, void).
std::string element_type(const pm::SourceParameter& parameter);

/// `own_oracle`: it is named as the kernel is, for oracle_text() makes it; else it is a blank, too.
std::string registry_text(const NewKernel& kernel, bool own_oracle);
/// The source of an oracle library, which gives an error, and so no pass, until it is written.
std::string oracle_text(const NewKernel& kernel);
/// A project of that one kernel.
std::string cmake_text(const NewKernel& kernel);
/// The lines for a project that is there already.
std::string cmake_lines(const NewKernel& kernel);
std::string toolchains_text(const std::string& version);

} // namespace hkc
