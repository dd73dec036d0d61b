// Between the tree of a served version and the bytes in the store. Called by the registry's writes; any thread.
//
// Stored JSON is what clients get of it, but of some objects (store::Body::needs_reencoding) it is what the next write
// is compared with: bytes that are no UTF-8, which protobuf and CBOR show again (value::WriteJson says how); what only
// the wire form tells apart (schema::EncodeStored); members that nobody is shown (Strategy::HiddenMember); and what
// came through another version is without what reading it adds.
#pragma once

#include <string>
#include <string_view>

#include "api/error.h"
#include "registry/registry.h"
#include "registry/resource.h"
#include "store/store.h"

namespace registry {

// The object of the served version in a cell, as a canonical tree that points into `arena` and into the cell's bytes.
// `shown`, where given, becomes what ReadJson makes of what clients are shown of it, which is what is stored: where
// that can be had for nothing, else it stays. Nobody may change it, for the object shares what no schema describes with
// it.
// Not of a resource whose converter has to be waited for.
api::Result<Value> DecodeStored(const Resource& resource, const store::Cell& cell, Arena& arena,
                                Value* shown = nullptr);
// The same of the stored version, as it was stored: what a converter takes.
api::Result<Value> DecodeUnconverted(const Resource& resource, const store::Cell& cell, Arena& arena);
// Whether the resource's converter has to be waited for.
inline bool Waits(const Resource& resource) {
  return resource.converter != nullptr && !resource.converter->is_immediate();
}

// Whether stored bytes are a document that can be an object: what a store asks of those that it did not write itself.
bool IsReadable(std::string_view bytes);

// The bytes to store, with a hole for the revision; metadata.resourceVersion of `object` does not count. `converted`:
// it came through another version, whose defaults may be fewer. Where the converter has to be waited for, `object` is
// in the stored form already. Fails with the 500s of objects that are too large.
api::Result<store::Body> EncodeForStore(const Resource& resource, const Value& object, Arena& arena,
                                        bool converted = false);
// Whether `object`, of the served version, is too large for that even without managed fields. Exact only where it has
// very many parts: what is done to such an object before it is refused is kept short.
bool IsTooLarge(const Resource& resource, const Value& object, Arena& arena);
// Sets in `stored`, read from bytes that are marked as store::Body::needs_reencoding, what reading adds.
void CompleteStored(const Resource& resource, const Value& stored, Arena& arena);

// What a write answers that left `cell`.
WriteResult AsStored(const store::CellRef& cell);
// What one answers that stored nothing (a dry run): the stored form with metadata.resourceVersion as it stands in
// `object`.
WriteResult NotStored(const Resource& resource, const Value& object, Arena& arena);

// Whether the stored object has a deletionTimestamp.
bool IsDeleting(const store::Cell& cell);

// Whether `cell` is `body` but for the revision, and read again would be written so: then a write would change nothing.
bool SameContent(const Resource& resource, const store::Body& body, const store::Cell& cell);

}  // namespace registry
