#include "peacemaker/certify/hazards.h"

#include "peacemaker/certify/waits.h"
#include "peacemaker/chip/hazards.h"
#include "peacemaker/isa/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <optional>
#include <set>
#include <tuple>

namespace pm::certify {
namespace {

/// What the rules look at of an instruction.
struct Fact {
    const Effects* effects = nullptr;
    std::string_view name;
    std::optional<isa::AluWait> alu_wait;
    std::uint32_t wait_states = 1;
    bool matrix = false;
    std::vector<Span> matrix_operands; // A, B and, of sparse ones, the index
};

/// What an instruction has left to be careful about, and how much has run since.
struct Pending {
    Hazard hazard{};
    std::uint32_t step = 0; // that left it
    Span span;              // of registers; none: the mask, or a mode
    std::array<std::uint8_t, 2> ages{};

    auto key() const { return std::tuple(hazard, step, span.first); }
    bool operator==(const Pending& other) const { return key() == other.key() && ages == other.ages; }
};

/// Kinds of need: one that the hardware fails, or that one source takes for safe and another does not.
enum class Need : std::uint8_t { kNone, kMaybe, kSure };

struct Rule {
    Hazard hazard{};
    std::vector<Span> (*raises)(const Fact&);

    Need (*needs)(const Fact&, const Fact& left, const Pending&);
    bool (*ends)(const Fact&, const Fact& left, Pending&); // ages it as well
};

void age(std::uint8_t& count, bool by, std::uint32_t amount = 1) {
    constexpr std::uint32_t kMost = 64;
    if (by) count = static_cast<std::uint8_t>(std::min(count + amount, kMost));
}

bool reads(const Fact& fact, const Span& span) { return clash(fact.effects->reads, {span}).has_value(); }

std::vector<Span> vgprs_of(const std::vector<Span>& spans) {
    std::vector<Span> out;
    std::copy_if(spans.begin(), spans.end(), std::back_inserter(out),
                 [](const Span& span) { return isa::is_vector(span.first); });
    return out;
}

/// Numbered SGPRs, VCC and trap registers; M0, EXEC and SCC are kept otherwise.
bool is_sgpr(const Span& span) { return !isa::is_vector(span.first) && span.first < isa::kM0; }
bool is_vcc(const Span& span) { return span.first == isa::kVccLo || span.first == isa::kVccLo + 1; }

std::vector<Span> sgprs_of(const std::vector<Span>& spans) {
    std::vector<Span> out;
    std::copy_if(spans.begin(), spans.end(), std::back_inserter(out), is_sgpr);
    return out;
}

// Transcendental use. A wait for va_vdst is part of what memory instructions do by themselves.
constexpr std::uint8_t kValuBetween = 5, kTranscendentalBetween = 1;

std::vector<Span> transcendental_raises(const Fact& fact) {
    return fact.effects->units.transcendental ? vgprs_of(fact.effects->writes) : std::vector<Span>{};
}
Need transcendental_needs(const Fact& fact, const Fact&, const Pending& pending) {
    return fact.effects->units.valu && reads(fact, pending.span) ? Need::kSure : Need::kNone;
}
bool transcendental_ends(const Fact& fact, const Fact&, Pending& pending) {
    const isa::Units& units = fact.effects->units;
    age(pending.ages[0], units.valu);
    age(pending.ages[1], units.transcendental);
    return units.vector_memory || units.lds || (fact.alu_wait && fact.alu_wait->va_vdst == 0) ||
           pending.ages[0] > kValuBetween || pending.ages[1] > kTranscendentalBetween;
}

// v_cmpx, then v_permlane. LLVM takes v_nop for nothing, as on gfx10; Mesa's aco for enough from gfx11 on.
std::vector<Span> permlane_raises(const Fact& fact) {
    return fact.name.starts_with("V_CMPX_") ? std::vector<Span>{{isa::kExecLo, 1, Half::kWhole}} : std::vector<Span>{};
}
Need permlane_needs(const Fact& fact, const Fact&, const Pending& pending) {
    constexpr std::array<std::string_view, 5> kNames = {"V_PERMLANE16_B32", "V_PERMLANEX16_B32", "V_PERMLANE64_B32",
                                                        "V_PERMLANE16_VAR_B32", "V_PERMLANEX16_VAR_B32"};
    if (std::find(kNames.begin(), kNames.end(), fact.name) == kNames.end()) return Need::kNone;
    return pending.ages[0] == 0 ? Need::kSure : Need::kMaybe;
}
bool permlane_ends(const Fact& fact, const Fact&, Pending& pending) {
    const bool nop = fact.name == "V_NOP";
    age(pending.ages[0], nop);
    return fact.effects->units.valu && !nop;
}

// A matrix instruction's result as the next one's operand; C may follow at once.
std::vector<Span> matrix_raises(const Fact& fact) {
    return fact.matrix ? vgprs_of(fact.effects->writes) : std::vector<Span>{};
}
Need matrix_needs(const Fact& fact, const Fact&, const Pending& pending) {
    return clash(fact.matrix_operands, {pending.span}) ? Need::kSure : Need::kNone;
}
bool matrix_ends(const Fact& fact, const Fact&, Pending&) { return fact.effects->units.valu; }

// An SGPR that VALU instructions have read: a later write of it may hide from whoever reads next. LLVM knows no
// distance that makes it safe, Mesa's aco ten SALU instructions after a SALU write.
constexpr std::uint8_t kSaluBetween = 10;

std::vector<Span> sgpr_raises(const Fact& fact) {
    const isa::Units& units = fact.effects->units;
    return units.salu || units.valu ? sgprs_of(fact.effects->writes) : std::vector<Span>{};
}
Need sgpr_needs(const Fact& fact, const Fact& left, const Pending& pending) {
    const isa::Units& units = fact.effects->units;
    const bool by_salu = left.effects->units.salu;
    // SALU instructions wait for VALU results by themselves.
    if (!units.valu && !(units.salu && by_salu)) return Need::kNone;
    if (!reads(fact, pending.span)) return Need::kNone;
    return by_salu && pending.ages[0] >= kSaluBetween ? Need::kMaybe : Need::kSure;
}
bool sgpr_ends(const Fact& fact, const Fact& left, Pending& pending) {
    const isa::Units& units = fact.effects->units;
    const bool by_salu = left.effects->units.salu, vcc = is_vcc(pending.span);
    age(pending.ages[0], units.salu && !units.program_control);
    if (units.scalar_memory || (units.vector_memory && !units.flat)) return true;
    if (fact.alu_wait)
        return by_salu ? fact.alu_wait->sa_sdst == 0 : (vcc ? fact.alu_wait->va_vcc : fact.alu_wait->va_sdst) == 0;
    const auto same_kind = [&](const Span& span) { return is_sgpr(span) && is_vcc(span) == vcc; };
    const auto& used = fact.effects->reads;
    if (units.salu && !by_salu && std::any_of(used.begin(), used.end(), same_kind)) return true;
    // VCC is one register here: its last writer counts.
    return vcc && std::any_of(fact.effects->writes.begin(), fact.effects->writes.end(), is_vcc);
}

// A floating-point atomic of vector memory, then s_denorm_mode.
constexpr std::uint8_t kDenormWaitStates = 3;

std::vector<Span> denorm_raises(const Fact& fact) {
    const bool atomic = fact.effects->units.vector_memory && fact.name.find("_ATOMIC_F") != std::string_view::npos;
    return atomic ? std::vector<Span>{{isa::kMode, 1, Half::kWhole}} : std::vector<Span>{};
}
Need denorm_needs(const Fact& fact, const Fact&, const Pending&) {
    return fact.name == "S_DENORM_MODE" ? Need::kSure : Need::kNone;
}
bool denorm_ends(const Fact& fact, const Fact&, Pending& pending) {
    age(pending.ages[0], true, fact.wait_states);
    return pending.ages[0] >= kDenormWaitStates || fact.effects->units.valu ||
           (fact.name.starts_with("S_WAIT") && !fact.alu_wait);
}

constexpr std::array<Rule, 5> kRules{{
    {Hazard::kTranscendentalUse, transcendental_raises, transcendental_needs, transcendental_ends},
    {Hazard::kVcmpxPermlane, permlane_raises, permlane_needs, permlane_ends},
    {Hazard::kMatrixOperand, matrix_raises, matrix_needs, matrix_ends},
    {Hazard::kSgprRead, sgpr_raises, sgpr_needs, sgpr_ends},
    {Hazard::kFpAtomicDenorm, denorm_raises, denorm_needs, denorm_ends},
}};

const Rule& rule_of(Hazard hazard) {
    return *std::find_if(kRules.begin(), kRules.end(), [hazard](const Rule& rule) { return rule.hazard == hazard; });
}

constexpr std::size_t kPairs = (isa::kM0 - isa::kScalar) / 2;

struct State {
    std::vector<Pending> pending;      // by key, each once
    std::bitset<kPairs> valu_has_read; // pairs of SGPRs

