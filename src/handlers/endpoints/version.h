// Version: GET /version, which tells clients what they talk to.
#pragma once

#include <string>

#include "handlers/endpoints/endpoints.h"

namespace handlers {

struct VersionInfo {
  std::string major, minor, git_version, git_commit, git_tree_state, build_date, go_version, compiler, platform;
};

// What this build says of itself: the Kubernetes version whose API it serves.
VersionInfo ServedVersion();

std::string VersionJson(const VersionInfo& info);

void InstallVersion(const VersionInfo& info, Endpoints& endpoints);

}  // namespace handlers
