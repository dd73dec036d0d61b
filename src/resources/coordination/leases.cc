#include <limits>

#include "resources/coordination/lease_strategy.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::coordination {
namespace {

using registry::WriteContext;

constexpr int64_t kAnyNumber = std::numeric_limits<int64_t>::max();

// Fields of coordinated leader election: where it is off they are kept where they are already.
void PrepareForUpdate(WriteContext& context, Value lease, const Value& old) {
  if (context.Has(Feature::kCoordinatedLeaderElection)) return;
  const Value spec = lease.Get("spec");
  for (std::string_view field : {"strategy", "preferredHolder"}) {
    if (old.Get({"spec", field}).is_null()) spec.Remove(field);
  }
}

void PrepareForCreate(WriteContext& context, Value lease) { PrepareForUpdate(context, lease, Value()); }

void CheckStrategy(Scope& spec) {
  if (spec.Has("strategy")) CheckLeaseStrategy(spec.errors, spec.At("strategy"), spec.String("strategy"));
  if (!spec.String("preferredHolder").empty() && spec.String("strategy").empty()) {
    spec.errors.Forbidden(spec.At("preferredHolder"), "may only be specified if `strategy` is defined");
  }
}

constexpr Rule kLeaseSpec[] = {
    Range("leaseDurationSeconds", 1, kAnyNumber, "must be greater than 0"),
    NonNegative("leaseTransitions"),
    Call(CheckStrategy),
};
constexpr Rule kRules[] = {Into("spec", kLeaseSpec)};

}  // namespace

constinit const registry::StrategyTable kLeases = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .strict_finalizers = false,
            .allow_create_on_update = true,
            .allow_unconditional_update = false,
        },
};

}  // namespace resources::coordination
