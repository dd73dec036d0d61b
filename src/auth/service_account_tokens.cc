#include "auth/service_account_tokens.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <optional>

#include "api/quote.h"
#include "auth/authenticator.h"
#include "auth/find_stored.h"
#include "base/text.h"
#include "registry/json_scan.h"
#include "schema/text_forms.h"

namespace auth {
namespace {

using base::Cat;
using value::Value;

// How far clocks may be apart.
constexpr std::chrono::seconds kLeeway{60};
constexpr std::string_view kSecretIssuer = "kubernetes/serviceaccount";
constexpr std::string_view kInvalidSince = "kubernetes.io/legacy-token-invalid-since";
constexpr std::string_view kGone = "service account token has been invalidated";

std::unexpected<std::string> Say(std::string text) { return std::unexpected(std::move(text)); }

// Audiences as Go prints them with %q.
std::string Quoted(const std::vector<std::string>& audiences) {
  std::vector<std::string> quoted;
  for (const std::string& audience : audiences) quoted.push_back(api::Quote(audience));
  return Cat("[", base::Join(quoted, " "), "]");
}

bool Has(const std::vector<std::string>& texts, std::string_view text) {
  return std::ranges::find(texts, text) != texts.end();
}

std::vector<std::string> Both(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  std::vector<std::string> both;
  for (const std::string& one : some) {
    if (Has(others, one)) both.push_back(one);
  }
  return both;
}

}  // namespace

// What a token claims, taken out of its tree.
struct ServiceAccountTokens::Claims {
  std::optional<double> expires, not_before, issued;  // seconds since 1970
  std::vector<std::string> audiences;
  std::string_view id;
  Value kubernetes;

  std::string_view home() const { return kubernetes.GetString("namespace"); }
  Value account() const { return kubernetes.Get("serviceaccount"); }

