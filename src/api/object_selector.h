// Label selectors as objects have them (matchLabels, matchExpressions), to find other objects by. Pure, any thread.
#pragma once

#include <optional>

#include "api/selector.h"
#include "value/value.h"

namespace api {

// An empty selector takes everything. None: it is absent and takes nothing. Fails where a part is malformed.
Result<std::optional<LabelSelector>> SelectorOf(const value::Value& selector);

}  // namespace api
