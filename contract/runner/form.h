// The form of a run's report: hashes, counts that must add up, words. What holds whatever ran.
#pragma once

#include "contract/runner/outcome_json.h"

#include <string>
#include <string_view>
#include <vector>

namespace hkc {

/// 40 or 64 lower-case hex digits, as git writes a commit in full; 64 of a SHA-256.
bool is_commit_hash(std::string_view text);
bool is_sha256(std::string_view text);

/// What in a run cannot be so: an object's hash that is none, a status without what makes it, a kind of finding that no
/// gate has, a control's gates that are not the first ones, launches and instructions that do not add up; registrations
/// of one family on one chip that name several objects, one declaration with several hashes. A line each.
std::vector<std::string> form_faults(const ReadReport& run);

} // namespace hkc
