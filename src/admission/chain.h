// Chain: every admission plugin that is on, in order, as the one registry::Admission that all writes pass. Made by
// server/, which gives it the plugins; shared by all threads.
//
// Mutation stops at the first refusal, and so does validation. Where a webhook changed the object, all mutating plugins
// see it a second time (MutationPasses). A plugin that waits is awaited in its place; without one
// a write passes the chain without leaving its thread.
#pragma once

#include <memory>
#include <vector>

#include "admission/plugin.h"

namespace admission {

class Chain final : public registry::Admission {
 public:
  // `plugins` in the order in which they run.
  explicit Chain(std::vector<std::unique_ptr<const Plugin>> plugins) : plugins_(std::move(plugins)) {}

  base::Task<api::Result<>> Mutate(AdmissionRequest& request) const override;
  base::Task<api::Result<>> Validate(AdmissionRequest& request) const override;

 private:
  const std::vector<std::unique_ptr<const Plugin>> plugins_;
};

}  // namespace admission
