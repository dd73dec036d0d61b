// The verbs: each reads its parameters and body, calls the registry and makes the answer. Called by the Router, on the
// request's thread, after route and method are settled; `scope` outlives the task. One .cc file a verb.
#pragma once

#include "handlers/scope.h"

namespace handlers {

Answer Get(const Scope& scope);
Answer List(const Scope& scope);  // and watches: by the query, or by a /watch/ path
Answer Create(const Scope& scope);
Answer Update(const Scope& scope);
Answer Patch(const Scope& scope);
Answer Delete(const Scope& scope);
Answer DeleteCollection(const Scope& scope);

}  // namespace handlers
