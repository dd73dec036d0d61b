// What the expressions of a ValidatingAdmissionPolicy get wrong of the types that it speaks of: what its status tells
// (status.typeChecking). Pure, any thread. Cost: the types of at most ten kinds a rule, and each expression compiled
// with all variables once a kind.
#pragma once

#include <string>
#include <vector>

#include "registry/resource_table.h"
#include "value/value.h"

namespace admission {

struct ExpressionWarning {
  std::string field;  // "spec.validations[0].expression"
  std::string warning;
};

// `policy` as it is stored; `resources` as they are served.
std::vector<ExpressionWarning> CheckTypes(const value::Value& policy, const registry::ResourceTable& resources);

}  // namespace admission
