// The environments of the expressions of admission: what a webhook's match conditions and the expressions of a policy
// may use, as the API server declares it. A request's object, its old object and its parameters have no known types.
//
// AdmissionEnvironment: any thread; its environments live as long as the program. PolicyEnvironment: one thread.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "cel/composition.h"
#include "cel/environment.h"

namespace cel {

struct AdmissionVariables {
  Version version = kNewExpressions;
  bool has_params = false;
  bool has_authorizer = true;
  bool has_patches = false;  // Object{...}, JSONPatch{...} and jsonpatch.escapeKey, of mutating policies
};

// object, oldObject, namespaceObject, request; params and authorizer where they are had. The same environment each
// time.
std::shared_ptr<const Environment> AdmissionEnvironment(const AdmissionVariables& variables);

// Those of one policy, with `variables` of what was added. An environment is made anew after each addition, at a cost
// of what was added before: callers bound how many there are (kMostPolicyVariables). Within one PolicyEnvironment all
// environments have their variables by the same indexes, the authorizer's last.
inline constexpr size_t kMostPolicyVariables = 1000;

// What the objects of a policy are held to be where it is checked against types, which is never when it is evaluated.
struct PolicyTypes {
  const Declaration* object = nullptr;
  const Declaration* params = nullptr;  // null: there is no such variable
  std::shared_ptr<const Declarations> declarations;
};

class PolicyEnvironment {
 public:
  explicit PolicyEnvironment(bool has_params) : has_params_(has_params) {}
  // As the check of types declares them: with the authorizer, and without authorizer.requestResource.
  explicit PolicyEnvironment(PolicyTypes types) : has_params_(types.params != nullptr), types_(std::move(types)) {}
  std::shared_ptr<const Environment> Get(Version version, bool has_authorizer, bool has_patches = false);
  // nullptr: the expression did not compile, its type is not known.
  void Add(std::string_view name, const Type* type);

 private:
  const bool has_params_;
  const std::optional<PolicyTypes> types_;
  VariablesType variables_;
  std::array<std::shared_ptr<const Environment>, 8> made_;  // since the last addition
};

}  // namespace cel
