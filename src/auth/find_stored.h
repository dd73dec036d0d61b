// Reads single objects of the store for those who decide about others by them. Any thread.
#pragma once

#include <string_view>

#include "registry/resource.h"
#include "store/store.h"

namespace auth {

// The object at `key` ("name", or "namespace/name") as it is stored now, in the form of `resource`, copied into
// `arena`; a null Value where there is none that can be read, or `resource` is null.
value::Value FindStored(store::Store& store, const registry::Resource* resource, std::string_view key,
                        value::Arena& arena);

}  // namespace auth
