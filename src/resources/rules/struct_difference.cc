#include "resources/rules/struct_difference.h"

#include "base/text.h"
#include "value/json_writer.h"

namespace resources {

std::string StructDifference(std::string_view go_type, std::span<const std::string_view> fields,
                             const value::Value& old, const value::Value& now) {
  std::string out = base::Cat("  ", go_type, "{\n");
  for (std::string_view field : fields) {
    const value::Value before = old.Get(field), after = now.Get(field);
    if (value::Equal(before, after)) continue;
    if (!before.is_null()) base::Append(out, "- \t", field, ": ", value::ToJson(before), ",\n");
    if (!after.is_null()) base::Append(out, "+ \t", field, ": ", value::ToJson(after), ",\n");
  }
  return out + "  }\n";
}

}  // namespace resources
