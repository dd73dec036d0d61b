#include <set>

#include "base/text.h"
#include "registry/semantic_equality.h"
#include "resources/core/volume/volume_sources.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/json_writer.h"

namespace resources::storage {
namespace {

constexpr size_t kLongestNodeId = 256;

void CheckName(Scope& driver) { core::CheckCsiDriverName(driver.errors, driver.At("name"), driver.String("name")); }

void CheckNodeId(Scope& driver) {
  const std::string_view id = driver.String("nodeID");
  if (id.empty()) driver.errors.Required(driver.At("nodeID"));
  if (id.size() > kLongestNodeId) driver.errors.Invalid(driver.At("nodeID"), id, "must be 256 characters or less");
}

// Errors stand at the driver: the real server does not number keys.
void CheckTopologyKeys(Scope& driver) {
  std::set<std::string_view> keys;
  for (const Value& item : driver.Get("topologyKeys").items()) {
    const std::string_view key = item.AsString();
    if (key.empty()) driver.errors.Required(driver.path);
    if (!keys.insert(key).second) driver.errors.Duplicate(driver.path, key);
    kQualifiedName(driver.errors, driver.path, key);
  }
}

constexpr Rule kAllocatable[] = {NonNegative("count")};
constexpr Rule kIdentity[] = {Call(CheckName), Call(CheckNodeId), Into("allocatable", kAllocatable)};
constexpr Rule kTopology[] = {Call(CheckTopologyKeys)};

void CheckDrivers(Scope& node) {
  const FieldPath spec = node.At("spec");
  const FieldPath drivers = spec.Child("drivers");
  std::set<std::string_view> names;
  int64_t index = 0;
  for (const Value& driver : node.Get({"spec", "drivers"}).items()) {
    const FieldPath path = drivers.Index(index++);
    const std::string_view name = driver.GetString("name");
    Check(node, kIdentity, path, driver, nullptr);
    if (!names.insert(name).second) node.errors.Duplicate(path.Child("name"), name);
    Check(node, kTopology, path, driver, nullptr);
  }
}

// Drivers come and go, but none changes.
void CheckDriversKept(Scope& node) {
  const schema::Type& type = *schema::FindType("io.k8s.api.storage.v1.CSINodeDriver");
  for (const Value& old : node.old->Get({"spec", "drivers"}).items()) {
    for (const Value& driver : node.Get({"spec", "drivers"}).items()) {
      if (driver.GetString("name") != old.GetString("name") || registry::Same(type, driver, old)) continue;
      node.errors.InvalidAs(node.At("CSINodeDriver"), base::Cat("storage.CSINodeDriver", value::ToJson(driver)),
                            "field is immutable");
    }
  }
}

constexpr Rule kRules[] = {Call(CheckDrivers)};
constexpr Rule kUpdateRules[] = {
    Call(CheckObjectMeta), Call(CheckDrivers), Call(CheckObjectMeta), Call(CheckDrivers), Call(CheckDriversKept),
};

}  // namespace

constinit const registry::StrategyTable kCsiNodes = {
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .allow_unconditional_update = false,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::storage
