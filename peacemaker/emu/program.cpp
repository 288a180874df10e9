#include "peacemaker/emu/program.h"

#include "peacemaker/emu/float_format.h"
#include "peacemaker/emu/hardware_register.h"
#include "peacemaker/emu/lds.h"
#include "peacemaker/emu/row.h"
#include "peacemaker/emu/unsupported.h"
#include "peacemaker/emu/vector_execute.h"
#include "peacemaker/emu/wave.h"

#include "llvm/MC/MCInstrDesc.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

namespace pm::emu {
namespace {

using isa::Encoding;
using isa::Operands;
using isa::SourceOperand;

// Reached only where no row covers the instruction, or a field of it.
void unsupported(Wave& wave, const Inst& inst) {
    const Program& program = *wave.worker->program;
    stop_unsupported(wave, "unsupported instruction " +
                               program.texts[static_cast<std::size_t>(&inst - program.insts.data())]);
}

// MC gives offset fields as they are encoded.
// Source: llvm/lib/Target/AMDGPU/SIDefines.h, namespace CPol.
bool at_device_scope(const Chip& chip, const Row& row, std::int64_t policy) {
    constexpr std::int64_t kGlc = 1;
    if (chip.generation >= 12) return isa::reaches_device(policy);
    return !row.store && (policy & kGlc) != 0;
}

std::int64_t signed_field(std::int64_t value, std::uint32_t bits) {
    const std::int64_t sign = std::int64_t{1} << (bits - 1);
    return ((value & (2 * sign - 1)) ^ sign) - sign;
}

class Lifter {
public:
    Lifter(const CodeObject& object, const Kernel& kernel, isa::Disassembler& disassembler)
        : object_(object), kernel_(kernel), disassembler_(disassembler), program_(std::make_unique<Program>()) {}

    Result<std::unique_ptr<Program>> run() {
        const std::string_view code = code_bytes();
        if (code.empty())
            return Error{fmt::format("kernel {}: its code at 0x{:x} lies outside the file", kernel_.name,
                                     kernel_.entry_address)};
        lift_all(code);
        if (changes_mode_) {
            // What reads the mode register is lifted so that it looks there each time.
            mode_varies_ = true;
            program_ = std::make_unique<Program>();
            index_of_.clear();
            pending_branches_.clear();
            constants_.clear();
            lift_all(code);
        }
        connect_branches();
        if (wave64_) split_halves();
        return std::move(program_);
    }

private:
    std::string_view code_bytes() const {
        if (kernel_.code_size != 0) return object_.at(kernel_.entry_address, kernel_.code_size);
        for (const Segment& segment : object_.segments) {
            const std::uint64_t end = segment.address + segment.file_size;
            if (kernel_.entry_address >= segment.address && kernel_.entry_address < end)
                return object_.at(kernel_.entry_address, end - kernel_.entry_address);
        }
        return {};
    }

    void lift_all(std::string_view code) {
        lift_range(code, 0);
        if (leaves_kernel_) lift_functions(code.size());
    }

    // The instructions of `code`, which starts `offset` bytes from the kernel's entry.
    void lift_range(std::string_view code, std::int64_t offset) {
        for (std::size_t at = 0; at < code.size();)
            at += lift_one(code.substr(at), offset + static_cast<std::int64_t>(at));
        // Running past the last instruction stops like any other unknown.
        append_unknown(offset + static_cast<std::int64_t>(code.size()), "(end of the code)");
    }

    // All code of the kernel's segment before and behind it: what it may call. Symbols start afresh, since what lies
    // between two functions need not be instructions.
    void lift_functions(std::uint64_t kernel_size) {
        const auto holds_entry = [&](const Segment& s) {
            return kernel_.entry_address >= s.address && kernel_.entry_address - s.address < s.file_size;
        };
        const auto segment = std::find_if(object_.segments.begin(), object_.segments.end(), holds_entry);
        if (segment == object_.segments.end()) return;
        const std::uint64_t begin = segment->address, end = begin + segment->file_size;
        const std::uint64_t after = kernel_.entry_address + kernel_size;
        std::vector<std::uint64_t> starts = {begin, std::min(after, end), end};
        for (const Symbol& s : object_.symbols)
            if (s.function) starts.push_back(s.address);
        for (const Kernel& k : object_.kernels) starts.push_back(k.entry_address);
        std::sort(starts.begin(), starts.end());
        starts.erase(std::unique(starts.begin(), starts.end()), starts.end());
        for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
            const std::uint64_t start = starts[i];
            if (start < begin || start >= end || (start >= kernel_.entry_address && start < after)) continue;
            lift_range(object_.at(start, std::min(starts[i + 1], end) - start),
                       static_cast<std::int64_t>(start) - static_cast<std::int64_t>(kernel_.entry_address));
        }
        fill_indices();
    }

    void fill_indices() {
        std::int64_t first = 0, last = 0;
        for (const auto& [offset, index] : index_of_) {
            first = std::min(first, offset);
            last = std::max(last, offset);
        }
        program_->first_offset = static_cast<std::int32_t>(first);
        program_->indices.assign(static_cast<std::size_t>((last - first) / 4 + 1), Program::kNoInst);
        for (const auto& [offset, index] : index_of_)
            program_->indices[static_cast<std::size_t>((offset - first) / 4)] = index;
    }

