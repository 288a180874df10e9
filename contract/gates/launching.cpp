#include "contract/gates/launching.h"

#include "contract/gates/element.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace hkc {
namespace {

pm::Result<void> checked(const HipApi& api, const std::string& call, hipError_t error) {
    if (error != hipSuccess) return pm::Error{hip_error_text(api, call, error)};
    return {};
}

constexpr std::uint32_t kWidestAccess = 16;     // bytes
constexpr std::uint32_t kAllocationAlign = 256; // bytes: of every allocation, at least

/// Bytes before a payload. Each step also moves on by an access, so that code which looks at higher address bits is
/// seen.
std::size_t offset_of_step(std::uint32_t align, std::uint32_t step) {
    if (step == 0) return 0;
    return (std::size_t{align} * step + std::size_t{kWidestAccess} * (step - 1)) % kAllocationAlign;
}

std::vector<std::byte> poison_bytes(Poison poison, std::size_t count) {
    std::vector<std::byte> bytes(count);
    for (std::size_t i = 0; i < count; ++i) bytes[i] = poison_byte(poison, i);
    return bytes;
}

} // namespace

std::uint32_t alignment_steps(std::uint32_t align) { return std::max(kWidestAccess / align, 2U) - 1; }

std::byte poison_byte(Poison poison, std::size_t i) {
    // Position-dependent, so that bytes moved from one place to another are no longer poison.
    const auto first = static_cast<std::uint8_t>(0x5AU ^ (i * 29U));
    return static_cast<std::byte>(poison == Poison::kSecond ? static_cast<std::uint8_t>(~first) : first);
}

namespace {

/// What the object's writable segments hold on the device. Error: the HIP call that failed.
pm::Result<std::vector<std::vector<std::byte>>> read_writable(const HipApi& api, const pm::CodeObject& object,
                                                              hipModule_t module) {
    std::vector<std::vector<std::byte>> read;
    if (object.symbols.empty()) return read;
    // Any symbol tells where the object was loaded; variables of one source file alone have none.
    const pm::Symbol& symbol = object.symbols.front();
    hipDeviceptr_t place = nullptr;
    std::size_t size = 0;
    if (const auto found = checked(api, "hipModuleGetGlobal " + symbol.name,
                                   api.hipModuleGetGlobal(&place, &size, module, symbol.name.c_str()));
        !found)
        return found.error();
    const std::uint64_t base = reinterpret_cast<std::uintptr_t>(place) - symbol.address;
    for (const pm::Segment& segment : object.segments) {
        if (!segment.writable) continue;
        std::vector<std::byte> bytes(segment.memory_size);
        if (const auto copied =
                checked(api, "hipMemcpy of an object's variables",
                        api.hipMemcpy(bytes.data(), reinterpret_cast<const void*>(base + segment.address), bytes.size(),
                                      hipMemcpyDeviceToHost));
            !copied)
            return copied.error();
        read.push_back(std::move(bytes));
    }
    return read;
}

/// `sums+0x10`, or the place in the object where no symbol covers it.
std::string variable_text(const pm::CodeObject& object, std::uint64_t address) {
    for (const pm::Symbol& symbol : object.symbols)
        if (!symbol.function && address >= symbol.address && address - symbol.address < symbol.size)
            return fmt::format("the variable {}+0x{:x}", symbol.name, address - symbol.address);
    return fmt::format("a variable at 0x{:x} of the object", address);
}

} // namespace

pm::Result<Session> Session::open(std::shared_ptr<const HipLibrary> library, int ordinal) {
    Session session(std::move(library));
    if (const auto set = checked(session.api(), "hipSetDevice", session.api().hipSetDevice(ordinal)); !set)
        return set.error();
    return session;
}

Session::Session(Session&&) noexcept = default;

Session::~Session() {
    // A failing unload after a device fault has nobody to tell: the fault itself was reported.
    for (const auto& [object, module] : modules_) (void)api().hipModuleUnload(module.handle);
}

pm::Result<hipFunction_t> Session::function(const pm::CodeObject& object, const std::string& symbol) {
    auto at = modules_.find(&object);
    if (at == modules_.end()) {
        hipModule_t module = nullptr;
        if (const auto loaded =
                checked(api(), "hipModuleLoadData", api().hipModuleLoadData(&module, object.bytes.data()));
            !loaded)
            return loaded.error();
        at = modules_.emplace(&object, LoadedModule{module, {}}).first;
        if (library_->embedded()) {
            auto writable = read_writable(api(), object, module);
            if (!writable) return writable.error();
            at->second.writable = std::move(*writable);
        }
    }
    hipFunction_t function = nullptr;
    if (const auto got = checked(api(), "hipModuleGetFunction " + symbol,
                                 api().hipModuleGetFunction(&function, at->second.handle, symbol.c_str()));
        !got)
        return got.error();
    return function;
}

