// Files that hold code objects: read, lifted, written back, and told about.
#include "peacemaker/lift/report.h"
#include "peacemaker/object/code_object.h"
#include "peacemaker/object/source_line.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pm;
    const std::string_view bytes = fuzz::view(data, size);
    const Container container = read_container(bytes, "input");
    const lift::Report report = lift::lift_all(container, "");
    for (std::size_t i = 0; i < report.objects.size(); ++i) {
        if (!report.objects[i].file) continue;
        const lift::File& file = *report.objects[i].file;
        const std::string again = lift::emit(file);
        fuzz::require(again.size() == file.size, "a file comes back in its size");
        fuzz::require(!file.unchecked.empty() || again == container.objects[i].bytes,
                      "a file without unchecked bytes comes back as it is");
        fuzz::require(file.equal <= file.size, "no more bytes are equal than there are");
    }
    fuzz::require(!lift::summary_text(report).empty(), "there is a summary");
    (void)lift::program_text(report);
    (void)lift::to_json(report);
    for (const Chip& chip : chips())
        if (const auto object = parse_code_object(bytes, "input", &chip))
            for (const Kernel& kernel : object->kernels) {
                const std::string_view code = object->at(kernel.entry_address, kernel.code_size);
                fuzz::require(code.empty() || code.size() == kernel.code_size, "code is there whole or not at all");
                (void)source_lines(*object, std::vector{kernel.entry_address});
            }
    return 0;
}