    void append_unknown(std::int64_t offset, std::string text) {
        Inst inst;
        inst.offset = static_cast<std::int32_t>(offset);
        inst.handler = unsupported;
        program_->insts.push_back(inst);
        program_->texts.push_back(std::move(text));
    }

    std::size_t lift_one(std::string_view bytes, std::int64_t offset) {
        const std::uint64_t address = kernel_.entry_address + static_cast<std::uint64_t>(offset);
        const auto decoded = disassembler_.decode(bytes.substr(0, std::min<std::size_t>(bytes.size(), 20)), address);
        index_of_[offset] = static_cast<std::uint32_t>(program_->insts.size());
        if (!decoded || decoded->size == 0 || decoded->size > bytes.size()) {
            std::uint32_t word = 0;
            std::copy_n(bytes.begin(), std::min<std::size_t>(4, bytes.size()), reinterpret_cast<char*>(&word));
            append_unknown(offset, fmt::format("(no instruction: 0x{:08x})", word));
            return 4;
        }
        const std::string text = disassembler_.text(decoded->inst, address);
        const isa::OpcodeName& name = disassembler_.opcode(decoded->inst.getOpcode());
        if (const Row* row = find_row(name.base); row != nullptr && row->hint && !(wave64_ && row->whole_wave))
            return decoded->size;
        const Operands operands = isa::operands_of(disassembler_, decoded->inst);
        if (name.base.starts_with("V_DUAL_")) {
            lift_dual(name, operands, static_cast<std::int32_t>(offset), text);
        } else {
            Inst inst = resolve(find_row(name.base), name, operands);
            inst.offset = static_cast<std::int32_t>(offset);
            if (is_jump(decoded->inst)) {
                if (operands.immediates.empty())
                    leaves_kernel_ = true;
                else
                    pending_branches_.emplace_back(
                        static_cast<std::uint32_t>(program_->insts.size()),
                        offset + decoded->size + std::int64_t{4} * static_cast<std::int16_t>(operands.immediates[0]));
            }
            const Unsupported* const why = inst.row == nullptr ? why_unsupported(name.base) : nullptr;
            const bool of_wave32 = wave64_ && inst.row == nullptr && find_row(name.base) != nullptr;
            push(inst, why != nullptr ? fmt::format("{} ({})", text, why->reason)
                                      : text + (of_wave32 ? " (in a wave64)" : ""));
        }
        return decoded->size;
    }

    // Branches and calls: with the target in the instruction, or anywhere, out of the kernel's own code too.
    bool is_jump(const llvm::MCInst& inst) const {
        const llvm::MCInstrDesc& desc = disassembler_.description(inst.getOpcode());
        return desc.isBranch() || desc.isCall();
    }

    void push(Inst inst, const std::string& text) {
        fill_touch(inst);
        program_->insts.push_back(inst);
        program_->texts.push_back(text);
    }

    void fill_touch(Inst& inst) {
        std::vector<Register> touched;
        const auto add = [&](Register r, isa::Half) {
            if (std::find(touched.begin(), touched.end(), r) == touched.end()) touched.push_back(r);
        };
        for_each_read(inst, add);
        if (inst.row != nullptr && inst.row->scc_in) add(isa::kScc, isa::Half::kWhole);
        const std::size_t reads = touched.size();
        for_each_write(inst, add);
        if (inst.row != nullptr && inst.row->scc_out) add(isa::kScc, isa::Half::kWhole);
        add_touch(inst, touched);
        inst.touch_reads = static_cast<std::uint8_t>(std::min<std::size_t>(reads, inst.touch_count));
    }

    static void add_touch(Inst& inst, const std::vector<Register>& touched) {
        for (const Register r : touched) {
            if (inst.touch_count == inst.touch.size()) {
                inst.check_always = true;
                return;
            }
            inst.touch[inst.touch_count++] = r;
        }
    }

    static std::uint8_t registers_of(char form) { return form == '2' ? 2 : 1; }

    Source source_of(const SourceOperand& operand, char form) {
        Source source;
        source.form = form;
        source.registers = registers_of(form);
        source.neg = operand.neg;
        source.abs_or_neg_hi = operand.abs_or_neg_hi;
        source.op_sel = operand.op_sel;
        // Packed operands without modifiers take their halves as they lie.
        source.op_sel_hi = operand.op_sel_hi || (form == 'p' && !operand.has_modifiers);
        source.select = operand.select;
        source.sign_extend = operand.sign_extend;
        if (operand.is_register) {
            source.kind = isa::is_vector(operand.reg.first) ? Source::Kind::kVector : Source::Kind::kScalar;
            source.reg = operand.reg.first;
            if (operand.reg.half == isa::Half::kHigh) source.op_sel = true;
            return source;
        }
        source.kind = Source::Kind::kConstant;
        source.value = static_cast<std::uint64_t>(operand.constant);
        if (form != '2') source.value &= 0xffffffffu;
        source.constant = splat(source.value);
        return source;
    }

    const std::uint32_t* splat(std::uint64_t value) {
        auto& slot = constants_[value];
        if (slot == nullptr) {
            auto words = std::make_unique<std::array<std::uint32_t, 64>>();
            std::fill_n(words->begin(), kLanes, static_cast<std::uint32_t>(value));
            std::fill_n(words->begin() + kLanes, kLanes, static_cast<std::uint32_t>(value >> 32));
            slot = words->data();
            program_->constants.push_back(std::move(words));
        }
        return slot;
    }

