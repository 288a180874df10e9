// A registration or control as one value: everything that its declaration says, expanded, and nothing of where it
// stands. Reports carry the hash of it; receipts compare two of them field by field.
#pragma once

#include "contract/registry/registry.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace hkc {

/// Fields are named as in the registry (docs/registry.md). Expressions stand as their text.
nlohmann::ordered_json declaration_of(const Kernel& kernel);
nlohmann::ordered_json declaration_of(const Control& control);

/// The SHA-256 of a declaration.
std::string declaration_hash(const nlohmann::ordered_json& declaration);

} // namespace hkc
