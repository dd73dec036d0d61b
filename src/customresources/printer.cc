#include "customresources/printer.h"

#include "api/duration.h"
#include "apply/go_print.h"
#include "base/text.h"
#include "schema/text_forms.h"

namespace customresources {

using value::Arena;
using value::Value;

namespace {

constexpr std::string_view kCreationPath = ".metadata.creationTimestamp";

Value DateCell(Arena& arena, std::string_view text, int64_t now) {
  if (text.empty() || text == "null") return Value::String("<unknown>");
  const auto time = schema::ParseTime(text, schema::TimeForm::kSeconds);
  if (!time) return Value::String("<invalid>");
  if (*time == schema::kZeroTime) return Value::String("<unknown>");
  return Value::Copy(arena, api::HumanDuration(now - time->seconds));
}

Value Cell(Arena& arena, std::string_view type, const Value& found, int64_t now) {
  if (type == "string") return Value::Copy(arena, PrintJsonPathResult(found));
  if (type == "integer") {
    if (found.is_int() || !found.is_number()) return found.is_int() ? found : Value();
    const double number = found.AsDouble();
    const bool fits = number >= -9223372036854775808.0 && number < 9223372036854775808.0;
    return Value::Int(fits ? static_cast<int64_t>(number) : INT64_MIN);
  }
  if (type == "number")
    return found.is_int() ? Value::Double(arena, found.AsDouble()) : found.is_number() ? found : Value();
  if (type == "boolean") return found.is_bool() ? found : Value();
  if (type == "date") return found.is_string() ? DateCell(arena, found.AsString(), now) : Value();
  return {};
}

}  // namespace

ColumnPrinter::ColumnPrinter(const Value& columns, std::string_view name_description,
                             std::string_view age_description) {
  columns_.push_back({"Name", "string", "name", std::string(name_description), 0});
  if (columns.empty()) {
    columns_.push_back({"Age", "date", "", std::string(age_description), 0});
    if (auto path = JsonPath::Parse(kCreationPath)) paths_.push_back(std::move(*path));
    return;
  }
  for (const Value& column : columns.items()) {
    const std::string_view text = column.GetString("jsonPath");
    auto path = JsonPath::Parse(text);
    if (!path) return;
    paths_.push_back(std::move(*path));
    std::string description(column.GetString("description"));
    if (description.empty()) description = base::Cat("Custom resource definition column (in JSONPath format): ", text);
    const Value priority = column.Get("priority");
    columns_.push_back({std::string(column.GetString("name")), std::string(column.GetString("type")),
                        std::string(column.GetString("format")), std::move(description),
                        priority.is_int() ? static_cast<int32_t>(priority.AsInt()) : 0});
  }
}

Value ColumnPrinter::Cells(Arena& arena, const Value& object, int64_t now) const {
  const Value row = Value::Array(arena, static_cast<uint32_t>(columns_.size()));
  row.Append(arena, Value::String(object.Get("metadata").GetString("name")));
  for (size_t i = 0; i < paths_.size(); ++i) {
    const auto found = paths_[i].Find(object);
    const bool there = found && !found->empty();
    row.Append(arena, there ? Cell(arena, columns_[i + 1].type, found->front(), now) : Value());
  }
  return row;
}

SelectableFields::SelectableFields(const Value& fields) {
  for (const Value& field : fields.items()) {
    const std::string_view path = field.GetString("jsonPath");
    names_.emplace_back(path.starts_with('.') ? path.substr(1) : path);
    paths_.push_back(JsonPath::Parse(path));
  }
}

std::expected<std::vector<std::string>, std::string> SelectableFields::Of(const Value& object) const {
  std::vector<std::string> values;
  for (const auto& path : paths_) {
    if (!path) return std::unexpected(base::Cat("unexpected error parsing jsonPath: ", path.error()));
    const auto found = path->Find(object);
    if (!found) return std::unexpected(base::Cat("unexpected error finding value with jsonPath: ", found.error()));
    if (found->size() > 1) return std::unexpected("unexpectedly received more than one JSON path result");
    const bool there = !found->empty() && !found->front().is_null();
    values.push_back(there ? apply::GoValue(found->front()) : "");
  }
  return values;
}

}  // namespace customresources
