// Offload bundles, plain and compressed, and host programs that hold them.
#include "peacemaker/object/bundle.h"
#include "peacemaker/object/compressed_bundle.h"
#include "peacemaker/object/container.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pm;
    const std::string_view bytes = fuzz::view(data, size);
    const auto within = [&](std::string_view part, std::string_view whole) {
        fuzz::require(part.empty() ||
                          (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size()),
                      "an entry lies within its bundle");
    };
    if (const auto bundle = read_bundle(bytes)) {
        fuzz::require(bundle->size <= size && bundle->table_size <= bundle->size, "a bundle lies within its file");
        fuzz::require(table_bytes(*bundle).size() == bundle->table_size, "a table comes back in its size");
        for (const BundleEntry& entry : bundle->entries) within(entry.bytes, bytes);
    }
    if (const auto unpacked = unpack_bundle(bytes)) {
        fuzz::require(unpacked->size <= size, "a packed bundle lies within its file");
        fuzz::require(unpacked->bytes.size() == unpacked->header.unpacked_size, "a bundle has the size that it states");
        fuzz::require(bytes.starts_with(header_bytes(unpacked->header)), "a header comes back as it is");
    }
    const Container container = read_container(bytes, "input");
    for (const DeviceObject& object : container.objects) {
        bool found = object.bytes.empty();
        const auto holds = [&](std::string_view whole) {
            return object.bytes.data() >= whole.data() &&
                   object.bytes.data() + object.bytes.size() <= whole.data() + whole.size();
        };
        found = found || holds(bytes);
        for (const std::string& whole : container.unpacked) found = found || holds(whole);
        fuzz::require(found, "an object lies within the file or what it unpacks to");
    }
    return 0;
}
