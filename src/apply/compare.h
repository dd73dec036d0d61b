// Compare: which paths two versions of an object differ in, as ownership counts them. The heart of managedFields: every
// write runs it once. Pure; any thread; depth is the documents'.
#pragma once

#include "apply/field_set.h"
#include "apply/typed.h"

namespace apply {

// No path is in more than one of the three.
struct Comparison {
  const FieldSet* added = nullptr;     // only in the right one
  const FieldSet* modified = nullptr;  // in both, different
  const FieldSet* removed = nullptr;   // only in the left one
  bool same() const { return !added && !modified && !removed; }
};

// How a tree stands for its object.
enum class Reading : uint8_t {
  kCanonical,  // schema/decode.h: what Go's struct would write beside it counts as there; the left one is stored
  kConverted,  // the same, both just converted
  kMerged,     // the same, with what a configuration brought: its empty lists and maps count, and nothing that it does
               // not say where the left tree has no object
  kDocument,   // only what is written
};

// Both trees of `type`, both read the same way; duplicate items of lists are compared as one. Fails with kInvalid where
// an item cannot be identified.
base::Result<Comparison> Compare(Arena& arena, const schema::Type& type, const Value& left, const Value& right,
                                 Reading reading);

// Every path of `object`: leaves, items of lists, keys of maps.
base::Result<const FieldSet*> ToFieldSet(Arena& arena, const schema::Type& type, const Value& object, Reading reading);

}  // namespace apply
