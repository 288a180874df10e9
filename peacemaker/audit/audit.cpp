#include "peacemaker/audit/audit.h"

#include "peacemaker/object/code_object.h"
#include "peacemaker/object/container.h"
#include "peacemaker/support/file.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace pm::audit {
namespace {

namespace fs = std::filesystem;
namespace kind = certify::kind;

/// A file to be read, and whether it was named itself.
struct Path {
    std::string path;
    bool named = false;
};

/// An object of a file, by its number there.
struct Hashed {
    std::string where, sha256;
    bool first = false; // no object before it has these bytes
};

struct FileSeen {
    bool skipped = false;
    std::vector<Hashed> objects;
    std::vector<Unchecked> unchecked;
};

bool in_scope(Scope scope, const certify::Open& open) {
    const bool lds = open.kind == kind::kLdsOrder || open.kind == kind::kLdsBounds;
    switch (scope) {
    case Scope::kUsual:
        return open.fault || !lds;
    case Scope::kLdsBarrier:
        return open.kind == kind::kUndrainedLds || open.kind == kind::kBarrierDivergence ||
               open.kind == kind::kBarrierPairing || open.kind == kind::kLdsOrder || open.kind == kind::kLdsRace;
    case Scope::kAll:
        return true;
    }
    return true;
}

/// ELF files of the device; a host's are code objects only by what read_container finds in them.
bool is_device_elf(std::string_view bytes) {
    constexpr std::size_t kMachine = 18; // offset of e_machine, little-endian
    return bytes.size() > kMachine + 1 && bytes.starts_with(llvm::ELF::ElfMagic) &&
           static_cast<unsigned char>(bytes[kMachine]) + (static_cast<unsigned char>(bytes[kMachine + 1]) << 8U) ==
               llvm::ELF::EM_AMDGPU;
}

FileSeen look_at(const Path& path) {
    FileSeen seen;
    const auto bytes = read_file(path.path);
    if (!bytes) {
        seen.unchecked.push_back({path.path, "", bytes.error().text, path.path});
        return seen;
    }
    if (!is_container(*bytes) && !is_device_elf(*bytes)) {
        seen.skipped = !path.named;
        if (path.named)
            seen.unchecked.push_back({path.path, "", "no code object, and nothing that holds one", path.path});
        return seen;
    }
    const Container container = read_container(*bytes, path.path);
    for (const DeviceObject& object : container.objects)
        seen.objects.push_back({object.where, sha256_hex(object.bytes), false});
    for (const ContainerLoss& loss : container.losses)
        seen.unchecked.push_back({loss.where, "", loss.reason, path.path});
    if (container.objects.empty() && container.losses.empty() && path.named)
        seen.unchecked.push_back({path.path, "", "it holds no device object", path.path});
    return seen;
}

void add_certificate(Report& report, std::size_t index, const CodeObject& object,
                     const certify::Certificate& certificate) {
    Object& entry = report.objects[index];
    entry.chip = certificate.chip;
    entry.kernels = certificate.kernels.size();
    for (const certify::KernelCertificate& kernel : certificate.kernels) {
        const Kernel* const code = object.find_kernel(kernel.kernel);
        bool fault = false, unchecked = !kernel.unchecked.empty(), beyond = false;
        for (const std::string& reason : kernel.unchecked)
            report.unchecked.push_back({entry.where, kernel.kernel, reason, entry.file});
        for (const certify::Open& open : kernel.open) {
            if (!in_scope(report.scope, open)) {
                beyond = true;
                continue;
            }
            (open.fault ? fault : unchecked) = true;
            const std::string_view bytes =
                code == nullptr ? std::string_view() : object.at(code->entry_address + open.at, 1);
            report.open.push_back({index, kernel.kernel, open, bytes.empty() ? 0 : bytes.data() - object.bytes.data()});
        }
        if (fault) {
            ++report.kernels_with_findings;
        } else if (unchecked) {
            ++report.kernels_unchecked;
        } else {
            ++entry.clean;
            report.clean_in_scope_only += beyond ? 1 : 0;
        }
    }
}

/// Adds what one object came to.
void add(Report& report, const Report& part) {
    const std::size_t index = report.objects.size();
    report.objects.insert(report.objects.end(), part.objects.begin(), part.objects.end());
    for (Obligation one : part.open) {
        one.object += index;
        report.open.push_back(std::move(one));
    }
    report.unchecked.insert(report.unchecked.end(), part.unchecked.begin(), part.unchecked.end());
    report.kernels_with_findings += part.kernels_with_findings;
    report.kernels_unchecked += part.kernels_unchecked;
    report.clean_in_scope_only += part.clean_in_scope_only;
}

/// The objects of a file that no other before them equals, certified; the rest is left alone.
Report certify_file(const Path& path, const FileSeen& seen, Scope scope) {
    Report report;
    report.scope = scope;
    const auto bytes = read_file(path.path);
    const Container container = bytes ? read_container(*bytes, path.path) : Container{};
    for (std::size_t i = 0; i < seen.objects.size(); ++i) {
        const Hashed& hashed = seen.objects[i];
        if (!hashed.first) continue;
        report.objects.push_back({hashed.where, path.path, hashed.sha256, "", 0, 0});
        const auto unchecked = [&](const std::string& reason) {
            report.unchecked.push_back({hashed.where, "", reason, path.path});
        };
        if (i >= container.objects.size() || sha256_hex(container.objects[i].bytes) != hashed.sha256) {
            unchecked("it changed while it was read");
            continue;
        }
        const auto object = parse_code_object(container.objects[i].bytes, hashed.where);
        if (!object) {
            unchecked(object.error().text);
            continue;
        }
        // An object without kernels (a library of functions, data) leaves nothing to prove.
        if (object->kernels.empty()) continue;
        const auto certificate = certify::certify(*object);
        if (certificate)
            add_certificate(report, report.objects.size() - 1, *object, *certificate);
        else
            unchecked(certificate.error().text);
    }
    return report;
}

void for_each_in_parallel(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& body) {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < count; i = next++) body(i);
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < std::min<std::size_t>(jobs, count); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
}

