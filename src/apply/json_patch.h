// JSON patch (RFC 6902) over a document tree, with the dialect of the real server: negative and signed indexes, `add` without a value adds null,
// `replace` and `test` of a missing member see null. Called by the patch handler inside an update. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.h"
#include "value/value.h"

namespace apply {

struct JsonPatchLimits {
  size_t operations = 10'000;
  int64_t copied_bytes = 3 << 20;  // sum of the JSON sizes of what `copy` operations copy
  uint32_t depth = 10'000;         // of the document while it is patched, as its reader holds it
  int64_t steps = 256 << 20;       // items of lists that have to make room, in all operations; some tenths of a second
};

// Applies `patch` (the decoded body) to `document` and gives the result, which shares parts with both. Members of
// objects that the patch walks through are left sorted by key, untouched objects keep their order: what an error that
// quotes the document shows. Either all operations apply or none counts. Errors: kInvalid where an operation does not
// apply or makes the document too deep, kExhausted over another limit. `patch` must be an array of objects (the
// handler's typed decoding has said so).
base::Result<value::Value> ApplyJsonPatch(value::Arena& arena, const value::Value& document, const value::Value& patch,
                                          const JsonPatchLimits& limits = {});

}  // namespace apply
