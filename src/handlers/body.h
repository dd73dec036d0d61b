// Body: a request body as a canonical object: content type, syntax, kind and version, unknown fields. Called by the
// verbs that take a body, on the request's thread. The tree lives in the arena and points into the request's body.
// Errors carry the API's texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "handlers/scope.h"
#include "schema/decode.h"
#include "schema/schema.h"
#include "value/value.h"

namespace handlers {

// What the route wants.
struct BodyKind {
  std::string_view group, version, kind;
  const schema::Type* type = nullptr;
  std::string_view also_version = {};  // an older version of the same form that is taken as well; "" none
};
BodyKind KindOf(const registry::Resource& resource);
BodyKind KindOf(const registry::Subresource& subresource);

struct Body {
  value::Value object;              // canonical, with the kind and apiVersion of the route
  std::string_view group, version;  // as the body says (or the route, where it says nothing)
};

// Encoding of the body, size, syntax and kind; 400, 413 and 415. `field_validation` (Ignore, Warn, Strict) says what
// unknown and duplicate fields do: nothing, warnings in the context, 400.
api::Result<Body> ReadBody(const Scope& scope, const BodyKind& wanted, std::string_view field_validation,
                           value::Arena& arena);

// Whether a document that names no version may become a `wanted`, by the kind that it names ("" none). The message of
// an error is the bare reason.
api::Result<> CheckUnversioned(std::string_view kind, const BodyKind& wanted);

// A tree of its own for the registry, which works on what it gets. Texts, and the text that containers were read from,
// stay those of `v`: they live as long as the request.
value::Value CopyContainers(value::Arena& into, const value::Value& v);

// A document that a patch made, whole, as the kind that the route wants. The message of an error is the bare reason.
api::Result<value::Value> DecodeObject(const BodyKind& wanted, const value::Value& document, value::Arena& arena,
                                       schema::Findings* findings);

// Adds what strict decoding found to `warnings`, one a line.
void AddWarnings(std::string_view finding, std::vector<std::string>& warnings);

// A Go word for the kind of a JSON value: "object", "array", "number".
std::string_view GoWord(const value::Value& v);

// DeleteOptions may come as any group's; an empty body is not looked at.
api::Result<value::Value> ReadDeleteBody(const Scope& scope, value::Arena& arena);

// 415 where the body is of no type that can be read.
api::Result<> CheckBodyType(const Scope& scope, const BodyKind& wanted);

// 413 where the body was over the limit, 500 where it could not be read.
api::Result<> CheckBodySize(const Scope& scope);

// 400 unless the body is of the version that the route serves.
api::Result<> CheckBodyVersion(const Body& body, const BodyKind& wanted);

// The namespace that the object says against the request's; sets the request's where the object says none. 400.
api::Result<> MatchNamespace(const Scope& scope, value::Value object, value::Arena& arena);

// The name that the object says against the path's. 400.
api::Result<> MatchName(const Scope& scope, const value::Value& object);

// The start of a body as error texts show it: text of a JSON object, else hex; 30 bytes at most.
std::string SummarizeBody(std::string_view body);

}  // namespace handlers
