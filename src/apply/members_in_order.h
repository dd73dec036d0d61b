// Members of an object looked up in the order they stand in: a step for each, as long as both sides keep the schema's
// order. Borrows the object.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "value/value.h"

namespace apply {

class MembersInOrder {
 public:
  explicit MembersInOrder(const value::Value& object) : members_(object.members()) {}

  const value::Value* Find(std::string_view name) {
    for (size_t i = 0; i < members_.size(); ++i) {
      size_t at = next_ + i < members_.size() ? next_ + i : next_ + i - members_.size();
      const std::string_view key = members_[at].key;
      if (key.size() != name.size()) continue;
      if (key.data() != name.data() && (name.empty() || key.front() != name.front() || key != name)) continue;
      next_ = at + 1 == members_.size() ? 0 : at + 1;
      return &members_[at].value;
    }
    return nullptr;
  }

 private:
  std::span<value::Member> members_;
  size_t next_ = 0;
};

}  // namespace apply
