// The compressed offload bundle (`CCOB`), versions 1 to 3, by zlib or zstd.
//
// A header (magic, version, method, sizes, hash; llvm/Object/OffloadBundle.h), then one stream that unpacks to a plain
// bundle.
#pragma once

#include "peacemaker/support/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace pm {

struct CompressedHeader {
    enum class Method : std::uint16_t { kZlib = 0, kZstd = 1 };
    std::uint16_t version = 0; // 1 to 3
    Method method = Method::kZlib;
    std::uint64_t packed_size = 0; // bytes with the header; 0 in version 1, which does not say
    std::uint64_t unpacked_size = 0;
    std::uint64_t hash = 0; // the low half of the unpacked bytes' MD5
};

struct UnpackedBundle {
    CompressedHeader header;
    std::uint64_t size = 0; // bytes that the packed bundle takes, header and all
    std::string bytes;
};

bool is_compressed_bundle(std::string_view bytes);

/// Unpacks the bundle at the start of `bytes`, which may go on behind it, and holds it against its header: both sizes
/// and the hash. Error: what is cut off, damaged, of an unknown version or method, or states a size that no object of
/// that length has; with its offset.
Result<UnpackedBundle> unpack_bundle(std::string_view bytes);

/// The bytes of a header.
std::string header_bytes(const CompressedHeader& header);

} // namespace pm
