#include "peacemaker/emu/launch.h"

#include "peacemaker/emu/abi.h"
#include "peacemaker/emu/budget.h"
#include "peacemaker/emu/execute.h"
#include "peacemaker/emu/global_race.h"
#include "peacemaker/emu/hostcall.h"
#include "peacemaker/emu/program.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/shadow.h"
#include "peacemaker/emu/wave.h"
#include "peacemaker/emu/workgroup.h"
#include "peacemaker/isa/disassembler.h"
#include "peacemaker/object/descriptor.h"
#include "peacemaker/object/source_line.h"
#include "peacemaker/support/text.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using Dim3 = std::array<std::uint32_t, 3>;
namespace hsa = llvm::amdhsa;

std::uint32_t wave_lanes(const Kernel& kernel) { return kernel.resources.wave == 64 ? 64 : 32; }

} // namespace

class Module {
public:
    Module(CodeObject object, Memory& memory) : object_(std::move(object)), memory_(memory) {}
    ~Module() {
        if (image_ != nullptr) (void)memory_.free(image_->address);
    }
    Module(const Module&) = delete;
    Module& operator=(const Module&) = delete;

    Result<void> place() {
        std::uint64_t end = 0;
        for (const Segment& s : object_.segments) end = std::max(end, s.address + s.memory_size);
        constexpr std::uint64_t kMost = 1ull << 30;
        if (end > kMost)
            return Error{fmt::format("the segments reach up to 0x{:x}; at most 0x{:x} is loaded", end, kMost)};
        image_ = memory_.allocate(end);
        if (image_ == nullptr) return Error{fmt::format("no memory for {} bytes of segments", end)};
        std::memset(image_->data, 0, image_->size);
        for (const Segment& s : object_.segments)
            std::copy_n(object_.bytes.data() + s.file_offset, s.file_size,
                        reinterpret_cast<char*>(image_->data) + s.address);
        for (const Relocation& r : object_.relocations)
            if (const auto done = relocate(r); !done) return done;
        Memory::set_defined(*image_, image_->address, image_->size);
        Memory::settle(*image_);
        image_->code = true;
        return {};
    }

    // AMDGPUUsage, "Relocation Records": addresses of this object, or of its symbols.
    Result<void> relocate(const Relocation& r) {
        const bool relative = r.type == llvm::ELF::R_AMDGPU_RELATIVE64, absolute = r.type == llvm::ELF::R_AMDGPU_ABS64;
        if (!relative && !absolute)
            return Error{fmt::format("relocation type {} at 0x{:x}; expected R_AMDGPU_RELATIVE64 or R_AMDGPU_ABS64",
                                     r.type, r.address)};
        if (absolute && !r.defined) return Error{"the code object needs a symbol that it does not define: " + r.symbol};
        if (!image_->contains(image_->address + r.address, sizeof(std::uint64_t)))
            return Error{fmt::format("a relocation at 0x{:x}, outside the segments", r.address)};
        const std::uint64_t value =
            image_->address + static_cast<std::uint64_t>(r.addend) + (absolute ? r.symbol_value : 0);
        std::memcpy(image_->data + r.address, &value, sizeof value);
        return {};
    }

    const CodeObject& object() const { return object_; }
    std::uint64_t load_address() const { return image_ == nullptr ? 0 : image_->address; }

    Result<const Program*> program(const Kernel& kernel) {
        const std::lock_guard lock(mutex_);
        const auto found = programs_.find(kernel.name);
        if (found != programs_.end()) return found->second.get();
        const std::uint32_t lanes = wave_lanes(kernel);
        auto& disassembler = disassemblers_[lanes];
        if (!disassembler) {
            auto created = isa::Disassembler::create(*object_.chip, lanes);
            if (!created) return created.error();
            disassembler = std::move(*created);
        }
        auto lifted = lift(object_, kernel, *disassembler);
        if (!lifted) return lifted.error();
        return programs_.emplace(kernel.name, std::move(*lifted)).first->second.get();
    }

private:
    CodeObject object_;
    Memory& memory_;
    Allocation* image_ = nullptr;
    std::mutex mutex_;
    std::map<std::uint32_t, std::unique_ptr<isa::Disassembler>> disassemblers_; // by wave size
    std::map<std::string, std::unique_ptr<Program>> programs_;
};

