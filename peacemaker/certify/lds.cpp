#include "peacemaker/certify/lds.h"

#include "peacemaker/certify/waits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace pm::certify {
namespace {

// Limits on the work for one kernel; beyond them states are merged, and then the kernel is left open.
constexpr std::size_t kMostStates = 128;   // of one wave at one instruction, behind a branch that is not known
constexpr std::size_t kMostRounds = 4096;  // and while every branch is
constexpr std::size_t kMostEntries = 16;   // of one wave where an interval begins
constexpr std::size_t kManyIntervals = 24; // that begin at one barrier: counters are told apart less
constexpr std::size_t kMostIntervals = 64; // and then no longer
constexpr std::uint64_t kMostSteps = 6'000'000;
constexpr std::uint32_t kMostAddresses = 64; // of one lane, before it counts as any address
constexpr std::uint32_t kResidue = 3;        // bits of a counter that are told apart when there are too many values

/// Bytes [first, end), sorted and apart.
class Bytes {
public:
    void add(std::uint32_t first, std::uint32_t end) {
        if (!runs_.empty() && runs_.back().second >= first && runs_.back().first <= first) {
            runs_.back().second = std::max(runs_.back().second, end);
            return;
        }
        runs_.emplace_back(first, end);
        constexpr std::size_t kUntidy = 256;
        if (++added_ >= kUntidy) tidy();
    }
    void add(const Bytes& other) {
        for (const auto& [first, end] : other.runs_) add(first, end);
    }
    void tidy() {
        std::sort(runs_.begin(), runs_.end());
        std::vector<std::pair<std::uint32_t, std::uint32_t>> merged;
        for (const auto& run : runs_) {
            if (!merged.empty() && merged.back().second >= run.first)
                merged.back().second = std::max(merged.back().second, run.second);
            else
                merged.push_back(run);
        }
        runs_ = std::move(merged);
        added_ = 0;
    }
    bool empty() const { return runs_.empty(); }
    bool operator==(const Bytes& other) const { return runs_ == other.runs_; }
    /// The first byte that both hold; both are tidy.
    std::optional<std::uint32_t> common(const Bytes& other) const {
        for (std::size_t i = 0, k = 0; i < runs_.size() && k < other.runs_.size();) {
            const std::uint32_t first = std::max(runs_[i].first, other.runs_[k].first);
            if (first < std::min(runs_[i].second, other.runs_[k].second)) return first;
            if (runs_[i].second < other.runs_[k].second)
                ++i;
            else
                ++k;
        }
        return std::nullopt;
    }

private:
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_;
    std::size_t added_ = 0;
};

/// Which ways branches that all waves take alike were taken since the last barrier: twice the block, plus the side.
using Decisions = std::vector<std::uint32_t>;

/// What a wave's registers hold where an interval begins. `guessed`: after a branch of its own that is not known.
struct Entry {
    LaneValues values;
    bool guessed = false;
};

/// A wave on its way from one barrier to the next.
struct State {
    LaneValues values;
    bool guessed = false;
    Decisions decisions;    // sorted
    bool forgotten = false; // several ways were merged: `decisions` says nothing
    bool forked = false;    // some branch was not known
    bool signalled = false; // gfx12: between signal and wait
    std::uint32_t signal = 0;
};

/// What one instruction of one wave does in one interval, under the same decisions.
struct Record {
    std::uint32_t wave = 0, step = 0;
    Decisions decisions;
    bool forgotten = false;
    bool late = false;    // may happen behind the next barrier
    bool carried = false; // from an interval before
    bool writes = false, atomic = false;
    bool anywhere = false; // at any address
    Bytes certain, possible;
};

using RecordKey = std::tuple<std::uint32_t, std::uint32_t, Decisions, bool, bool, bool>;
RecordKey key_of(const Record& r) { return {r.wave, r.step, r.decisions, r.forgotten, r.late, r.carried}; }

/// What all waves do from one barrier to the next, once: the next time round the same barrier is another interval
/// unless the waves hold what they held before.
struct Interval {
    std::uint32_t barrier = 0;               // the step behind which it begins; kEntry
    std::vector<std::vector<Entry>> entries; // by wave
    std::map<RecordKey, Record> records;
    std::set<std::pair<std::size_t, std::uint32_t>> followed_by; // interval, and the signal that ends this one
};
constexpr std::uint32_t kEntry = ~0U;

/// Where a wave gets to.
struct End {
    std::uint32_t barrier = 0, wave = 0;
    State state;
    std::vector<PartlyKnown> shared; // the registers that all waves share
};

/// Whether the first time through some branch went one way here and the other there.
bool exclude(const Decisions& a, const Decisions& b) {
    const auto has = [](const Decisions& d, std::uint32_t one) { return std::binary_search(d.begin(), d.end(), one); };
    for (const std::uint32_t one : a) {
        const std::uint32_t other = one ^ 1U;
        if (!has(a, other) && has(b, other) && !has(b, one)) return true;
    }
    return false;
}

/// Whether no launch takes two waves to both ends at once: what they share would differ.
bool exclude(const End& a, const End& b) {
    if (!a.state.forgotten && !b.state.forgotten && exclude(a.state.decisions, b.state.decisions)) return true;
    for (std::size_t i = 0; i < a.shared.size(); ++i)
        if (((a.shared[i].value ^ b.shared[i].value) & ~a.shared[i].unknown & ~b.shared[i].unknown) != 0) return true;
    return false;
}

bool exclude(const Record& a, const Record& b) {
    return !a.forgotten && !b.forgotten && exclude(a.decisions, b.decisions);
}

/// Whether some launch is sure to do both. Two branches may hang together in ways that are not known here, so only what
/// a single one decides is taken to be possible.
bool imply(const Record& a, const Record& b) {
    if (a.forgotten || b.forgotten) return false;
    const auto within = [](const Decisions& small, const Decisions& large) {
        return std::includes(large.begin(), large.end(), small.begin(), small.end());
    };
    const Decisions& more = a.decisions.size() < b.decisions.size() ? b.decisions : a.decisions;
    return within(&more == &a.decisions ? b.decisions : a.decisions, more) &&
           (more.empty() || more.front() / 2 == more.back() / 2);
}

class LdsCheck {
public:
    LdsCheck(const Chip& chip, const Kernel& kernel, const Code& code, const Uniformity& uniformity,
             const emu::Program& program, const LdsRequest& request)
        : chip_(chip), code_(code), uniformity_(uniformity), request_(request),
          run_(chip, kernel, code, program, request.launched), flat_counts_(makes_flat_lds_pointers(code)) {
        for (const Block& block : code_.blocks) starts_.insert(block.first);
        for (const Step& step : code_.steps)
            returns_atomics_ = returns_atomics_ || (step.effects.writes_lds && !step.effects.late.empty());
    }

