#include "value/identical.h"

#include <algorithm>

namespace value {
namespace {

bool SameText(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.data() == b.data() || a == b);
}

}  // namespace

bool Identical(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case Kind::kNull:
      return true;
    case Kind::kBool:
      return a.AsBool() == b.AsBool();
    case Kind::kInt:
      return a.AsInt() == b.AsInt();
    case Kind::kDouble:
      return SameText(a.literal(), b.literal());
    case Kind::kString:
    case Kind::kBytes:
      return SameText(a.AsString(), b.AsString());
    case Kind::kArray:
      return a.SameAs(b) || (SameText(a.source(), b.source()) && std::ranges::equal(a.items(), b.items(), Identical));
    case Kind::kObject:
      return a.SameAs(b) || (SameText(a.source(), b.source()) &&
                             std::ranges::equal(a.members(), b.members(), [](const Member& left, const Member& right) {
                               return SameText(left.key, right.key) && Identical(left.value, right.value);
                             }));
  }
  return false;
}

}  // namespace value