Result<std::shared_ptr<Module>> load_module(CodeObject object, Memory& memory) {
    auto module = std::make_shared<Module>(std::move(object), memory);
    if (const auto placed = module->place(); !placed) return placed.error();
    return module;
}

const CodeObject& code_object_of(const Module& module) { return module.object(); }

Result<std::pair<std::uint64_t, std::uint64_t>> find_global(const Module& module, std::string_view name) {
    const CodeObject& object = module.object();
    if (const Symbol* symbol = object.find_symbol(name))
        return std::pair{module.load_address() + symbol->address, symbol->size};
    std::vector<std::string> names;
    for (const Symbol& symbol : object.symbols) names.push_back(symbol.name);
    return Error{"no symbol " + std::string(name) + did_you_mean(name, names)};
}

namespace {

// One launch: the parts of its set-up that all waves share.
struct Launch {
    const LaunchRequest& request;
    const Kernel& kernel;
    const Chip& chip;
    Memory& memory;
    const Program* program = nullptr;
    std::uint64_t kernarg_address = 0;
    std::uint64_t hostcall_address = 0; // 0: the kernel asks for none
    std::uint64_t dispatch_packet_address = 0;
    std::uint32_t granted_vgprs = 0;
    std::uint32_t lds_bytes = 0;
    std::uint32_t scratch_bytes = 0; // a work-item
    std::uint32_t block_items = 0;
    std::uint32_t lanes = kLanes; // a wave
    std::uint32_t waves = 0;      // a workgroup
};

// Bytes of scratch that a work-item can have: those of a wave (llvm/lib/Target/AMDGPU/GCNSubtarget.h,
// getMaxWaveScratchSize), shared by its lanes.
std::uint64_t most_scratch(const Chip& chip, std::uint32_t lanes) {
    const std::uint64_t wave = chip.generation >= 12   ? 256ull * ((1u << 18) - 1)
                               : chip.generation == 11 ? 256ull * ((1u << 15) - 1)
                                                       : 1024ull * ((1u << 13) - 1);
    return wave / lanes;
}

Result<void> check_request(const Launch& l) {
    const auto items = std::uint64_t{l.request.block[0]} * l.request.block[1] * l.request.block[2];
    if (items == 0 || items > l.chip.max_workgroup)
        return Error{fmt::format("kernel {}: a workgroup of {} work-items, {} has 1 to {}", l.kernel.name, items,
                                 l.chip.name, l.chip.max_workgroup)};
    if (l.kernel.resources.max_block != 0 && items > l.kernel.resources.max_block)
        return Error{fmt::format("kernel {}: a workgroup of {} work-items, the kernel was compiled for at most {}",
                                 l.kernel.name, items, l.kernel.resources.max_block)};
    for (std::size_t i = 0; i < 3; ++i)
        if (l.request.grid[i] == 0) return Error{fmt::format("kernel {}: grid dimension {} is 0", l.kernel.name, i)};
    for (std::size_t i = 0; i < 3; ++i)
        if (std::uint64_t{l.request.grid[i]} * l.request.block[i] > 0xffffffffull)
            return Error{
                fmt::format("kernel {}: {} workgroups of {} work-items in dimension {}; a launch has at most 2^32 - 1",
                            l.kernel.name, l.request.grid[i], l.request.block[i], i)};
    const std::uint64_t lds = std::uint64_t{l.kernel.descriptor.group_segment_fixed_size} + l.request.dynamic_lds;
    if (lds > l.chip.lds_bytes)
        return Error{fmt::format("kernel {}: LDS over the limit: {} bytes ({} fixed + {} dynamic), limit {}",
                                 l.kernel.name, lds, l.kernel.descriptor.group_segment_fixed_size,
                                 l.request.dynamic_lds, l.chip.lds_bytes)};
    // Hidden arguments take at most 256 bytes (AMDGPUUsage, "V5 metadata"), aligned to 8.
    if (const std::uint32_t most = l.chip.kernarg_bytes + 256 + 8; l.kernel.resources.kernarg > most)
        return Error{fmt::format("kernel {}: {} bytes of arguments and hidden ones, limit {}", l.kernel.name,
                                 l.kernel.resources.kernarg, most)};
    if (const std::uint64_t most = most_scratch(l.chip, l.lanes); l.kernel.descriptor.private_segment_fixed_size > most)
        return Error{fmt::format("kernel {}: {} bytes of scratch a work-item, limit {}", l.kernel.name,
                                 l.kernel.descriptor.private_segment_fixed_size, most)};
    return {};
}

// What the descriptor asks for and is not modelled, or is not as it must be; it stops the launch before it starts.
std::vector<std::string> not_followed(const Launch& l) {
    DescriptorProblems problems = descriptor_problems(l.chip, l.kernel);
    std::vector<std::string> reasons;
    for (std::vector<std::string>* of : {&problems.faults, &problems.unmodelled})
        for (const std::string& text : *of)
            reasons.push_back(fmt::format("unsupported descriptor of kernel {}: {}", l.kernel.name, text));
    const std::uint32_t word = l.kernel.descriptor.compute_pgm_rsrc1;
    const std::uint32_t rounding = descriptor_field(word, 12, 4), denormals = descriptor_field(word, 16, 4);
    if (rounding != 0)
        reasons.push_back(fmt::format("unsupported float rounding mode {} of kernel {}", rounding, l.kernel.name));
    // f32 subnormals are kept or flushed on both sides; f16 and f64 ones are kept.
    if ((denormals & 12u) != 12u || ((denormals & 3u) != 0 && (denormals & 3u) != 3u))
        reasons.push_back(fmt::format("unsupported float denormal mode {} of kernel {}", denormals, l.kernel.name));
    if (descriptor_field(word, 26, 1) != 0)
        reasons.push_back(fmt::format("unsupported FP16_OVFL mode of kernel {}", l.kernel.name));
    return reasons;
}

void put(std::byte* at, std::uint64_t value, std::uint32_t bytes) { std::memcpy(at, &value, bytes); }

std::uint32_t dimensions(const LaunchRequest& r) {
    return r.grid[2] * r.block[2] > 1 ? 3u : r.grid[1] * r.block[1] > 1 ? 2u : 1u;
}

constexpr std::string_view kHostcallArgument = "hidden_hostcall_buffer";

// Hidden arguments (AMDGPUUsage, "Code object V3 metadata" to "V5 metadata").
std::uint64_t hidden_value(const Launch& l, const KernelArgument& a) {
    const LaunchRequest& r = l.request;
    static constexpr std::string_view kAxes = "xyz";
    const std::size_t axis = kAxes.find(a.value_kind.empty() ? '?' : a.value_kind.back());
    if (a.value_kind.starts_with("hidden_block_count_")) return r.grid[axis];
    if (a.value_kind.starts_with("hidden_group_size_")) return r.block[axis];
    if (a.value_kind == "hidden_grid_dims") return dimensions(r);
    if (a.value_kind == "hidden_dynamic_lds_size") return r.dynamic_lds;
    if (a.value_kind == kHostcallArgument) return l.hostcall_address;
    // The high halves of the apertures.
    if (a.value_kind == "hidden_shared_base") return kSharedAperture >> 32;
    if (a.value_kind == "hidden_private_base") return kPrivateAperture >> 32;
    struct Pointer {
        std::string_view kind;
        Absent what;
    };
    static constexpr Pointer kPointers[] = {
        {"hidden_queue_ptr", Absent::kQueue},
        {"hidden_printf_buffer", Absent::kPrintf},
        {"hidden_heap_v1", Absent::kHeap},
        {"hidden_default_queue", Absent::kDefaultQueue},
        {"hidden_completion_action", Absent::kCompletionAction},
        {"hidden_multigrid_sync_arg", Absent::kMultigridSync},
    };
    for (const Pointer& pointer : kPointers)
        if (a.value_kind == pointer.kind) return absent_pointer(pointer.what);
    return 0; // remainders and global offsets are 0: whole workgroups from the origin
}

bool asks_for_hostcall(const Kernel& kernel) {
    return std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                       [](const KernelArgument& a) { return a.value_kind == kHostcallArgument; });
}