  // Fails in the words of who reads them there.
  static std::expected<Claims, std::string> Read(const Value& claims);
  api::User User() const;
};

std::expected<ServiceAccountTokens::Claims, std::string> ServiceAccountTokens::Claims::Read(const Value& claims) {
  Claims read;
  const std::pair<std::string_view, std::optional<double>*> times[] = {
      {"exp", &read.expires}, {"nbf", &read.not_before}, {"iat", &read.issued}};
  for (const auto& [name, time] : times) {
    const Value* claim = claims.Find(name);
    if (claim == nullptr || claim->is_null()) continue;
    if (!claim->is_number()) return Say("square/go-jose/jwt: expected number value to unmarshal NumericDate");
    *time = claim->AsDouble();
  }
  if (const Value audience = claims.Get("aud"); audience.is_string()) {
    read.audiences.emplace_back(audience.AsString());
  } else if (audience.is_array() || audience.is_null()) {
    for (const Value& item : audience.items()) {
      if (item.is_string()) read.audiences.emplace_back(item.AsString());
    }
  } else {
    return Say("square/go-jose/jwt: expected string or array value to unmarshal to Audience");
  }
  read.id = claims.GetString("jti");
  read.kubernetes = claims.Get("kubernetes.io");
  if (!read.kubernetes.is_object() && !read.kubernetes.is_null()) {
    const std::string_view word = read.kubernetes.is_string()   ? "string"
                                  : read.kubernetes.is_number() ? "number"
                                  : read.kubernetes.is_bool()   ? "bool"
                                                                : "array";
    return Say(Cat("json: cannot unmarshal ", word, " into Go value of type serviceaccount.kubernetes"));
  }
  return read;
}

api::User ServiceAccountTokens::Claims::User() const {
  api::User user{.name = Cat("system:serviceaccount:", home(), ":", account().GetString("name")),
                 .uid = std::string(account().GetString("uid")),
                 .groups = {"system:serviceaccounts", Cat("system:serviceaccounts:", home())}};
  const auto say = [&](std::string_view key, std::string_view text) {
    if (!text.empty()) user.extra[Cat("authentication.kubernetes.io/", key)] = {std::string(text)};
  };
  const Value pod = kubernetes.Get("pod"), node = kubernetes.Get("node");
  if (!pod.GetString("name").empty() && !pod.GetString("uid").empty()) {
    say("pod-name", pod.GetString("name"));
    say("pod-uid", pod.GetString("uid"));
  }
  if (!node.GetString("name").empty()) {
    say("node-name", node.GetString("name"));
    say("node-uid", node.GetString("uid"));
  }
  if (!id.empty()) say("credential-id", Cat("JTI=", id));
  return user;
}

ServiceAccountTokens::Verdict ServiceAccountTokens::Review(std::string_view token,
                                                           const std::vector<std::string>& audiences) const {
  value::Arena arena;
  const auto parsed = ParseWebToken(token, arena);
  if (!parsed) return {};
  const bool of_secret = parsed->claims.GetString("iss") == kSecretIssuer;
  if (!of_secret && !Has(options_.issuers, parsed->claims.GetString("iss"))) return {};
  const auto reject = [](std::string why) { return Verdict{Identity::Rejected(std::move(why)), {}}; };
  if (auto checked = options_.keys->Check(*parsed); !checked) return reject(std::move(checked.error()));
  if (of_secret) {
    std::vector<std::string> own = Both(options_.audiences, audiences);
    if (own.empty() && !options_.audiences.empty()) return {};
    auto user = CheckSecretToken(parsed->claims, token);
    if (!user) return reject(std::move(user.error()));
    return {Identity::Of(WithAuthenticatedGroup(*std::move(user))), std::move(own)};
  }
  auto claims = Claims::Read(parsed->claims);
  if (!claims) return reject(std::move(claims.error()));
  if (claims->audiences.empty()) claims->audiences = options_.audiences;
  std::vector<std::string> both = Both(claims->audiences, audiences);
  if (both.empty() && !options_.audiences.empty()) {
    return reject(
        Cat("token audiences ", Quoted(claims->audiences), " is invalid for the target audiences ", Quoted(audiences)));
  }
  Checked checked = CheckTimes(*claims);
  if (checked) checked = CheckAccount(*claims);
  if (checked) checked = CheckBound(*claims);
  if (!checked) return reject(std::move(checked.error()));
  return {Identity::Of(WithAuthenticatedGroup(claims->User())), std::move(both)};
}

std::expected<api::User, std::string> ServiceAccountTokens::CheckSecretToken(const Value& claims,
                                                                             std::string_view token) const {
  const auto claim = [&](std::string_view name) {
    return claims.GetString(Cat("kubernetes.io/serviceaccount/", name));
  };
  const std::string_view home = claim("namespace"), secret_name = claim("secret.name");
  const std::string_view account_name = claim("service-account.name"), uid = claim("service-account.uid");
  const std::pair<std::string_view, std::string_view> needed[] = {{"sub", claims.GetString("sub")},
                                                                  {"namespace", home},
                                                                  {"secretName", secret_name},
                                                                  {"serviceAccountName", account_name},
                                                                  {"serviceAccountUID", uid}};
  for (const auto& [name, text] : needed) {
    if (text.empty()) return Say(Cat(name, " claim is missing"));
  }
  if (claims.GetString("sub") != Cat("system:serviceaccount:", home, ":", account_name)) {
    return Say("sub claim is invalid");
  }
  value::Arena arena;
  const auto find = [&](std::string_view plural, std::string_view name) {
    return FindStored(store_, resources_.Find("", "v1", plural), Cat(home, "/", name), arena);
  };
  const auto is_going = [](const Value& object) { return object.Get("metadata").Find("deletionTimestamp") != nullptr; };
  const Value secret = find("secrets", secret_name);
  if (!secret.is_object() || is_going(secret)) return Say("Token has been invalidated");
  std::string stored;
  const bool same = schema::DecodeBase64(secret.Get("data").GetString("token"), stored) &&
                    stored.size() == token.size() && CRYPTO_memcmp(stored.data(), token.data(), token.size()) == 0;
  if (!same) return Say("Token does not match server's copy");
  const Value account = find("serviceaccounts", account_name);
  if (!account.is_object()) return Say(Cat("serviceaccounts ", api::Quote(account_name), " not found"));
  if (is_going(account)) return Say(Cat("ServiceAccount ", home, "/", account_name, " has been deleted"));
  const std::string_view stored_uid = account.Get("metadata").GetString("uid");
  if (stored_uid != uid) return Say(Cat("ServiceAccount UID (", stored_uid, ") does not match claim (", uid, ")"));
  if (!secret.Get({"metadata", "labels"}).GetString(kInvalidSince).empty()) {
    return Say(Cat("the token in secret ", home, "/", secret_name, " for service account ", home, "/", account_name,
                   " has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based "
                   "tokens, or remove the '",
                   kInvalidSince, "' label from the secret to temporarily allow use of this token"));
  }
  return api::User{.name = Cat("system:serviceaccount:", home, ":", account_name),
                   .uid = std::string(uid),
                   .groups = {"system:serviceaccounts", Cat("system:serviceaccounts:", home)}};
}

ServiceAccountTokens::Checked ServiceAccountTokens::CheckTimes(const Claims& claims) const {
  const double now = std::chrono::duration<double>(clock_.Now().time_since_epoch()).count();
  const double leeway = static_cast<double>(kLeeway.count());
  if (claims.not_before && now + leeway < *claims.not_before) return Say("service account token is not valid yet");
  if (claims.expires && now - leeway > *claims.expires) return Say("service account token has expired");
  if (claims.issued && now + leeway < *claims.issued) return Say("service account token is issued in the future");
  return {};
}

ServiceAccountTokens::Checked ServiceAccountTokens::CheckAccount(const Claims& claims) const {
  const std::string_view name = claims.account().GetString("name"), uid = claims.account().GetString("uid");
  if (name.empty()) return Say("resource name may not be empty");
  const store::CellRef cell = Find("serviceaccounts", claims.home(), name);
  if (!cell) return Say(Cat("serviceaccounts ", api::Quote(name), " not found"));
  const std::string_view stored = registry::PlainText(registry::FindJson(cell->bytes(), "metadata.uid"));
  if (stored != uid) return Say(Cat("service account UID (", stored, ") does not match claim (", uid, ")"));
  if (IsLongDeleted(*cell)) return Say(Cat("service account ", claims.home(), "/", name, " has been deleted"));
  return {};
}

ServiceAccountTokens::Checked ServiceAccountTokens::CheckBound(const Claims& claims) const {
  const Value secret = claims.kubernetes.Get("secret"), pod = claims.kubernetes.Get("pod"),
              node = claims.kubernetes.Get("node");
  if (secret.is_object()) {
    auto checked = CheckObject(claims, "secrets", secret, "secret", "service account secret ref claim");
    if (!checked) return checked;
  }
  // The node of a pod's token is only what was known.
  if (pod.is_object()) return CheckObject(claims, "pods", pod, "pod", "service account pod ref claim");
  if (node.is_object()) return CheckObject(claims, "nodes", node, "node", "service account node ref claim");
  return {};
}

ServiceAccountTokens::Checked ServiceAccountTokens::CheckObject(const Claims& claims, std::string_view plural,
                                                                const Value& reference, std::string_view kind,
                                                                std::string_view claim) const {
  const std::string_view home = plural == "nodes" ? std::string_view() : claims.home();
  const store::CellRef cell = Find(plural, home, reference.GetString("name"));
  if (!cell) return Say(std::string(kGone));
  const std::string_view stored = registry::PlainText(registry::FindJson(cell->bytes(), "metadata.uid"));
  if (const std::string_view uid = reference.GetString("uid"); stored != uid) {
    return Say(Cat(kind, " UID (", stored, ") does not match ", claim, " (", uid, ")"));
  }
  if (IsLongDeleted(*cell)) return Say(std::string(kGone));
  return {};
}

store::CellRef ServiceAccountTokens::Find(std::string_view plural, std::string_view namespace_name,
                                          std::string_view name) const {
  const registry::Resource* resource = resources_.Find("", "v1", plural);
  if (resource == nullptr || name.empty()) return nullptr;
  const store::Snapshot snapshot = store_.Latest(resource->storage->id);
  const store::Cell* cell = snapshot.Get(namespace_name.empty() ? std::string(name) : Cat(namespace_name, "/", name));
  return store::CellRef(cell != nullptr && cell->readable() ? cell : nullptr);
}

bool ServiceAccountTokens::IsLongDeleted(const store::Cell& cell) const {
  const std::string_view text = registry::PlainText(registry::FindJson(cell.bytes(), "metadata.deletionTimestamp"));
  const auto deleted = schema::ParseTime(text, schema::TimeForm::kSeconds);
  if (text.empty() || !deleted) return false;
  const auto since = std::chrono::seconds(deleted->seconds) + kLeeway;
  return since < clock_.Now().time_since_epoch();
}

}  // namespace auth
