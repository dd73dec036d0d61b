#include <set>
#include <string>

#include "api/quote.h"
#include "base/text.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::storage {
namespace {

constexpr std::string_view kGroupPolicies[] = {"File", "None", "ReadWriteOnceWithFSType"};

void CheckGroupPolicy(Scope& spec) {
  const std::string_view policy = spec.String("fsGroupPolicy");
  if (!spec.Has("fsGroupPolicy") || policy == "File" || policy == "None" || policy == "ReadWriteOnceWithFSType") return;
  spec.errors.NotSupported(spec.At("fsGroupPolicy"), policy, kGroupPolicies);
}

// Of several requests for one audience only the first is looked at further.
void CheckTokenRequests(Scope& spec) {
  const FieldPath requests = spec.At("tokenRequests");
  std::set<std::string_view> audiences;
  int64_t index = 0;
  for (const Value& request : spec.Get("tokenRequests").items()) {
    const FieldPath path = requests.Index(index++);
    const std::string_view audience = request.GetString("audience");
    if (!audiences.insert(audience).second) {
      spec.errors.Duplicate(path.Child("audience"), audience);
      continue;
    }
    const Value seconds = request.Get("expirationSeconds");
    if (!seconds.is_int()) continue;
    const FieldPath at = path.Child("expirationSeconds");
    if (seconds.AsInt() < 600) {
      spec.errors.Invalid(at, seconds.AsInt(), "may not specify a duration less than 10 minutes");
    }
    if (seconds.AsInt() > int64_t{1} << 32) {
      spec.errors.Invalid(at, seconds.AsInt(), "may not specify a duration larger than 2^32 seconds");
    }
  }
}

void CheckLifecycleModes(Scope& spec) {
  for (const Value& mode : spec.Get("volumeLifecycleModes").items()) {
    if (mode.AsString() == "Persistent" || mode.AsString() == "Ephemeral") continue;
    spec.errors.NotSupported(spec.At("volumeLifecycleModes"), mode.AsString(), {"Persistent", "Ephemeral"});
  }
}

// The field's name in the error is the real server's slip.
void CheckAttachKept(Scope& spec) {
  if (spec.old == nullptr) return;
  const Value now = spec.Get("attachRequired");
  if (!value::Equal(now, spec.old->Get("attachRequired"))) {
    spec.errors.Invalid(spec.At("attachedRequired"), now, "field is immutable");
  }
}

void CheckModesKept(Scope& spec) {
  const Value modes = spec.Get("volumeLifecycleModes");
  if (spec.old == nullptr || value::Equal(modes, spec.old->Get("volumeLifecycleModes"))) return;
  std::string printed = "[]storage.VolumeLifecycleMode{";
  for (const Value& mode : modes.items()) {
    base::Append(printed, printed.ends_with('{') ? "" : ", ", api::Quote(mode.AsString()));
  }
  spec.errors.InvalidAs(spec.At("volumeLifecycleModes"), printed + "}", "field is immutable");
}

void PrepareForUpdate(registry::WriteContext& context, Value driver, const Value& old) {
  if (context.Has(Feature::kSeLinuxMountReadWriteOncePod) || old.Get("spec").Find("seLinuxMount") != nullptr) return;
  driver.Get("spec").Remove("seLinuxMount");
}

void PrepareForCreate(registry::WriteContext& context, Value driver) { PrepareForUpdate(context, driver, Value()); }

constexpr Rule kSpecRules[] = {
    Call(CheckGroupPolicy), Call(CheckTokenRequests), Call(CheckLifecycleModes),
    Call(CheckAttachKept),  Call(CheckModesKept),
};
constexpr Rule kRules[] = {Into("spec", kSpecRules)};

}  // namespace

constinit const registry::StrategyTable kCsiDrivers = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .allow_unconditional_update = false,
            .generation_of = kSpec,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::storage
