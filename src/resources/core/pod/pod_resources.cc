// What a pod says of processor and memory for all of its containers together.
#include <string>

#include "api/pod_resources.h"
#include "base/text.h"
#include "resources/core/pod/container_rules.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/core/resource_rules.h"

namespace resources::core {
namespace {

// All of what its containers ask for has room in what the pod asks for.
void CheckRequestsCover(Scope& spec, const FieldPath& path, const Value& requests) {
  for (const auto& [name, sum] : api::ContainerResources(spec.object, "requests")) {
    const api::Quantity own = QuantityOf(requests.Get(name));
    if (sum.Compare(own) <= 0) continue;
    spec.errors.Invalid(path.Key(name), own.text(),
                        base::Cat("must be greater than or equal to aggregate container requests of ", sum.text()));
  }
}

// No container goes beyond what the pod is limited to.
void CheckLimitsHold(Scope& spec, const FieldPath& path, const Value& limits) {
  const FieldPath list = path.Child("containers");
  int64_t index = 0;
  for (const Value& container : spec.Get("containers").items()) {
    const FieldPath at = list.Index(index++);
    for (const value::Member& limit : container.Get({"resources", "limits"}).members()) {
      const Value* own = limits.Find(limit.key);
      if (own == nullptr || QuantityOf(limit.value).Compare(QuantityOf(*own)) <= 0) continue;
      const FieldPath resource = at.Key(limit.key);
      spec.errors.Invalid(resource.Child("limits"), limit.value.AsString(),
                          base::Cat("must be less than or equal to pod limits of ", own->AsString()));
    }
  }
}

}  // namespace

void CheckPodResources(Scope& spec) {
  const Value resources = spec.Get("resources");
  if (!spec.context.Has(Feature::kPodLevelResources) || !resources.is_object()) return;
  const FieldPath path = spec.At("resources");
  if (resources.Find("claims") != nullptr) {
    spec.errors.Forbidden(path.Child("claims"), "claims cannot be set for Resources at pod-level");
  }
  RequirementOptions options = RequirementsOf(spec);
  options.check_name = CheckPodResourceName;
  CheckResourceRequirements(spec.errors, path, resources, options);
  CheckRequestsCover(spec, path.Child("requests"), resources.Get("requests"));
  CheckLimitsHold(spec, path, resources.Get("limits"));
}

}  // namespace resources::core
