#include <algorithm>
#include <charconv>
#include <string>

#include "api/quote.h"
#include "resources/rules/conditions.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/json_writer.h"

namespace resources::storagemigration {
namespace {

void CheckNamed(Scope& migration) {
  const FieldPath spec = migration.At("spec");
  const FieldPath path = spec.Child("resource");
  const Value resource = migration.object.Get({"spec", "resource"});
  if (resource.GetString("resource").empty()) {
    migration.errors.Required(path.Child("resource"), "resource is required");
  }
  if (resource.GetString("version").empty()) migration.errors.Required(path.Child("version"), "version is required");
}

void CheckSameResource(Scope& migration) {
  const Value now = migration.object.Get({"spec", "resource"}), before = migration.old->Get({"spec", "resource"});
  for (std::string_view field : {"group", "version", "resource"}) {
    if (now.GetString(field) == before.GetString(field)) continue;
    migration.errors.Invalid(FieldPath(field), now.GetString(field), "field is immutable");
  }
}

// What Go's parser of numbers says; "" of a number.
std::string ParseInt(std::string_view text, int64_t& number) {
  const std::string_view digits = text.starts_with('+') ? text.substr(1) : text;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  std::string_view why;
  if (error == std::errc::result_out_of_range) why = "value out of range";
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) why = "invalid syntax";
  if (why.empty()) return {};
  number = 0;
  return "failed to parse resource version " + api::Quote(text) + ": strconv.ParseInt: parsing " + api::Quote(text) +
         ": " + std::string(why);
}

void CheckVersionNumber(Scope& migration) {
  const FieldPath status = migration.At("status");
  const FieldPath path = status.Child("resourceVersion");
  const std::string_view version = migration.Get("status").GetString("resourceVersion");
  int64_t number = 0;
  if (!version.empty()) {
    const std::string why = ParseInt(version, number);
    if (!why.empty()) migration.errors.Invalid(path, version, why);
  }
  if (number < 0) migration.errors.Invalid(path, number, "must be greater than or equal to 0");
}

void CheckStatusConditions(Scope& migration) {
  const FieldPath status = migration.At("status");
  CheckConditions(migration.errors, status.Child("conditions"), migration.object.Get({"status", "conditions"}),
                  "lastUpdateTime");
}

void CheckSameVersion(Scope& migration) {
  const FieldPath status = migration.At("status");
  const std::string_view before = migration.old->Get("status").GetString("resourceVersion");
  const std::string_view now = migration.Get("status").GetString("resourceVersion");
  if (before.empty() || before == now) return;
  migration.errors.Invalid(status.Child("resourceVersion"), now, "resourceVersion cannot be updated");
}

bool IsTrue(const Value& migration, std::string_view type) {
  const Value conditions = migration.Get({"status", "conditions"});
  const auto of_type = [&](const Value& condition) { return condition.GetString("type") == type; };
  const auto found = std::ranges::find_if(conditions.items(), of_type);
  return found != conditions.items().end() && found->GetString("status") == "True";
}

// A migration runs, or it has come to one of its two ends, where it stays.
void CheckProgress(Scope& migration) {
  const FieldPath status = migration.At("status");
  const auto refuse = [&](std::string_view why) {
    migration.errors.InvalidAs(status.Child("conditions"),
                               value::ToJson(migration.object.Get({"status", "conditions"})), why);
  };
  const bool succeeded = IsTrue(migration.object, "Succeeded"), failed = IsTrue(migration.object, "Failed");
  const bool running = IsTrue(migration.object, "Running");
  if (succeeded && failed) refuse("Both success and failed conditions cannot be true at the same time");
  if (succeeded && running) refuse("Running condition cannot be true when success condition is true");
  if (failed && running) refuse("Running condition cannot be true when failed condition is true");
  if (IsTrue(*migration.old, "Succeeded") && !succeeded) {
    refuse("Success condition cannot be set to false once it is true");
  }
  if (IsTrue(*migration.old, "Failed") && !failed) refuse("Failed condition cannot be set to false once it is true");
}

constexpr Rule kRules[] = {Call(CheckNamed)};
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckNamed), Call(CheckObjectMetaUpdate),
                                 Call(CheckSameResource)};
constexpr Rule kStatusRules[] = {
    Call(CheckObjectMetaUpdate), Call(CheckVersionNumber), Call(CheckStatusConditions),
    Call(CheckSameVersion),      Call(CheckProgress),
};

}  // namespace

constinit const registry::StrategyTable kStorageVersionMigrations = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .allow_unconditional_update = false,
            .resets = kStatusResets,
            .status_write_keeps = registry::kForStatus,
        },
};

}  // namespace resources::storagemigration
