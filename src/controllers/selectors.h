// Label selectors as objects have them (matchLabels, matchExpressions), to find other objects by. Pure, any thread.
#pragma once

#include <optional>

#include "api/selector.h"
#include "value/value.h"

namespace controllers {

// An empty selector takes everything. None: it is absent and takes nothing. Fails where a part is malformed.
api::Result<std::optional<api::LabelSelector>> SelectorOf(const value::Value& selector);

}  // namespace controllers
