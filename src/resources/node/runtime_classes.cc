#include <algorithm>
#include <set>
#include <string>

#include "resources/core/pod/tolerations.h"
#include "resources/core/resource_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/json_writer.h"

namespace resources::node {
namespace {

using registry::WriteContext;

struct Deprecated {
  std::string_view label, text;
};
constexpr Deprecated kDeprecatedLabels[] = {
    {"beta.kubernetes.io/arch", "deprecated since v1.14; use \"kubernetes.io/arch\" instead"},
    {"beta.kubernetes.io/os", "deprecated since v1.14; use \"kubernetes.io/os\" instead"},
    {"failure-domain.beta.kubernetes.io/region",
     "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"},
    {"failure-domain.beta.kubernetes.io/zone", "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"},
    {"beta.kubernetes.io/instance-type", "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"},
    {"app.kubernetes.io/created-by", "deprecated since v1.9"},
    {"scheduler.alpha.kubernetes.io/preferAvoidPods", "deprecated since v1.22; use Taints and Tolerations instead"},
    {"node-role.kubernetes.io/master", "use \"node-role.kubernetes.io/control-plane\" instead"},
};

void WarnOfDeprecatedLabels(WriteContext& context, const Value& runtime_class, const Value*) {
  for (const value::Member& label : runtime_class.Get({"scheduling", "nodeSelector"}).members()) {
    const auto found = std::ranges::find(kDeprecatedLabels, label.key, &Deprecated::label);
    if (found == std::end(kDeprecatedLabels)) continue;
    context.warnings.push_back("scheduling.nodeSelector: " + std::string(found->text));
  }
}

void CheckHandler(Scope& runtime_class) {
  kDnsLabel(runtime_class.errors, runtime_class.At("handler"), runtime_class.String("handler"));
}

void CheckOverhead(Scope& runtime_class) {
  const Value* overhead = runtime_class.object.Find("overhead");
  if (overhead == nullptr) return;
  core::CheckOverhead(runtime_class.errors, runtime_class.At("overhead"), overhead->Get("podFixed"));
}

void CheckScheduling(Scope& runtime_class) {
  const FieldPath path = runtime_class.At("scheduling");
  const Value scheduling = runtime_class.Get("scheduling");
  CheckLabels(runtime_class.errors, path.Child("nodeSelector"), scheduling.Get("nodeSelector"));
  const Value tolerations = scheduling.Get("tolerations");
  const FieldPath list = path.Child("tolerations");
  core::CheckTolerations(runtime_class.errors, list.Child("tolerations"), tolerations);
  std::set<core::TolerationKey> seen;
  for (uint32_t i = 0; i < tolerations.size(); ++i) {
    if (seen.insert(core::KeyOf(tolerations[i])).second) continue;
    runtime_class.errors.Add(
        {api::FieldError::Type::kDuplicate, list.Index(i).text(), value::ToJson(tolerations[i]), {}});
  }
}

constexpr Rule kRules[] = {Call(CheckHandler), Call(CheckOverhead), Call(CheckScheduling)};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta), Call(CheckHandler),          Call(CheckOverhead),
    Call(CheckScheduling), Call(CheckObjectMetaUpdate), ImmutableText("handler"),
};

}  // namespace

constinit const registry::StrategyTable kRuntimeClasses = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .warnings_on_write = WarnOfDeprecatedLabels,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .strict_finalizers = false,
            .allow_create_on_update = true,
            .allow_unconditional_update = false,
        },
};

}  // namespace resources::node
