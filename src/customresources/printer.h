// Printed columns and selectable fields of a custom resource: paths of its definition, compiled once, evaluated on each
// object as the real server does (tableconvertor and the strategy of apiextensions-apiserver). Immutable, any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "customresources/json_path.h"
#include "value/arena.h"
#include "value/value.h"

namespace customresources {

class ColumnPrinter {
 public:
  struct Column {
    std::string name, type, format, description;
    int32_t priority = 0;
  };

  // `columns`: additionalPrinterColumns of a version; none or null: one with the age. A path that is none ends the
  // columns before it, as in the real server. `name_description`, `age_description`: ObjectMeta's texts for these
  // fields.
  ColumnPrinter(const value::Value& columns, std::string_view name_description, std::string_view age_description);

  // "Name" first.
  const std::vector<Column>& columns() const { return columns_; }

  // A row: an array with a cell for each column. `now` is in seconds since 1970. Texts live in the arena or the object.
  value::Value Cells(value::Arena& arena, const value::Value& object, int64_t now) const;

 private:
  std::vector<Column> columns_;
  std::vector<JsonPath> paths_;  // of the columns behind the first
};

class SelectableFields {
 public:
  // `fields`: selectableFields of a version, or null.
  explicit SelectableFields(const value::Value& fields);

  // "spec.color", in the order of the definition, without metadata.name and metadata.namespace.
  const std::vector<std::string>& names() const { return names_; }
  // The values of the object in the same order, "" where there is none. The error is Go's text.
  std::expected<std::vector<std::string>, std::string> Of(const value::Value& object) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::expected<JsonPath, std::string>> paths_;
};

}  // namespace customresources
