#include "peacemaker/support/file.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace pm {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

Error file_error(const fs::path& path, std::string_view what, int error) {
    return Error{fmt::format("{}: {}: {}", path.string(), what, reason(error))};
}

/// Owns a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] int get() const { return fd_; }
    /// Closes it; 0 or the errno of the close.
    int close() {
        const int result = ::close(fd_) == 0 ? 0 : errno;
        fd_ = -1;
        return result;
    }

private:
    int fd_;
};

/// Deletes a temporary file unless it has been renamed to its place.
class TemporaryFile {
public:
    explicit TemporaryFile(fs::path path) : path_(std::move(path)) {}
    ~TemporaryFile() {
        if (!kept_) ::unlink(path_.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    void keep() { kept_ = true; }

private:
    fs::path path_;
    bool kept_ = false;
};

int write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(fd, bytes.data(), bytes.size());
        if (n < 0) {
            if (errno == EINTR) continue;
            return errno;
        }
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

int sync_folder(const fs::path& folder) {
    const Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.get() < 0) return errno;
    // Some file systems cannot sync a folder; the rename stands all the same.
    if (::fsync(fd.get()) != 0 && errno != EINVAL && errno != ENOTSUP) return errno;
    return 0;
}

/// Where the bytes belong: behind a symbolic link, so that the link survives the rename.
fs::path real_target(const fs::path& path) {
    std::error_code error;
    if (!fs::is_symlink(path, error)) return path;
    const fs::path target = fs::weakly_canonical(path, error);
    return error ? path : target;
}

} // namespace

Result<std::string> read_file(const fs::path& path) {
    const Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) return file_error(path, "cannot open", errno);
    struct stat info {};
    if (::fstat(fd.get(), &info) != 0) return file_error(path, "cannot read", errno);
    if (S_ISDIR(info.st_mode)) return file_error(path, "cannot read", EISDIR);

    std::string bytes;
    std::size_t used = 0;
    // One byte more than the size, so that the end of an unchanged file is seen without growing.
    bytes.resize(static_cast<std::size_t>(info.st_size) + 1);
    for (;;) {
        if (used == bytes.size()) bytes.resize(bytes.size() * 2);
        const ssize_t n = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
        if (n < 0) {
            if (errno == EINTR) continue;
            return file_error(path, "cannot read", errno);
        }
        if (n == 0) break;
        used += static_cast<std::size_t>(n);
    }
    bytes.resize(used);
    return bytes;
}

Result<void> write_file_atomically(const fs::path& path, std::string_view bytes) {
    static std::atomic<unsigned> serial{0};
    const fs::path target = real_target(path);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::error_code made;
    fs::create_directories(folder, made);
    if (made) return file_error(folder, "cannot make the folder", made.value());

    const fs::path temporary =
        folder / fmt::format(".{}.{}.{}.tmp", target.filename().string(), ::getpid(), serial.fetch_add(1));
    Descriptor fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (fd.get() < 0) return file_error(temporary, "cannot create", errno);
    TemporaryFile cleanup(temporary);

    struct stat old {};
    if (::stat(target.c_str(), &old) == 0 && ::fchmod(fd.get(), old.st_mode & 07777) != 0)
        return file_error(temporary, "cannot set its mode", errno);
    if (const int error = write_all(fd.get(), bytes)) return file_error(target, "cannot write", error);
    if (::fsync(fd.get()) != 0) return file_error(target, "cannot write", errno);
    if (const int error = fd.close()) return file_error(target, "cannot write", error);
    if (::rename(temporary.c_str(), target.c_str()) != 0) return file_error(target, "cannot replace", errno);
    cleanup.keep();
    if (const int error = sync_folder(folder)) return file_error(folder, "cannot sync the folder", error);
    return {};
}

std::string sha256_hex(std::string_view bytes) {
    llvm::SHA256 hash;
    hash.update(llvm::StringRef(bytes.data(), bytes.size()));
    const auto digest = hash.final();
    return llvm::toHex(llvm::ArrayRef<std::uint8_t>(digest.data(), digest.size()), /*LowerCase=*/true);
}

} // namespace pm