std::vector<std::byte> kernarg_bytes(const Launch& l) {
    // A wide scalar load may take what follows the segment, up to its cache line.
    const std::uint64_t size = (std::uint64_t{l.kernel.resources.kernarg} + 63u) / 64u * 64u + 64u;
    std::vector<std::byte> bytes(size);
    const std::size_t supplied = std::min<std::size_t>(l.request.kernarg.size(), bytes.size());
    std::copy_n(l.request.kernarg.begin(), supplied, bytes.begin());
    for (const KernelArgument& a : l.kernel.arguments)
        if (a.hidden() && a.size <= 8) put(bytes.data() + a.offset, hidden_value(l, a), a.size);
    return bytes;
}

// AQL kernel dispatch packet (hsa.h): what a kernel may read of it.
std::vector<std::byte> dispatch_packet(const Launch& l) {
    std::vector<std::byte> p(64);
    const LaunchRequest& r = l.request;
    put(p.data() + 2, dimensions(r), 2);
    for (std::uint32_t i = 0; i < 3; ++i) {
        put(p.data() + 4 + 2 * i, r.block[i], 2);
        put(p.data() + 12 + 4 * i, std::uint64_t{r.grid[i]} * r.block[i], 4);
    }
    put(p.data() + 24, l.scratch_bytes, 4);
    put(p.data() + 28, l.lds_bytes, 4);
    put(p.data() + 40, l.kernarg_address, 8);
    return p;
}

