// Whether a reason for a contract change says anything at all.
#pragma once

#include <string>
#include <string_view>

namespace hkc::receipt {

/// Whether `text`, which is one line, has characters that a reader cannot see, or that turn what stands beside them:
/// controls but tabs, blanks of no width, directions of writing. Joiners are part of some scripts.
bool hides_text(std::string_view text);

/// Why `reason` says nothing: it is blank, of one word, a placeholder (TODO, n/a, ..), or hides text. Empty where it
/// may be a reason; whether it is a good one a reader must judge.
std::string why_no_reason(std::string_view reason);

} // namespace hkc::receipt
