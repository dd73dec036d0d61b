// What Go's reflection calls the API's types, in the few error texts that show it. Pure functions, any thread.
#pragma once

#include <string>
#include <string_view>

namespace handlers {

// The kind in the server's unversioned form: "core.ConfigMap", "apps.Deployment".
std::string InternalGoName(std::string_view group, std::string_view kind);

}  // namespace handlers
