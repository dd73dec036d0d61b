#include "api/audit_record.h"

#include <algorithm>

namespace api {

void AddAuditAnnotation(RequestContext& context, std::string_view key, std::string_view value) {
  if (context.audit == nullptr) return;
  auto& annotations = context.audit->annotations;
  const bool known = std::ranges::any_of(annotations, [key](const auto& one) { return one.first == key; });
  if (!known) annotations.emplace_back(key, value);
}

}  // namespace api
