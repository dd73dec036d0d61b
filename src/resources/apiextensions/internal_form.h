// The form in which the real server looks at a definition's spec, where errors stand in another place than the client
// wrote: what all versions say alike stands above them, and a conversion webhook's parts stand in the conversion.
// Called by the definition's rules. Pure; any thread.
#pragma once

#include "registry/resource.h"

namespace resources::apiextensions {

// Of a canonical spec; shares its parts, which are not changed.
value::Value InternalSpec(registry::Arena& arena, const value::Value& spec);

}  // namespace resources::apiextensions
