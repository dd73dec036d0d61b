// Many look-ups in one object: through a table where it has many members, so that all together cost about its size. As
// Value::Find, of equal keys it gives the first. Borrows the object, which must not change meanwhile; one thread.
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "value/value.h"

namespace value {

class MemberIndex {
 public:
  explicit MemberIndex(const Value& object) : object_(object) {
    if (object.size() <= kFew) return;
    table_.reserve(object.size());
    for (Member& member : object.members()) table_.try_emplace(member.key, &member.value);
  }

  Value* Find(std::string_view key) const {
    if (table_.empty()) return object_.Find(key);
    const auto found = table_.find(key);
    return found == table_.end() ? nullptr : found->second;
  }

 private:
  static constexpr size_t kFew = 16;  // are looked through one by one

  Value object_;
  absl::flat_hash_map<std::string_view, Value*> table_;
};

}  // namespace value