    /// Adds what `from` has; whether that changed anything.
    bool join(const State& from) {
        bool changed = (from.valu_has_read & ~valu_has_read).any();
        valu_has_read |= from.valu_has_read;
        for (const Pending& one : from.pending) changed = add(one) || changed;
        return changed;
    }

    bool add(const Pending& one) {
        const auto found = std::lower_bound(pending.begin(), pending.end(), one,
                                            [](const Pending& a, const Pending& b) { return a.key() < b.key(); });
        if (found == pending.end() || found->key() != one.key()) {
            pending.insert(found, one);
            return true;
        }
        const Pending old = *found;
        for (std::size_t i = 0; i < old.ages.size(); ++i) found->ages[i] = std::min(found->ages[i], one.ages[i]);
        return *found != old;
    }
};

std::size_t pair_of(const Span& span) { return (span.first - isa::kScalar) / 2U; }

class Hazards {
public:
    Hazards(const Chip& chip, const Code& code, const isa::Disassembler& disassembler) : code_(code) {
        for (const Rule& rule : kRules)
            if (hazard_of(chip, rule.hazard) != nullptr) rules_.push_back(&rule);
        facts_.reserve(code.steps.size());
        for (const Step& step : code.steps) facts_.push_back(fact_of(disassembler, step));
    }