Allocation* place_bytes(Memory& memory, const std::vector<std::byte>& bytes) {
    Allocation* a = memory.allocate(bytes.size());
    if (a == nullptr) return nullptr;
    std::copy(bytes.begin(), bytes.end(), a->data);
    Memory::set_defined(*a, a->address, a->size);
    Memory::settle(*a);
    a->read_only = true;
    return a;
}

// Bytes of the kernarg segment that nobody set: argument bytes the caller left out, padding, and what lies behind.
void mark_unsupplied(Allocation& kernarg, const Launch& l) {
    std::vector<bool> set(kernarg.size, false);
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(l.request.kernarg.size(), kernarg.size); ++i) set[i] = true;
    for (const KernelArgument& a : l.kernel.arguments)
        if (a.hidden())
            for (std::uint64_t i = a.offset; i < a.offset + a.size; ++i) set[i] = true;
    for (std::uint64_t i = 0; i < kernarg.size; ++i)
        if (!set[i]) Memory::set_undefined(kernarg, kernarg.address + i, 1);
}

class SgprWriter {
public:
    explicit SgprWriter(Wave& wave) : wave_(wave) {}
    void add(std::uint32_t value) {
        set_scalar(wave_, next_, value);
        set_scalar_undefined(wave_, next_, 0);
        ++next_;
    }
    void add64(std::uint64_t value) {
        add(static_cast<std::uint32_t>(value));
        add(static_cast<std::uint32_t>(value >> 32));
    }
    void skip_to(Register r) { next_ = r; }

private:
    Wave& wave_;
    Register next_ = isa::kScalar;
};

