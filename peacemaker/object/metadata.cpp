#include "peacemaker/object/metadata.h"

#include <fmt/format.h>
#include <llvm/BinaryFormat/MsgPackDocument.h>
#include <llvm/BinaryFormat/MsgPackReader.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <tuple>

namespace pm {
namespace {

namespace msgpack = llvm::msgpack;

/// Metadata nests four deep; a damaged file must not nest us out of stack.
constexpr int kMaxDepth = 16;

/// Reads one object with all it holds, and answers whether Document can take it: it needs map keys that compare.
class Shape {
public:
    explicit Shape(std::string_view blob) : reader_(llvm::StringRef(blob.data(), blob.size())) {}

    std::optional<std::string> check(int depth = 0, bool key = false) {
        if (depth > kMaxDepth) return fmt::format("nested deeper than {}", kMaxDepth);
        msgpack::Object object;
        llvm::Expected<bool> read = reader_.read(object);
        if (!read) return llvm::toString(read.takeError());
        if (!*read) return "it ends early";
        if (key && object.Kind != msgpack::Type::String) return "a key is not a string";
        if (object.Kind == msgpack::Type::Array) {
            for (std::size_t i = 0; i < object.Length; ++i)
                if (auto error = check(depth + 1)) return error;
        } else if (object.Kind == msgpack::Type::Map) {
            for (std::size_t i = 0; i < object.Length; ++i) {
                if (auto error = check(depth + 1, true)) return error;
                if (auto error = check(depth + 1)) return error;
            }
        } else if (object.Kind == msgpack::Type::Extension) {
            return "it holds an extension type";
        }
        return std::nullopt;
    }

private:
    msgpack::Reader reader_;
};

/// Reads the keys of one map; keeps the first error, so that a list of fields needs no check each.
class Fields {
public:
    Fields(msgpack::DocNode& node, std::string owner) : owner_(std::move(owner)) {
        if (node.isMap())
            map_ = &node.getMap();
        else
            fail("is no map");
    }

    /// The value of `key`, or null where there is none.
    msgpack::DocNode* optional(const char* key) {
        if (map_ == nullptr) return nullptr;
        const auto at = map_->find(key);
        return at == map_->end() ? nullptr : &at->second;
    }

    msgpack::DocNode* required(const char* key) {
        msgpack::DocNode* node = optional(key);
        if (node == nullptr) fail(fmt::format("has no {}", key));
        return node;
    }

    void text(const char* key, std::string& out) { read_text(key, required(key), out); }
    void optional_text(const char* key, std::string& out) { read_text(key, optional(key), out); }
    void number(const char* key, std::uint32_t& out) { read_number(key, required(key), out); }
    void optional_number(const char* key, std::uint32_t& out) { read_number(key, optional(key), out); }

    void optional_flag(const char* key, bool& out) {
        const msgpack::DocNode* node = optional(key);
        if (node == nullptr) return;
        if (node->getKind() == msgpack::Type::Boolean)
            out = node->getBool();
        else
            fail(fmt::format("{} is not true or false", key));
    }

    msgpack::ArrayDocNode* optional_array(const char* key) {
        msgpack::DocNode* node = optional(key);
        if (node == nullptr) return nullptr;
        if (node->isArray()) return &node->getArray();
        fail(fmt::format("{} is no array", key));
        return nullptr;
    }

    void fail(const std::string& what) {
        if (!error_) error_ = Error{fmt::format("{} {}", owner_, what)};
    }
    [[nodiscard]] const std::optional<Error>& error() const { return error_; }

private:
    void read_text(const char* key, const msgpack::DocNode* node, std::string& out) {
        if (node == nullptr) return;
        if (node->isString())
            out = node->getString().str();
        else
            fail(fmt::format("{} is no string", key));
    }

    void read_number(const char* key, const msgpack::DocNode* node, std::uint32_t& out) {
        if (node == nullptr) return;
        constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
        if (node->getKind() == msgpack::Type::UInt && node->getUInt() <= kMost)
            out = static_cast<std::uint32_t>(node->getUInt());
        else if (node->getKind() == msgpack::Type::Int && node->getInt() >= 0 &&
                 static_cast<std::uint64_t>(node->getInt()) <= kMost)
            out = static_cast<std::uint32_t>(node->getInt());
        else
            fail(fmt::format("{} is no integer in [0, 2^32)", key));
    }

