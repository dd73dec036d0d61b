#include "auth/bootstrap_tokens.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "auth/find_stored.h"
#include "base/text.h"
#include "schema/text_forms.h"

namespace auth {
namespace {

using value::Value;

constexpr size_t kIdSize = 6, kSecretSize = 16, kLongestGroup = 256;
constexpr std::string_view kGroup = "system:bootstrappers";

bool IsPart(std::string_view text, size_t size) {
  return text.size() == size &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

// What a secret holds under that key; "" where it holds nothing.
std::string Data(const Value& secret, std::string_view key) {
  std::string text;
  return schema::DecodeBase64(secret.Get("data").GetString(key), text) ? text : "";
}

bool IsExpired(const std::string& expiration, const base::Clock& clock) {
  if (expiration.empty()) return false;
  const auto time = schema::ParseTime(expiration, schema::TimeForm::kSeconds);
  // In whole seconds: years far off have no place in a clock's finer units.
  const auto now = std::chrono::floor<std::chrono::seconds>(clock.Now().time_since_epoch());
  return !time || std::chrono::seconds(time->seconds) <= now;
}

// `system:bootstrappers:` and then up to 256 of a-z, 0-9, : and -, of which the last is none of the marks.
bool IsGroup(std::string_view group) {
  if (!group.starts_with(kGroup) || group.size() <= kGroup.size() + 1 || group[kGroup.size()] != ':') return false;
  group.remove_prefix(kGroup.size() + 1);
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return group.size() <= kLongestGroup && is_letter(group.back()) &&
         std::ranges::all_of(group, [&](char c) { return is_letter(c) || c == ':' || c == '-'; });
}

// None where one of them may not be given.
std::optional<std::set<std::string>> GroupsOf(const Value& secret) {
  std::set<std::string> groups{std::string(kGroup)};
  const std::string extra = Data(secret, "auth-extra-groups");
  std::string_view rest = extra;
  while (!rest.empty()) {
    const std::string_view group = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), group.size() + 1));
    if (!IsGroup(group)) return std::nullopt;
    groups.emplace(group);
  }
  return groups;
}

}  // namespace

Identity BootstrapTokens::AuthenticateToken(std::string_view token) const {
  const size_t dot = token.find('.');
  if (dot == std::string_view::npos) return Identity::Absent();
  const std::string_view id = token.substr(0, dot), secret_text = token.substr(dot + 1);
  if (!IsPart(id, kIdSize) || !IsPart(secret_text, kSecretSize)) return Identity::Absent();
  value::Arena arena;
  const Value secret =
      FindStored(store_, resources_.Find("", "v1", "secrets"), base::Cat("kube-system/bootstrap-token-", id), arena);
  if (!secret.is_object() || secret.Get("metadata").Find("deletionTimestamp") != nullptr) return Identity::Absent();
  if (secret.GetString("type") != "bootstrap.kubernetes.io/token") return Identity::Absent();
  const std::string stored = Data(secret, "token-secret");
  if (stored.size() != secret_text.size() || CRYPTO_memcmp(stored.data(), secret_text.data(), stored.size()) != 0) {
    return Identity::Absent();
  }
  if (Data(secret, "token-id") != id || IsExpired(Data(secret, "expiration"), clock_)) return Identity::Absent();
  if (Data(secret, "usage-bootstrap-authentication") != "true") return Identity::Absent();
  const auto groups = GroupsOf(secret);
  if (!groups) return Identity::Absent();
  return Identity::Of(
      WithAuthenticatedGroup({.name = base::Cat("system:bootstrap:", id), .groups = {groups->begin(), groups->end()}}));
}

}  // namespace auth
