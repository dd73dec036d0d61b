#include "resources/go/sent_amounts.h"

#include <map>
#include <string_view>

#include "schema/decode.h"
#include "value/json_reader.h"

namespace resources::go {
namespace {

using value::Arena;
using value::Member;
using value::Value;

class Amounts {
 public:
  explicit Amounts(Arena& arena) : arena_(arena) {}

  void Gather(const Value& v) {
    for (const Value& item : v.items()) Gather(item);
    for (const Member& member : v.members()) Gather(member.value);
    if (!v.is_object() || v.source().empty()) return;
    if (const auto sent = value::ReadJson(v.source(), arena_)) Compare(v, *sent);
  }

  bool empty() const { return sent_.empty(); }

  Value Restored(const Value& v) const {
    if (v.is_string()) {
      const auto found = sent_.find(v.AsString().data());
      return found == sent_.end() ? v : Value::String(found->second);
    }
    if (!v.is_array() && !v.is_object()) return v;
    const Value out = v.is_array() ? Value::Array(arena_, v.size()) : Value::Object(arena_, v.size());
    for (const Value& item : v.items()) out.Append(arena_, Restored(item));
    for (const Member& member : v.members()) out.Add(arena_, member.key, Restored(member.value));
    return out;
  }

 private:
  // Which members of `object` are amounts that `sent` writes otherwise.
  void Compare(const Value& object, const Value& sent) {
    const value::MemberIndex written(sent);
    for (const Member& member : object.members()) {
      if (!member.value.is_string()) continue;
      const std::string_view text = schema::AmountAsSent(arena_, member, written);
      if (text != member.value.AsString()) sent_.emplace(member.value.AsString().data(), text);
    }
  }

  Arena& arena_;
  std::map<const char*, std::string_view> sent_;  // by the place of the canonical text
};

}  // namespace

Value AmountsAsSent(const Value& object, Arena& arena) {
  Amounts amounts(arena);
  amounts.Gather(object);
  return amounts.empty() ? object : amounts.Restored(object);
}

}  // namespace resources::go
