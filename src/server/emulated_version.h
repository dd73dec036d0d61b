// The version that --emulated-version asks the server to be. Fairlead is 1.32 whatever it says: it is read to complain
// of what the real server complains of. Pure; called once at start.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace server {

struct EmulatedVersion {
  std::vector<std::string> complaints;  // of versions that 1.32 cannot be
  bool is_own = true;                   // none or 1.32
};

// `values`: "1.31" or "kube=1.31". Fails with the real server's words for what is no version, or not of a component.
base::Result<EmulatedVersion> ReadEmulatedVersion(std::span<const std::string> values);

}  // namespace server