// User and system SGPRs (AMDGPUUsage, "Initial kernel execution state"), in their fixed order.
void set_scalars(Wave& wave, const Launch& l) {
    const std::uint32_t properties = l.kernel.descriptor.kernel_code_properties;
    const std::uint32_t rsrc2 = l.kernel.descriptor.compute_pgm_rsrc2;
    SgprWriter sgprs(wave);
    if ((properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER) != 0) {
        // Base, swizzle enable; size; index stride 32 or 64, add-tid. Only the base is looked at (buffer_ops.cpp).
        sgprs.add(static_cast<std::uint32_t>(kScratchAperture));
        sgprs.add(static_cast<std::uint32_t>(kScratchAperture >> 32) | 0x80000000u);
        sgprs.add(~0u);
        sgprs.add(l.lanes == 64 ? 0x00e00000u : 0x00c00000u);
    }
    if ((properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR) != 0) sgprs.add64(l.dispatch_packet_address);
    if ((properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR) != 0)
        sgprs.add64(absent_pointer(Absent::kQueue));
    if ((properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR) != 0) sgprs.add64(l.kernarg_address);
    if ((properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID) != 0) sgprs.add64(0);
    if ((properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT) != 0) sgprs.add64(kScratchAperture);
    if ((properties & hsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE) != 0) sgprs.add(l.scratch_bytes);
    sgprs.skip_to(static_cast<Register>(isa::kScalar + descriptor_field(rsrc2, 1, 5)));
    const Dim3& id = wave.workgroup;
    if (l.chip.generation >= 12) {
        SgprWriter ttmps(wave);
        ttmps.skip_to(isa::kTtmp0 + 9);
        ttmps.add(id[0]);
        ttmps.skip_to(isa::kTtmp0 + 7);
        ttmps.add((id[1] & 0xffffu) | id[2] << 16);
    } else {
        for (std::uint32_t i = 0; i < 3; ++i)
            if (descriptor_field(rsrc2, 7 + i, 1) != 0) sgprs.add(id[i]);
        if (descriptor_field(rsrc2, 10, 1) != 0) sgprs.add(0);
        // gfx10: the wave's offset into scratch; every wave's scratch here begins at the aperture.
        if (l.chip.generation == 10 && descriptor_field(rsrc2, 0, 1) != 0) sgprs.add(0);
    }
}

void set_apertures(Wave& wave) {
    const auto set = [&](Register low, std::uint64_t value) {
        set_scalar(wave, low, static_cast<std::uint32_t>(value));
        set_scalar(wave, static_cast<Register>(low + 1), static_cast<std::uint32_t>(value >> 32));
    };
    set(isa::kSharedBaseLo, kSharedAperture);
    set(isa::kSharedLimitLo, kSharedAperture + kApertureBytes - 1);
    set(isa::kPrivateBaseLo, kPrivateAperture);
    set(isa::kPrivateLimitLo, kPrivateAperture + kApertureBytes - 1);
}

void set_vectors(Wave& wave, const Launch& l) {
    const Dim3& block = l.request.block;
    const std::uint32_t ids = descriptor_field(l.kernel.descriptor.compute_pgm_rsrc2, 11, 2);
    std::uint32_t exec = 0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t item = wave.index * l.lanes + wave.first_lane + lane;
        if (item >= l.block_items) break;
        exec |= 1u << lane;
        const Dim3 id = {item % block[0], item / block[0] % block[1], item / block[0] / block[1]};
        if (l.chip.generation >= 11) {
            wave.v[0][lane] = id[0] | (ids >= 1 ? id[1] << 10 : 0u) | (ids >= 2 ? id[2] << 20 : 0u);
        } else {
            for (std::uint32_t i = 0; i <= ids && i < 3; ++i) wave.v[i][lane] = id[i];
        }
    }
    set_scalar(wave, isa::kExecLo, exec);
    const std::uint32_t count = l.chip.generation >= 11 ? 1u : std::min(ids + 1u, 3u);
    for (std::uint32_t r = 0; r < count; ++r) set_defined(wave, static_cast<Register>(r), exec);
}