    Inst resolve(const Row* row, const isa::OpcodeName& name, const Operands& operands) {
        Inst inst;
        inst.handler = unsupported;
        if (row == nullptr) return inst;
        inst.row = row;
        inst.may_jump = row->unit == Unit::kControl;
        inst.encoding = name.encoding;
        inst.immediate = operands.immediates.empty() ? 0 : static_cast<std::int32_t>(operands.immediates[0]);
        if (operands.immediates.size() > 1) inst.second_immediate = static_cast<std::int32_t>(operands.immediates[1]);
        // The field is the last immediate.
        const auto hardware = operands.immediates.empty() ? 0u : static_cast<std::uint32_t>(operands.immediates.back());
        changes_mode_ |= row->sets_mode && (!row->names_hardware || (hardware & 63u) == kHardwareMode);
        bool known = false;
        switch (row->unit) {
        case Unit::kVector:
            known = resolve_vector(inst, name, operands);
            break;
        case Unit::kMatrix:
            known = resolve_matrix(inst, operands);
            break;
        case Unit::kScalar:
        case Unit::kControl:
            known = resolve_scalar(inst, name, operands);
            break;
        case Unit::kScalarMemory:
            known = resolve_scalar_memory(inst, name, operands);
            break;
        case Unit::kGlobal:
        case Unit::kFlat:
        case Unit::kScratch:
            known = resolve_flat(inst, name, operands);
            break;
        case Unit::kBuffer:
            known = resolve_buffer(inst, name, operands);
            break;
        case Unit::kLds:
            known = resolve_lds(inst, operands);
            break;
        }
        if (!known || (wave64_ && !has_halves(inst))) {
            Inst unknown;
            unknown.handler = unsupported;
            return unknown;
        }
        return inst;
    }

    // --- wave64 ---------------------------------------------------------------------------------------------------

    static bool is_exec(Register r) { return r == isa::kExecLo || r == isa::kExecLo + 1; }

    // Whether the instruction is modelled in a wave64. Of a pair, EXEC's halves cannot change places.
    static bool has_halves(const Inst& inst) {
        if (inst.row->unit == Unit::kMatrix) return false;
        if (!inst.vector) return true;
        const MemoryOperands& m = inst.memory;
        return !is_exec(m.base) && !is_exec(m.offset_register) &&
               std::none_of(inst.sources.begin(), inst.sources.end(), [](const Source& s) {
                   return s.kind == Source::Kind::kScalar && s.registers != 1 && is_exec(s.reg);
               });
    }

    Pass pass_of(const Inst& inst) const {
        if (inst.row == nullptr) return Pass::kOnce;
        const Row& row = *inst.row;
        const bool permutes = row.lds_form == LdsForm::kPermute && permutes_whole_wave(*object_.chip);
        if (row.whole_wave || permutes) return Pass::kBothHalves;
        const bool moves = row.unit == Unit::kControl && row.name.starts_with("V_");
        return inst.vector || moves ? Pass::kEachHalf : Pass::kOnce;
    }

    // The instruction for lanes 32 to 63: the upper words of lane masks, the upper rows of DPP, EXEC by the name that
    // it has there.
    Inst upper_half_of(const Inst& inst) {
        Inst upper = inst;
        for (Source& s : upper.sources)
            if (s.kind == Source::Kind::kScalar && is_exec(s.reg))
                s.reg = s.reg == isa::kExecLo ? isa::kExecLo + 1 : isa::kExecLo;
        for (Register* const mask : {&upper.mask_in, &upper.mask_out})
            if (*mask != isa::kNull && *mask != isa::kExecLo) ++*mask;
        upper.dpp.row_mask = inst.dpp.row_mask == 0xf ? 0xf : inst.dpp.row_mask >> 2;
        if (inst.row->upper_compute != nullptr) upper.compute = inst.row->upper_compute;
        upper.touch = Inst().touch;
        upper.touch_count = 0;
        fill_touch(upper);
        return upper;
    }

    void split_halves() {
        for (Inst& inst : program_->insts) {
            inst.pass = pass_of(inst);
            program_->upper.push_back(inst.pass == Pass::kEachHalf ? upper_half_of(inst) : inst);
        }
    }

    // Sources by the row's forms; false where the operands do not fit them.
    bool take_sources(Inst& inst, const Operands& operands, std::string_view forms) {
        const bool accumulates = inst.row->accumulates;
        const std::size_t own = forms.size() - (accumulates ? 1 : 0);
        if (operands.sources.size() < own || forms.size() > inst.sources.size()) return false;
        for (std::size_t i = 0; i < own; ++i) {
            const SourceOperand& s = operands.sources[i];
            const unsigned dwords = forms[i] == '2' ? 2 : 1;
            if (s.is_register && (s.reg.dwords == 0 || s.reg.dwords < dwords)) return false;
            // A 32-bit operand of which only low bits count may be named by its half (shift amounts on gfx11).
            const bool high = s.is_register && s.reg.half == isa::Half::kHigh;
            inst.sources[i] = source_of(s, high && forms[i] == '1' ? 'h' : forms[i]);
        }
        inst.source_count = static_cast<std::uint8_t>(forms.size());
        if (accumulates) {
            Source& last = inst.sources[own];
            last.kind = isa::is_vector(inst.result) ? Source::Kind::kVector : Source::Kind::kScalar;
            last.form = forms[own];
            last.registers = registers_of(last.form);
            last.reg = inst.result;
            last.op_sel = last.form == 'h' && inst.result_high;
            last.op_sel_hi = last.form == 'p';
        }
        return true;
    }

