// Any path and query have facts, whose names are pieces of the path; any text is a duration that prints as itself, or
// none.
#include <cstdint>
#include <cstdlib>

#include "api/duration.h"
#include "api/request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto duration = api::ParseDuration(text)) {
    if (api::ParseDuration(api::FormatDuration(*duration)) != duration) std::abort();
  }
  const size_t question = text.find('?');
  std::string path;
  if (!api::UnescapePath(text.substr(0, question), path)) return 0;
  const api::Query query = api::Query::Parse(question == std::string_view::npos ? "" : text.substr(question + 1));
  bool failed = false;
  for (std::string_view method : {"GET", "DELETE", "OPTIONS"}) {
    const api::RequestInfo info = api::ParseRequestInfo(method, path, query, &failed);
    if (info.is_resource_request && !failed && info.parts.empty()) std::abort();
    if (path.find(info.namespace_name) == std::string::npos) std::abort();
  }
  return 0;
}
