// Kernels by the names that people know them by: `sum`, where the symbol is `_Z3sumPKfPfi`.
#pragma once

#include "peacemaker/object/code_object.h"
#include "peacemaker/support/result.h"

#include <string>
#include <string_view>

namespace pm {

/// The kernel whose symbol is `name`; without one, the only kernel whose function is called so: `sum`,
/// `kernels::sum` or `sum(float const*, float*, int)`. Error: none or several; it lists the kernels, at most eight.
Result<const Kernel*> named_kernel(const CodeObject& object, std::string_view name);

} // namespace pm
