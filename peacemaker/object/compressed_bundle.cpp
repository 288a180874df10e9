#include "peacemaker/object/compressed_bundle.h"

#include <fmt/format.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/DataExtractor.h>
#include <llvm/Support/MD5.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <memory>

namespace pm {
namespace {

constexpr std::string_view kMagic = "CCOB";

/// A stream may say that it unpacks to anything. Code compresses some tens of times; what claims more than this is not
/// code, and would fill the memory.
constexpr std::uint64_t kMostTimes = 4096, kMostMore = 1 << 20;

/// Bytes of the two sizes of each version.
std::uint32_t size_bytes(std::uint16_t version) { return version >= 3 ? 8 : 4; }

void append(std::string& out, std::uint64_t value, std::uint32_t bytes) {
    for (std::uint32_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xffU);
}

/// What a stream came to.
struct Unpacked {
    std::string bytes;
    std::uint64_t read = 0; // bytes of the stream
};

/// Adds what a step unpacked. Error: it is more than the header says.
Result<void> take(Unpacked& out, std::string_view more, std::uint64_t most) {
    if (more.size() > most - out.bytes.size()) return Error{fmt::format("it unpacks to more than {} bytes", most)};
    out.bytes += more;
    return {};
}

using Buffer = std::array<char, 1 << 16>;

Result<Unpacked> unpack_zlib(std::string_view packed, std::uint64_t most) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) return Error{"zlib cannot start"};
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
    Unpacked out;
    const auto buffer = std::make_unique<Buffer>();
    for (int status = Z_OK; status != Z_STREAM_END;) {
        if (stream.avail_in == 0) {
            // zlib counts its input in 32 bits.
            constexpr std::uint64_t kPiece = 1 << 30;
            const std::string_view piece = packed.substr(out.read, kPiece);
            stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
            stream.avail_in = static_cast<uInt>(piece.size());
        }
        stream.next_out = reinterpret_cast<Bytef*>(buffer->data());
        stream.avail_out = static_cast<uInt>(buffer->size());
        const uInt before = stream.avail_in;
        status = inflate(&stream, Z_NO_FLUSH);
        out.read += before - stream.avail_in;
        if (status == Z_BUF_ERROR) return Error{"its zlib stream is cut off"};
        if (status != Z_OK && status != Z_STREAM_END)
            return Error{fmt::format("its zlib stream is damaged: {}", stream.msg != nullptr ? stream.msg : "")};
        if (auto taken = take(out, {buffer->data(), buffer->size() - stream.avail_out}, most); !taken)
            return taken.error();
    }
    return out;
}

Result<Unpacked> unpack_zstd(std::string_view packed, std::uint64_t most) {
    const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(), ZSTD_freeDStream);
    if (!stream) return Error{"zstd cannot start"};
    Unpacked out;
    const auto buffer = std::make_unique<Buffer>();
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    for (;;) {
        ZSTD_outBuffer piece{buffer->data(), buffer->size(), 0};
        const std::size_t left = ZSTD_decompressStream(stream.get(), &piece, &in);
        if (ZSTD_isError(left) != 0)
            return Error{fmt::format("its zstd stream is damaged: {}", ZSTD_getErrorName(left))};
        if (auto taken = take(out, {buffer->data(), piece.pos}, most); !taken) return taken.error();
        if (left == 0) break;
        if (in.pos == in.size && piece.pos < piece.size) return Error{"its zstd stream is cut off"};
    }
    out.read = in.pos;
    return out;
}

} // namespace

bool is_compressed_bundle(std::string_view bytes) { return bytes.starts_with(kMagic); }

std::string header_bytes(const CompressedHeader& header) {
    std::string out(kMagic);
    append(out, header.version, 2);
    append(out, static_cast<std::uint16_t>(header.method), 2);
    if (header.version >= 2) append(out, header.packed_size, size_bytes(header.version));
    append(out, header.unpacked_size, size_bytes(header.version));
    append(out, header.hash, 8);
    return out;
}

Result<UnpackedBundle> unpack_bundle(std::string_view bytes) {
    const auto damaged = [](std::uint64_t offset, const std::string& what) {
        return Error{fmt::format("offset {:#x}: damaged compressed offload bundle: {}", offset, what)};
    };
    if (!is_compressed_bundle(bytes)) return damaged(0, fmt::format("it does not begin with {}", kMagic));
    llvm::DataExtractor data(llvm::StringRef(bytes.data(), bytes.size()), /*IsLittleEndian=*/true, /*AddressSize=*/8);
    llvm::DataExtractor::Cursor at(kMagic.size());
    UnpackedBundle out;
    CompressedHeader& header = out.header;
    header.version = data.getU16(at);
    const std::uint16_t method = data.getU16(at);
    const bool known = header.version >= 1 && header.version <= 3;
    if (at && known) {
        if (header.version >= 2) header.packed_size = data.getUnsigned(at, size_bytes(header.version));
        header.unpacked_size = data.getUnsigned(at, size_bytes(header.version));
        header.hash = data.getU64(at);
    }
    const std::uint64_t start = at.tell();
    if (llvm::Error error = at.takeError()) return damaged(start, llvm::toString(std::move(error)));
    if (!known) return damaged(4, fmt::format("version {}; expected 1 to 3", header.version));
    if (method > 1) return damaged(6, fmt::format("method {}; expected 0 (zlib) or 1 (zstd)", method));
    header.method = static_cast<CompressedHeader::Method>(method);

    constexpr std::uint64_t kSizeField = 8;
    std::uint64_t end = bytes.size();
    if (header.version >= 2) {
        if (header.packed_size < start || header.packed_size > end)
            return damaged(kSizeField, fmt::format("it is said to be {:#x} bytes, of which {:#x} are here",
                                                   header.packed_size, end));
        end = header.packed_size;
    }
    if ((header.unpacked_size - std::min(header.unpacked_size, kMostMore)) / kMostTimes > end - start)
        return damaged(kSizeField, fmt::format("it is said to unpack from {:#x} bytes to {:#x}", end - start,
                                               header.unpacked_size));
    const std::string_view packed = bytes.substr(start, end - start);
    auto unpacked = header.method == CompressedHeader::Method::kZlib ? unpack_zlib(packed, header.unpacked_size)
                                                                     : unpack_zstd(packed, header.unpacked_size);
    if (!unpacked) return damaged(start, unpacked.error().text);
    out.size = start + unpacked->read;
    if (header.version >= 2 && out.size != header.packed_size)
        return damaged(out.size, fmt::format("its stream ends here, it is said to be {:#x} bytes", header.packed_size));
    if (unpacked->bytes.size() != header.unpacked_size)
        return damaged(start, fmt::format("it unpacks to {:#x} bytes; expected {:#x}", unpacked->bytes.size(),
                                          header.unpacked_size));
    out.bytes = std::move(unpacked->bytes);
    const auto digest =
        llvm::MD5::hash(llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(out.bytes.data()), out.bytes.size()));
    if (digest.low() != header.hash)
        return damaged(start - 8, fmt::format("the hash of what it unpacks to is {:#018x}; expected {:#018x}",
                                              digest.low(), header.hash));
    return out;
}

} // namespace pm
