// Amounts as a client wrote them, which is how Go holds them until they are stored. Made for difference.h. Pure; any
// thread.
#pragma once

#include "value/value.h"

namespace resources::go {

// `object`, a canonical tree, with the amounts in it as they were sent, as far as decoding left that to be known
// (schema/decode.h); wherever the same amount was put besides, too. The tree itself where there are none.
value::Value AmountsAsSent(const value::Value& object, value::Arena& arena);

}  // namespace resources::go
