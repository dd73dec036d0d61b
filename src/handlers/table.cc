#include "handlers/table.h"

#include <array>

#include "base/text.h"
#include "value/json_writer.h"

namespace handlers {

namespace {

constexpr registry::Column kDefaultColumns[] = {
    {.name = "Name",
     .type = "string",
     .format = "name",
     .description = "The object's name, unique within its namespace and kind."},
    {.name = "Created At", .type = "date", .description = "When the server stored the object first."},
};

void AppendColumn(const registry::Column& column, std::string& out) {
  out += "{\"name\":";
  value::AppendJsonString(out, column.name);
  out += ",\"type\":";
  value::AppendJsonString(out, column.type);
  out += ",\"format\":";
  value::AppendJsonString(out, column.format);
  out += ",\"description\":";
  value::AppendJsonString(out, column.description);
  base::Append(out, ",\"priority\":", column.priority, "}");
}

std::span<const registry::Column> ColumnsOf(const registry::Printer* printer) {
  if (printer == nullptr) return kDefaultColumns;
  return printer->columns();
}

}  // namespace

std::string ListMetaJson(std::string_view resource_version, std::string_view continue_token,
                         std::optional<int64_t> remaining) {
  std::string json = "{";
  if (!resource_version.empty()) base::Append(json, "\"resourceVersion\":\"", resource_version, "\"");
  if (!continue_token.empty()) base::Append(json, json.size() > 1 ? "," : "", "\"continue\":\"", continue_token, "\"");
  if (remaining) base::Append(json, json.size() > 1 ? "," : "", "\"remainingItemCount\":", *remaining);
  return json += '}';
}

void Table::AppendStart(const std::string& metadata_json, bool with_columns, std::string& out) const {
  base::Append(out, "{\"kind\":\"Table\",\"apiVersion\":\"", version_, "\",\"metadata\":", metadata_json,
               ",\"columnDefinitions\":");
  if (with_columns) {
    char separator = '[';
    for (const registry::Column& column : ColumnsOf(printer_)) {
      out += separator;
      AppendColumn(column, out);
      separator = ',';
    }
    out += ']';
  } else {
    out += "null";
  }
  out += ",\"rows\":";
}

std::string_view Table::NoRows() const { return printer_ == nullptr ? "null" : "[]"; }

void Table::AppendCells(const value::Value& object, value::Arena& arena, std::string& out) const {
  if (printer_ != nullptr) {
    value::WriteJson(printer_->Cells(arena, object, now_), out);
    const std::string_view said = printer_->Conditions(object);
    if (!said.empty()) base::Append(out, ",\"conditions\":", said);
    return;
  }
  value::Value metadata = object.Get("metadata");
  out += '[';
  value::AppendJsonString(out, metadata.GetString("name"));
  out += ',';
  value::AppendJsonString(out, metadata.GetString("creationTimestamp"));
  out += ']';
}

void Table::AppendObject(std::string_view prefix, std::string_view tail, std::string_view metadata,
                         std::string& out) const {
  switch (include_) {
    case IncludeObject::kNone:
      out += "null";
      break;
    case IncludeObject::kMetadata:
      base::Append(out, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"", version_, "\",\"metadata\":", metadata,
                   "}");
      break;
    case IncludeObject::kObject:
      base::Append(out, prefix, tail);
      break;
  }
}

int64_t Table::RankOf(const store::Cell& cell, value::Arena& arena) const {
  return printer_->Rank(stored_.DecodeForRow(cell, arena));
}

void Table::AppendRow(const store::Cell& cell, value::Arena& arena, std::string& out) const {
  out += "{\"cells\":";
  AppendCells(stored_.DecodeForRow(cell, arena), arena, out);
  out += ",\"object\":";
  AppendObject(stored_.served_prefix(), stored_.Tail(cell), stored_.Metadata(cell), out);
  out += '}';
}

void Table::AppendStoredRow(std::string_view stored, std::string_view json, value::Arena& arena,
                            std::string& out) const {
  out += "{\"cells\":";
  AppendCells(stored_.DecodeForRow(stored, arena), arena, out);
  out += ",\"object\":";
  AppendObject(json, "", stored_.Metadata(stored), out);
  out += '}';
}

void Table::AppendRow(const value::Value& object, std::string_view json, value::Arena& arena, std::string& out) const {
  out += "{\"cells\":";
  AppendCells(object, arena, out);
  out += ",\"object\":";
  AppendObject(json, "", FindJsonMember(json, "metadata"), out);
  out += '}';
}

}  // namespace handlers