void start_wave(Wave& wave, const Launch& l, Worker& worker, WorkgroupState& group, std::uint64_t workgroup,
                std::uint32_t index) {
    wave.worker = &worker;
    wave.group = &group;
    wave.index = index;
    wave.workgroup_number = workgroup;
    const Dim3& grid = l.request.grid;
    wave.workgroup = {static_cast<std::uint32_t>(workgroup % grid[0]),
                      static_cast<std::uint32_t>(workgroup / grid[0] % grid[1]),
                      static_cast<std::uint32_t>(workgroup / grid[0] / grid[1])};
    wave.pc = wave.next = 0;
    wave.status = WaveStatus::kRunning;
    wave.instructions = 0;
    wave.barriers_signalled = wave.barriers_waited = 0;
    wave.lds_low = ~0u;
    wave.lds_high = 0;
    for (OutstandingList& list : wave.outstanding) list.size = 0;
    std::memset(wave.in_flight_low, 0, sizeof wave.in_flight_low);
    std::memset(wave.in_flight_high, 0, sizeof wave.in_flight_high);
    std::memset(wave.s, 0, sizeof wave.s);
    std::memset(wave.s_undefined, 0xff, sizeof wave.s_undefined);
    for (Register r = 0; r < isa::kRegisterCount; ++r) {
        std::uint8_t state = kUndefinedBits;
        if (isa::is_vector(r) && r >= l.granted_vgprs) state |= kOutside;
        const bool aperture = r >= isa::kSharedBaseLo && r < isa::kPrivateLimitLo + 2;
        if (r == isa::kNull || r == isa::kNull + 1 || r == isa::kExecLo || r == isa::kExecLo + 1 || r == isa::kMode ||
            aperture)
            state = 0;
        wave.state[r] = state;
    }
    set_apertures(wave);
    // A fresh register is undefined in every bit; its value is arbitrary, so a fixed one that is no plausible zero.
    for (std::uint32_t r = 0; r < l.granted_vgprs; ++r) {
        wave.undefined_lanes[r] = ~0u;
        std::memset(wave.v_undefined[r], 0xff, sizeof wave.v_undefined[r]);
        std::memset(wave.v[r], 0xa5, sizeof wave.v[r]);
    }
    // Rounding and denormal modes, DX10_CLAMP and IEEE (COMPUTE_PGM_RSRC1).
    const std::uint32_t word = l.kernel.descriptor.compute_pgm_rsrc1;
    wave.s[isa::kMode - isa::kScalar] =
        descriptor_field(word, 12, 8) | descriptor_field(word, 21, 1) << 8 | descriptor_field(word, 23, 1) << 9;
    set_scalars(wave, l);
    set_vectors(wave, l);
    wave.scratch.bytes = l.scratch_bytes;
    const std::size_t words = (std::size_t{wave.scratch.bytes} + 3) / 4 * kLanes;
    wave.scratch.words.assign(words, 0xa5a5a5a5u);
    wave.scratch.undefined.assign(words, ~0u);
    if (wave.upper == nullptr) return;
    start_wave(*wave.upper, l, worker, group, workgroup, index);
    set_scalar(wave, isa::kExecLo + 1, wave.upper->exec());
}

// The waves of a workgroup; those of 64 lanes have an upper half each.
struct Waves {
    explicit Waves(const Launch& l) {
        for (std::uint32_t i = 0; i < l.waves; ++i) {
            all.push_back(std::make_unique<Wave>());
            if (l.lanes == kLanes) continue;
            Wave& upper = *uppers.emplace_back(std::make_unique<Wave>());
            upper.first_lane = kLanes;
            upper.lower = all.back().get();
            all.back()->upper = &upper;
        }
    }
    std::vector<std::unique_ptr<Wave>> all, uppers;
};

// A finding of the barrier instruction that the wave has just executed.
void report_barrier(Wave& wave, const std::string& detail) {
    --wave.pc;
    report(wave, FindingKind::kBarrierDivergence, 0, 0, detail);
    ++wave.pc;
}

