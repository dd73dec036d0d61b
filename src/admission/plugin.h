// Plugin: one admission plugin of kube-apiserver: its name, and its mutating and validating half. Made at start, shared
// by all requests of all threads; what belongs to one request is in its registry::AdmissionRequest.
//
// Errors are refusals, answered to the client as they are. A plugin that only looks at snapshots overrides Mutate and
// Validate; one that has to wait (for a webhook) says so for the requests that it waits for and overrides the tasks.
#pragma once

#include <string_view>

#include "api/error.h"
#include "base/task.h"
#include "registry/admission.h"
#include "registry/registry.h"

namespace admission {

using registry::AdmissionRequest;
using registry::Operation;

class Plugin {
 public:
  // `name` as in --enable-admission-plugins; static text.
  explicit Plugin(std::string_view name) : name_(name) {}
  virtual ~Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  std::string_view name() const { return name_; }

  virtual api::Result<> Mutate(AdmissionRequest& request) const { return {}; }
  virtual api::Result<> Validate(AdmissionRequest& request) const { return {}; }

  // Whether the tasks below are to be awaited for this request, in place of the calls above.
  virtual bool Waits(const AdmissionRequest& request) const { return false; }
  virtual base::Task<api::Result<>> MutateAsync(AdmissionRequest& request) const { co_return Mutate(request); }
  virtual base::Task<api::Result<>> ValidateAsync(AdmissionRequest& request) const { co_return Validate(request); }

 private:
  const std::string_view name_;
};

}  // namespace admission