    std::vector<Obligation> check() {
        const std::uint32_t waves = request_.launched.waves();
        std::vector<std::vector<Entry>> entries(waves);
        for (std::uint32_t wave = 0; wave < waves; ++wave) entries[wave].push_back({run_.at_entry(wave), false});
        (void)interval_of(kEntry, std::move(entries));
        for (std::size_t i = 0; i < intervals_.size() && !gave_up_; ++i) follow(i);
        if (gave_up_) {
            leave_open_all();
            return std::move(found_);
        }
        bounds_obligations();
        if (waves > 1) order_obligations();
        return std::move(found_);
    }

private:
    struct Bound {
        bool fault = false;
        std::string detail;
    };

    // --- running -----------------------------------------------------------------------------------------------------

    /// The interval that begins at a barrier with those registers; a new one where none covers them.
    std::size_t interval_of(std::uint32_t barrier, std::vector<std::vector<Entry>> entries) {
        std::vector<std::size_t>& here = at_barrier_[barrier];
        const auto covered = [](const std::vector<Entry>& known, const Entry& entry) {
            return std::any_of(known.begin(), known.end(), [&](const Entry& one) {
                return (entry.guessed || !one.guessed) && covers(one.values, entry.values);
            });
        };
        const auto includes = [&](const Interval& interval) {
            for (std::size_t wave = 0; wave < entries.size(); ++wave)
                for (const Entry& entry : entries[wave])
                    if (!covered(interval.entries[wave], entry)) return false;
            return true;
        };
        for (const std::size_t i : here)
            if (includes(intervals_[i])) return i;
        if (here.size() >= kMostIntervals) {
            // No longer told apart: what any of them may hold.
            const Interval& last = intervals_[here.back()];
            for (std::size_t wave = 0; wave < entries.size(); ++wave) {
                std::vector<Entry> all = last.entries[wave];
                all.insert(all.end(), entries[wave].begin(), entries[wave].end());
                if (all.empty()) continue;
                Entry merged{all[0].values, true};
                for (const Entry& one : all) merged.values = joined(merged.values, one.values);
                entries[wave] = {std::move(merged)};
            }
        }
        here.push_back(intervals_.size());
        intervals_.push_back({barrier, std::move(entries), {}, {}});
        return intervals_.size() - 1;
    }