pm::Result<std::vector<Finding>> Session::changed_globals(const pm::CodeObject& object,
                                                          const std::string& where) const {
    const auto loaded = modules_.find(&object);
    if (loaded == modules_.end() || loaded->second.writable.empty()) return std::vector<Finding>{};
    const auto now = read_writable(api(), object, loaded->second.handle);
    if (!now) return now.error();
    std::vector<Finding> findings;
    std::size_t which = 0;
    for (const pm::Segment& segment : object.segments) {
        if (!segment.writable) continue;
        const std::vector<std::byte>&was = loaded->second.writable[which], &is = (*now)[which];
        ++which;
        const auto at = std::mismatch(was.begin(), was.end(), is.begin(), is.end());
        if (at.first == was.end()) continue;
        const std::uint64_t address = segment.address + static_cast<std::uint64_t>(at.first - was.begin());
        findings.push_back(
            {std::string(kind::kGlobalChanged),
             fmt::format("{}: {} was 0x{:02x}, is 0x{:02x} after the launches; the contract declares no such memory, "
                         "and two launches at once would share it",
                         where, variable_text(object, address), std::to_integer<unsigned>(*at.first),
                         std::to_integer<unsigned>(*at.second)),
             {}});
    }
    return findings;
}

void Session::take_report(LaunchTrouble& trouble) {
    auto report = take_device_report(*library_);
    if (!report) {
        trouble.unsupported.push_back(report.error().text);
        trouble.stopped = true;
        return;
    }
    if (!*report) return;
    DeviceReport said = std::move(**report);
    trouble.findings.insert(trouble.findings.end(), said.findings.begin(), said.findings.end());
    trouble.unsupported.insert(trouble.unsupported.end(), said.unsupported.begin(), said.unsupported.end());
    trouble.stopped = trouble.stopped || !said.unsupported.empty();
    for (const std::string& reason : said.refused)
        trouble.findings.push_back({std::string(kind::kHipError), "the device refused the launch: " + reason});
    said.findings.clear();
    totals.merge(said);
}

pm::Result<Prepared> Prepared::create(Session& session, const ProgramPlan& plan, const Inputs& inputs,
                                      const BufferOptions& options) {
    Prepared prepared(session, plan, inputs);
    for (const BufferPlan& buffer : plan.buffers) {
        const std::size_t offset = offset_of_step(buffer.align, options.step);
        auto made = DeviceBuffer::create(session.api(), buffer.bytes(), options.placement, offset);
        if (!made) return made.error().with(buffer.name);
        if (buffer.dir == Direction::kIn) {
            const auto bytes = inputs.buffers.find(buffer.name);
            if (bytes == inputs.buffers.end()) return pm::Error{fmt::format("{}: no input bytes", buffer.name)};
            if (const auto written = made->write(bytes->second); !written) return written.error().with(buffer.name);
            if (const auto set = session.library().set_read_only; set != nullptr)
                (void)set(reinterpret_cast<const void*>(made->address()), 1); // the allocation is ours, so it is there
        }
        prepared.buffers_.push_back(std::move(*made));
    }
    return prepared;
}

pm::Result<void> Prepared::fill(Poison poison) const {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const BufferPlan& plan = plan_->buffers[i];
        pm::Result<void> written;
        if (plan.dir == Direction::kInOut)
            written = buffers_[i].write(inputs_->buffers.at(plan.name));
        else if (plan.init == Init::kZero)
            written = buffers_[i].write(std::vector<std::byte>(plan.bytes()));
        else if (plan.poisoned() && poison != Poison::kNone)
            written = buffers_[i].write(poison_bytes(poison, plan.bytes()));
        if (!written) return written.error().with(plan.name);
    }
    return {};
}

pm::Result<void> Prepared::enqueue(hipStream_t stream) const {
    const HipApi& api = session_->api();
    for (const LaunchPlan& launch : plan_->launches) {
        const auto function = session_->function(*launch.object, launch.symbol);
        if (!function) return function.error();
        std::vector<std::byte> kernarg(launch.kernarg_bytes);
        for (const SlotPlan& slot : launch.slots) {
            const std::uint64_t value =
                slot.buffer >= 0 ? buffers_[static_cast<std::size_t>(slot.buffer)].address() : slot.scalar;
            std::memcpy(kernarg.data() + slot.offset, &value, slot.size);
        }
        std::size_t size = kernarg.size();
        void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, kernarg.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                         HIP_LAUNCH_PARAM_END};
        const hipError_t error = api.hipModuleLaunchKernel(
            *function, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1],
            launch.block[2], launch.dynamic_lds, stream, nullptr, static_cast<void**>(extra));
        ++session_->launches;
        if (error != hipSuccess) return pm::Error{hip_error_text(api, "hipModuleLaunchKernel " + launch.symbol, error)};
    }
    return {};
}

