// PodTolerationRestriction: pods get the tolerations that their namespace has for those that are made in it, and have
// only those that it allows; annotations of the namespace say both, or the configuration where they do not.
// Threads and ownership as Plugin. Bounds: pods with more than kMostTolerations are refused, since each is held against
// the others.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "admission/plugins.h"
#include "admission/stored_objects.h"
#include "base/result.h"

namespace admission {

struct TolerationOptions {
  std::shared_ptr<value::Arena> arena = std::make_shared<value::Arena>();  // of these
  std::vector<value::Value> defaults, allowed;

  // Of a Configuration of podtolerationrestriction.admission.k8s.io; of a null Value nothing.
  static base::Result<TolerationOptions> Read(const value::Value& document);
};

class PodTolerationRestriction final : public Plugin {
 public:
  static constexpr size_t kMostTolerations = 1000;

  PodTolerationRestriction(std::string_view name, const PluginParts& parts, TolerationOptions options)
      : Plugin(name), stored_(parts.store, parts.resources), options_(std::move(options)) {}
  api::Result<> Mutate(AdmissionRequest& request) const override;
  api::Result<> Validate(AdmissionRequest& request) const override;

 private:
  using Tolerations = std::optional<std::vector<value::Value>>;
  // What that annotation of the request's namespace lists; none where there is none.
  api::Result<Tolerations> Annotated(const AdmissionRequest& request, std::string_view annotation) const;
  const StoredObjects stored_;
  const TolerationOptions options_;
};

// Whether `larger` tolerates all that `toleration` does.
bool TolerationCovers(const value::Value& larger, const value::Value& toleration);
// Both in order, without those that another covers.
std::vector<value::Value> MergeTolerations(std::vector<value::Value> first, const std::vector<value::Value>& second);

}  // namespace admission
