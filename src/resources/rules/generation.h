// The generation of kinds that count more changes than those that mean something: an empty list, map or string of bytes
// where there was none is one too. For StrategyTable::prepare_for_update. Pure; any thread.
#pragma once

#include <string_view>

#include "registry/resource.h"

namespace resources {

// Adds 1 to the generation of `old` where `member` is empty, or has something empty in it, in one of both alone.
void CountChanges(const registry::WriteContext& context, const value::Value& object, const value::Value& old,
                  std::string_view member);

// The same as a hook.
template <const std::string_view& kMember>
void CountChangesOf(registry::WriteContext& context, value::Value object, const value::Value& old) {
  CountChanges(context, object, old, kMember);
}

}  // namespace resources
