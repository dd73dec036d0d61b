// Lists without some of their items, and objects without some of their members: in place and in linear time.
#pragma once

#include <cstdint>

#include "value/value.h"

namespace value {

// Keeps the items of `list` that `keep` says, in their order.
template <class Keep>
void KeepItems(const Value& list, Keep keep) {
  uint32_t kept = 0;
  for (const Value& item : list.items()) {
    if (keep(item)) list.items()[kept++] = item;
  }
  if (list.is_array()) list.Truncate(kept);
}

// The same of an object's members.
template <class Keep>
void KeepMembers(const Value& object, Keep keep) {
  uint32_t kept = 0;
  for (const Member& member : object.members()) {
    if (keep(member)) object.members()[kept++] = member;
  }
  if (object.is_object()) object.Truncate(kept);
}

}  // namespace value
