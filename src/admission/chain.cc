#include "admission/chain.h"

namespace admission {

base::Task<api::Result<>> Chain::Mutate(AdmissionRequest& request) const {
  for (const auto& plugin : plugins_) {
    api::Result<> admitted = plugin->Waits(request) ? co_await plugin->MutateAsync(request) : plugin->Mutate(request);
    if (!admitted) co_return admitted;
  }
  co_return api::Result<>();
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
