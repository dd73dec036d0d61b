#include "pipeline/impersonation.h"

#include <map>
#include <optional>
#include <utility>

#include "api/names.h"
#include "base/text.h"
#include "pipeline/authorization.h"

namespace pipeline {
namespace {

constexpr std::string_view kExtraPrefix = "impersonate-extra-";
constexpr std::string_view kAccountPrefix = "system:serviceaccount:";

// Who the headers name.
struct Wanted {
  std::string_view user, uid;
  std::vector<std::string_view> groups;
  std::map<std::string, std::vector<std::string>> extra;

  bool empty() const { return user.empty() && uid.empty() && groups.empty() && extra.empty(); }
};

Wanted ReadHeaders(const exchange::Headers& headers) {
  Wanted wanted;
  for (const auto& [name, value] : headers.fields()) {
    if (!name.starts_with("impersonate-")) continue;
    if (name == "impersonate-user") {
      if (wanted.user.empty()) wanted.user = value;
    } else if (name == "impersonate-uid") {
      if (wanted.uid.empty()) wanted.uid = value;
    } else if (name == "impersonate-group") {
      wanted.groups.push_back(value);
    } else if (name.starts_with(kExtraPrefix)) {
      const std::string encoded = name.substr(kExtraPrefix.size());
      std::string key;
      if (!api::UnescapePath(encoded, key)) key = encoded;
      wanted.extra[key].push_back(value);
    }
  }
  return wanted;
}

struct Account {
  std::string_view namespace_name, name;
};

// The service account that a user name means, if it is one.
std::optional<Account> AsAccount(std::string_view user) {
  if (!user.starts_with(kAccountPrefix)) return std::nullopt;
  user.remove_prefix(kAccountPrefix.size());
  const size_t colon = user.find(':');
  if (colon == std::string_view::npos || user.find(':', colon + 1) != std::string_view::npos) return std::nullopt;
  const Account account{user.substr(0, colon), user.substr(colon + 1)};
  const bool valid =
      api::CheckDns1123Label(account.namespace_name).empty() && api::CheckDns1123Subdomain(account.name).empty();
  return valid ? std::optional(account) : std::nullopt;
}

// The things asked for without a user, as the server lists object references: kind, namespace, name, uid, version,
// resource version and field path of each.
std::string ListReferences(const Wanted& wanted) {
  std::string list;
  const auto add = [&list](std::string_view kind, std::string_view name, std::string_view version,
                           std::string_view path) {
    base::Append(list, list.empty() ? "{" : " {", kind, "  ", name, "  ", version, "  ", path, "}");
  };
  for (std::string_view group : wanted.groups) add("Group", group, "", "");
  for (const auto& [key, values] : wanted.extra) {
    for (const std::string& value : values) add("UserExtra", value, "authentication.k8s.io/v1", key);
  }
  if (!wanted.uid.empty()) add("UID", wanted.uid, "authentication.k8s.io/v1", "");
  return base::Cat("[", list, "]");
}

// One right that is asked of the authorizer for each thing that is taken over.
struct Right {
  std::string_view group, version, resource, subresource, namespace_name, name;

  auth::Attributes AskedBy(const api::User& requestor) const {
    return {.user = requestor,
            .verb = "impersonate",
            .namespace_name = namespace_name,
            .group = group,
            .version = version,
            .resource = resource,
            .subresource = subresource,
            .name = name};
  }
};

std::vector<Right> RightsFor(const Wanted& wanted) {
  std::vector<Right> rights;
  if (const auto account = AsAccount(wanted.user)) {
    rights.push_back({"", "", "serviceaccounts", "", account->namespace_name, account->name});
  } else {
    rights.push_back({"", "", "users", "", "", wanted.user});
  }
  for (std::string_view group : wanted.groups) rights.push_back({"", "", "groups", "", "", group});
  for (const auto& [key, values] : wanted.extra) {
    for (const std::string& value : values) {
      rights.push_back({"authentication.k8s.io", "v1", "userextras", key, "", value});
    }
  }
  if (!wanted.uid.empty()) rights.push_back({"authentication.k8s.io", "v1", "uids", "", "", wanted.uid});
  return rights;
}

api::User Become(Wanted wanted) {
  api::User user{.name = std::string(wanted.user), .uid = std::string(wanted.uid), .extra = std::move(wanted.extra)};
  user.groups.assign(wanted.groups.begin(), wanted.groups.end());
  if (const auto account = AsAccount(wanted.user); account && wanted.groups.empty()) {
    user.groups = {"system:serviceaccounts", base::Cat("system:serviceaccounts:", account->namespace_name)};
  }
  const bool anonymous = user.name == "system:anonymous";
  if (user.InGroup("system:unauthenticated") || (!anonymous && user.InGroup("system:authenticated"))) return user;
  user.groups.push_back(anonymous ? "system:unauthenticated" : "system:authenticated");
  return user;
}

}  // namespace

base::Task<exchange::Response> Impersonation::Handle(exchange::Exchange& exchange) {
  Wanted wanted = ReadHeaders(exchange.request().headers);
  if (wanted.empty()) return next_.Handle(exchange);
  if (wanted.user.empty()) {
    return Ready(InternalServerError(exchange,
                                     base::Cat("requested ", ListReferences(wanted), " without impersonating a user")));
  }
  const api::User& requestor = exchange.context().user;
  for (const Right& right : RightsFor(wanted)) {
    const auth::Attributes attributes = right.AskedBy(requestor);
    const auth::Decision decision = authorizer_.Authorize(attributes);
    if (decision.must_wait()) return exchange.head_only() ? Ready(GoOn()) : HandleSlowly(exchange);
    if (!decision.allowed()) return Ready(Refuse(exchange, attributes, decision.reason, write_error_));
  }
  exchange.context().user = Become(std::move(wanted));
  return next_.Handle(exchange);
}

base::Task<exchange::Response> Impersonation::HandleSlowly(exchange::Exchange& exchange) {
  Wanted wanted = ReadHeaders(exchange.request().headers);
  const std::vector<Right> rights = RightsFor(wanted);
  for (const Right& right : rights) {
    const auth::Attributes attributes = right.AskedBy(exchange.context().user);
    const auth::Decision decision =
        co_await auth::Decide(authorizer_, attributes, /*explain=*/false, exchange.executor());
    if (!decision.allowed()) co_return Refuse(exchange, attributes, decision.reason, write_error_);
  }
  exchange.context().user = Become(std::move(wanted));
  co_return co_await next_.Handle(exchange);
}

}  // namespace pipeline
