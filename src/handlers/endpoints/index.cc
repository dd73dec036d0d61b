#include "handlers/endpoints/index.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "handlers/respond.h"
#include "value/json_writer.h"

namespace handlers {
namespace {

std::string PathsJson(std::vector<std::string> paths) {
  // The index lists every other path.
  std::erase_if(paths, [](const std::string& path) { return path == "/" || path == "/index.html"; });
  std::sort(paths.begin(), paths.end());
  paths.erase(std::unique(paths.begin(), paths.end()), paths.end());
  std::string json = "{\n  \"paths\": [";
  for (const std::string& path : paths) {
    json += &path == paths.data() ? "\n    " : ",\n    ";
    value::AppendJsonString(json, path);
  }
  return json + "\n  ]\n}";
}

constexpr std::string_view kMetricsType = "text/plain; version=0.0.4; charset=utf-8; escaping=values";

}  // namespace

void InstallIndex(std::function<std::vector<std::string>()> more_paths, Endpoints& endpoints) {
  const auto answer = Sync([more_paths = std::move(more_paths), &endpoints](exchange::Exchange&) {
    std::vector<std::string> paths = endpoints.Paths();
    if (more_paths) {
      for (std::string& path : more_paths()) paths.push_back(std::move(path));
    }
    return RespondText(200, "application/json", PathsJson(std::move(paths)));
  });
  endpoints.Exact("/", answer);
  endpoints.Exact("/index.html", answer);
}

void InstallMetrics(const base::Metrics& metrics, const Health& health, std::chrono::system_clock::time_point started,
                    Endpoints& endpoints) {
  const int64_t seconds = std::chrono::floor<std::chrono::seconds>(started.time_since_epoch()).count();
  const auto install = [&endpoints, seconds](std::string path, std::function<std::string()> expose) {
    endpoints.Exact(std::move(path), Sync([expose = std::move(expose), seconds](exchange::Exchange& exchange) {
                      if (exchange.request().method == "DELETE")
                        return RespondText(200, "text/plain; charset=utf-8", "metrics reset\n");
                      exchange::Response response = RespondText(200, kMetricsType, expose());
                      response.headers.Add("process-start-time-unix", base::Cat(seconds));
                      response.compression = exchange::Compression::kWhenTaken;
                      return response;
                    }));
  };
  install("/metrics", [&metrics] { return metrics.Expose(); });
  install("/metrics/slis", [&health] { return health.Indicators(); });
}

}  // namespace handlers
