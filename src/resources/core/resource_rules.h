// What names and amounts of resources ("cpu", "hugepages-2Mi", "example.com/gpu") must keep: of containers, claims,
// quotas, ranges, overheads. An amount is the canonical text of a quantity. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/quantity.h"
#include "resources/rules/rules.h"

namespace resources::core {

// Kinds of resource names, as the real server tells them apart.
bool IsHugePageResource(std::string_view name);       // hugepages-*
bool IsQuotaHugePageResource(std::string_view name);  // hugepages-*, requests.hugepages-*
bool IsNativeResource(std::string_view name);         // without domain, or of kubernetes.io
bool IsExtendedResource(std::string_view name);
bool IsIntegerResource(std::string_view name);
bool IsOvercommitAllowed(std::string_view name);
bool IsStandardResource(std::string_view name);
bool IsStandardQuotaResource(std::string_view name);
bool IsStandardContainerResource(std::string_view name);

// Complains of a name that is neither standard nor qualified.
void CheckResourceName(Errors& errors, const FieldPath& path, std::string_view name);
// The same for what a container, and a quota, may name.
void CheckContainerResourceName(Errors& errors, const FieldPath& path, std::string_view name);
void CheckQuotaResourceName(Errors& errors, const FieldPath& path, std::string_view name);

// The quantity a text says; 0 for a value that is none.
api::Quantity QuantityOf(const Value& amount);
// How error texts print a quantity that they are given as a Go struct.
std::string PrintQuantity(const Value& amount);

void CheckNonNegativeAmount(Errors& errors, const FieldPath& path, const Value& amount);
// Not negative, and whole where the resource is counted.
void CheckResourceAmount(Errors& errors, const FieldPath& path, std::string_view name, const Value& amount);

// The same for what a pod may say of all its containers together.
void CheckPodResourceName(Errors& errors, const FieldPath& path, std::string_view name);

struct RequirementOptions {
  bool allow_indivisible_huge_pages = false;  // amounts that are no multiple of the page's size
  std::vector<std::string_view> claims;       // names of the pod's resource claims, sorted
  void (*check_name)(Errors& errors, const FieldPath& path, std::string_view name) = CheckContainerResourceName;
};
// ResourceRequirements, a container's or a pod's, at `path`: limits, requests, claims.
void CheckResourceRequirements(Errors& errors, const FieldPath& path, const Value& requirements,
                               const RequirementOptions& options = {});
// Amounts that a node reserves beside those of containers (overhead), held against the same rules as limits: the errors
// stand at `limits` below `path`.
void CheckOverhead(Errors& errors, const FieldPath& path, const Value& overhead,
                   const RequirementOptions& options = {});
// True where an amount of huge pages is no multiple of its page: what is so stored may stay so.
bool IsIndivisibleHugePages(std::string_view name, const Value& amount);

}  // namespace resources::core
