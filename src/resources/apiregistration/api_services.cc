#include <array>

#include "api/quote.h"
#include "base/text.h"
#include "registry/object_meta.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::apiregistration {
namespace {

using registry::WriteContext;

constexpr std::array<std::string_view, 3> kConditionStatuses = {"True", "False", "Unknown"};

// What this server itself serves is there at once.
void PrepareForCreate(WriteContext& context, Value service) {
  registry::Arena& arena = context.arena;
  service.Remove("status");
  if (!service.Get({"spec", "service"}).is_null()) return;
  const Value condition = Value::Object(arena, 5);
  condition.Add(arena, "type", Value::String("Available"));
  condition.Add(arena, "status", Value::String("True"));
  condition.Add(arena, "lastTransitionTime", Value::String(context.now));
  condition.Add(arena, "reason", Value::String("Local"));
  condition.Add(arena, "message", Value::String("Local APIServices are always available"));
  const Value conditions = Value::Array(arena, 1);
  conditions.Append(arena, condition);
  const Value status = Value::Object(arena, 1);
  status.Add(arena, "conditions", conditions);
  service.Add(arena, "status", status);
}

// The name says version and group, that of a name to be made too.
void CheckMetadata(Scope& service) {
  const Value spec = service.Get("spec");
  const std::string wanted = base::Cat(spec.GetString("version"), ".", spec.GetString("group"));
  CheckObjectMeta(service, [&](std::string_view name, bool prefix) {
    api::Complaints complaints = api::CheckPathSegment(name, prefix);
    if (complaints.empty() && name != wanted) {
      complaints.push_back(base::Cat("must be `spec.version+\".\"+spec.group`: ", api::Quote(wanted)));
    }
    return complaints;
  });
}

void CheckGroup(Scope& spec) {
  const std::string_view group = spec.String("group");
  if (!group.empty()) return kDnsSubdomain(spec.errors, spec.At("group"), group);
  if (spec.String("version") != "v1") {
    spec.errors.Required(spec.At("group"), "only v1 may have an empty group and it better be legacy kube");
  }
}

void CheckPriorities(Scope& spec) {
  const int64_t group = spec.Int("groupPriorityMinimum"), version = spec.Int("versionPriority");
  if (group <= 0 || group > 20000) {
    spec.errors.Invalid(spec.At("groupPriorityMinimum"), group, "must be positive and less than 20000");
  }
  if (version <= 0 || version > 1000) {
    spec.errors.Invalid(spec.At("versionPriority"), version, "must be positive and less than 1000");
  }
}

// How many bytes `base64` stands for.
size_t DecodedSize(std::string_view base64) {
  const size_t padding = base64.size() - std::min(base64.size(), base64.find_last_not_of('=') + 1);
  return base64.size() / 4 * 3 - padding;
}

void CheckLocal(Scope& spec, bool skips_verification) {
  if (const std::string_view bundle = spec.String("caBundle"); !bundle.empty()) {
    spec.errors.Invalid(spec.At("caBundle"), std::string_view(base::Cat(std::to_string(DecodedSize(bundle)), " bytes")),
                        "local APIServices may not have a caBundle");
  }
  if (skips_verification) {
    spec.errors.Invalid(spec.At("insecureSkipTLSVerify"), Value::Bool(true),
                        "local APIServices may not have insecureSkipTLSVerify");
  }
}

void CheckServer(Scope& spec) {
  const Value skip = spec.Get("insecureSkipTLSVerify");
  const bool skips_verification = skip.is_bool() && skip.AsBool();
  if (!spec.Has("service")) return CheckLocal(spec, skips_verification);
  const Value service = spec.Get("service");
  const FieldPath path = spec.At("service");
  for (std::string_view field : {"namespace", "name"}) {
    if (service.GetString(field).empty()) spec.errors.Required(path.Child(field));
  }
  const Value port = service.Get("port");
  if (const int64_t number = port.is_int() ? port.AsInt() : 0; number < 1 || number > 65535) {
    spec.errors.Invalid(path.Child("port"), number,
                        base::Cat("port is not valid: ", api::InclusiveRangeText(1, 65535)));
  }
  if (skips_verification && !spec.String("caBundle").empty()) {
    spec.errors.Invalid(spec.At("insecureSkipTLSVerify"), Value::Bool(true), "may not be true if caBundle is present");
  }
}

void CheckVersion(Scope& spec) { kDns1035Label(spec.errors, spec.At("version"), spec.String("version")); }

constexpr Rule kSpecRules[] = {Call(CheckGroup), Call(CheckVersion), Call(CheckPriorities), Call(CheckServer)};

void CheckSpec(Scope& service) { Check(service, kSpecRules, service.At("spec"), service.Get("spec"), nullptr); }

constexpr Rule kRules[] = {Call(CheckMetadata), Call(CheckSpec)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMetaUpdate), Call(CheckMetadata), Call(CheckSpec)};
constexpr Rule kCondition[] = {OneOf("status", kConditionStatuses)};
constexpr Rule kStatus[] = {Each("conditions", kCondition)};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate), Into("status", kStatus)};

}  // namespace

constinit const registry::StrategyTable kApiServices = {
    .prepare_for_create = PrepareForCreate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .facts =
        {
            .update_checks = registry::MetadataChecks::kNone,
            .strict_finalizers = false,
            .allow_unconditional_update = false,
            .resets = kStatusResets,
            .status_write_keeps = registry::kForStatus,
        },
};

}  // namespace resources::apiregistration