// Lets the waiting waves go on once every wave that has not ended has signalled; false where that never happens.
bool release_barrier(std::vector<std::unique_ptr<Wave>>& waves, const Launch& l) {
    const Wave* first = nullptr;
    for (std::uint32_t i = 0; i < l.waves; ++i) {
        Wave& wave = *waves[i];
        if (wave.status != WaveStatus::kAtBarrier) continue;
        for (std::uint32_t j = 0; j < l.waves; ++j) {
            if (waves[j]->status == WaveStatus::kEnded || waves[j]->barriers_signalled > wave.barriers_waited) continue;
            report_barrier(wave, fmt::format("waits for wave {}, which never signals this barrier", j));
            return false;
        }
        if (first == nullptr)
            first = &wave;
        else if (first->pc != wave.pc)
            report_barrier(wave, fmt::format("wave {} waits at another barrier, at {:+#x}", first->index,
                                             l.program->insts[first->pc - 1].offset));
    }
    for (std::uint32_t i = 0; i < l.waves; ++i) {
        Wave& wave = *waves[i];
        if (wave.status != WaveStatus::kAtBarrier) continue;
        ++wave.barriers_waited;
        wave.status = WaveStatus::kRunning;
    }
    return true;
}

// Runs the waves of one workgroup in turn, each until it ends or waits at a barrier. False: stop the launch.
bool run_workgroup(std::vector<std::unique_ptr<Wave>>& waves, WorkgroupState& group, const Launch& l, Worker& worker,
                   std::uint64_t workgroup) {
    group.start(l.lds_bytes, l.waves);
    for (std::uint32_t i = 0; i < l.waves; ++i) start_wave(*waves[i], l, worker, group, workgroup, i);
    for (;;) {
        std::uint32_t waiting = 0;
        for (std::uint32_t i = 0; i < l.waves; ++i) {
            Wave& wave = *waves[i];
            if (wave.status == WaveStatus::kRunning) run(wave);
            if (wave.status == WaveStatus::kStopped) return false;
            if (wave.status == WaveStatus::kAtBarrier) ++waiting;
        }
        if (waiting == 0) return true;
        // A workgroup that cannot go on is given up with its finding; the others run.
        if (!release_barrier(waves, l)) return true;
    }
}

void gather_report(Report& out, const Launch& l, std::vector<Worker>& workers) {
    FindingMap findings;
    for (Worker& w : workers) {
        for (const auto& [key, found] : w.findings) {
            const auto [slot, added] = findings.try_emplace(key, found);
            if (added) continue;
            const std::uint64_t count = slot->second.finding.count + found.finding.count;
            if (found.workgroup < slot->second.workgroup) slot->second = found;
            slot->second.finding.count = count;
        }
        for (const std::string& u : w.unsupported)
            if (std::find(out.unsupported.begin(), out.unsupported.end(), u) == out.unsupported.end())
                out.unsupported.push_back(u);
        out.lane_operations += w.lane_operations;
        for (std::size_t i = 0; i < w.executed.size(); ++i) {
            const std::uint64_t n = w.executed[i];
            const Row* row = l.program->insts[i].row;
            if (n == 0 || row == nullptr) continue;
            out.instructions += n;
            if (row->exactness == Exactness::kExact) {
                out.exact += n;
            } else {
                out.approximate += n;
                const std::string& text = l.program->texts[i];
                out.notes[text.substr(0, text.find(' '))] = std::string(row->note);
            }
        }
    }
    for (auto& [key, entry] : findings) out.findings.push_back(std::move(entry.finding));
}

void add_source_lines(Report& report, const CodeObject& object, const Kernel& kernel) {
    if (report.findings.empty()) return;
    std::vector<std::uint64_t> addresses;
    for (const Finding& f : report.findings) addresses.push_back(kernel.entry_address + f.offset);
    const std::vector<std::string> lines = source_lines(object, addresses);
    for (std::size_t i = 0; i < lines.size(); ++i) report.findings[i].source = lines[i];
}

// In the order of each worker's stores, so that the last one to a byte counts.
void settle_shadows(std::vector<Worker>& workers) {
    for (Worker& w : workers)
        for (const LateShadow& late : w.late_shadows)
            for (std::uint32_t i = 0; i < late.bytes; ++i) {
                Allocation& allocation = *late.allocation;
                const std::uint64_t at = late.address + i;
                if (allocation.whole() && late.undefined[i] == 0) continue;
                if (allocation.whole()) Memory::set_undefined(allocation, at, 1);
                allocation.undefined[at - allocation.address] = late.undefined[i];
            }
}

} // namespace

