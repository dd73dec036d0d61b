// What claims, templates of claims, classes and slices of devices demand alike. Each check says what it finds at
// `path`; pure, any thread. Expressions are looked at for their length only.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "resources/rules/rules.h"

namespace resources::resource {

// Each item keeps `check_item`; there are at most `most` (-1: any number); of `key` ("": the item itself) none repeats.
using CheckItem = absl::FunctionRef<void(const FieldPath& path, const Value& item)>;
void CheckSlice(Errors& errors, const FieldPath& path, const Value& list, int64_t most, CheckItem check_item);
void CheckSet(Errors& errors, const FieldPath& path, const Value& list, int64_t most, std::string_view key,
              CheckItem check_item);

// What tells an item of a set from the others, and how error texts print it.
struct ItemKey {
  std::string text;
  bool quoted = true;
};
// Items of one key are said to be duplicates, at `field` of the item ("": at the item itself).
using KeyOfItem = absl::FunctionRef<ItemKey(const Value& item)>;
void CheckNoneRepeats(Errors& errors, const FieldPath& path, const Value& list, std::string_view field,
                      KeyOfItem key_of);

// A pool's name: DNS subdomains between slashes.
void CheckPoolName(Errors& errors, const FieldPath& path, std::string_view name);
// The name of an attribute or a capacity, with or without a domain; where `with_domain`, one is needed.
void CheckAttributeName(Errors& errors, const FieldPath& path, std::string_view name, bool with_domain);
// Parameters that a driver understands. What is `stored` already may be longer than new ones.
void CheckParameters(Errors& errors, const FieldPath& path, const Value& parameters, bool stored);
void CheckSelectors(Errors& errors, const FieldPath& path, const Value& selectors);
// A driver's configuration, in a class, a claim or an allocation.
void CheckConfiguration(Errors& errors, const FieldPath& path, const Value& configuration, bool stored);
// The names of the requests in `devices` (of a claim's spec); lists of them, and one.
using RequestNames = std::set<std::string_view>;
RequestNames RequestNamesOf(const Value& devices);
void CheckRequestNames(Errors& errors, const FieldPath& path, const Value& names, const RequestNames& requests);
void CheckRequestName(Errors& errors, const FieldPath& path, std::string_view name, const RequestNames& requests);
// What a driver reports of a device that a claim was given: conditions, data, how it stands in a network.
void CheckDeviceReport(Errors& errors, const FieldPath& path, const Value& device);
// "driver/pool/device", of a result of an allocation or a driver's report.
std::string DeviceName(const Value& device);

// The spec of a claim or of a template's claims.
void CheckClaimSpec(Errors& errors, const FieldPath& path, const Value& spec, bool stored);

// How error texts print a structure of this group: the name that Go has for it, and JSON.
std::string PrintStruct(std::string_view type, const Value& v);

// Takes from a claim's spec, where `old` does not have it, the field that asks for access as an administrator, unless
// its feature gate is on.
void DropAdminAccess(const registry::WriteContext& context, const Value& devices, const Value& old_devices);

}  // namespace resources::resource
