// DefaultStorageClass: a claim that asks for no class of storage is given the one that is marked as default. Any
// thread.
#pragma once

#include <string_view>

#include "value/value.h"

namespace admission {

// Whether a claim says of which class it is, in the field or in the annotation before it; "" is said, too.
bool AsksForClass(const value::Value& claim);

// Whether an object was made after `best`, or with it and has the name that comes first.
bool IsNewer(const value::Value& object, const value::Value& best);

// Whether a StorageClass is a default and comes before `best` (null: none yet): the newest counts, then the first name.
bool IsBetterDefault(const value::Value& storage_class, const value::Value& best);

// Makes the claim one of class `name`; "" leaves it as it is.
void SetClass(const value::Value& claim, std::string_view name, value::Arena& arena);

}  // namespace admission
