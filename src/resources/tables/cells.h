// Cells: the row of one object while a printer fills it, and the texts that many printers share: ages, counts of
// containers, selectors. Used by the tables beside this file; lives on the stack of one row; texts are in the row's
// arena.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "api/duration.h"
#include "value/value.h"

namespace resources {

using value::Arena;
using value::Value;

class Cells {
 public:
  // `now` is RFC 3339: what ages are counted to.
  Cells(Arena& arena, std::string_view now) : arena_(arena), now_(now), row_(Value::Array(arena, 10)) {}

  void Text(std::string_view text) { row_.Append(arena_, Value::Copy(arena_, text)); }
  // The text, or `absent` where it is empty.
  void Text(std::string_view text, std::string_view absent) { Text(text.empty() ? absent : text); }
  void Number(int64_t number) { row_.Append(arena_, Value::Int(number)); }
  void Bool(bool b) { row_.Append(arena_, Value::Bool(b)); }
  void Name(const Value& object) { Text(object.Get("metadata").GetString("name")); }
  void Age(const Value& object) { Text(Since(object.Get("metadata").GetString("creationTimestamp"))); }

  // "5m3s" from `time` to now; "<unknown>" for none.
  std::string Since(std::string_view time) const;

  Value Take() const { return row_; }

 private:
  Arena& arena_;
  std::string_view now_;
  Value row_;
};

using api::HumanDuration;
// Seconds since 1970 of an RFC 3339 time in UTC; fractions are dropped.
int64_t UnixSeconds(std::string_view time);

int64_t Count(const Value& object, std::initializer_list<std::string_view> path, int64_t absent = 0);
bool Flag(const Value& object, std::initializer_list<std::string_view> path, bool absent = false);
std::string_view TextAt(const Value& object, std::initializer_list<std::string_view> path);

// "a,b" of one member of each item.
std::string JoinMembers(const Value& items, std::string_view member);
std::string JoinTexts(const Value& texts, std::string_view separator);
// "k=v,l=w", keys sorted; "<none>" for no labels.
std::string FormatLabels(const Value& labels);
// A LabelSelector as one text: "a=b,c in (d,e),!f"; "" where it takes everything.
std::string FormatSelector(const Value& selector);
// The same, "<none>" where it takes everything.
std::string FormatSelectorOrNone(const Value& selector);
// The texts of a range with `separator` between them.
template <class Range>
std::string JoinRange(const Range& texts, std::string_view separator) {
  std::string joined;
  std::string_view between;
  for (const auto& text : texts) {
    joined += between;
    joined += text;
    between = separator;
  }
  return joined;
}
// A number or text (port, quantity, int-or-string) as it prints.
std::string Printed(const Value& v);

}  // namespace resources
