// ServedForms: the served JSON of stored objects whose converter has to be waited for (a conversion webhook), made for
// a whole batch before an answer's body, or a portion of a watch, is written from it. Not kept with the objects: what
// the converter says of them may change. Of one answer, which keeps it; used on its thread. Cost: the converted objects
// in memory, for as long as the answer is written.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "api/error.h"
#include "base/task.h"
#include "handlers/scope.h"
#include "registry/registry.h"
#include "store/cell.h"

namespace handlers {

class ServedForms {
 public:
  // How many objects are converted together.
  static constexpr size_t kBatch = 500;

  // `{"kind":...}` of a cell that it was made of.
  std::string_view Get(const store::Cell& cell) const {
    const auto found = forms_.find(&cell);
    return found == forms_.end() ? std::string_view() : std::string_view(found->second);
  }

 private:
  friend base::Task<api::Result<std::shared_ptr<const ServedForms>>> ConvertCells(const registry::Resource& resource,
                                                                                  registry::Converter::Request request,
                                                                                  std::vector<store::CellRef> cells);

  std::vector<store::CellRef> cells_;  // so that no other cell has the address of one
  absl::flat_hash_map<const store::Cell*, std::string> forms_;
};

using ServedFormsRef = std::shared_ptr<const ServedForms>;  // null: the converter need not be waited for

// The served forms of all cells, or why one cannot be had. Of a resource whose converter has to be waited for.
base::Task<api::Result<ServedFormsRef>> ConvertCells(const registry::Resource& resource,
                                                     registry::Converter::Request request,
                                                     std::vector<store::CellRef> cells);

// The same of what an answer shows: at once, and null, for every other resource.
base::Task<api::Result<ServedFormsRef>> ConvertFor(const Scope& scope, store::CellRef cell);
// Leaves the view at its first object.
base::Task<api::Result<ServedFormsRef>> ConvertFor(const Scope& scope, registry::ListView& view);

}  // namespace handlers
