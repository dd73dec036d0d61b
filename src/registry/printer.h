// Printer: how a resource's objects are shown as rows of a Table (`kubectl get`). May hold state (compiled paths);
// immutable once its resource is published, any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "value/value.h"

namespace registry {

using value::Arena;
using value::Value;

// One printed column. Views live as long as the printer.
struct Column {
  std::string_view name, type, format;  // format "name" marks the identity column
  int priority = 0;                     // > 0 only with -o wide
  std::string_view description;
};

class Printer {
 public:
  virtual ~Printer() = default;

  virtual std::span<const Column> columns() const = 0;
  // One array, in the order of the columns (null prints <none> client-side); `now` is RFC 3339.
  virtual Value Cells(Arena& arena, const Value& object, std::string_view now) const = 0;
  // What is said of the row, a JSON list; "" nothing.
  virtual std::string_view Conditions(const Value& /*object*/) const { return {}; }
  // Whether a list's rows come by Rank(), smallest first, and then by name; else in the list's own order.
  virtual bool is_ranked() const { return false; }
  virtual int64_t Rank(const Value& /*object*/) const { return 0; }
};

// A printer of plain functions; null ones do what Printer says.
struct PrinterTable {
  std::span<const Column> columns;
  Value (*cells)(Arena& arena, const Value& object, std::string_view now) = nullptr;
  std::string_view (*conditions)(const Value& object) = nullptr;
  int64_t (*rank)(const Value& object) = nullptr;
};

class TablePrinter final : public Printer {
 public:
  explicit TablePrinter(const PrinterTable& table) : table_(table) {}

  std::span<const Column> columns() const override { return table_.columns; }
  Value Cells(Arena& arena, const Value& object, std::string_view now) const override {
    return table_.cells(arena, object, now);
  }
  std::string_view Conditions(const Value& object) const override {
    return table_.conditions != nullptr ? table_.conditions(object) : std::string_view();
  }
  bool is_ranked() const override { return table_.rank != nullptr; }
  int64_t Rank(const Value& object) const override { return table_.rank(object); }

 private:
  const PrinterTable table_;
};

}  // namespace registry