    /// Calls each(pending, step, whether it is sure) for every hazard.
    template <typename F>
    void for_each(F each) const {
        if (rules_.empty()) return;
        for_each_step(
            code_, State{}, [this](std::uint32_t step, State& state) { pass(step, state); },
            [](State& into, const State& from) { return into.join(from); },
            [&](std::uint32_t step, const State& state) {
                for (const Pending& one : state.pending)
                    if (const Need need = needs(step, one); need != Need::kNone) each(one, step, need == Need::kSure);
            });
    }

    /// Steps from the one that left something pending to `to`, on a shortest path that keeps it so: the first, those
    /// where blocks begin, and the last.
    std::vector<std::uint32_t> path(const Pending& last, std::uint32_t to) const {
        struct Node {
            std::uint32_t step = 0;
            Pending pending;
            std::size_t parent = 0;
        };
        std::vector<Node> nodes{{last.step, {last.hazard, last.step, last.span, {}}, 0}};
        std::set<std::pair<std::uint32_t, std::array<std::uint8_t, 2>>> seen;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            Pending pending = nodes[i].pending;
            if (i != 0) {
                if (nodes[i].step == to && needs(to, pending) != Need::kNone) {
                    std::vector<std::uint32_t> steps{to};
                    for (std::size_t k = nodes[i].parent; k != 0; k = nodes[k].parent)
                        if (code_.blocks[block_of(code_, nodes[k].step)].first == nodes[k].step)
                            steps.push_back(nodes[k].step);
                    steps.push_back(last.step);
                    std::reverse(steps.begin(), steps.end());
                    return steps;
                }
                if (settled(nodes[i].step, pending)) continue;
            }
            for (const std::uint32_t next : steps_after(code_, nodes[i].step))
                if (seen.insert({next, pending.ages}).second) nodes.push_back({next, pending, i});
        }
        return {};
    }

private:
    static Fact fact_of(const isa::Disassembler& disassembler, const Step& step) {
        Fact fact;
        fact.effects = &step.effects;
        fact.name = disassembler.opcode(step.inst.getOpcode()).base;
        const auto immediate = [&]() -> std::uint32_t {
            for (unsigned i = 0; i < step.inst.getNumOperands(); ++i)
                if (step.inst.getOperand(i).isImm())
                    return static_cast<std::uint32_t>(step.inst.getOperand(i).getImm());
            return 0;
        };
        if (fact.name == "S_WAITCNT_DEPCTR") fact.alu_wait = isa::alu_wait_field(immediate());
        if (fact.name == "S_NOP") fact.wait_states = (immediate() & 15U) + 1;
        const bool sparse = fact.name.starts_with("V_SWMMAC_");
        fact.matrix = sparse || fact.name.starts_with("V_WMMA_");
        if (fact.matrix) {
            const auto sources = isa::operands_of(disassembler, step.inst).sources; // without C where it is tied
            for (std::size_t i = 0; i < sources.size() && i < (sparse ? 3U : 2U); ++i)
                if (sources[i].is_register)
                    fact.matrix_operands.push_back({sources[i].reg.first, sources[i].reg.dwords, Half::kWhole});
        }
        return fact;
    }