    bool resolve_vector(Inst& inst, const isa::OpcodeName& name, const Operands& operands) {
        const Row& row = *inst.row;
        const std::size_t colon = row.shape.find(':');
        const std::string_view forms = row.shape.substr(colon + 1);
        inst.vector = true;
        inst.compute = row.compute;
        inst.clamp = operands.clamp;
        inst.output_modifier = operands.output_modifier;
        inst.dpp = operands.dpp;
        inst.result_select = operands.result_select;
        inst.result_unused = operands.result_unused;
        if (row.op_sel_field || row.byte_field != ByteField::kNone) {
            inst.clamp = false;
            inst.output_modifier = 0;
        }
        const auto byte = static_cast<isa::SdwaSelect>(operands.immediates.empty() ? 0 : operands.immediates[0] & 3);
        if (row.byte_field == ByteField::kResult) {
            inst.result_select = byte;
            inst.result_unused = isa::SdwaUnused::kPreserve;
        }
        inst.result_form = row.shape[0];
        inst.result_registers = registers_of(inst.result_form);
        std::size_t result = 0;
        if (inst.result_form != '-') {
            if (operands.results.empty() || operands.results[0].dwords == 0 ||
                !isa::is_vector(operands.results[0].first))
                return false;
            inst.result = operands.results[0].first;
            inst.result_high = inst.result_form == 'H' || operands.results[0].half == isa::Half::kHigh;
            if (inst.result_form == 'H') inst.result_form = 'h';
            // VOP3's op_sel of the destination travels in the modifiers of source 0.
            if (inst.result_form == 'h' && forms[0] != 'm' && !operands.sources.empty() &&
                operands.sources[0].op_sel_hi)
                inst.result_high = true;
            result = 1;
        }
        if (row.mask_out) {
            if (name.base.starts_with("V_CMPX"))
                inst.mask_out = isa::kExecLo;
            else if (operands.results.size() > result)
                inst.mask_out = operands.results[result].first;
            else if (operands.writes_vcc)
                inst.mask_out = isa::kVccLo;
            else
                return false;
        }
        if (!take_sources(inst, operands, forms)) return false;
        if (row.byte_field == ByteField::kSource) inst.sources[0].select = byte;
        if (row.plain_sources && std::any_of(inst.sources.begin(), inst.sources.end(), [](const Source& s) {
                return s.neg || s.abs_or_neg_hi || (s.op_sel && s.form != 'h');
            }))
            return false;
        if (row.mask_in) {
            const std::size_t at = forms.size();
            if (operands.sources.size() > at && operands.sources[at].is_register)
                inst.mask_in = operands.sources[at].reg.first;
            else if (operands.reads_vcc)
                inst.mask_in = isa::kVccLo;
            else
                return false;
        }
        if (row.variant != nullptr) {
            inst.compute = row.variant(inst.clamp, inst.sources[0].neg, inst.sources[1].neg);
            inst.clamp = false;
        }
        // To an integer, CLAMP chooses an exception alone.
        if (row.integer_result) inst.clamp = false;
        if (inst.clamp && !row.is_float) return false;
        if ((inst.clamp || inst.output_modifier != 0) && inst.result_form == '-') return false;
        if (inst.output_modifier != 0 && (!row.is_float || row.integer_result)) return false;
        // The denormal mode at the start is field 17:16 of COMPUTE_PGM_RSRC1.
        inst.flush = row.is_float && !row.keeps_subnormals && (mode_varies_ || flushes_at_start());
        inst.handler = is_plain(inst) ? handlers_.plain : handlers_.general;
        inst.cross_lane = inst.encoding == Encoding::kDpp16 || inst.encoding == Encoding::kDpp8;
        if (inst.cross_lane) {
            auto lanes = std::make_unique<std::array<std::int8_t, kLanes>>();
            for (std::uint32_t lane = 0; lane < kLanes; ++lane)
                (*lanes)[lane] = dpp_source_lane(inst.encoding, inst.dpp.control, lane);
            inst.source_lanes = lanes->data();
            program_->source_lanes.push_back(std::move(lanes));
        }
        return true;
    }

    bool flushes_at_start() const { return ((kernel_.descriptor.compute_pgm_rsrc1 >> 16) & 3u) == 0; }

    static bool is_plain(const Inst& inst) {
        if (inst.encoding != Encoding::kPlain && inst.encoding != Encoding::kVop3) return false;
        if (inst.clamp || inst.flush || inst.output_modifier != 0 || inst.result_form == 'h') return false;
        if (inst.result_select != isa::SdwaSelect::kDword) return false;
        for (std::size_t i = 0; i < inst.source_count; ++i) {
            const Source& s = inst.sources[i];
            if (s.form == 'm' || s.select != isa::SdwaSelect::kDword) return false;
            if (s.form == 'p') {
                if (s.op_sel || !s.op_sel_hi || s.neg || s.abs_or_neg_hi) return false;
            } else if (s.neg || s.abs_or_neg_hi || (s.form == 'h')) {
                return false;
            }
        }
        return true;
    }

