// What the verbs leave for the audit log (api/audit_record.h): bodies of requests as the API understood them. Nothing
// of it costs anything where the request is not audited, or not at a level that wants bodies.
//
// Called on the request's thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "handlers/body.h"
#include "handlers/scope.h"

namespace handlers {

// The decoded body of a request that writes an object, with the defaults of its type: as real audit logs have it.
// `body` is left as it is.
void AuditRequestObject(const Scope& scope, const BodyKind& wanted, const Body& body);
// The bytes of a patch.
void AuditPatch(const Scope& scope);
// The options of a deletion that came as its body.
void AuditDeleteOptions(const Scope& scope, const value::Value& options);
// That the resource is deprecated, and when it goes, from the warning that says so.
void AuditDeprecation(api::RequestContext& context, std::string_view warning);

// An answer's body in a type other than JSON as the JSON it stands for; nullopt where it stands for no API object.
std::optional<std::string> AnswerAsJson(std::string_view media_type, std::string_view body);

}  // namespace handlers
