#include "handlers/verbs.h"

namespace handlers {

Answer Patch(const Scope& scope) {
  co_return api::Fail(api::MethodNotSupported(scope.resource.group_resource(), "patch"));
}

}  // namespace handlers
