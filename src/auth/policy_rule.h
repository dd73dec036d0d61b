// PolicyRule: one line of what a role allows. A plain value; immutable where it is shared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "auth/authorizer.h"
#include "value/value.h"

namespace auth {

struct PolicyRule {
  std::vector<std::string> verbs, groups, resources, resource_names, urls;
  std::vector<uint32_t> sorted_names;  // places in resource_names by their names, where these are many; or empty

  bool Allows(const Attributes& attributes) const;
};
using PolicyRules = std::vector<PolicyRule>;

// The `rules` of a Role or ClusterRole.
PolicyRules ParsePolicyRules(const value::Value& rules);

}  // namespace auth
