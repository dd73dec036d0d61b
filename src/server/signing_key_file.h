// The key that signs tokens of service accounts where nobody gave one: made once, and kept.
#pragma once

#include <string>

#include "base/result.h"

namespace server {

// Makes the private key that `path` shall hold where no file is, readable by its owner alone. PEM.
// `sync`: a crash of the machine keeps it.
base::Result<> KeepSigningKey(const std::string& path, bool sync = true);

}  // namespace server