    /// Fewer values of a register are told apart: all, those that differ in the lowest bits, none.
    static void blur(PartlyKnown& word, std::uint8_t level) {
        if (level == 0) return;
        word.unknown |= level == 1 ? ~kResidue : ~0U;
        word.value &= ~word.unknown;
    }

    std::vector<PartlyKnown> shared_of(std::uint32_t barrier, const LaneValues& values) {
        auto found = varying_.find(barrier);
        if (found == varying_.end()) found = varying_.emplace(barrier, uniformity_.before(barrier)).first;
        std::vector<PartlyKnown> shared;
        for (const auto& [r, at] : run_.scalars())
            shared.push_back(found->second.test(r - isa::kScalar) ? PartlyKnown{0, ~0U} : values[at]);
        return shared;
    }

    /// Many intervals begin here: of the registers that all waves share, those that differ are told apart less.
    void coarsen(std::uint32_t barrier) {
        const std::vector<std::size_t>& here = at_barrier_[barrier];
        const auto level = static_cast<std::uint8_t>(here.size() >= 2 * kManyIntervals ? 2
                                                     : here.size() >= kManyIntervals   ? 1
                                                                                       : 0);
        if (level == 0 || coarse_level_[barrier] == level) return;
        coarse_level_[barrier] = level;
        const auto any_entry = [&](std::size_t i) -> const LaneValues* {
            for (const std::vector<Entry>& entries : intervals_[i].entries)
                if (!entries.empty()) return &entries[0].values;
            return nullptr;
        };
        const LaneValues* const first = any_entry(here[0]);
        if (first == nullptr) return;
        const std::vector<PartlyKnown> reference = shared_of(barrier, *first);
        for (const std::size_t i : here) {
            const LaneValues* const other = any_entry(i);
            if (other == nullptr) continue;
            const std::vector<PartlyKnown> shared = shared_of(barrier, *other);
            for (std::size_t k = 0; k < shared.size(); ++k)
                if (shared[k] != reference[k]) coarse_[barrier][run_.scalars()[k].first] = level;
        }
    }

    /// All waves from the beginning of an interval to its ends, and what begins there.
    void follow(std::size_t interval) {
        ends_.clear();
        const std::vector<std::vector<Entry>> entries = intervals_[interval].entries;
        for (std::uint32_t wave = 0; wave < entries.size(); ++wave)
            for (const Entry& entry : entries[wave]) follow(interval, wave, entry);
        std::map<std::uint32_t, std::vector<End>> by_barrier;
        for (End& end : ends_) {
            coarsen(end.barrier);
            for (const auto& [r, at] : run_.scalars()) blur(end.state.values[at], coarse_[end.barrier][r]);
            end.shared = shared_of(end.barrier, end.state.values);
            by_barrier[end.barrier].push_back(std::move(end));
        }
        for (auto& [barrier, ends] : by_barrier)
            for (const std::vector<const End*>& group : groups_of(ends)) begin(interval, barrier, group);
    }

    /// Ends that waves may be at together; those of different groups exclude each other.
    static std::vector<std::vector<const End*>> groups_of(const std::vector<End>& ends) {
        std::vector<std::vector<const End*>> groups;
        for (const End& end : ends) {
            std::vector<const End*> mine{&end};
            std::vector<std::vector<const End*>> others;
            for (std::vector<const End*>& group : groups) {
                const bool apart =
                    std::all_of(group.begin(), group.end(), [&](const End* other) { return exclude(*other, end); });
                if (apart)
                    others.push_back(std::move(group));
                else
                    mine.insert(mine.end(), group.begin(), group.end());
            }
            others.push_back(std::move(mine));
            groups = std::move(others);
        }
        return groups;
    }

