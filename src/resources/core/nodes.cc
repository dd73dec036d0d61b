#include <set>
#include <string>
#include <string_view>
#include "value/json_writer.h"

#include "api/ip_address.h"
#include "base/text.h"
#include "resources/core/pod/tolerations.h"
#include "resources/core/resource_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/json_reader.h"

namespace resources::core {
namespace {

using registry::WriteContext;

constexpr std::string_view kTaintsAnnotation = "scheduler.alpha.kubernetes.io/taints";
constexpr std::string_view kAvoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods";
constexpr std::string_view kPodCidrsStay = "node updates may not change podCIDR except from \"\" to valid";

// Annotations.

void CheckAvoidedPods(Scope& node, const FieldPath& path, std::string_view text) {
  const auto avoided = value::ReadJson(text, node.context.arena);
  if (!avoided) return node.errors.Invalid(path.Child("AvoidPods"), kAvoidPods, avoided.error().message);
  const FieldPath list = path.Child(kAvoidPods);
  int64_t index = 0;
  for (const Value& entry : avoided->Get("preferAvoidPods").items()) {
    const FieldPath item = list.Index(index++);
    const FieldPath signature = item.Child("PodSignature"), owner = signature.Child("PodController");
    const Value* controller = entry.Get("podSignature").Find("podController");
    if (controller == nullptr) {
      node.errors.Required(signature);
    } else if (const Value controls = controller->Get("controller"); !controls.is_bool() || !controls.AsBool()) {
      node.errors.Invalid(owner.Child("Controller"), Value::Bool(false), "must point to a controller");
    }
  }
}

void CheckAnnotationsOf(Scope& node) {
  const FieldPath metadata = node.At("metadata"), path = metadata.Child("annotations");
  const Value annotations = node.Get({"metadata", "annotations"});
  if (const std::string_view text = annotations.GetString(kTaintsAnnotation); !text.empty()) {
    const auto taints = ReadTaints(text, node.context.arena);
    if (taints) {
      CheckTaints(node.errors, path.Child(kTaintsAnnotation), *taints);
    } else {
      node.errors.Invalid(path, kTaintsAnnotation, taints.error());
    }
  }
  if (const std::string_view text = annotations.GetString(kAvoidPods); !text.empty()) {
    CheckAvoidedPods(node, path, text);
  }
}

// Said to stand in the metadata.
void CheckOwnTaints(Scope& node) {
  const FieldPath metadata = node.At("metadata");
  CheckTaints(node.errors, metadata.Child("taints"), node.Get({"spec", "taints"}));
}

void CheckAmounts(Scope& node) {
  const FieldPath status = node.At("status");
  for (std::string_view field : {"capacity", "allocatable"}) {
    const FieldPath path = status.Child(field);
    for (const value::Member& amount : node.Get({"status", field}).members()) {
      CheckResourceAmount(node.errors, path.Child(amount.key), amount.key, amount.value);
    }
  }
}

// Pod ranges: at most one of each family, none twice.
void CheckPodRanges(Scope& node) {
  const Value ranges = node.Get({"spec", "podCIDRs"});
  const FieldPath spec = node.At("spec"), path = spec.Child("podCIDRs");
  bool v4 = false, v6 = false;
  std::string unreadable;
  for (uint32_t i = 0; i < ranges.size(); ++i) {
    const std::string_view range = ranges[i].AsString();
    const size_t before = node.errors.size();
    CheckCidr(node.errors, path.Index(i), range);
    const auto address = api::IpAddress::ParseLoosely(range.substr(0, range.find('/')));
    v4 |= address && address->is_v4();
    v6 |= address && !address->is_v4();
    if (node.errors.size() == before || !unreadable.empty()) continue;
    unreadable = base::Cat("invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[", i,
                           "]: <nil> (invalid CIDR address: ", range, ")");
  }
  if (ranges.size() < 2) return;
  if (!unreadable.empty()) node.errors.Internal(path, unreadable);
  if (!unreadable.empty() || !v4 || !v6 || ranges.size() > 2) {
    node.errors.Invalid(path, ranges, "may specify no more than one CIDR for each IP family");
  }
  std::set<std::string_view> seen;
  for (uint32_t i = 0; i < ranges.size(); ++i) {
    if (!seen.insert(ranges[i].AsString()).second) node.errors.Duplicate(path.Index(i), ranges[i].AsString());
  }
}

// What may change.

void CheckAddresses(Scope& node) {
  const FieldPath status = node.At("status"), path = status.Child("addresses");
  std::set<std::pair<std::string_view, std::string_view>> seen;
  int64_t index = 0;
  for (const Value& address : node.Get({"status", "addresses"}).items()) {
    const FieldPath item = path.Index(index++);
    if (seen.emplace(address.GetString("type"), address.GetString("address")).second) continue;
    node.errors.DuplicateStruct(item, address);
  }
}

// Ranges and provider are given once.
void CheckGivenOnce(Scope& node) {
  const FieldPath spec = node.At("spec"), path = spec.Child("podCIDRs");
  const Value ranges = node.Get({"spec", "podCIDRs"}), old_ranges = node.old->Get({"spec", "podCIDRs"});
  if (!old_ranges.empty() && old_ranges.size() != ranges.size()) {
    node.errors.Forbidden(path, kPodCidrsStay);
  } else {
    for (uint32_t i = 0; i < old_ranges.size(); ++i) {
      if (!value::Equal(old_ranges[i], ranges[i])) node.errors.Forbidden(path, kPodCidrsStay);
    }
  }
  const std::string_view provider = node.old->Get("spec").GetString("providerID");
  if (provider.empty() || provider == node.Get("spec").GetString("providerID")) return;
  node.errors.Forbidden(spec.Child("providerID"), "node updates may not change providerID except from \"\" to valid");
}

// A configuration source: uid and resourceVersion stand in a status, and nowhere else.
void CheckConfigMap(Errors& errors, const FieldPath& path, const Value& map, bool of_status) {
  for (std::string_view field : {"uid", "resourceVersion"}) {
    const bool has = !map.GetString(field).empty();
    if (of_status && !has) errors.Required(path.Child(field), base::Cat(field, " must be set in status"));
    if (!of_status && has) errors.Forbidden(path.Child(field), base::Cat(field, " must not be set in spec"));
  }
  const auto check = [&](std::string_view field, FormatCheck form) {
    const std::string_view text = map.GetString(field);
    if (text.empty()) return errors.Required(path.Child(field), base::Cat(field, " must be set"));
    form(errors, path.Child(field), text);
  };
  check("namespace", kDnsLabel);
  check("name", kDnsSubdomain);
  check("kubeletConfigKey", kConfigMapKey);
}

void CheckConfigSource(Errors& errors, const FieldPath& path, const Value* source, bool of_status) {
  if (source == nullptr) return;
  if (const Value* map = source->Find("configMap")) {
    return CheckConfigMap(errors, path.Child("configMap"), *map, of_status);
  }
  errors.InvalidAs(path, base::Cat("core.NodeConfigSource", value::ToJson(*source)),
                   "exactly one reference subfield must be non-nil");
}

void CheckConfigSources(Scope& node) {
  const FieldPath spec = node.At("spec"), status = node.At("status"), config = status.Child("config");
  CheckConfigSource(node.errors, spec.Child("configSource"), node.Get("spec").Find("configSource"), false);
  const Value of_status = node.Get({"status", "config"});
  for (std::string_view field : {"assigned", "active", "lastKnownGood"}) {
    CheckConfigSource(node.errors, config.Child(field), of_status.Find(field), true);
  }
}

void CheckExternalId(Scope& node) {
  if (node.Get("spec").GetString("externalID") == node.old->Get("spec").GetString("externalID")) return;
  const FieldPath spec = node.At("spec");
  node.errors.Forbidden(spec.Child("externalID"), "may not be updated");
}

constexpr Rule kCreateRules[] = {Call(CheckAnnotationsOf), Call(CheckOwnTaints), Call(CheckAmounts),
                                 Call(CheckPodRanges)};
constexpr Rule kStatusRules[] = {
    Call(CheckObjectMetaUpdate), Call(CheckAnnotationsOf), Call(CheckAmounts),   Call(CheckAddresses),
    Call(CheckGivenOnce),        Call(CheckConfigSources), Call(CheckOwnTaints), Call(CheckExternalId),
};

void CheckAsNew(Scope& node) { Check(node, kCreateRules, node.path, node.object, nullptr); }
void CheckChange(Scope& node) { Check(node, kStatusRules, node.path, node.object, node.old); }

// Through its own endpoint a node must be what it must be as a new one too; what is wrong is said twice.
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckAsNew), Call(CheckChange)};

