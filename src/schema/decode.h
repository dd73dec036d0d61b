// Decoding against a schema: from a document as a client sent it to the canonical tree that everything above works on.
//
// The canonical tree of a typed object: members in the order of the schema (inline ones in their place), each key once,
// keyed by the schema's own name strings; a field is present only where Go's struct would differ from its zero value
// (pointers: where set). So an empty list or map that was sent stays, null does not: defaults tell them apart, answers
// do not where omitempty hides both. Maps are sorted. Encoders add what the API writes nevertheless. Quantities, times,
// int-or-strings and byte strings (base64) are in their canonical text. The tree shares strings with the input. An
// object with amounts that were written otherwise has the text of what was sent as its Value::source(); no other has
// one.
//
// Called by the handlers (bodies), apply (patch results) and the registry (stored objects of another version). Pure
// functions, any thread. Errors are BadRequest with the real server's text, without its "X in version Y cannot be
// handled as a Z: " before it. Bounds: kMaxDepth levels of typed fields; time and memory linear in the document but for
// sorting maps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "schema/schema.h"
#include "value/member_index.h"
#include "value/value.h"

namespace schema {

inline constexpr uint32_t kMaxDepth = 1000;
inline constexpr size_t kMaxFindings = 100;  // the real server lists no more
// Bytes of the texts that are made for them, also of those that are listed already: paths may be long.
inline constexpr size_t kMaxFindingBytes = 4 << 20;
// Members of maps that stand several times, which each of them copies.
inline constexpr size_t kMaxRepeatedMembers = 1 << 20;

// What strict decoding minds. Each text once.
struct Findings {
  std::vector<std::string> unknown;    // `unknown field "spec.foo"`
  std::vector<std::string> duplicate;  // `duplicate field "spec.foo"`
  std::vector<std::string> in_order;   // both, as strict decoding lists them: in document order
};

// `document` (JSON, YAML or CBOR read into a tree, duplicates and all) as a `type`, as Go's decoder fills a struct: a
// repeated member merges into the struct or map it had, unknown members are dropped, null leaves scalars as they are.
// Of several wrong values the one is told that the real server tells. Where `findings` is given, unknown and repeated
// members are listed. (The real server reads YAML through JSON with sorted keys: for findings in its order, sort a YAML
// document first.)
api::Result<value::Value> Decode(const Type& type, const value::Value& document, value::Arena& arena,
                                 Findings* findings);

// How `amount`, of an object or map that decoding made, was written: `sent` is what the source() of that reads as, null
// where it has none. Its own text where `sent` says something else there: it was set since. Lives in the arena.
std::string_view AmountAsSent(value::Arena& arena, const value::Member& amount, const value::MemberIndex& sent);

}  // namespace schema