    void begin(std::size_t from, std::uint32_t barrier, const std::vector<const End*>& group) {
        std::vector<std::vector<Entry>> entries(request_.launched.waves());
        std::set<std::uint32_t> signals;
        for (const End* end : group) {
            signals.insert(end->state.signalled ? end->state.signal : barrier);
            std::vector<Entry>& mine = entries[end->wave];
            const Entry entry{end->state.values, end->state.guessed};
            if (std::any_of(mine.begin(), mine.end(), [&](const Entry& one) {
                    return (entry.guessed || !one.guessed) && covers(one.values, entry.values);
                }))
                continue;
            if (mine.size() >= kMostEntries)
                mine.back() = {joined(mine.back().values, entry.values), true};
            else
                mine.push_back(entry);
        }
        const std::size_t next = interval_of(barrier, std::move(entries));
        for (const std::uint32_t signal : signals) intervals_[from].followed_by.insert({next, signal});
    }

    /// One wave from the beginning of an interval to all of its ends.
    void follow(std::size_t interval, std::uint32_t wave, const Entry& entry) {
        const std::uint32_t barrier = intervals_[interval].barrier;
        std::map<std::uint32_t, std::vector<State>> seen;
        std::map<std::uint32_t, std::vector<State>> pending; // the lowest place first, so that ways meet
        const auto enter = [&](std::uint32_t step, State state) {
            std::vector<State>& here = seen[step];
            for (const State& one : here)
                if (one.signalled == state.signalled && (state.guessed || !one.guessed) &&
                    (one.forgotten || (!state.forgotten && one.decisions == state.decisions)) &&
                    covers(one.values, state.values))
                    return;
            if (here.size() >= (state.forked ? kMostStates : kMostRounds)) {
                state.values = joined(here.back().values, state.values);
                state.forgotten = state.forked = state.guessed = true;
                state.decisions.clear();
            }
            here.push_back(state);
            pending[step].push_back(std::move(state));
        };
        State start;
        start.values = entry.values;
        start.guessed = entry.guessed;
        if (barrier == kEntry)
            enter(0, start);
        else
            for (const std::uint32_t next : steps_after(code_, barrier)) enter(next, start);
        while (!pending.empty() && !gave_up_) {
            const auto first = pending.begin();
            const std::uint32_t step = first->first;
            State state = std::move(first->second.back());
            first->second.pop_back();
            if (first->second.empty()) pending.erase(first);
            walk(interval, wave, step, std::move(state), enter);
        }
    }

    /// From `step` to where control may divide, or the interval ends.
    template <typename Enter>
    void walk(std::size_t interval, std::uint32_t wave, std::uint32_t step, State state, const Enter& enter) {
        run_.load(state.values);
        for (;;) {
            if (++steps_ > kMostSteps) {
                gave_up_ = true;
                return;
            }
            const Effects& effects = code_.steps[step].effects;
            if (effects.touches_lds) touch(interval, wave, step, state);
            switch (effects.barrier) {
            case BarrierRole::kSignal:
                state.signalled = true;
                state.signal = step;
                break;
            case BarrierRole::kSignalAndWait:
            case BarrierRole::kWait:
                state.values = run_.store();
                ends_.push_back({step, wave, std::move(state), {}});
                return;
            case BarrierRole::kNone:
                break;
            }
            if (effects.flow == Flow::kEnd || effects.flow == Flow::kUnknown) return;
            if (effects.flow == Flow::kConditional) {
                branch(step, state, enter);
                return;
            }
            if (effects.flow == Flow::kNext) run_.run(step);
            const std::vector<std::uint32_t> next = steps_after(code_, step);
            if (next.size() != 1) return;
            step = next[0];
            if (!starts_.contains(step)) continue;
            state.values = run_.store();
            enter(step, std::move(state));
            return;
        }
    }

    template <typename Enter>
    void branch(std::uint32_t step, const State& state, const Enter& enter) {
        const Ways ways = run_.ways(step);
        const std::uint32_t block = block_of(code_, step);
        const std::vector<std::uint32_t>& next = code_.blocks[block].next;
        const LaneValues before = run_.store();
        const bool both = ways.taken && ways.not_taken;
        const bool differs = uniformity_.varies(block);
        const bool skips_idle =
            !code_.steps[step].effects.reads.empty() && code_.steps[step].effects.reads[0].first == isa::kExecLo;
        if (both && differs) guessed_.insert(block);
        for (std::uint32_t side = 0; side < next.size(); ++side) {
            // The fall-through comes first; a branch to the next instruction has but one way.
            const bool taken = side == 1;
            if (next.size() == 2 && !(taken ? ways.taken : ways.not_taken)) continue;
            State after = state;
            if (both && next.size() == 2) {
                run_.load(before);
                run_.assume(step, taken);
                after.values = run_.store();
                after.forked = true;
                // Where EXEC is zero, to skip is as good as to run.
                after.guessed = after.guessed || (differs && !skips_idle);
                if (!differs && !after.forgotten) {
                    const std::uint32_t one = 2 * block + side;
                    const auto at = std::lower_bound(after.decisions.begin(), after.decisions.end(), one);
                    if (at == after.decisions.end() || *at != one) after.decisions.insert(at, one);
                }
            } else {
                after.values = before;
            }
            enter(code_.blocks[next[side]].first, std::move(after));
        }
    }

