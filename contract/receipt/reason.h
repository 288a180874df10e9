// Whether a reason for a contract change says anything at all.
#pragma once

#include <string>
#include <string_view>

namespace hkc::receipt {

/// Why `reason` says nothing: it is blank, of one word, or a placeholder (TODO, n/a, ..). Empty where it may be a
/// reason; whether it is a good one a reader must judge.
std::string why_no_reason(std::string_view reason);

} // namespace hkc::receipt
