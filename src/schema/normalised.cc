#include "schema/normalised.h"

#include <cmath>

#include "schema/members.h"

namespace schema {

using value::Kind;
using value::Member;
using value::Value;

Value Normalised(value::Arena& arena, const Value& v, std::string_view* too_large) {
  switch (v.kind()) {
    case Kind::kDouble:
      if (std::isfinite(v.AsDouble())) return Value::Double(arena, v.AsDouble());
      if (too_large != nullptr && too_large->empty()) *too_large = v.literal();
      return v;
    case Kind::kArray: {
      Value out = Value::Array(arena, v.size());
      for (const Value& item : v.items()) out.Append(arena, Normalised(arena, item, too_large));
      return out;
    }
    case Kind::kObject: {
      Value out = Value::Object(arena, v.size());
      for (const Member& member : v.members()) out.Add(arena, member.key, Normalised(arena, member.value, too_large));
      out.Truncate(static_cast<uint32_t>(SortKeepingLast(out.members())));
      return out;
    }
    default:
      return v;
  }
}

}  // namespace schema