    // --- accesses ----------------------------------------------------------------------------------------------------

    void touch(std::size_t interval, std::uint32_t wave, std::uint32_t step, const State& state) {
        const LdsAccess access = run_.access(step);
        if (!access.known && is_flat(step) && !flat_counts_) return;
        Record fresh;
        fresh.wave = wave;
        fresh.step = step;
        fresh.decisions = state.decisions;
        fresh.forgotten = state.forgotten;
        fresh.late = state.signalled;
        fresh.writes = access.writes;
        fresh.atomic = access.atomic;
        Record& record = intervals_[interval].records.try_emplace(key_of(fresh), fresh).first->second;
        if (!access.known) {
            record.anywhere = true;
            bound(step, false,
                  is_flat(step) ? "a flat access, and the kernel makes flat pointers into LDS"
                                : "its addresses are not modelled");
            return;
        }
        check_bounds(wave, step, access, !state.guessed);
        for (const LaneAccess& lane : access.lanes) add_lane(access, lane, !state.guessed, record);
    }

    bool is_flat(std::uint32_t step) const { return code_.steps[step].effects.flat; }

    std::uint64_t limit() const {
        return std::uint64_t{request_.static_lds} + request_.launched.dynamic_lds.value_or(0);
    }

    static void add_lane(const LdsAccess& access, const LaneAccess& lane, bool certain, Record& record) {
        if (lane.address.unknown == 0) {
            for (const std::uint32_t offset : access.offsets) {
                const std::uint32_t first = lane.address.value + offset;
                (certain && lane.certain ? record.certain : record.possible).add(first, first + access.bytes);
            }
            return;
        }
        // Every value of the unknown bits, where they are few.
        std::uint32_t count = 0;
        for (std::uint32_t bits = lane.address.unknown;; bits = (bits - 1) & lane.address.unknown) {
            if (++count > kMostAddresses) {
                record.anywhere = true;
                return;
            }
            for (const std::uint32_t offset : access.offsets) {
                const std::uint32_t first = (lane.address.value | bits) + offset;
                record.possible.add(first, first + access.bytes);
            }
            if (bits == 0) return;
        }
    }

    void check_bounds(std::uint32_t wave, std::uint32_t step, const LdsAccess& access, bool certain) {
        const std::uint64_t end = limit();
        const LaneAccess* outside = nullptr;
        std::uint64_t outside_at = 0;
        for (const LaneAccess& lane : access.lanes)
            for (const std::uint32_t offset : access.offsets) {
                // The sum has 32 bits; where the base is not known, one that wraps is left open.
                const std::uint64_t least = lane.address.unknown == 0 ? std::uint64_t{lane.address.value + offset}
                                                                      : std::uint64_t{lane.address.value} + offset;
                const std::uint64_t most = least + lane.address.unknown;
                if (most + access.bytes <= end) {
                    inside_.insert(step);
                    continue;
                }
                if (lane.address.unknown != 0 || !lane.certain) {
                    bound(step, false,
                          lane.address.unknown != 0
                              ? fmt::format("wave {}, lane {}: bits {:#x} of the address are not known", wave,
                                            lane.lane, lane.address.unknown)
                              : fmt::format("wave {}, lane {}: byte {} of {}, if the lane is active", wave, lane.lane,
                                            least, end));
                    continue;
                }
                outside = &lane;
                outside_at = least;
            }
        if (outside == nullptr) return;
        bound(step, certain && !request_.block_is_guessed,
              fmt::format("wave {}, lane {}: {} bytes at LDS byte {} of {}", wave, outside->lane, access.bytes,
                          outside_at, end));
    }

    void bound(std::uint32_t step, bool fault, std::string detail) {
        const auto [slot, added] = bounds_.try_emplace(step, Bound{fault, detail});
        if (!added && fault && !slot->second.fault) slot->second = {fault, std::move(detail)};
    }

