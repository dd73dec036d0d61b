// TaintNodesByCondition: a new node takes no pods until somebody says that it is ready. Pure; any thread.
#pragma once

#include "value/value.h"

namespace admission {

// Gives a node that is created the taint that says it is not ready, unless it has it.
void TaintNewNode(const value::Value& node, value::Arena& arena);

}  // namespace admission
