// RespondList: a page of objects as the answer of list and deletecollection, in any type and view. On the request's
// thread.
#pragma once

#include "api/error.h"
#include "exchange/exchange.h"
#include "handlers/negotiation.h"
#include "handlers/scope.h"
#include "handlers/served_forms.h"
#include "registry/registry.h"

namespace handlers {

// Small lists have a known length, larger ones are streamed from the snapshot as the connection drains. YAML, CBOR and
// indented JSON are made whole: they cost memory in proportion to the list.
// `forms`: of its objects (handlers/served_forms.h).
api::Result<exchange::Response> RespondList(const Scope& scope, const Output& output, registry::ListView view,
                                            ServedFormsRef forms);

}  // namespace handlers
