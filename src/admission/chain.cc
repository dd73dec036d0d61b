#include "admission/chain.h"

namespace admission {

base::Task<api::Result<>> Chain::Mutate(AdmissionRequest& request) const {
  registry::MutationPasses passes;
  request.passes = &passes;
  api::Result<> admitted;
  do {
    passes.is_second = passes.wants_second;
    for (size_t i = 0; admitted && i < plugins_.size(); ++i) {
      const Plugin& plugin = *plugins_[i];
      admitted = plugin.Waits(request) ? co_await plugin.MutateAsync(request) : plugin.Mutate(request);
    }
  } while (admitted && passes.wants_second && !passes.is_second);
  request.passes = nullptr;
  co_return admitted;
}

base::Task<api::Result<>> Chain::Validate(AdmissionRequest& request) const {
  for (const auto& plugin : plugins_) {
    api::Result<> admitted =
        plugin->Waits(request) ? co_await plugin->ValidateAsync(request) : plugin->Validate(request);
    if (!admitted) co_return admitted;
  }
  co_return api::Result<>();
}

}  // namespace admission
