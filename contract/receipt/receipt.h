// A receipt: what gates, controls and audit said of a head and of its base, and what the contracts between them lost.
// receipt.json holds it whole, receipt.md is written from it. docs/receipts.md has the schema, and what each line
// proves.
#pragma once

#include "contract/limits/audit.h"
#include "contract/receipt/changes.h"
#include "contract/runner/base.h"
#include "contract/runner/outcome_json.h"
#include "peacemaker/support/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hkc::receipt {

/// The version of receipt.json. It changes whenever receipts of before cannot be read any more.
inline constexpr int kSchema = 4;

/// What one revision gave. Texts name no folder of the machine.
struct Side {
    std::string commit;
    std::optional<ReadReport> run;              // gates and controls; nothing where nothing is registered
    std::optional<limits::AuditReport> audited; // gate 5 with every toolchain
    std::string not_run;                        // why there is neither; empty where there is
};

struct Receipt {
    Side head, base;
    std::vector<std::string> dirty; // Checkout::dirty of the head
    std::vector<Change> changes;
    std::vector<Reason> reasons; // as the author gave them; those of `changes` are made of them
    // Made of the above, by assemble().
    std::vector<std::string> added, gone, identical; // problems
    int exit_status = 1;
};

/// Makes what is made of the rest: the problems of both sides, and the exit status.
void assemble(Receipt& receipt, const Registry& head, const Registry* base);

/// Why the receipt's exit status is 1, a line each; none where it is 0.
std::vector<std::string> shortcomings(const Receipt& receipt);

/// One side as an element of receipt.json, and back. Error: what it is instead.
std::string side_to_json(const Side& side);
pm::Result<Side> read_side(std::string_view text);

/// receipt.json; its last field is the SHA-256 of the text without it.
std::string to_json(const Receipt& receipt);
/// What to_json() wrote, byte for byte. Error: what it is instead.
pm::Result<Receipt> read_json(std::string_view text);
/// The SHA-256 that the text of a receipt ends with.
std::string seal_of(std::string_view json_text);

} // namespace hkc::receipt
