// Index: GET / lists the paths that the server has; /metrics and /metrics/slis tell what it counted.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "base/metrics.h"
#include "handlers/endpoints/endpoints.h"
#include "handlers/endpoints/health.h"

namespace handlers {

// `more_paths` gives what the endpoints do not know: groups and versions of the API. Asked once for each request.
void InstallIndex(std::function<std::vector<std::string>()> more_paths, Endpoints& endpoints);

// `metrics` and `health` outlive `endpoints`. Answers say when the process started: `started`, in whole seconds.
void InstallMetrics(const base::Metrics& metrics, const Health& health, std::chrono::system_clock::time_point started,
                    Endpoints& endpoints);

}  // namespace handlers
