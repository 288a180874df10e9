// Gate 5: what a compiled kernel costs, against its record and against the chip. The offline audit and the live gate
// both call compare().
#pragma once

#include "contract/records/records.h"
#include "contract/report/outcome.h"
#include "contract/toolchain/fingerprint.h"
#include "peacemaker/chip/chip.h"
#include "peacemaker/object/code_object.h"

#include <string>
#include <string_view>
#include <vector>

namespace hkc::limits {

/// The records that a comparison is made with: those of a family for a toolchain.
struct RecordsOf {
    std::string_view toolchain, family;
    const records::RecordFile* file = nullptr; // null: there are none
};

/// Compares `compiled` with the record of `symbol` (the compiled kernel's own name, unless a control stands in for
/// another) and with the chip's limits.
///
/// The records may not be there, `fingerprint` may be null (a prebuilt object): both make the comparison with the
/// record unchecked, with a reason that says how to record. So do records of another fingerprint;
/// that is never a problem. The limits of the chip are judged either way. Known findings are not applied here. Each
/// finding's text is a line without its `limit problem: ` head: `gfx1151 NAME vgpr: record 40, compiled 44`.
GateResult compare(const pm::Kernel& compiled, std::string_view symbol, const pm::Chip& chip, const RecordsOf& records,
                   const Fingerprint* fingerprint);

/// `vgpr: record 40, compiled 44` for each field of a record in which `compiled` differs.
std::vector<std::string> differing_fields(const pm::Resources& record, const pm::Resources& compiled);

} // namespace hkc::limits
