// MessagePack documents and the metadata in them.
#include "peacemaker/object/message_pack.h"
#include "peacemaker/object/metadata.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pm;
    const std::string_view bytes = fuzz::view(data, size);
    if (const auto value = decode_message_pack(bytes))
        fuzz::require(encode_message_pack(*value) == bytes, "a value encodes to the bytes that it was decoded from");
    const auto metadata = parse_metadata(bytes);
    fuzz::require(!metadata || !MessagePack(bytes).value_of(0, "amdhsa.kernels") == metadata->kernels.empty(),
                  "metadata with kernels has a list of them");
    const MessagePack document(bytes);
    for (std::size_t at = 0; at < size; ++at) {
        if (const auto integer = document.integer(at)) {
            const auto same = document.encoded_as(at, integer->value);
            fuzz::require(same && *same == bytes.substr(at, integer->size), "an integer keeps its encoding");
        }
        if (const auto text = document.text(at))
            fuzz::require(text->data() + text->size() <= bytes.data() + size, "a text ends within the document");
    }
    (void)document.element(0, 1);
    return 0;
}
