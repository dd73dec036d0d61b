#include "schema/go_field_name.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <string_view>

#include "schema/tables.h"

namespace schema {
namespace {

// What the table of exceptions says, or "".
std::string_view SpeltName(const Field& field) {
  const std::span<const Field> fields = tables::Fields();
  const std::less<const Field*> before;
  if (before(&field, fields.data()) || !before(&field, fields.data() + fields.size())) return {};
  const auto index = static_cast<uint16_t>(&field - fields.data());
  const std::span<const tables::GoName> names = tables::GoNames();
  const auto found = std::ranges::lower_bound(names, index, {}, &tables::GoName::field);
  return found != names.end() && found->field == index ? found->name : std::string_view();
}

}  // namespace

std::string GoFieldName(const Field& field) {
  if (const std::string_view spelt = SpeltName(field); !spelt.empty()) return std::string(spelt);
  const bool is_embedded = field.is_inline || (field.name == "metadata" && field.ref != nullptr);
  std::string name(is_embedded ? field.ref->struct_name() : field.name);
  if (!name.empty()) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return name;
}

}  // namespace schema
