// What classes of storage and of volume attributes have in common: a driver and parameters for it. Pure; any thread.
#pragma once

#include <string_view>

#include "resources/rules/rules.h"

namespace resources::storage {

// The driver of a class: a qualified name, which the real server looks at in lower case.
void CheckDriver(Errors& errors, const FieldPath& path, std::string_view driver);

// At most 512 parameters of at most 256 KiB in all, none without name.
void CheckParameters(Errors& errors, const FieldPath& path, const Value& parameters);

// Over a whole class on update: its parameters stay. None and an empty map are two things here.
void CheckParametersKept(Scope& storage_class);

}  // namespace resources::storage
