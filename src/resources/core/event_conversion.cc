#include <string_view>

#include "resources/conversions.h"
#include "schema/schema.h"

namespace resources::core {

using value::Arena;
using value::Member;
using value::Value;

namespace {

struct Renamed {
  std::string_view core, events;
};
constexpr Renamed kRenamed[] = {
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
};

// The members of `event` as `type` names and orders them.
Value Rename(Arena& arena, const Value& event, const schema::Type& type, std::string_view Renamed::* from,
             std::string_view Renamed::* to) {
  Value renamed = Value::Object(arena, event.size());
  for (const schema::Field* field : type.members) {
    std::string_view there = field->name;
    for (const Renamed& pair : kRenamed) {
      if (pair.*to == field->name) there = pair.*from;
    }
    if (field->name == "apiVersion") {
      bool is_core = type.gvk.group.empty();
      renamed.Add(arena, field->name, Value::String(is_core ? "v1" : "events.k8s.io/v1"));
    } else if (const Value* v = event.Find(there)) {
      renamed.Add(arena, field->name, *v);
    }
  }
  return renamed;
}

}  // namespace

Value EventToEventsGroup(Arena& arena, const Value& core_event) {
  return Rename(arena, core_event, *schema::FindKind("events.k8s.io", "v1", "Event"), &Renamed::core, &Renamed::events);
}

Value EventFromEventsGroup(Arena& arena, const Value& event) {
  return Rename(arena, event, *schema::FindKind("", "v1", "Event"), &Renamed::events, &Renamed::core);
}

}  // namespace resources::core
