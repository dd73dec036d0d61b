#include "auth/request_header.h"

#include <algorithm>
#include <utility>

#include "api/request.h"
#include "base/text.h"

namespace auth {
namespace {

void Lower(std::vector<std::string>& names) {
  for (std::string& name : names) name = base::ToLower(name);
}

// The first of these headers that says something.
std::string First(const exchange::Headers& headers, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const std::string_view value = headers.Get(name); !value.empty()) return std::string(value);
  }
  return "";
}

}  // namespace

RequestHeaders::RequestHeaders(std::unique_ptr<const ClientCertificates> proxies, Options options)
    : proxies_(std::move(proxies)), options_([&options] {
        Lower(options.user_headers);
        Lower(options.uid_headers);
        Lower(options.group_headers);
        Lower(options.extra_prefixes);
        return std::move(options);
      }()) {}

Identity RequestHeaders::Authenticate(exchange::Exchange& exchange) const {
  const Identity proxy = proxies_->Authenticate(exchange);
  if (proxy.outcome != Identity::Outcome::kUser) return proxy;
  const auto& allowed = options_.allowed_names;
  if (!allowed.empty() && std::ranges::find(allowed, proxy.user->name) == allowed.end()) {
    return Identity::Rejected(base::Cat("x509: subject with cn=", proxy.user->name, " is not in the allowed list"));
  }
  const exchange::Headers& headers = exchange.request().headers;
  api::User user{.name = First(headers, options_.user_headers), .uid = First(headers, options_.uid_headers)};
  if (user.name.empty()) return Identity::Absent();
  for (const std::string& name : options_.group_headers) {
    for (const std::string_view group : headers.All(name)) {
      if (!group.empty()) user.groups.emplace_back(group);
    }
  }
  for (const auto& [name, value] : headers.fields()) {
    for (const std::string& prefix : options_.extra_prefixes) {
      if (!name.starts_with(prefix)) continue;
      const std::string encoded = name.substr(prefix.size());
      std::string key;
      if (!api::UnescapePath(encoded, key)) key = encoded;
      user.extra[key].push_back(value);
    }
  }
  return Identity::Of(WithAuthenticatedGroup(std::move(user)));
}

}  // namespace auth
