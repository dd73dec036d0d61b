// Quote, by the name under which the floors above know it (see value/quote.h).
#pragma once

#include "value/quote.h"

namespace api {
using value::Quote;
}  // namespace api