    // WMMA: A, B, C; SWMMAC: A, B and the index register, C is the result. Immediates are index key (where there are
    // two sets), clamp (integers), and the modifiers once more.
    bool resolve_matrix(Inst& inst, const Operands& operands) {
        const MatrixForm& m = inst.row->matrix;
        const bool split = object_.chip->generation >= 12, integer = m.result == Element::kI32;
        const bool half = element_bits(m.result) == 16;
        const std::uint32_t elements = split ? m.k / 2u : m.k; // of a lane
        const std::uint32_t registers_b = elements * element_bits(m.b) / 32;
        const std::uint32_t registers_a = elements * element_bits(m.a) / (m.sparse ? 64 : 32);
        const std::uint8_t registers_d = split && half ? 4 : 8;
        if (operands.results.size() != 1 || operands.results[0].dwords != registers_d || operands.sources.size() != 3)
            return false;
        inst.result = operands.results[0].first;
        inst.result_registers = registers_d;
        inst.source_count = m.sparse ? 4 : 3;
        const std::size_t places[] = {0, 1, m.sparse ? 3u : 2u};
        const std::uint32_t registers[] = {registers_a, registers_b, m.sparse ? 1u : registers_d};
        for (std::size_t i = 0; i < 3; ++i) {
            SourceOperand s = operands.sources[i];
            if (s.is_register && (s.reg.dwords != registers[i] || !isa::is_vector(s.reg.first))) return false;
            if (!s.is_register && (places[i] != 2 || !constant_of_matrix(s, m.result))) return false;
            Source& source = inst.sources[places[i]];
            source = source_of(s, '1');
            source.registers = static_cast<std::uint8_t>(registers[i]);
        }
        Source& c = inst.sources[2];
        if (m.sparse) {
            c.kind = Source::Kind::kVector;
            c.reg = inst.result;
            c.registers = registers_d;
        }
        // On gfx11 a 16-bit result is one half of its registers.
        if (half && !split) {
            c.form = inst.result_form = 'h';
            inst.result_high = c.op_sel;
        }
        const Source &a = inst.sources[0], &b = inst.sources[1];
        if (integer && (a.abs_or_neg_hi || b.abs_or_neg_hi || c.neg || c.abs_or_neg_hi)) return false;
        // Sources differ about which elements NEG means where B is picked from.
        if (m.sparse && !integer && b.neg != b.abs_or_neg_hi) return false;
        const bool keyed = m.sparse && m.k == 32;
        const std::size_t clamp_at = keyed ? 1 : 0;
        inst.immediate = keyed && !operands.immediates.empty() ? static_cast<std::int32_t>(operands.immediates[0]) : 0;
        inst.clamp = integer && operands.immediates.size() > clamp_at && operands.immediates[clamp_at] != 0;
        inst.handler = inst.row->handler;
        inst.vector = true;
        inst.cross_lane = true;
        return true;
    }

    // MC gives inline constants of a matrix C as 64-bit floats on gfx11. What one in a 16-bit matrix means is not
    // stated, but for 0.
    static bool constant_of_matrix(SourceOperand& s, Element result) {
        if (s.constant == 0) return true;
        if (element_bits(result) != 32) return false;
        const bool is_integer = s.constant >= -16 && s.constant <= 64;
        if (!is_integer && (static_cast<std::uint64_t>(s.constant) >> 32) != 0)
            s.constant = nearest<F32>(std::bit_cast<double>(s.constant));
        return true;
    }

    bool resolve_scalar(Inst& inst, const isa::OpcodeName&, Operands operands) {
        const Row& row = *inst.row;
        // What moves lanes or parts of registers on the way is not modelled here.
        if (inst.encoding != Encoding::kPlain && inst.encoding != Encoding::kVop3) return false;
        const std::size_t colon = row.shape.find(':');
        const std::string_view forms = row.shape.substr(colon + 1);
        inst.handler = row.handler;
        inst.result_form = row.shape[0];
        inst.result_registers = registers_of(inst.result_form);
        inst.cross_lane = row.unit == Unit::kControl;
        // MC counts a result that M0 moves among the sources.
        if (row.relative_result && operands.results.empty() && !operands.sources.empty()) {
            operands.results.push_back(operands.sources.front().reg);
            operands.sources.erase(operands.sources.begin());
        }
        if (inst.result_form != '-') {
            if (operands.results.empty() || operands.results[0].dwords == 0) return false;
            inst.result = operands.results[0].first;
            inst.result_high = operands.results[0].half == isa::Half::kHigh;
        }
        // Modifiers of scalar floats' results are not modelled.
        if (row.is_float && (operands.clamp || operands.output_modifier != 0)) return false;
        // A half always leaves something undefined, which only the checked path notes.
        inst.check_always = inst.result_form == 'h';
        // SOPK holds its constant as an immediate.
        if (operands.sources.size() < forms.size() && !operands.immediates.empty() && row.unit == Unit::kScalar) {
            SourceOperand constant;
            constant.constant = static_cast<std::int16_t>(operands.immediates[0]);
            operands.sources.push_back(constant);
        }
        // Which registers a relative move reads and writes is known only when it runs.
        if (row.relative) return resolve_relative(inst, operands);
        // The two registers of a swap are results both.
        if (operands.sources.size() < forms.size() && operands.results.size() > 1) {
            SourceOperand other;
            other.is_register = true;
            other.reg = operands.results[1];
            operands.sources.push_back(other);
        }
        if (!take_sources(inst, operands, forms)) return false;
        // Which registers those are M0 tells, when it runs.
        if (row.relative_result) inst.result_registers = 0;
        if (row.relative_source) inst.sources[0].registers = 0;
        if (row.relative_result || row.relative_source) {
            inst.memory.offset_register = isa::kM0;
            inst.memory.offset_dwords = 1;
        }
        return true;
    }