/// Adds the regular files of a folder by name.
void walk(const std::string& folder, std::vector<Path>& paths, std::vector<Unchecked>& unchecked) {
    std::error_code error;
    std::set<std::string> found;
    auto entry = fs::recursive_directory_iterator(folder, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
        std::error_code ignored;
        if (entry->is_regular_file(ignored)) found.insert(entry->path().string());
    }
    if (error) unchecked.push_back({folder, "", "cannot be walked to its end: " + error.message(), folder});
    for (const std::string& path : found) paths.push_back({path, false});
}

} // namespace

std::size_t Report::kernels() const {
    return std::accumulate(objects.begin(), objects.end(), std::size_t{0},
                           [](std::size_t sum, const Object& object) { return sum + object.kernels; });
}

std::size_t Report::clean() const {
    return std::accumulate(objects.begin(), objects.end(), std::size_t{0},
                           [](std::size_t sum, const Object& object) { return sum + object.clean; });
}

std::size_t Report::findings() const {
    return static_cast<std::size_t>(
        std::count_if(open.begin(), open.end(), [](const Obligation& one) { return one.open.fault; }));
}

Result<Report> audit(const std::vector<std::string>& paths, const Options& options) {
    Report report;
    report.scope = options.scope;
    std::vector<Path> files;
    for (const std::string& path : paths) {
        std::error_code error;
        const fs::file_status status = fs::status(path, error);
        if (!fs::exists(status)) return Error{path + ": there is no such file or folder"};
        if (fs::is_directory(status))
            walk(path, files, report.unchecked);
        else
            files.push_back({path, true});
    }
    report.files = files.size();

    std::vector<FileSeen> seen(files.size());
    for_each_in_parallel(files.size(), options.jobs, [&](std::size_t i) { seen[i] = look_at(files[i]); });
    std::set<std::string> hashes;
    for (FileSeen& file : seen)
        for (Hashed& object : file.objects) object.first = hashes.insert(object.sha256).second;

    std::vector<Report> certified(files.size());
    for_each_in_parallel(files.size(), options.jobs, [&](std::size_t i) {
        const auto& objects = seen[i].objects;
        if (std::any_of(objects.begin(), objects.end(), [](const Hashed& object) { return object.first; }))
            certified[i] = certify_file(files[i], seen[i], options.scope);
    });

    for (std::size_t i = 0; i < files.size(); ++i) {
        report.skipped += seen[i].skipped ? 1 : 0;
        report.unchecked.insert(report.unchecked.end(), seen[i].unchecked.begin(), seen[i].unchecked.end());
        report.duplicates += static_cast<std::size_t>(std::count_if(seen[i].objects.begin(), seen[i].objects.end(),
                                                                    [](const Hashed& one) { return !one.first; }));
        add(report, certified[i]);
    }
    return report;
}

Report audit(const CodeObject& object, const certify::Certificate& certificate, const std::string& file) {
    Report report;
    report.scope = Scope::kAll;
    report.files = 1;
    report.objects.push_back({file, file, sha256_hex(object.bytes), "", 0, 0});
    add_certificate(report, 0, object, certificate);
    return report;
}

} // namespace pm::audit
