// Reading and writing custom resources by their structural schema: what Decode and EncodeJson do for a Type that has
// one. Called through those, and by customresources/ where it asks for more.
//
// A decoded tree has sorted keys, the last of repeated ones, numbers in their shortest form, no fields that the schema
// does not know (but where it keeps them), no null where the schema has neither `nullable` nor a default, and the
// metadata of the resource and of those embedded in it as their Go type holds it. Types of other values are not looked
// at: validation tells. Pure; any thread. Time and memory are linear in the document; it recurses as deep as the
// document, which its reader bounded.
#pragma once

#include <optional>
#include <string>

#include "api/error.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/structural.h"

namespace schema {

struct StructuralDecodeOptions {
  // What is stored may have metadata that does not fit (its schema came later): its members are dropped, and no error.
  bool drop_malformed_metadata = false;
};

// Findings are at most kMostUnknownFields; `findings->in_order` lists repeated fields in document order, then unknown
// ones by path, those of the metadata first. The error is a BadRequest with the real server's words.
inline constexpr size_t kMostUnknownFields = 1000;
api::Result<value::Value> DecodeStructural(const Structural& root, const value::Value& document, value::Arena& arena,
                                           Findings* findings, const StructuralDecodeOptions& options = {});

// Removes what `schema` does not know from `v`, which was decoded, in place, as a definition's defaults are pruned.
// `is_resource`: v is a whole resource. True where something was removed.
bool Prune(value::Value& v, const Structural& schema, bool is_resource);

// Makes the metadata of resources within `v`, which was decoded, what its Go type holds, in place. The first that does
// not fit, its field counted from `v`: "metadata", "a[0].kind".
std::optional<api::FieldError> CoerceEmbedded(value::Arena& arena, value::Value& v, const Structural& schema,
                                              const StructuralDecodeOptions& options = {});

// Appends the resource's JSON, keys sorted; members of its metadata that are null or empty are left out. `gvk` stands
// where the object has no kind or apiVersion. `marks` as of EncodeJson.
void EncodeStructural(const GroupVersionKind& gvk, const value::Value& object, std::string& out, Marks* marks,
                      bool* escaped);

}  // namespace schema
