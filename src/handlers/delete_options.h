// What delete and deletecollection have in common: where their options come from.
#pragma once

#include "api/error.h"
#include "handlers/scope.h"
#include "registry/registry.h"

namespace handlers {

// Of the body where there is one, else of the query: never of both.
api::Result<registry::DeleteOptions> DeleteOptionsOf(const Scope& scope);

}  // namespace handlers
