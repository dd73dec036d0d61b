#include "handlers/served_forms.h"

#include <algorithm>
#include <utility>

#include "registry/stored_form.h"
#include "schema/encode.h"

namespace handlers {

base::Task<api::Result<ServedFormsRef>> ConvertCells(const registry::Resource& resource,
                                                     registry::Converter::Request request,
                                                     std::vector<store::CellRef> cells) {
  auto forms = std::make_shared<ServedForms>();
  forms->cells_ = std::move(cells);
  const std::span<const store::CellRef> all = forms->cells_;
  for (size_t first = 0; first < all.size(); first += ServedForms::kBatch) {
    const auto batch = all.subspan(first, std::min(ServedForms::kBatch, all.size() - first));
    value::Arena arena;
    std::vector<value::Value> objects;
    for (const store::CellRef& cell : batch) {
      auto object = registry::DecodeUnconverted(resource, *cell, arena);
      if (!object) co_return std::unexpected(std::move(object.error()));
      objects.push_back(*object);
    }
    auto converted =
        co_await resource.converter->Convert(registry::Converter::To::kServed, request, std::span(objects), arena);
    if (!converted) co_return std::unexpected(std::move(converted.error()));
    for (size_t i = 0; i < batch.size(); ++i) {
      std::string json;
      schema::EncodeJson(*resource.type, objects[i], json);
      forms->forms_.insert_or_assign(batch[i].get(), std::move(json));
    }
  }
  co_return ServedFormsRef(std::move(forms));
}

base::Task<api::Result<ServedFormsRef>> ConvertFor(const Scope& scope, store::CellRef cell) {
  if (!registry::Waits(scope.resource) || !cell) co_return ServedFormsRef();
  std::vector<store::CellRef> cells;
  cells.push_back(std::move(cell));
  co_return co_await ConvertCells(scope.resource, {scope.context(), scope.exchange.executor()}, std::move(cells));
}

base::Task<api::Result<ServedFormsRef>> ConvertFor(const Scope& scope, registry::ListView& view) {
  if (!registry::Waits(scope.resource)) co_return ServedFormsRef();
  std::vector<store::CellRef> cells;
  while (const store::Cell* cell = view.Next()) cells.emplace_back(cell);
  view.Rewind();
  co_return co_await ConvertCells(scope.resource, {scope.context(), scope.exchange.executor()}, std::move(cells));
}

}  // namespace handlers
