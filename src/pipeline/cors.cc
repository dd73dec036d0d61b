#include "pipeline/cors.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace pipeline {
namespace {

constexpr int64_t kPatternMemory = 1 << 20;  // of one pattern, compiled

}  // namespace

struct AllowedOrigins::Patterns {
  std::vector<std::unique_ptr<const RE2>> all;
};

AllowedOrigins::AllowedOrigins() : patterns_(std::make_unique<Patterns>()) {}
AllowedOrigins::~AllowedOrigins() = default;
AllowedOrigins::AllowedOrigins(AllowedOrigins&&) noexcept = default;
AllowedOrigins& AllowedOrigins::operator=(AllowedOrigins&&) noexcept = default;

base::Result<AllowedOrigins> AllowedOrigins::Parse(const std::vector<std::string>& patterns) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kPatternMemory);
  AllowedOrigins origins;
  for (const std::string& pattern : patterns) {
    auto compiled = std::make_unique<const RE2>(pattern, options);
    if (!compiled->ok()) return base::Fail(base::Code::kInvalid, base::Cat(pattern, ": ", compiled->error()));
    origins.patterns_->all.push_back(std::move(compiled));
  }
  return origins;
}

bool AllowedOrigins::empty() const { return patterns_->all.empty(); }

bool AllowedOrigins::Allow(std::string_view origin) const {
  return std::ranges::any_of(patterns_->all, [&](const auto& pattern) {
    return RE2::PartialMatch(re2::StringPiece(origin.data(), origin.size()), *pattern);
  });
}

base::Task<exchange::Response> Cors::Handle(exchange::Exchange& exchange) {
  const std::string_view origin = exchange.request().headers.Get("origin");
  if (origin.empty() || !origins_.Allow(origin)) return next_.Handle(exchange);
  auto& headers = exchange.context().response_headers;
  headers.emplace_back("access-control-allow-origin", std::string(origin));
  headers.emplace_back("access-control-allow-methods", "POST, GET, OPTIONS, PUT, DELETE, PATCH");
  headers.emplace_back("access-control-allow-headers",
                       "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, "
                       "If-Modified-Since");
  headers.emplace_back("access-control-expose-headers", "Date");
  headers.emplace_back("access-control-allow-credentials", "true");
  if (exchange.request().method == "OPTIONS") return Ready({.status = 204});
  return next_.Handle(exchange);
}

}  // namespace pipeline
