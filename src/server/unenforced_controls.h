// Unenforced controls: what a command line asks for that protects something, and that Fairlead does not do. A server
// does not start with one, unless it is told to (--allow-unenforced-flags). Pure; read by the options alone.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/flags.h"

namespace server {

struct UnenforcedControl {
  std::string setting;  // "--audit-policy-file", "--enable-admission-plugins=NodeRestriction"
  std::string missing;  // why it is not honoured
};

// By the names of the flags. A value that asks for nothing (empty, false, the default) is none.
std::vector<UnenforcedControl> UnenforcedControls(const FlagValues& flags);

// Fails with what is not enforced, or with --allow-unenforced-flags gives a warning of each.
base::Result<> RefuseUnenforced(const FlagValues& flags, std::vector<std::string>& warnings);

// One line of the plugins that would run in kube-apiserver without being asked for and that are not built; "" where
// there is none.
std::string MissingDefaults(const std::vector<std::string>& running_plugins);

}  // namespace server