    Need needs(std::uint32_t step, const Pending& one) const {
        return rule_of(one.hazard).needs(facts_[step], facts_[one.step], one);
    }
    /// Also where it has been met: the first who needs it is told of.
    bool settled(std::uint32_t step, Pending& one) const {
        return needs(step, one) != Need::kNone || rule_of(one.hazard).ends(facts_[step], facts_[one.step], one);
    }

    void pass(std::uint32_t step, State& state) const {
        const Fact& fact = facts_[step];
        std::erase_if(state.pending, [&](Pending& one) { return settled(step, one); });
        if (fact.effects->units.valu)
            for (const Span& span : sgprs_of(fact.effects->reads)) state.valu_has_read.set(pair_of(span));
        for (const Rule* rule : rules_)
            for (const Span& span : rule->raises(fact))
                if (rule->hazard != Hazard::kSgprRead || state.valu_has_read[pair_of(span)])
                    (void)state.add({rule->hazard, step, span, {}});
    }

    const Code& code_;
    std::vector<const Rule*> rules_;
    std::vector<Fact> facts_;
};

std::string left_text(const Pending& pending) {
    return pending.hazard == Hazard::kVcmpxPermlane || pending.hazard == Hazard::kFpAtomicDenorm
               ? std::string()
               : span_text(pending.span) + " ";
}

/// v_mad_u64_u32 and its like, which gfx1100 computes in steps: an overlap that it gets right is not known.
std::vector<Obligation> check_mad_overlap(const Code& code, const isa::Disassembler& disassembler,
                                          const HazardRule& rule) {
    std::vector<Obligation> found;
    for (std::uint32_t step = 0; step < code.steps.size(); ++step) {
        const std::string& name = disassembler.opcode(code.steps[step].inst.getOpcode()).base;
        if (name != "V_MAD_U64_U32" && name != "V_MAD_I64_I32") continue;
        const Effects& effects = code.steps[step].effects;
        if (const auto both = clash(vgprs_of(effects.writes), effects.reads))
            found.push_back({kind::kHazard,
                             step,
                             fmt::format("{} is read and written; {}", span_text(*both), rule.must),
                             {},
                             false});
    }
    return found;
}

} // namespace

std::vector<Obligation> check_hazards(const Chip& chip, const Code& code, const isa::Disassembler& disassembler) {
    std::vector<Obligation> found;
    const Hazards hazards(chip, code, disassembler);
    hazards.for_each([&](const Pending& pending, std::uint32_t step, bool sure) {
        found.push_back({kind::kHazard, step,
                         fmt::format("{}after +{:#x}: {}", left_text(pending), code.steps[pending.step].at,
                                     hazard_of(chip, pending.hazard)->must),
                         hazards.path(pending, step), sure});
    });
    if (const HazardRule* const rule = hazard_of(chip, Hazard::kMadOverlap)) {
        std::vector<Obligation> more = check_mad_overlap(code, disassembler, *rule);
        found.insert(found.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    }
    return found;
}

} // namespace pm::certify
