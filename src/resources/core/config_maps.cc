#include "resources/core/data_rules.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/member_index.h"

namespace resources::core {
namespace {

// A key stands in one of the two maps.
void CheckKeys(Scope& map) {
  const FieldPath data = map.At("data");
  const Value binary = map.Get("binaryData");
  const value::MemberIndex binary_keys(binary);
  for (const value::Member& entry : map.Get("data").members()) {
    CheckDataKey(map.errors, data, entry.key);
    if (binary_keys.Find(entry.key) == nullptr) continue;
    map.errors.Invalid(data.Key(entry.key), entry.key, "duplicate of key present in binaryData");
  }
  const FieldPath binary_data = map.At("binaryData");
  for (const value::Member& entry : binary.members()) CheckDataKey(map.errors, binary_data, entry.key);
}

void CheckSize(Scope& map) {
  int64_t bytes = BytesIn(map.Get("binaryData"));
  for (const value::Member& entry : map.Get("data").members()) {
    bytes += static_cast<int64_t>(entry.value.AsString().size());
  }
  // Said of the object as a whole, whose path the real server writes so.
  if (bytes > kMostDataBytes) map.errors.TooLong(map.path.Key(""), kMostDataBytes);
}

// The real server makes an empty map of texts where there is none.
void CheckKept(Scope& map) {
  CheckImmutableData(map, {{.name = "data", .none_is_empty = true}, {.name = "binaryData"}});
}

constexpr Rule kRules[] = {Call(CheckKeys), Call(CheckSize)};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMetaUpdate), Call(CheckKept), Call(CheckObjectMeta), Call(CheckKeys), Call(CheckSize),
};

}  // namespace

constinit const registry::StrategyTable kConfigMaps = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
        },
};

}  // namespace resources::core
