#include <algorithm>
#include <set>
#include <string>

#include "registry/object_meta.h"
#include "registry/semantic_equality.h"
#include "resources/resource/device_rules.h"
#include "resources/rules/field_checks.h"
#include "resources/rules/metadata_checks.h"
#include "resources/rules/node_selector.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"
#include "value/keep_items.h"

namespace resources::resource {
namespace {

using registry::WriteContext;

constexpr int64_t kMostReservations = 256;
constexpr int64_t kMostResults = 32;
constexpr int64_t kMostAllocatedConfigurations = 64;  // of a class and of the claim

bool HasAdminAccess(const Value& claim) {
  const auto asked = [](const Value& item) { return item.Find("adminAccess") != nullptr; };
  return std::ranges::any_of(claim.Get({"spec", "devices", "requests"}).items(), asked) ||
         std::ranges::any_of(claim.Get({"status", "allocation", "devices", "results"}).items(), asked);
}

bool KeepsReports(const WriteContext& context, const Value& old) {
  return context.Has(Feature::kDraResourceClaimDeviceStatus) || !old.Get({"status", "devices"}).empty();
}

// What stands behind feature gates that are off goes, unless the claim has it already.
void DropGated(const WriteContext& context, const Value& claim, const Value& old) {
  if (const Value status = claim.Get("status"); status.is_object() && !KeepsReports(context, old)) {
    status.Remove("devices");
  }
  if (context.Has(Feature::kDraAdminAccess) || HasAdminAccess(old)) return;
  DropAdminAccess(context, claim.Get({"spec", "devices"}), Value());
  for (const Value& result : claim.Get({"status", "allocation", "devices", "results"}).items()) {
    result.Remove("adminAccess");
  }
}

void PrepareForCreate(WriteContext& context, Value claim) { DropGated(context, claim, Value()); }

std::set<std::string> AllocatedDevices(const Value& claim) {
  std::set<std::string> devices;
  for (const Value& result : claim.Get({"status", "allocation", "devices", "results"}).items()) {
    devices.insert(DeviceName(result));
  }
  return devices;
}

// Reports on devices go with these.
void DropReportsOfTheGone(const Value& claim, const Value& old) {
  const Value status = claim.Get("status"), reports = status.Get("devices");
  if (!reports.is_array()) return;
  const std::set<std::string> before = AllocatedDevices(old), now = AllocatedDevices(claim);
  value::KeepItems(reports, [&](const Value& report) {
    const std::string device = DeviceName(report);
    return !before.contains(device) || now.contains(device);
  });
  if (reports.empty()) status.Remove("devices");
}

void PrepareForUpdate(WriteContext& context, Value claim, const Value& old) {
  if (context.subresource == "status" && KeepsReports(context, old)) DropReportsOfTheGone(claim, old);
  DropGated(context, claim, old);
}

void CheckSpec(Scope& claim) { CheckClaimSpec(claim.errors, claim.At("spec"), claim.Get("spec"), false); }

void CheckUnchanged(Scope& claim) {
  if (!registry::SameAt(*claim.context.resource.type, "spec", claim.object, *claim.old)) {
    claim.errors.InvalidAs(claim.At("spec"), PrintStruct("ResourceClaimSpec", claim.Get("spec")), "field is immutable");
  }
  CheckClaimSpec(claim.errors, claim.At("spec"), claim.Get("spec"), true);
}

// The three names of a device.
void CheckDevice(Errors& errors, const FieldPath& path, const Value& device) {
  CheckDriverName(errors, path.Child("driver"), device.GetString("driver"));
  CheckPoolName(errors, path.Child("pool"), device.GetString("pool"));
  kDnsLabel(errors, path.Child("device"), device.GetString("device"));
}

void CheckReservations(Scope& claim) {
  const FieldPath status = claim.At("status");
  CheckSet(claim.errors, status.Child("reservedFor"), claim.object.Get({"status", "reservedFor"}), kMostReservations,
           "uid", [&](const FieldPath& at, const Value& consumer) {
             for (std::string_view field : {"resource", "name", "uid"}) {
               if (consumer.GetString(field).empty()) claim.errors.Required(at.Child(field));
             }
           });
}

// Drivers report on what is allocated.
void CheckReports(Scope& claim) {
  const FieldPath status = claim.At("status");
  const FieldPath path = status.Child("devices");
  const Value reports = claim.object.Get({"status", "devices"});
  const std::set<std::string> allocated = AllocatedDevices(claim.object);
  CheckSlice(claim.errors, path, reports, -1, [&](const FieldPath& at, const Value& report) {
    CheckDevice(claim.errors, at, report);
    const std::string name = DeviceName(report);
    if (!allocated.contains(name)) claim.errors.InvalidAs(at, name, "must be an allocated device in the claim");
    CheckDeviceReport(claim.errors, at, report);
  });
  CheckNoneRepeats(claim.errors, path, reports, "deviceID",
                   [](const Value& report) { return ItemKey{DeviceName(report), false}; });
}

// Only what is allocated can be reserved; a claim that goes takes no new consumers.
void CheckReservable(Scope& claim) {
  const Value reserved = claim.object.Get({"status", "reservedFor"});
  if (reserved.empty()) return;
  const FieldPath status = claim.At("status");
  const FieldPath path = status.Child("reservedFor");
  if (claim.object.Get({"status", "allocation"}).is_null()) {
    return claim.errors.Forbidden(path, "may not be specified when `allocated` is not set");
  }
  if (!registry::ObjectMeta(claim.object).deleting()) return;
  const Value before = claim.old->Get({"status", "reservedFor"});
  const auto is_new = [&](const Value& consumer) {
    return std::ranges::none_of(before.items(), [&](const Value& old) { return value::Equal(old, consumer); });
  };
  if (std::ranges::any_of(reserved.items(), is_new)) {
    claim.errors.Forbidden(path,
                           "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set");
  }
}

void CheckResult(Errors& errors, const FieldPath& path, const Value& result, const RequestNames& requests) {
  CheckRequestName(errors, path.Child("request"), result.GetString("request"), requests);
  CheckDevice(errors, path, result);
}

void CheckAllocatedConfiguration(Errors& errors, const FieldPath& path, const Value& configuration,
                                 const RequestNames& requests) {
  const std::string_view source = configuration.GetString("source");
  if (source.empty()) {
    errors.Required(path.Child("source"));
  } else if (source != "FromClaim" && source != "FromClass") {
    errors.NotSupported(path.Child("source"), source, {"FromClaim", "FromClass"});
  }
  CheckRequestNames(errors, path.Child("requests"), configuration.Get("requests"), requests);
  CheckConfiguration(errors, path, configuration, false);
}

void CheckNewAllocation(Scope& claim, const FieldPath& path, const Value& allocation) {
  const RequestNames requests = RequestNamesOf(claim.object.Get({"spec", "devices"}));
  const FieldPath devices = path.Child("devices");
  CheckSlice(claim.errors, devices.Child("results"), allocation.Get({"devices", "results"}), kMostResults,
             [&](const FieldPath& at, const Value& result) { CheckResult(claim.errors, at, result, requests); });
  CheckSlice(claim.errors, devices.Child("config"), allocation.Get({"devices", "config"}), kMostAllocatedConfigurations,
             [&](const FieldPath& at, const Value& configuration) {
               CheckAllocatedConfiguration(claim.errors, at, configuration, requests);
             });
  if (const Value* selector = allocation.Find("nodeSelector")) {
    CheckNodeSelector(claim.errors, path.Child("nodeSelector"), *selector, {});
  }
}

// An allocation is made and taken back as a whole.
void CheckAllocation(Scope& claim) {
  const Value allocation = claim.object.Get({"status", "allocation"});
  if (allocation.is_null()) return;
  const FieldPath status = claim.At("status");
  const FieldPath path = status.Child("allocation");
  if (claim.old->Get({"status", "allocation"}).is_null()) return CheckNewAllocation(claim, path, allocation);
  if (registry::SameAt(*claim.context.resource.type, "status.allocation", claim.object, *claim.old)) return;
  claim.errors.InvalidAs(path, PrintStruct("AllocationResult", allocation), "field is immutable");
}

constexpr Rule kRules[] = {Call(CheckSpec)};
// A changed claim is held against all rules of a new one first.
constexpr Rule kUpdateRules[] = {Call(CheckObjectMeta), Call(CheckSpec), Call(CheckObjectMetaUpdate),
                                 Call(CheckUnchanged)};
constexpr Rule kStatusRules[] = {Call(CheckObjectMetaUpdate), Call(CheckReservations), Call(CheckReports),
                                 Call(CheckReservable), Call(CheckAllocation)};

}  // namespace

constinit const registry::StrategyTable kResourceClaims = {
    .prepare_for_create = PrepareForCreate,
    .prepare_for_update = PrepareForUpdate,
    .validate = Validate<kRules>,
    .validate_update = ValidateUpdate<kUpdateRules, kStatusRules>,
    .facts =
        {
            .check_name = api::CheckNameIsDnsSubdomain,
            .update_checks = registry::MetadataChecks::kInRules,
            .status_write_keeps = registry::kForStatus,
            .returns_deleted_object = true,
        },
};

}  // namespace resources::resource
