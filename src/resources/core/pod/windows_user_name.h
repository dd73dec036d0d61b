// The name of a user of Windows, as `runAsUserName` has it: USER or DOMAIN\USER. Pure; any thread.
#pragma once

#include <string_view>

#include "resources/rules/errors.h"

namespace resources::core {

void CheckWindowsUserName(Errors& errors, const FieldPath& path, std::string_view name);

}  // namespace resources::core