    void bounds_obligations() {
        for (const auto& [step, bound] : bounds_) {
            // What is never within the static LDS may be in that which the launch adds; an access to both is a fault.
            const bool may_be_added =
                !request_.launched.dynamic_lds && (request_.static_lds == 0 || !inside_.contains(step));
            const bool fault = bound.fault && !may_be_added && is_certain(step);
            found_.push_back({fault ? kind::kLdsOutside : kind::kLdsBounds,
                              step,
                              bound.detail + (bound.fault && may_be_added ? ", unless the launch adds LDS" : ""),
                              {},
                              fault});
        }
    }

    /// Whether no branch of unknown outcome that waves take apart decides about a step.
    bool is_certain(std::uint32_t step) const {
        const auto& deciders = uniformity_.deciders(block_of(code_, step));
        return std::none_of(deciders.begin(), deciders.end(),
                            [&](std::uint32_t block) { return guessed_.contains(block); });
    }

    // --- order -------------------------------------------------------------------------------------------------------

    struct Conflict {
        bool fault = false;
        std::string detail;
        std::uint32_t other = 0;
        std::set<std::uint32_t> others;
    };

    /// What is outstanding when a wave signals, or happens before it waits, may happen in the next interval as well.
    void carry_over() {
        const std::map<std::uint32_t, std::vector<std::uint32_t>> outstanding = lds_across_barriers(chip_, code_);
        for (bool more = true; more;) {
            more = false;
            for (std::size_t i = 0; i < intervals_.size(); ++i)
                for (const auto& [next, signal] : intervals_[i].followed_by) {
                    const auto found = outstanding.find(signal);
                    std::vector<Record> moved;
                    for (const auto& [key, record] : intervals_[i].records)
                        if ((record.late && !record.carried) ||
                            (found != outstanding.end() &&
                             std::binary_search(found->second.begin(), found->second.end(), record.step)))
                            moved.push_back(record);
                    for (Record& record : moved) more = carry(intervals_[next], std::move(record)) || more;
                }
        }
    }

    static bool carry(Interval& to, Record record) {
        record.forgotten = record.late = record.carried = true;
        record.decisions.clear();
        record.possible.add(record.certain);
        record.possible.tidy();
        record.certain = {};
        const auto [slot, added] = to.records.try_emplace(key_of(record), record);
        if (added) return true;
        Record& known = slot->second;
        Bytes all = known.possible;
        all.add(record.possible);
        all.tidy();
        const bool more = all != known.possible || (record.anywhere && !known.anywhere);
        known.possible = std::move(all);
        known.anywhere = known.anywhere || record.anywhere;
        return more;
    }

    void order_obligations() {
        carry_over();
        for (Interval& interval : intervals_) {
            for (auto& [key, record] : interval.records) {
                record.certain.tidy();
                record.possible.tidy();
            }
            compare(interval);
        }
        for (const auto& [step, conflict] : conflicts_) {
            const std::size_t more = conflict.others.size() - 1;
            found_.push_back({conflict.fault ? kind::kLdsRace : kind::kLdsOrder,
                              step,
                              conflict.detail + (more == 0 ? "" : fmt::format("; and {} more", more)),
                              {conflict.other, step},
                              conflict.fault});
        }
    }

    struct Touched {
        Bytes written, all;
        bool writes_anywhere = false, anywhere = false, any = false, writes = false;
        std::vector<const Record*> records;
    };

    std::vector<Touched> by_wave(const Interval& interval) const {
        std::vector<Touched> waves(request_.launched.waves());
        for (const auto& [key, record] : interval.records) {
            Touched& wave = waves[record.wave];
            wave.records.push_back(&record);
            wave.any = true;
            wave.all.add(record.certain);
            wave.all.add(record.possible);
            wave.anywhere = wave.anywhere || record.anywhere;
            if (!record.writes) continue;
            wave.writes = true;
            wave.written.add(record.certain);
            wave.written.add(record.possible);
            wave.writes_anywhere = wave.writes_anywhere || record.anywhere;
        }
        for (Touched& wave : waves) {
            wave.all.tidy();
            wave.written.tidy();
        }
        return waves;
    }