Result<Report> launch(Memory& memory, Module& module, const LaunchRequest& request) {
    const CodeObject& object = module.object();
    const Kernel* kernel = object.find_kernel(request.kernel);
    if (kernel == nullptr) {
        std::vector<std::string> names;
        for (const Kernel& k : object.kernels) names.push_back(k.name);
        return Error{"no kernel " + request.kernel + " in the code object" + did_you_mean(request.kernel, names)};
    }
    Launch l{.request = request, .kernel = *kernel, .chip = *object.chip, .memory = memory};
    l.lanes = wave_lanes(*kernel);
    if (const auto fits = check_request(l); !fits) return fits.error();
    const auto program = module.program(*kernel);
    if (!program) return program.error();
    l.program = *program;
    l.block_items = request.block[0] * request.block[1] * request.block[2];
    l.waves = (l.block_items + l.lanes - 1) / l.lanes;
    l.lds_bytes = kernel->descriptor.group_segment_fixed_size + request.dynamic_lds;
    l.scratch_bytes = kernel->descriptor.private_segment_fixed_size;
    if (kernel->uses_dynamic_stack) l.scratch_bytes = std::max(l.scratch_bytes, kDynamicStackBytes);
    l.granted_vgprs = granted_vgprs(l.chip, *kernel);

    Report report;
    report.launches = 1;
    report.unsupported = not_followed(l);
    if (!report.unsupported.empty()) return report;
    const std::uint64_t workgroups = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
    const std::uint32_t cores = std::max(1u, std::thread::hardware_concurrency());
    const auto threads =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(request.threads != 0 ? request.threads : cores, workgroups));
    std::unique_ptr<Hostcall> hostcall;
    if (asks_for_hostcall(*kernel)) {
        hostcall = Hostcall::create(memory, threads, request.print);
        if (hostcall == nullptr) return Error{"no memory for the hostcall buffer"};
        l.hostcall_address = hostcall->address();
    }
    Allocation* const kernarg = place_bytes(memory, kernarg_bytes(l));
    if (kernarg == nullptr) return Error{"no memory for the kernel arguments"};
    l.kernarg_address = kernarg->address;
    mark_unsupplied(*kernarg, l);
    Allocation* const packet = place_bytes(memory, dispatch_packet(l));
    if (packet == nullptr) {
        (void)memory.free(kernarg->address);
        return Error{"no memory for the dispatch packet"};
    }
    l.dispatch_packet_address = packet->address;

    std::vector<Worker> workers(threads);
    AccessLog accesses;
    std::atomic<std::uint64_t> next_workgroup{0};
    std::atomic<bool> stopped{false};
    const auto work = [&](Worker& worker) {
        worker.chip = &l.chip;
        worker.program = l.program;
        worker.memory = &memory;
        worker.kernel = kernel->name;
        worker.code_address = module.load_address() + kernel->entry_address;
        worker.kernarg_address = l.kernarg_address;
        worker.kernarg_supplied = request.kernarg.size();
        worker.descriptor = kernel;
        worker.max_instructions = request.max_instructions != 0 ? request.max_instructions : kMostInstructions;
        worker.executed.assign(l.program->insts.size(), 0);
        worker.cache.assign(l.program->insts.size(), nullptr);
        worker.hostcall = hostcall.get();
        worker.accesses = &accesses;
        worker.last_access.assign(l.program->insts.size(), 0);
        WorkgroupState group;
        Waves waves(l);
        for (std::uint64_t g = next_workgroup++; g < workgroups && !stopped; g = next_workgroup++)
            if (!run_workgroup(waves.all, group, l, worker, g)) stopped = true;
    };
    if (threads == 1) {
        work(workers[0]);
    } else {
        std::vector<std::jthread> pool;
        for (Worker& worker : workers) pool.emplace_back([&work, &worker] { work(worker); });
    }
    settle_shadows(workers);
    gather_report(report, l, workers);
    add_source_lines(report, object, *kernel);
    (void)memory.free(kernarg->address);
    (void)memory.free(packet->address);
    return report;
}

} // namespace pm::emu