    // MC counts the destination of S_MOVRELD among the sources.
    bool resolve_relative(Inst& inst, const Operands& operands) {
        const bool named = inst.result_form == '-';
        if (operands.sources.size() != (named ? 2u : 1u)) return false;
        const SourceOperand& source = operands.sources.back();
        if (named && !operands.sources[0].is_register) return false;
        inst.memory.data = named ? operands.sources[0].reg.first : inst.result;
        inst.memory.base = source.is_register ? source.reg.first : isa::kNull;
        inst.memory.offset_register = isa::kM0;
        inst.memory.offset_dwords = 1;
        inst.result = isa::kNull;
        if (!source.is_register) inst.sources[0] = source_of(source, inst.row->shape.back());
        return source.is_register || named;
    }

    bool resolve_scalar_memory(Inst& inst, const isa::OpcodeName& name, const Operands& operands) {
        MemoryOperands& m = inst.memory;
        if (operands.results.empty() || operands.results[0].dwords == 0) return false;
        // An address, or a buffer resource.
        if (operands.sources.empty()) return false;
        const std::uint8_t base_dwords = operands.sources[0].reg.dwords;
        if (base_dwords != 2 && base_dwords != 4) return false;
        m.data = operands.results[0].first;
        m.data_dwords = static_cast<std::uint8_t>((inst.row->bytes + 3) / 4);
        m.base = operands.sources[0].reg.first;
        m.base_dwords = base_dwords;
        const bool has_register =
            name.addressing == isa::Addressing::kSgpr || name.addressing == isa::Addressing::kSgprImm;
        const bool has_immediate =
            name.addressing == isa::Addressing::kImm || name.addressing == isa::Addressing::kSgprImm;
        if (has_register) {
            if (operands.sources.size() < 2) return false;
            m.offset_register = operands.sources[1].reg.first;
            m.offset_dwords = m.offset_register == isa::kNull ? 0 : 1;
        }
        if (has_immediate) {
            if (operands.immediates.empty()) return false;
            m.offset = signed_field(operands.immediates[0], object_.chip->smem_offset_bits);
        }
        inst.handler = inst.row->handler;
        return true;
    }

    // GLOBAL and SCRATCH: vaddr, data and saddr, of which each form has some; MC orders them differently for loads and
    // stores, but the scalar register is always the base, and of two vector ones the first is the address.
    bool resolve_flat(Inst& inst, const isa::OpcodeName& name, const Operands& operands) {
        MemoryOperands& m = inst.memory;
        const Row& row = *inst.row;
        std::vector<isa::RegisterRef> vectors, scalars;
        for (const SourceOperand& s : operands.sources) {
            if (!s.is_register || s.reg.dwords == 0) return false;
            (isa::is_vector(s.reg.first) ? vectors : scalars).push_back(s.reg);
        }
        const bool scratch = row.unit == Unit::kScratch;
        const bool has_address = !row.adds_lane && (!scratch || name.addressing == isa::Addressing::kDefault ||
                                                    name.addressing == isa::Addressing::kSvs);
        const bool has_base = name.addressing == isa::Addressing::kSaddr || name.addressing == isa::Addressing::kSvs;
        if (row.block) {
            m.offset_register = isa::kM0;
            m.offset_dwords = 1;
        }
        if (row.to_lds) read_lds_base(m);
        const bool takes_data = row.store || row.atomic != nullptr;
        const bool returns = row.atomic != nullptr ? name.returns : !row.store && !row.to_lds;
        if (vectors.size() != std::size_t{has_address} + std::size_t{takes_data} ||
            scalars.size() != std::size_t{has_base})
            return false;
        if (operands.immediates.empty() || returns == operands.results.empty()) return false;
        if (has_address) {
            m.address = vectors[0].first;
            m.address_dwords = vectors[0].dwords;
            if (m.address_dwords > 2) return false;
        }
        if (row.atomic != nullptr && !take_atomic_data(inst, vectors.back())) return false;
        if (row.store || returns) take_data(inst, row.store ? vectors.back() : operands.results[0]);
        if (has_base) {
            m.base = scalars[0].first;
            m.base_dwords = scratch ? 1 : 2;
        }
        if (operands.immediates.size() > 1 && row.atomic == nullptr)
            m.device_scope = at_device_scope(*object_.chip, row, operands.immediates[1]);
        // Before gfx12 flat offsets have no sign; the field's top bit is ignored.
        const std::uint32_t bits = object_.chip->flat_offset_bits;
        if (row.unit == Unit::kFlat && object_.chip->generation < 12)
            m.offset = operands.immediates[0] & ((std::int64_t{1} << (bits - 1)) - 1);
        else
            m.offset = signed_field(operands.immediates[0], bits);
        inst.handler = row.handler;
        inst.vector = true;
        return true;
    }

