#include "pipeline/request_info_stage.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/text.h"

namespace pipeline {
namespace {

constexpr size_t kWarningTotal = 4 * 1024;  // characters of all warnings together, before each is cut
constexpr size_t kWarningItem = 256;

bool IsContinuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

size_t Characters(std::string_view text) {
  return text.size() - static_cast<size_t>(std::count_if(text.begin(), text.end(), IsContinuation));
}

std::string_view FirstCharacters(std::string_view text, size_t count) {
  for (size_t at = 0; at < text.size(); ++at) {
    if (IsContinuation(text[at])) continue;
    if (count-- == 0) return text.substr(0, at);
  }
  return text;
}

std::string WarningHeader(std::string_view text) {
  std::string header = "299 - \"";
  for (char c : text) {
    if (c == '"' || c == '\\') header += '\\';
    header += c;
  }
  return header + '"';
}

bool HasControls(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7F; });
}

}  // namespace

std::vector<std::string> WarningHeaders(const std::vector<std::string>& texts) {
  absl::flat_hash_set<std::string_view> seen;
  std::vector<std::string_view> kept;
  size_t total = 0;
  for (const std::string& text : texts) {
    if (text.empty() || HasControls(text) || !seen.insert(text).second) continue;
    kept.push_back(text);
    total += Characters(text);
  }
  const bool cut = total > kWarningTotal;
  std::vector<std::string> headers;
  size_t written = 0;
  for (std::string_view text : kept) {
    if (cut && written >= kWarningTotal) break;
    if (cut) text = FirstCharacters(text, kWarningItem);
    written += Characters(text);
    headers.push_back(WarningHeader(text));
  }
  return headers;
}

std::optional<exchange::Response> RequestInfoStage::Receive(exchange::Exchange& exchange) {
  const exchange::Request& request = exchange.request();
  api::RequestContext& context = exchange.context();
  context.audit_id = request.headers.Get("audit-id");
  if (context.audit_id.empty()) context.audit_id = base::NewUuid(random_);
  std::string path;
  if (!api::UnescapePath(request.path, path)) return PlainText(400, "400 Bad Request");
  context.query = api::Query::Parse(request.raw_query);
  bool failed = false;
  context.info = api::ParseRequestInfo(request.method, path, context.query, &failed);
  if (!failed) return std::nullopt;
  std::string url = request.path;
  if (!request.raw_query.empty()) base::Append(url, "?", request.raw_query);
  return InternalServerError(
      exchange, base::Cat("failed to create RequestInfo: unable to determine kind and namespace from url, ", url));
}

void RequestInfoStage::AddSharedHeaders(exchange::Exchange& exchange, exchange::Response& response) const {
  api::RequestContext& context = exchange.context();
  if (!response.headers.Has("cache-control")) response.headers.Add("cache-control", "no-cache, private");
  for (auto& [name, value] : context.response_headers) response.headers.Add(name, std::move(value));
  if (!context.warnings.empty()) {
    for (std::string& header : WarningHeaders(context.warnings)) response.headers.Add("warning", std::move(header));
  }
}

base::Task<exchange::Response> RequestInfoStage::Handle(exchange::Exchange& exchange) {
  const auto start = clock_.Monotonic();
  std::string failure;
  std::optional<exchange::Response> response = Receive(exchange);
  if (!response) {
    try {
      response = co_await next_.Handle(exchange);
    } catch (const std::exception& thrown) {
      failure = thrown.what();
      if (failure.empty()) failure = "unnamed exception";
      response = PlainText(500, "This request caused apiserver to panic. Look in the logs for details.");
    }
    if (exchange.head_only() && response->status == 100) co_return std::move(*response);  // no answer yet
    if (!response->is_taken_over) AddSharedHeaders(exchange, *response);
  }
  if (!response->is_taken_over) response->headers.Add("audit-id", exchange.context().audit_id);
  if (observer_) observer_(exchange, *response, clock_.Monotonic() - start, failure);
  co_return std::move(*response);
}

}  // namespace pipeline
