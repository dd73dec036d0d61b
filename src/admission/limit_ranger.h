// LimitRanger: what the containers and pods of a namespace, and its claims of volumes, may ask for at least and at
// most, and what containers get that do not say, as its LimitRanges have it.
// https://kubernetes.io/docs/concepts/policy/limit-range/
//
// Threads and ownership as Plugin. Cost: of each limit range a look at each container.
#pragma once

#include <string>
#include <vector>

#include "admission/plugins.h"
#include "admission/stored_objects.h"
#include "api/features.h"
#include "value/value.h"

namespace admission {

class LimitRanger final : public Plugin {
 public:
  LimitRanger(std::string_view name, const PluginParts& parts) : Plugin(name), stored_(parts.store, parts.resources) {}
  api::Result<> Mutate(AdmissionRequest& request) const override;
  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  const StoredObjects stored_;
};

// Gives containers and init containers of `pod` the requests and limits that `limit_range` has for those who say
// nothing, and notes in an annotation which.
void SetLimitDefaults(const value::Value& limit_range, const value::Value& pod, value::Arena& arena);
// What is wrong with a pod or a claim as `limit_range` has it: one text, several in brackets; "" nothing.
std::string CheckPodLimits(const value::Value& limit_range, const value::Value& pod, const api::Features& features);
std::string CheckClaimLimits(const value::Value& limit_range, const value::Value& claim);

}  // namespace admission