    static void read_lds_base(MemoryOperands& m) {
        m.operand = isa::kM0;
        m.operand_dwords = 1;
    }

    // Compare-and-swap has both of its operands in one run of registers: what is stored, then what is compared with.
    static bool take_atomic_data(Inst& inst, const isa::RegisterRef& ref) {
        MemoryOperands& m = inst.memory;
        const auto dwords = static_cast<std::uint8_t>(inst.row->bytes / 4);
        if (ref.dwords != dwords && ref.dwords != 2 * dwords) return false;
        m.operand = ref.first;
        m.operand_dwords = dwords;
        if (ref.dwords == dwords) return true;
        m.second_data = static_cast<Register>(ref.first + dwords);
        m.second_dwords = dwords;
        return true;
    }

    void take_data(Inst& inst, const isa::RegisterRef& ref) {
        inst.memory.data = ref.first;
        inst.memory.data_dwords = static_cast<std::uint8_t>((inst.row->bytes + 3) / 4);
        inst.memory.data_half = ref.half;
        // Of a block, only those that M0 names are read.
        inst.memory.stores = inst.row->store && !inst.row->block;
    }

    // MUBUF: [vaddr] srsrc soffset offset; what is stored or combined comes first. vaddr is the index, the offset, or
    // both. An atomic's result takes the registers of what is combined. MTBUF has its format behind the offset; the
    // cache policy comes next.
    bool resolve_buffer(Inst& inst, const isa::OpcodeName& name, const Operands& operands) {
        MemoryOperands& m = inst.memory;
        std::size_t next = 0;
        const auto& sources = operands.sources;
        if (inst.row->store) {
            if (sources.empty() || !sources[0].is_register) return false;
            take_data(inst, sources[next++].reg);
        } else if (inst.row->atomic != nullptr && !name.returns) {
            if (sources.empty() || !sources[0].is_register || !take_atomic_data(inst, sources[next++].reg))
                return false;
        } else if (inst.row->to_lds) {
            read_lds_base(m);
        } else {
            if (operands.results.empty()) return false;
            if (inst.row->atomic != nullptr && !take_atomic_data(inst, operands.results[0])) return false;
            take_data(inst, operands.results[0]);
        }
        m.indexed = name.addressing == isa::Addressing::kIdxen || name.addressing == isa::Addressing::kBothen;
        const bool offset = name.addressing == isa::Addressing::kOffen || name.addressing == isa::Addressing::kBothen;
        if (!m.indexed && !offset && name.addressing != isa::Addressing::kOffset) return false;
        if (m.indexed || offset) {
            if (next >= sources.size() || !sources[next].is_register) return false;
            m.address = sources[next++].reg.first;
            m.address_dwords = m.indexed && offset ? 2 : 1;
        }
        if (next >= sources.size() || sources[next].reg.dwords != 4) return false;
        m.base = sources[next++].reg.first;
        m.base_dwords = 4;
        if (next >= sources.size()) return false;
        if (sources[next].is_register) {
            m.offset_register = sources[next].reg.first;
            m.offset_dwords = m.offset_register == isa::kNull ? 0 : 1;
        } else {
            m.second_offset = sources[next].constant & 0xffffffff;
        }
        if (operands.immediates.empty()) return false;
        m.offset = operands.immediates[0];
        if (inst.row->typed) {
            if (operands.immediates.size() < 2) return false;
            m.format = static_cast<std::uint8_t>(operands.immediates[1]);
        }
        const std::size_t policy = inst.row->typed ? 2 : 1;
        if (operands.immediates.size() > policy && inst.row->atomic == nullptr)
            m.device_scope = at_device_scope(*object_.chip, *inst.row, operands.immediates[policy]);
        inst.handler = inst.row->handler;
        inst.vector = true;
        return true;
    }

    // DS: [addr] [data0 [data1]] offset [offset1] [gds]; what returns has its result first.
    bool resolve_lds(Inst& inst, const Operands& operands) {
        MemoryOperands& m = inst.memory;
        const Row& row = *inst.row;
        const LdsForm form = row.lds_form;
        for (const SourceOperand& s : operands.sources)
            if (!s.is_register || s.reg.dwords == 0) return false;
        const bool pair = form == LdsForm::kLoad2 || form == LdsForm::kStore2 || form == LdsForm::kExchange2;
        const std::size_t offsets = pair ? 2 : 1;
        if (operands.immediates.size() < offsets) return false;
        m.offset = operands.immediates[0];
        if (pair) m.second_offset = operands.immediates[1];
        // Global data share is no LDS.
        if (operands.immediates.size() > offsets && operands.immediates[offsets] != 0) return false;
        const bool returns = form != LdsForm::kAtomic && !row.store;
        const bool combines = form == LdsForm::kAtomic || form == LdsForm::kAtomicReturn ||
                              form == LdsForm::kExchange2 || form == LdsForm::kPermute;
        const bool halves = form == LdsForm::kStore2 || form == LdsForm::kExchange2;
        const auto dwords = static_cast<std::uint8_t>((row.bytes / (halves ? 2 : 1) + 3) / 4);
        inst.cross_lane = form == LdsForm::kPermute;
        if (returns) {
            if (operands.results.empty()) return false;
            m.data = operands.results[0].first;
            m.data_dwords = static_cast<std::uint8_t>((row.bytes + 3) / 4);
        }
        std::size_t next = 0;
        if (form == LdsForm::kAppend || form == LdsForm::kStoreAddTid) {
            m.offset_register = isa::kM0;
            m.offset_dwords = 1;
        } else {
            if (operands.sources.empty()) return false;
            m.address = operands.sources[next++].reg.first;
            m.address_dwords = 1;
        }
        if (row.store || combines) {
            if (operands.sources.size() <= next) return false;
            const isa::RegisterRef& data = operands.sources[next++].reg;
            (row.store ? m.data : m.operand) = data.first;
            (row.store ? m.data_dwords : m.operand_dwords) = dwords;
            m.data_half = row.store ? data.half : isa::Half::kWhole;
            m.stores = row.store;
        }
        if (operands.sources.size() > next) {
            m.second_data = operands.sources[next].reg.first;
            m.second_dwords = dwords;
        } else if (halves) {
            return false;
        }
        inst.handler = row.handler;
        inst.vector = true;
        return true;
    }

