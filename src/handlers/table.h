// Table: objects as rows for people, `as=Table`. Made per answer or watch, used on one thread; refers to the Resource.
// A row needs the decoded object: about the cost of reading its JSON.
#pragma once

#include <string>
#include <string_view>

#include "handlers/options.h"
#include "handlers/stored_object.h"
#include "registry/resource.h"
#include "value/value.h"

namespace handlers {

// ListMeta, or of one object its resourceVersion, as the member `metadata`.
std::string ListMetaJson(std::string_view resource_version, std::string_view continue_token = {},
                         std::optional<int64_t> remaining = std::nullopt);

class Table {
 public:
  // `version` is "meta.k8s.io/v1" or "meta.k8s.io/v1beta1"; `now` (RFC 3339) is what ages are counted from. Both
  // outlive it.
  // `printer` stands in the place of the resource's own.
  Table(const StoredObject& stored, std::string_view version, IncludeObject include, std::string_view now,
        const registry::Printer* printer = nullptr)
      : stored_(stored),
        printer_(printer != nullptr ? printer : stored.resource().printer.get()),
        version_(version),
        include_(include),
        now_(now) {}

  // `{"kind":"Table",...,"rows":` up to the rows' bracket. Column definitions are null where the client has them
  // already.
  void AppendStart(const std::string& metadata_json, bool with_columns, std::string& out) const;
  // One row of a stored object.
  void AppendRow(const store::Cell& cell, value::Arena& arena, std::string& out) const;
  // The same of a stored form that is no cell; `json` is the served object as text.
  void AppendStoredRow(std::string_view stored, std::string_view json, value::Arena& arena, std::string& out) const;
  // One row of a tree of the served version; `json` is the same object as text.
  void AppendRow(const value::Value& object, std::string_view json, value::Arena& arena, std::string& out) const;
  // The printer's number for a list's order; null where its rows come as the list does.
  bool is_ranked() const { return printer_ != nullptr && printer_->is_ranked(); }
  int64_t RankOf(const store::Cell& cell, value::Arena& arena) const;
  // What a list without objects says: kinds with printers of their own `[]`, others null.
  std::string_view NoRows() const;

 private:
  // The row's cells and conditions.
  void AppendCells(const value::Value& object, value::Arena& arena, std::string& out) const;
  void AppendObject(std::string_view prefix, std::string_view tail, std::string_view metadata, std::string& out) const;

  const StoredObject& stored_;
  const registry::Printer* const printer_;  // may be null
  std::string_view version_;
  IncludeObject include_;
  std::string_view now_;
};

}  // namespace handlers