pm::Result<void> Prepared::replay(hipGraphExec_t graph, hipStream_t stream) const {
    session_->launches += plan_->launches.size();
    return checked(session_->api(), "hipGraphLaunch", session_->api().hipGraphLaunch(graph, stream));
}

pm::Result<void> Prepared::wait(hipStream_t stream) const {
    const HipApi& api = session_->api();
    if (stream == nullptr) return checked(api, "hipDeviceSynchronize", api.hipDeviceSynchronize());
    return checked(api, "hipStreamSynchronize", api.hipStreamSynchronize(stream));
}

pm::Result<Outputs> Prepared::read_outputs() const {
    Outputs outputs;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        if (!plan_->buffers[i].is_output()) continue;
        std::vector<std::byte> bytes(plan_->buffers[i].bytes());
        if (const auto read = buffers_[i].read(bytes); !read) return read.error().with(plan_->buffers[i].name);
        outputs[plan_->buffers[i].name] = std::move(bytes);
    }
    return outputs;
}

pm::Result<std::vector<Finding>> Prepared::changed(const std::string& where) const {
    std::vector<Finding> findings;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const BufferPlan& plan = plan_->buffers[i];
        const auto damaged = buffers_[i].damaged_guard();
        if (!damaged) return damaged.error().with(plan.name);
        if (*damaged) {
            const std::int64_t at = **damaged;
            const auto size = static_cast<std::int64_t>(plan.bytes());
            const std::string place = at < 0 ? fmt::format("{} bytes before its start", -at)
                                             : fmt::format("{} bytes behind its end", at - size);
            findings.push_back(
                {std::string(kind::kGuardOverwritten),
                 fmt::format("{}: {} ({} bytes): a guard byte {} was written", where, plan.name, size, place)});
        }
        if (plan.dir != Direction::kIn) continue;
        std::vector<std::byte> bytes(plan.bytes());
        if (const auto read = buffers_[i].read(bytes); !read) return read.error().with(plan.name);
        const std::vector<std::byte>& was = inputs_->buffers.at(plan.name);
        const auto at = std::mismatch(bytes.begin(), bytes.end(), was.begin(), was.end());
        if (at.first != bytes.end()) {
            const std::uint32_t size = element_bytes(plan.type);
            const std::size_t element = static_cast<std::size_t>(at.first - bytes.begin()) / size;
            findings.push_back(
                {std::string(kind::kInputChanged),
                 fmt::format("{}: input {}{} was {}, is {} after the launch", where, plan.name,
                             position_text(plan.dims, element), element_text(plan.type, load_bits(was, size, element)),
                             element_text(plan.type, load_bits(bytes, size, element)))});
        }
    }
    return findings;
}

std::uint64_t Prepared::checks_of_changed() const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        count += (plan_->buffers[i].dir == Direction::kIn ? 1U : 0U) +
                 (buffers_[i].placement() == Placement::kGuarded ? 1U : 0U);
    return count;
}

void note_error(Session& session, const pm::Error& error, const std::string& where, LaunchTrouble& trouble) {
    const std::size_t before = trouble.unsupported.size();
    session.take_report(trouble);
    trouble.stopped = true;
    // An instruction that the device does not know makes the call fail; that says nothing against the kernel.
    if (trouble.unsupported.size() == before)
        trouble.findings.push_back({std::string(kind::kHipError), fmt::format("{}: {}", where, error.text)});
}

std::optional<Outputs> run_once(Session& session, const Prepared& prepared, Poison poison, const std::string& where,
                                LaunchTrouble& trouble) {
    const auto failed = [&](const pm::Error& error) {
        note_error(session, error, where, trouble);
        return std::nullopt;
    };
    if (const auto filled = prepared.fill(poison); !filled) return failed(filled.error());
    if (const auto queued = prepared.enqueue(nullptr); !queued) return failed(queued.error());
    if (const auto waited = prepared.wait(nullptr); !waited) return failed(waited.error());
    auto outputs = prepared.read_outputs();
    if (!outputs) return failed(outputs.error());
    const std::size_t before = trouble.findings.size();
    session.take_report(trouble);
    for (std::size_t i = before; i < trouble.findings.size(); ++i)
        trouble.findings[i].text = fmt::format("{}: {}", where, trouble.findings[i].text);
    if (trouble.stopped) return std::nullopt;
    return std::move(*outputs);
}

} // namespace hkc
