// certify over many files at once: compiler output, folders of it, caches of just-in-time compilers.
//
//   const auto report = pm::audit::audit({"build", "cache"}, {});
//   if (report) fmt::print("{}", pm::audit::report_text(*report));
#pragma once

#include "peacemaker/certify/certify.h"
#include "peacemaker/support/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pm::audit {

/// Which obligations count. A fault (a path shows it) among them is a finding; what was not shown leaves its kernel
/// unchecked.
enum class Scope : std::uint8_t {
    kUsual,      // every fault; what was not shown, but for bounds and order of LDS accesses
    kLdsBarrier, // barriers, and LDS stores that they publish
    kAll
};

struct Options {
    Scope scope = Scope::kUsual;
    unsigned jobs = 1; // threads
};

/// A code object of the files, whose bytes none before it had.
struct Object {
    std::string where; // its file, and the entry of a bundle
    std::string file;
    std::string sha256;
    std::string chip;
    std::size_t kernels = 0, clean = 0;
};

/// What certify leaves open in a kernel, and the scope asks for. A finding where it is a fault.
struct Obligation {
    std::size_t object = 0; // of Report::objects
    std::string kernel;
    certify::Open open;
    std::int64_t address = 0; // bytes from the object's first
};

/// What could not be asked: a file, an object, or a kernel of it.
struct Unchecked {
    std::string where;
    std::string kernel; // empty: all of it
    std::string reason;
    std::string file;
};

struct Report {
    Scope scope = Scope::kUsual;
    std::size_t files = 0;       // that were read
    std::size_t skipped = 0;     // of these: in folders, and no code object
    std::size_t duplicates = 0;  // objects whose bytes another one had
    std::vector<Object> objects; // by the order of the files
    std::vector<Obligation> open;
    std::vector<Unchecked> unchecked;
    std::size_t kernels_with_findings = 0, kernels_unchecked = 0;
    std::size_t clean_in_scope_only = 0; // clean ones with something left open that the scope does not ask for

    std::size_t kernels() const;
    std::size_t clean() const;
    std::size_t findings() const;
};

/// Files and folders, which are walked; links to folders are not followed. A file in a folder that is no code object,
/// bundle or host program with device code is skipped; one that was named is unchecked. The answer does not depend on
/// the number of threads. Error: a path that does not exist.
Result<Report> audit(const std::vector<std::string>& paths, const Options& options);

/// One object, which has been read.
Report audit(const CodeObject& object, const certify::Certificate& certificate, const std::string& file);

/// A line a finding and a line for everything unchecked, then
/// `AUDIT N files, N skipped; N objects, N duplicates; N kernels: N clean, N with findings, N unchecked; N findings`,
/// and how many of the clean ones have more left open than the scope asks for.
std::string report_text(const Report& report);
/// One JSON object of the same, `schema` 1. Ends with a newline.
std::string report_json(const Report& report);
/// A SARIF log of the same by `tool`; URIs are relative to `root`.
std::string report_sarif(const Report& report, std::string_view tool, const std::filesystem::path& root);

} // namespace pm::audit
