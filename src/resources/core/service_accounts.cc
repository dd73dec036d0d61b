#include "resources/strategies.h"

namespace resources::core {
namespace {

using registry::Value;
using registry::WriteContext;

constexpr std::string_view kMountableSecrets = "kubernetes.io/enforce-mountable-secrets";

// A secret is one of the account's own namespace: its name is all that counts.
void KeepSecretNames(value::Arena& arena, const Value& account) {
  for (const Value& secret : account.Get("secrets").items()) {
    const Value name = secret.Get("name");
    secret.Truncate(0);
    if (!name.is_null()) secret.Add(arena, "name", name);
  }
}

void PrepareForCreate(WriteContext& context, Value account) { KeepSecretNames(context.arena, account); }
void PrepareForUpdate(WriteContext& context, Value account, const Value&) { KeepSecretNames(context.arena, account); }

void Warn(WriteContext& context, const Value& account, const Value* old) {
  const auto enforces = [](const Value& object) {
    return object.Get({"metadata", "annotations"}).Find(kMountableSecrets) != nullptr;
  };
  if (!enforces(account) || (old != nullptr && enforces(*old))) return;
  context.warnings.emplace_back(
      "metadata.annotations[kubernetes.io/enforce-mountable-secrets]: deprecated in v1.32+; prefer separate namespaces "
      "to isolate access to mounted secrets");
}

}  // namespace

constinit const registry::StrategyTable kServiceAccounts = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .warnings_on_write = Warn,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kUpdateAndFull,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::core
