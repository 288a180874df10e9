#include "peacemaker/hip/image.h"

#include "peacemaker/object/bundle.h"
#include "peacemaker/object/compressed_bundle.h"
#include "peacemaker/object/container.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/ELF.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pm::hip {
namespace {

namespace elf = llvm::ELF;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::size_t kBundleMagic = 24;

/// Reads this process's memory at addresses that may not be there.
class Reader {
public:
    explicit Reader(const void* base)
        : base_(reinterpret_cast<std::uint64_t>(base)), file_(::memfd_create("image", MFD_CLOEXEC)) {}
    ~Reader() {
        if (file_ >= 0) ::close(file_);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    /// `size` bytes from `offset` on; nothing where one of them cannot be read.
    std::optional<std::string> read(std::uint64_t offset, std::uint64_t size) {
        if (file_ < 0 || offset > kMostBytes || size > kMostBytes) return std::nullopt;
        if (::ftruncate(file_, 0) != 0 || ::lseek(file_, 0, SEEK_SET) != 0) return std::nullopt;
        // The kernel copies: a page that is not there makes it stop, and does not fault.
        for (std::uint64_t done = 0; done < size;) {
            const long n = ::syscall(SYS_write, file_, base_ + offset + done, size - done);
            if (n <= 0) return std::nullopt;
            done += static_cast<std::uint64_t>(n);
        }
        std::string bytes(size, '\0');
        for (std::uint64_t done = 0; done < size;) {
            const ssize_t n = ::pread(file_, bytes.data() + done, size - done, static_cast<off_t>(done));
            if (n <= 0) return std::nullopt;
            done += static_cast<std::uint64_t>(n);
        }
        return bytes;
    }

    template <typename T>
    std::optional<T> read_as(std::uint64_t offset) {
        const auto bytes = read(offset, sizeof(T));
        if (!bytes) return std::nullopt;
        T value{};
        std::memcpy(&value, bytes->data(), sizeof value);
        return value;
    }

private:
    std::uint64_t base_;
    int file_;
};

/// The largest end of a range seen so far; an end that overflows is one that no image has.
class Extent {
public:
    void add(std::uint64_t offset, std::uint64_t size) {
        end_ = std::max(end_, offset > kMostBytes || size > kMostBytes ? kMostBytes + 1 : offset + size);
    }
    [[nodiscard]] std::uint64_t end() const { return end_; }

private:
    std::uint64_t end_ = 0;
};

std::optional<std::uint64_t> size_of_elf(Reader& reader) {
    const auto header = reader.read_as<elf::Elf64_Ehdr>(0);
    if (!header) return std::nullopt;
    Extent extent;
    extent.add(0, sizeof *header);
    extent.add(header->e_phoff, std::uint64_t{header->e_phnum} * sizeof(elf::Elf64_Phdr));
    extent.add(header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(elf::Elf64_Shdr));
    for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
        const auto entry = reader.read_as<elf::Elf64_Phdr>(header->e_phoff + i * sizeof(elf::Elf64_Phdr));
        if (!entry) return std::nullopt;
        extent.add(entry->p_offset, entry->p_filesz);
    }
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
        const auto entry = reader.read_as<elf::Elf64_Shdr>(header->e_shoff + i * sizeof(elf::Elf64_Shdr));
        if (!entry) return std::nullopt;
        if (entry->sh_type != elf::SHT_NOBITS) extent.add(entry->sh_offset, entry->sh_size);
    }
    return extent.end();
}

std::optional<std::uint64_t> size_of_bundle(Reader& reader) {
    const auto count = reader.read_as<std::uint64_t>(kBundleMagic);
    if (!count) return std::nullopt;
    Extent extent;
    std::uint64_t at = kBundleMagic + sizeof *count;
    for (std::uint64_t i = 0; i < *count; ++i) {
        struct Entry {
            std::uint64_t offset, size, id_size;
        };
        const auto entry = reader.read_as<Entry>(at);
        if (!entry || entry->id_size > kMostBytes) return std::nullopt;
        at += sizeof *entry + entry->id_size;
        extent.add(at, 0);
        extent.add(entry->offset, entry->size);
        if (extent.end() > kMostBytes) return std::nullopt;
    }
    return extent.end();
}

/// A compressed bundle's header says its size from version 2 on (peacemaker/object/compressed_bundle.h).
std::optional<std::uint64_t> size_of_compressed(Reader& reader) {
    const auto version = reader.read_as<std::uint16_t>(4);
    if (!version || *version < 2) return std::nullopt;
    if (*version >= 3) return reader.read_as<std::uint64_t>(8);
    const auto size = reader.read_as<std::uint32_t>(8);
    return size ? std::optional<std::uint64_t>(*size) : std::nullopt;
}

} // namespace

Result<std::string> read_image(const void* image) {
    Reader reader(image);
    const auto magic = reader.read(0, kBundleMagic);
    if (!magic) return Error{"the image cannot be read"};
    std::optional<std::uint64_t> size;
    if (is_bundle(*magic))
        size = size_of_bundle(reader);
    else if (is_compressed_bundle(*magic))
        size = size_of_compressed(reader);
    else if (magic->starts_with("\177ELF"))
        size = size_of_elf(reader);
    else
        return Error{"the image is neither an ELF file nor an offload bundle; expected a code object"};
    if (!size && is_compressed_bundle(*magic))
        return Error{"the image is a compressed bundle of a version that does not say its size; expected 2 or 3"};
    if (!size || *size > kMostBytes) return Error{"the image's tables are damaged, or it is cut off"};
    auto bytes = reader.read(0, *size);
    if (!bytes) return Error{fmt::format("the image is cut off: its tables speak of {} bytes", *size)};
    return std::move(*bytes);
}

std::variant<CodeObject, LoadFailure> parse_image(std::string_view bytes, const std::string& where, const Chip& chip) {
    Result<CodeObject> object = parse_code_object(bytes, where, &chip);
    if (object) return std::move(*object);
    LoadFailure failure{hipErrorInvalidImage, object.error().text};
    // A sound object for another chip is a different error from a damaged one.
    if (is_container(bytes)) {
        const Container container = read_container(bytes, where);
        const auto ours = [&](const DeviceObject& entry) { return chip_of_entry(entry.id) == chip.name; };
        if (container.losses.empty() && std::none_of(container.objects.begin(), container.objects.end(), ours))
            failure.code = hipErrorNoBinaryForGpu;
    } else if (parse_code_object(bytes, where)) {
        failure.code = hipErrorNoBinaryForGpu;
    }
    return failure;
}

} // namespace pm::hip
