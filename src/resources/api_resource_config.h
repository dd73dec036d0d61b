// ApiResourceConfig: which built-in APIs a server serves, chosen by --runtime-config and --feature-gates. Made once at start,
// then constant; any thread. Errors are kInvalid with the words of the real server's flags.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "api/features.h"
#include "base/result.h"

namespace resources {

class ApiResourceConfig {
 public:
  using Setting = std::pair<std::string, std::string>;  // "api/beta", "true"; "group/version/resource", "" (means true)

  // What is on by default.
  ApiResourceConfig();
  // The defaults changed by `runtime_config`: api/all, api/ga, api/beta, api/alpha first, in this order; then
  // group/version keys; then group/version/resource keys, which stand above everything. "/v1" is the core group.
  static base::Result<ApiResourceConfig> Make(std::span<const Setting> runtime_config);

  // Which gates are on; those that are off hide the few resources and subresources that nothing serves without them.
  void SetFeatures(const api::Features& features) { features_ = features; }
  const api::Features& features() const { return features_; }
  // Whether discovery tells in which version resources are stored: gate StorageVersionHash.
  void ShowStorageVersions(bool shown) { shows_storage_versions_ = shown; }
  bool shows_storage_versions() const { return shows_storage_versions_; }

  // Whether that resource is served; `gate` "" or the gate that it needs.
  bool Has(std::string_view group, std::string_view version, std::string_view plural, std::string_view gate) const;
  bool HasGate(std::string_view gate) const;

 private:
  base::Result<> SetLevels(std::span<const Setting> runtime_config);
  base::Result<> SetKeys(std::span<const Setting> runtime_config, size_t parts);

  std::map<std::string, bool, std::less<>> versions_;   // "group/version"
  std::map<std::string, bool, std::less<>> resources_;  // "group/version/resource", where it differs from its version
  api::Features features_;
  bool shows_storage_versions_ = true;
};

}  // namespace resources
