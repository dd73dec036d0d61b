#include "handlers/discovery/aggregation.h"

#include <string>
#include <string_view>

#include "api/error.h"
#include "handlers/respond.h"

namespace handlers {
namespace {

constexpr std::string_view kGroups = "/apis/";

base::Task<exchange::Response> Unreachable(exchange::Exchange& exchange) {
  co_return RespondError(exchange, api::PlainText(503, "service unavailable"), /*cbor=*/false);
}

}  // namespace

base::Task<exchange::Response> Aggregation::Handle(exchange::Exchange& exchange) {
  const std::string& path = exchange.context().info.path;
  if (!path.starts_with(kGroups)) return local_.Handle(exchange);
  const std::shared_ptr<const ApiServices> services = discovery_.services();
  if (!services) return local_.Handle(exchange);
  if (services->IsElsewhere(path)) return Unreachable(exchange);
  std::string_view group = std::string_view(path).substr(kGroups.size());
  if (group.ends_with('/')) group.remove_suffix(1);
  const bool is_group = !group.contains('/') && services->FindGroup(group) != nullptr;
  return is_group ? discovery_.Handle(exchange) : local_.Handle(exchange);
}

}  // namespace handlers