    void compare(const Interval& interval) {
        const std::vector<Touched> waves = by_wave(interval);
        for (std::size_t i = 0; i < waves.size(); ++i)
            for (std::size_t k = i + 1; k < waves.size(); ++k) {
                const Touched &a = waves[i], &b = waves[k];
                const bool meet = a.written.common(b.all) || a.all.common(b.written) || (a.writes_anywhere && b.any) ||
                                  (a.writes && b.anywhere) || (b.writes_anywhere && a.any) || (b.writes && a.anywhere);
                if (!meet) continue;
                for (const Record* one : a.records)
                    for (const Record* other : b.records) compare(*one, *other);
            }
    }

    void compare(const Record& a, const Record& b) {
        if (!a.writes && !b.writes) return;
        if (a.atomic && b.atomic) return;
        const Record& write = a.writes ? a : b;
        const Record& other = a.writes ? b : a;
        if (exclude(a, b)) return;
        auto byte = write.certain.common(other.certain);
        const bool certain = byte.has_value();
        if (!byte) byte = write.certain.common(other.possible);
        if (!byte) byte = write.possible.common(other.certain);
        if (!byte) byte = write.possible.common(other.possible);
        const auto touches = [](const Record& r) { return r.anywhere || !r.certain.empty() || !r.possible.empty(); };
        const bool maybe = (write.anywhere && touches(other)) || (other.anywhere && touches(write));
        if (!byte && !maybe) return;
        const bool fault = certain && imply(a, b) && !a.carried && !b.carried && !returns_atomics_ &&
                           !request_.block_is_guessed && is_certain(a.step) && is_certain(b.step);
        Conflict& conflict = conflicts_[write.step];
        const bool first = conflict.others.empty();
        conflict.others.insert(other.step);
        if (!first && (conflict.fault || !fault)) return;
        conflict.fault = fault;
        conflict.other = other.step;
        const std::string where =
            byte ? fmt::format("LDS byte {}", *byte) : std::string("an address that is not known");
        conflict.detail =
            fmt::format("{}: wave {} writes it, and wave {} {} it by +{:#x}, with no barrier between{}", where,
                        write.wave, other.wave, other.writes ? "writes" : "reads", code_.steps[other.step].at,
                        fault                    ? ""
                        : a.carried || b.carried ? ", as one may still be outstanding behind it"
                                                 : "; not shown to be apart");
    }

    void leave_open_all() {
        for (std::uint32_t step = 0; step < code_.steps.size(); ++step) {
            if (!code_.steps[step].effects.touches_lds) continue;
            const std::string why = "the kernel has more states than are followed";
            found_.push_back({kind::kLdsBounds, step, why, {}, false});
            if (request_.launched.waves() > 1) found_.push_back({kind::kLdsOrder, step, why, {}, false});
            return;
        }
    }

    const Chip& chip_;
    const Code& code_;
    const Uniformity& uniformity_;
    const LdsRequest& request_;
    LaneRun run_;
    bool flat_counts_ = false, returns_atomics_ = false, gave_up_ = false;
    std::uint64_t steps_ = 0;
    std::set<std::uint32_t> starts_, guessed_;
    std::set<std::uint32_t> inside_; // steps with an access within bounds
    std::vector<Interval> intervals_;
    std::vector<End> ends_; // of the interval that is followed
    std::map<std::uint32_t, std::vector<std::size_t>> at_barrier_;
    std::map<std::uint32_t, std::map<Register, std::uint8_t>> coarse_;
    std::map<std::uint32_t, std::uint8_t> coarse_level_;
    std::map<std::uint32_t, Varying> varying_;
    std::map<std::uint32_t, Bound> bounds_;
    std::map<std::uint32_t, Conflict> conflicts_;
    std::vector<Obligation> found_;
};

} // namespace

bool makes_flat_lds_pointers(const Code& code) {
    return std::any_of(code.steps.begin(), code.steps.end(), [](const Step& step) {
        return step.effects.reads_apertures ||
               std::any_of(step.effects.reads.begin(), step.effects.reads.end(), [](const Span& span) {
                   return span.first < isa::kSharedLimitLo + 2 && span.first + span.count > isa::kSharedBaseLo;
               });
    });
}

std::vector<Obligation> check_lds(const Chip& chip, const Kernel& kernel, const Code& code,
                                  const Uniformity& uniformity, const emu::Program& program,
                                  const LdsRequest& request) {
    return LdsCheck(chip, kernel, code, uniformity, program, request).check();
}

} // namespace pm::certify