// Dynamic configuration of nodes is gone: nobody begins to use it.

// What the node's runtime can do, where the server knows of it.
void DropFeatures(WriteContext& context, const Value& node, const Value& old) {
  if (!context.Has(Feature::kRecursiveReadOnlyMounts) && !context.Has(Feature::kUserNamespacesSupport)) {
    node.Get("status").Remove("runtimeHandlers");
  }
  if (context.Has(Feature::kSupplementalGroupsPolicy)) return;
  const Value used = old.Get({"status", "features", "supplementalGroupsPolicy"});
  if (used.is_null()) node.Get("status").Remove("features");
}

void PrepareForCreate(WriteContext& context, Value node) {
  node.Get("spec").Remove("configSource");
  node.Get("status").Remove("config");
  DropFeatures(context, node, Value());
}

void PrepareForUpdate(WriteContext& context, Value node, const Value& old) {
  if (context.subresource == "status") {
    if (old.Get("status").Find("config") == nullptr) node.Get("status").Remove("config");
    return;
  }
  if (old.Get("spec").Find("configSource") == nullptr) node.Get("spec").Remove("configSource");
  DropFeatures(context, node, old);
}

void Warn(WriteContext& context, const Value& node, const Value*) {
  if (!context.subresource.empty()) return;
  const Value spec = node.Get("spec");
  if (spec.Find("configSource") != nullptr) context.warnings.emplace_back("spec.configSource: the feature is removed");
  if (spec.GetString("externalID").empty()) return;
  context.warnings.emplace_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
}

}  // namespace

constinit const registry::StrategyTable kNodes = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kCreateRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .warnings_on_write = Warn,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .creates_with_status = true,
        },
};

}  // namespace resources::core
