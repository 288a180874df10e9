#include "peacemaker/score/outstanding.h"

#include "peacemaker/lift/structure.h"
#include "peacemaker/mutate/weaken.h"

#include <algorithm>
#include <vector>

namespace pm::score {
namespace {

constexpr std::uint32_t kMost = 64; // no counter holds more
constexpr std::uint32_t kScalarRaise = 2;

/// What an instruction does to counters.
struct Event {
    std::vector<mutate::WaitCount> waits;
    std::map<std::string, std::uint32_t, std::less<>> raises;
    bool invalidates = false; // and does nothing else
};

Result<std::map<std::uint64_t, Event>> events_of(const CodeObject& object, const lift::File& file,
                                                 const Kernel& kernel) {
    // Of an operation whose counter is not sure, every vector memory counter is raised.
    const bool split = object.chip->counters.km != 0;
    const std::string load = split ? "loadcnt" : "vmcnt", store = split ? "storecnt" : "vscnt";
    for (const lift::Part& part : file.parts) {
        const auto* const function = std::get_if<lift::Function>(&part.content);
        if (function == nullptr || function->name != kernel.name || !function->kernel) continue;
        const auto listing = lift::listing_of(file, *function);
        std::map<std::uint64_t, Event> events;
        for (const lift::Instruction& one : listing) events[one.at].waits = mutate::wait_counts(one.text);
        for (const lift::MemoryOperation& operation : lift::memory_operations_of(file, *function)) {
            using lift::AddressSpace;
            const bool scalar = operation.space == AddressSpace::kConstant || operation.space == AddressSpace::kMessage;
            Event& event = events[listing[operation.index].at];
            event.invalidates = operation.space == AddressSpace::kGlobal && operation.access == lift::Access::kOther;
            auto& raises = event.raises;
            for (const std::string_view counter : operation.counters)
                raises[std::string(counter)] += scalar ? kScalarRaise : 1;
            if (operation.access == lift::Access::kOther && !scalar && operation.space != AddressSpace::kLds)
                for (const std::string& counter : {load, store}) raises[counter] = std::max(raises[counter], 1U);
        }
        return events;
    }
    return Error{"the code of " + kernel.name + " was not lifted"};
}

/// What certify takes an instruction to issue, where the listing of memory operations does not have it.
void add_issues(const Chip& chip, const certify::Effects& effects, Event& event) {
    const bool split = chip.counters.km != 0;
    for (const isa::ReturnClass issued : effects.issues) {
        const bool scalar = issued == isa::ReturnClass::kScalarLoad;
        const char* const name = issued == isa::ReturnClass::kLdsOp ? (split ? "dscnt" : "lgkmcnt")
                                 : scalar                           ? (split ? "kmcnt" : "lgkmcnt")
                                                                    : (split ? "loadcnt" : "vmcnt");
        std::uint32_t& raise = event.raises[name];
        raise = std::max(raise, scalar ? kScalarRaise : 1);
    }
}

void pass(const Event& event, Outstanding& state) {
    for (const mutate::WaitCount& wait : event.waits) {
        const auto found = state.find(wait.counter);
        if (found == state.end()) continue;
        found->second.all = std::min(found->second.all, wait.most);
        found->second.with_effect = std::min(found->second.with_effect, wait.most);
    }
    for (const auto& [counter, by] : event.raises) {
        Held& now = state[counter];
        now.all = std::min(now.all + by, kMost);
        if (!event.invalidates) now.with_effect = std::min(now.with_effect + by, kMost);
    }
}

/// Whether `into` grew.
bool join(Outstanding& into, const Outstanding& from) {
    bool grew = false;
    for (const auto& [counter, count] : from) {
        Held& now = into[counter];
        grew = grew || count.all > now.all || count.with_effect > now.with_effect;
        now = {std::max(now.all, count.all), std::max(now.with_effect, count.with_effect)};
    }
    return grew;
}

} // namespace

Result<std::map<std::uint64_t, Outstanding>> outstanding_before(const CodeObject& object, const lift::File& lifted,
                                                                const Kernel& kernel) {
    const auto forms = lift::Forms::create(*object.chip, 32);
    if (!forms) return forms.error();
    certify::Instructions instructions(*object.chip, **forms);
    const auto code = certify::decode_kernel(object, kernel, instructions);
    if (!code) return code.error();
    if (!code->unknown.empty()) return Error{code->unknown.front()};
    auto events = events_of(object, lifted, kernel);
    if (!events) return events.error();
    for (const certify::Step& step : code->steps) {
        const auto event = events->find(step.at);
        if (event == events->end()) return Error{"an instruction that the listing does not have"};
        add_issues(*object.chip, step.effects, event->second);
    }

    const auto step_over = [&](std::uint32_t step, Outstanding& state) {
        pass(events->at(code->steps[step].at), state);
    };
    std::map<std::uint64_t, Outstanding> before;
    certify::for_each_step(*code, Outstanding{}, step_over, join,
                           [&](std::uint32_t step, const Outstanding& state) { before[code->steps[step].at] = state; });
    return before;
}

} // namespace pm::score
