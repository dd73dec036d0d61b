// Watch: the stream of a collection's changes. Called by List where the query or the path asks for it, on the request's
// thread.
#pragma once

#include "handlers/options.h"
#include "handlers/scope.h"

namespace handlers {

// Answers at once with a stream (is_watch) that ends at timeoutSeconds, when the client goes or when the server stops;
// errors that are found before the first event are ordinary answers.
Answer ServeWatch(const Scope& scope, ListParameters parameters);

}  // namespace handlers
