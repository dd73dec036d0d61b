// Whether two values that Go's structs hold are the same to its reflect.DeepEqual, which is how lists that are owned
// whole are compared: what is empty is not what is not there, of what nobody reads the text counts, and of amounts what
// Go holds of them: digits, scale and sometimes their text. Made for compare.h. Pure; any thread; depth is the
// documents'.
#pragma once

#include "apply/typed.h"

namespace apply {

// Canonical trees (schema/decode.h), both at `slot`; `live` is stored.
bool GoEqual(Arena& arena, const Slot& slot, const Value& live, const Value& updated);
// Both were made of documents just now.
bool GoEqualConverted(Arena& arena, const Slot& slot, const Value& left, const Value& right);

// Whether `v` at `slot` holds an amount that is not equal to itself, once the one is stored: Go makes its text then,
// and keeps it beside the number, where what it reads has none (`8Gi`, but not `3Gi`).
bool HoldsAmountWithoutText(const Slot& slot, const Value& v);

}  // namespace apply
