// Views: one object as the answer to a read or a write, whole, as Table or as PartialObjectMetadata. Called by verbs on
// the request's thread.
#pragma once

#include <string>
#include <string_view>

#include "api/error.h"
#include "exchange/exchange.h"
#include "handlers/negotiation.h"
#include "handlers/scope.h"
#include "handlers/served_forms.h"
#include "registry/registry.h"
#include "schema/schema.h"

namespace handlers {

// A stored object, with `status`. `forms`: of the cell (handlers/served_forms.h).
api::Result<exchange::Response> RespondStored(const Scope& scope, const Output& output, int status,
                                              const store::CellRef& cell, ServedFormsRef forms);
// What a write gave.
api::Result<exchange::Response> RespondWritten(const Scope& scope, const Output& output, int status,
                                               const registry::WriteResult& written, ServedFormsRef forms);
// Any object as JSON, of the kind that `type` is (a Status, a Scale, a review); `printer` shows it as a row where the
// resource's own does not fit.
api::Result<exchange::Response> RespondJson(const Scope& scope, const Output& output, int status, std::string json,
                                            const schema::Type* type, std::string_view api_version,
                                            std::string_view kind, const registry::Printer* printer = nullptr);

// The time of `clock` as ages in tables are counted from, RFC 3339.
std::string NowText(const base::Clock& clock);

// 406 for a view that a single object, or a list, does not have.
api::Error NoObjectView(std::string_view group, std::string_view kind);
api::Error NoListView(const registry::Resource& resource);

}  // namespace handlers
