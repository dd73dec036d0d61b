#include "resources/flowcontrol/flow_rules.h"

#include <set>

#include "resources/bootstrap.h"
#include "value/json_reader.h"

namespace resources::flowcontrol {

void CheckConditions(Scope& status) {
  const Value conditions = status.Get("conditions");
  const FieldPath list = status.At("conditions");
  std::set<std::string_view> seen;
  for (uint32_t i = 0; i < conditions.size(); ++i) {
    const FieldPath item = list.Index(i);
    const FieldPath path = item.Child("type");
    const std::string_view type = conditions[i].GetString("type");
    if (!seen.insert(type).second) status.errors.Duplicate(path, type);
    if (type.empty()) status.errors.Required(path, "must not be empty");
  }
}

Value MandatorySpec(const registry::WriteContext& context, std::string_view name) {
  if (name != "exempt" && name != "catch-all") return {};
  for (const RecordedObject& recorded : RecordedObjects()) {
    const registry::BootstrapObject& object = recorded.object;
    if (object.group != kGroup || object.kind != context.resource.kind) continue;
    const auto read = value::ReadJson(object.json, context.arena);
    if (read && read->Get("metadata").GetString("name") == name) return read->Get("spec");
  }
  return {};
}

}  // namespace resources::flowcontrol