    std::string owner_;
    msgpack::MapDocNode* map_ = nullptr;
    std::optional<Error> error_;
};

Result<KernelArgument> parse_argument(msgpack::DocNode& node, const std::string& owner, std::uint32_t kernarg) {
    Fields fields(node, owner);
    KernelArgument argument;
    fields.optional_text(".name", argument.name);
    fields.text(".value_kind", argument.value_kind);
    fields.optional_text(".address_space", argument.address_space);
    fields.number(".offset", argument.offset);
    fields.number(".size", argument.size);
    if (fields.error()) return *fields.error();
    if (argument.offset > kernarg || argument.size > kernarg - argument.offset)
        return Error{fmt::format("{} is bytes [{}, +{}) of a kernarg segment of {}", owner, argument.offset,
                                 argument.size, kernarg)};
    return argument;
}

std::optional<Error> overlap(const std::vector<KernelArgument>& arguments, const std::string& owner) {
    std::vector<const KernelArgument*> by_offset;
    by_offset.reserve(arguments.size());
    for (const KernelArgument& argument : arguments) by_offset.push_back(&argument);
    std::sort(by_offset.begin(), by_offset.end(),
              [](const KernelArgument* a, const KernelArgument* b) { return a->offset < b->offset; });
    for (std::size_t i = 1; i < by_offset.size(); ++i)
        if (by_offset[i]->offset < by_offset[i - 1]->offset + by_offset[i - 1]->size)
            return Error{fmt::format("{} has two arguments at kernarg byte {}", owner, by_offset[i]->offset)};
    return std::nullopt;
}

Result<KernelMetadata> parse_kernel(msgpack::DocNode& node, std::size_t index) {
    const std::string unnamed = fmt::format("kernel {}", index);
    KernelMetadata out;
    Kernel& kernel = out.kernel;
    Fields naming(node, unnamed);
    naming.text(".name", kernel.name);
    if (naming.error()) return *naming.error();
    if (kernel.name.empty()) return Error{fmt::format("{} has an empty .name", unnamed)};

    const std::string owner = fmt::format("kernel {}", kernel.name);
    Fields fields(node, owner);
    Resources& use = kernel.resources;
    fields.text(".symbol", out.symbol);
    fields.number(".vgpr_count", use.vgpr);
    fields.number(".sgpr_count", use.sgpr);
    fields.number(".group_segment_fixed_size", use.lds);
    fields.number(".private_segment_fixed_size", use.scratch);
    fields.optional_number(".vgpr_spill_count", use.vgpr_spill);
    fields.optional_number(".sgpr_spill_count", use.sgpr_spill);
    fields.number(".wavefront_size", use.wave);
    fields.number(".max_flat_workgroup_size", use.max_block);
    fields.number(".kernarg_segment_size", use.kernarg);
    fields.number(".kernarg_segment_align", kernel.kernarg_align);
    fields.optional_flag(".uses_dynamic_stack", kernel.uses_dynamic_stack);
    if (msgpack::ArrayDocNode* block = fields.optional_array(".reqd_workgroup_size")) {
        if (block->size() != 3) fields.fail(".reqd_workgroup_size does not have three sizes");
        for (std::size_t i = 0; i < block->size() && i < 3; ++i) {
            const msgpack::DocNode size = (*block)[i];
            if (size.getKind() != msgpack::Type::UInt || size.getUInt() == 0 || size.getUInt() > 1024)
                fields.fail(".reqd_workgroup_size is no three integers in [1, 1024]");
            else
                kernel.reqd_block[i] = static_cast<std::uint32_t>(size.getUInt());
        }
    }
    msgpack::ArrayDocNode* arguments = fields.optional_array(".args");
    if (fields.error()) return *fields.error();
    if (use.wave != 32 && use.wave != 64)
        return Error{fmt::format("{}: .wavefront_size is {}; expected 32 or 64", owner, use.wave)};

    for (std::size_t i = 0; arguments != nullptr && i < arguments->size(); ++i) {
        Result<KernelArgument> argument =
            parse_argument((*arguments)[i], fmt::format("argument {} of {}", i, owner), use.kernarg);
        if (!argument) return argument.error();
        kernel.arguments.push_back(std::move(*argument));
    }
    if (auto error = overlap(kernel.arguments, owner)) return *error;
    std::stable_sort(kernel.arguments.begin(), kernel.arguments.end(),
                     [](const KernelArgument& a, const KernelArgument& b) {
                         return std::tuple(a.hidden(), a.offset) < std::tuple(b.hidden(), b.offset);
                     });
    return out;
}

} // namespace

Result<Metadata> parse_metadata(std::string_view blob) {
    if (auto error = Shape(blob).check()) return Error{fmt::format("no sound MessagePack: {}", *error)};
    msgpack::Document document;
    if (!document.readFromBlob(llvm::StringRef(blob.data(), blob.size()), /*Multi=*/false))
        return Error{"no sound MessagePack: a key is there twice"};

    Metadata metadata;
    Fields root(document.getRoot(), "the metadata");
    root.text("amdhsa.target", metadata.target);
    msgpack::ArrayDocNode* kernels = root.optional_array("amdhsa.kernels");
    if (root.error()) return *root.error();

    std::set<std::string> names;
    for (std::size_t i = 0; kernels != nullptr && i < kernels->size(); ++i) {
        Result<KernelMetadata> kernel = parse_kernel((*kernels)[i], i);
        if (!kernel) return kernel.error();
        if (!names.insert(kernel->kernel.name).second)
            return Error{fmt::format("kernel {} is there twice", kernel->kernel.name)};
        metadata.kernels.push_back(std::move(*kernel));
    }
    return metadata;
}

} // namespace pm