    // V_DUAL_x_X_y: both halves read before either writes. The operands come as x's and then y's.
    void lift_dual(const isa::OpcodeName& name, const Operands& operands, std::int32_t offset,
                   const std::string& text) {
        const std::string_view both = std::string_view(name.base).substr(std::string_view("V_DUAL_").size());
        const std::size_t cut = both.find("_X_");
        const Row* const x = find_row("V_" + std::string(both.substr(0, cut)));
        const Row* const y = find_row("V_" + std::string(both.substr(cut == std::string_view::npos ? 0 : cut + 3)));
        Inst first, second;
        first.handler = unsupported;
        first.offset = second.offset = offset;
        if (x != nullptr && y != nullptr && x->compute != nullptr && y->compute != nullptr &&
            operands.results.size() == 2) {
            const std::size_t own = x->shape.size() - 2 - (x->accumulates ? 1 : 0);
            Operands half_x = operands, half_y = operands;
            if (operands.sources.size() >= own) {
                half_x.results = {operands.results[0]};
                half_y.results = {operands.results[1]};
                half_x.sources.assign(operands.sources.begin(),
                                      operands.sources.begin() + static_cast<std::ptrdiff_t>(own));
                half_y.sources.assign(operands.sources.begin() + static_cast<std::ptrdiff_t>(own),
                                      operands.sources.end());
                drop_accumulator(half_x, *x);
                drop_accumulator(half_y, *y);
                const isa::OpcodeName plain{std::string(), Encoding::kPlain, false, isa::Addressing::kDefault, false};
                first = resolve(x, plain, half_x);
                second = resolve(y, plain, half_y);
                first.offset = second.offset = offset;
            }
        }
        // The dual handler takes operands as they are; a half that needs more runs on its own, if the halves do not
        // meet.
        const bool known = first.row != nullptr && second.row != nullptr && second.handler != unsupported;
        if (!known || (first.handler != handlers_.plain && reads_result_of(second, first))) {
            append_unknown(offset, text);
            return;
        }
        if (first.handler != handlers_.plain) {
            push(first, text);
            push(second, text);
            return;
        }
        first.handler = handlers_.dual;
        first.parts = 2;
        fill_touch(second);
        fill_touch(first);
        add_touch(first, {second.touch.begin(), second.touch.begin() + second.touch_count});
        first.check_always |= second.check_always;
        program_->insts.push_back(first);
        program_->texts.push_back(text);
        program_->insts.push_back(second);
        program_->texts.push_back(text);
    }

    static bool reads_result_of(const Inst& reader, const Inst& writer) {
        bool meets = false;
        for_each_read(reader, [&](Register r, isa::Half) { meets |= r == writer.result; });
        return meets;
    }

    // The accumulator of a dual half is its result, whatever register MC names for it.
    static void drop_accumulator(Operands& half, const Row& row) {
        const std::size_t own = row.shape.size() - 2 - (row.accumulates ? 1 : 0);
        if (half.sources.size() > own) half.sources.resize(own);
    }

    void connect_branches() {
        for (const auto& [index, target] : pending_branches_) {
            const auto found = index_of_.find(target);
            Inst& inst = program_->insts[index];
            if (found == index_of_.end())
                inst.handler = unsupported;
            else
                inst.target = found->second;
        }
    }

    const CodeObject& object_;
    const Kernel& kernel_;
    isa::Disassembler& disassembler_;
    const VectorHandlers handlers_ = vector_handlers();
    std::unique_ptr<Program> program_;
    const bool wave64_ = kernel_.resources.wave == 64;
    bool changes_mode_ = false, mode_varies_ = false;
    std::unordered_map<std::int64_t, std::uint32_t> index_of_; // byte offset to instruction
    bool leaves_kernel_ = false;
    std::vector<std::pair<std::uint32_t, std::int64_t>> pending_branches_;
    std::unordered_map<std::uint64_t, const std::uint32_t*> constants_;
};

} // namespace

Result<std::unique_ptr<Program>> lift(const CodeObject& object, const Kernel& kernel, isa::Disassembler& disassembler) {
    return Lifter(object, kernel, disassembler).run();
}

} // namespace pm::emu
