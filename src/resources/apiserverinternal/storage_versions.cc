#include <algorithm>
#include <set>
#include <string>

#include "resources/rules/field_checks.h"
#include "resources/rules/validation.h"
#include "resources/strategies.h"

namespace resources::apiserverinternal {
namespace {

// "<group>.<resource>".
api::Complaints CheckName(std::string_view name, bool) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return {"name must be in the form of <group>.<resource>"};
  api::Complaints complaints;
  for (const std::string& text : api::CheckDns1123Subdomain(name.substr(0, dot))) {
    complaints.push_back("the group segment " + text);
  }
  for (const std::string& text : api::CheckDns1035Label(name.substr(dot + 1))) {
    complaints.push_back("the resource segment " + text);
  }
  return complaints;
}

void AddPart(std::string_view part, std::string_view text, api::Complaints found, std::string& all) {
  if (text.empty()) found = {"must be non-empty"};
  for (const std::string& complaint : found) {
    if (!all.empty()) all += ',';
    all += std::string(part) + " part: " + complaint;
  }
}

// Why `api_version` is none ("v1", "apps/v1"); "" for one that is.
std::string WhyNoVersion(std::string_view api_version) {
  if (std::ranges::count(api_version, '/') > 1) {
    return "an apiVersion is " +
           api::RegexText(
               "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start "
               "with an alphabetic character, and end with an alphanumeric character",
               "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}) +
           " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')";
  }
  std::string why;
  const size_t slash = api_version.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view group = api_version.substr(0, slash);
    AddPart("group", group, api::CheckDns1123Subdomain(group), why);
  }
  const std::string_view version = slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  AddPart("version", version, api::CheckDns1035Label(version), why);
  return why;
}

void CheckVersion(Errors& errors, const FieldPath& path, std::string_view version) {
  const std::string why = WhyNoVersion(version);
  if (!why.empty()) errors.Invalid(path, version, why);
}

bool Holds(const Value& list, std::string_view text) {
  return std::ranges::any_of(list.items(), [&](const Value& item) { return item.AsString() == text; });
}

// As Go prints a list of strings: [a b].
std::string Plain(const Value& list) {
  std::string out = "[";
  for (uint32_t i = 0; i < list.size(); ++i) out += (i > 0 ? " " : "") + std::string(list[i].AsString());
  return out + "]";
}

void CheckDecodable(Scope& server) {
  const std::string_view encoding = server.String("encodingVersion");
  const Value decodable = server.Get("decodableVersions");
  const FieldPath path = server.At("decodableVersions");
  for (uint32_t i = 0; i < decodable.size(); ++i) CheckVersion(server.errors, path.Index(i), decodable[i].AsString());
  if (Holds(decodable, encoding)) return;
  server.errors.InvalidAs(path, decodable.empty() ? "[]string(nil)" : PrintBadValue(decodable),
                          "decodableVersions must include encodingVersion " + std::string(encoding));
}

void CheckServed(Scope& server) {
  const Value served = server.Get("servedVersions"), decodable = server.Get("decodableVersions");
  const FieldPath path = server.At("servedVersions");
  for (uint32_t i = 0; i < served.size(); ++i) {
    const std::string_view version = served[i].AsString();
    CheckVersion(server.errors, path.Index(i), version);
    if (Holds(decodable, version)) continue;
    server.errors.Invalid(path.Index(i), version,
                          "individual served version : " + std::string(version) +
                              " must be included in decodableVersions : " + Plain(decodable));
  }
}

void CheckServer(Scope& server) {
  kDnsSubdomain(server.errors, server.At("apiServerID"), server.String("apiServerID"));
  CheckVersion(server.errors, server.At("encodingVersion"), server.String("encodingVersion"));
  CheckDecodable(server);
  CheckServed(server);
}

constexpr Rule kServerRules[] = {Call(CheckServer)};

void CheckServers(Scope& status) {
  const Value servers = status.Get("storageVersions");
  const FieldPath path = status.At("storageVersions");
  std::set<std::string_view> seen;
  for (uint32_t i = 0; i < servers.size(); ++i) {
    const FieldPath item = path.Index(i);
    const std::string_view id = servers[i].GetString("apiServerID");
    if (!seen.insert(id).second) status.errors.Duplicate(item.Child("apiServerID"), id);
    Check(status, kServerRules, item, servers[i], nullptr);
  }
}

// The version that all servers encode in is told where there is one, and only then.
void CheckCommonVersion(Scope& status) {
  const Value servers = status.Get("storageVersions");
  const Value* told = status.object.Find("commonEncodingVersion");
  const FieldPath path = status.At("commonEncodingVersion");
  const std::string_view first = servers.empty() ? std::string_view() : servers[0].GetString("encodingVersion");
  const auto agrees = [&](const Value& server) { return server.GetString("encodingVersion") == first; };
  if (servers.empty() || !std::ranges::all_of(servers.items(), agrees)) {
    if (told == nullptr) return;
    return status.errors.Invalid(path, told->AsString(),
                                 "should be nil if servers do not agree on the same encoding version, or if there is "
                                 "no server reporting the supported versions yet");
  }
  if (told == nullptr) {
    status.errors.InvalidAs(path, "\"null\"", "the common encoding version is " + std::string(first));
  } else if (told->AsString() != first) {
    status.errors.Invalid(path, told->AsString(), "the actual common encoding version is " + std::string(first));
  }
}

void CheckConditionsOf(Scope& status) {
  const Value conditions = status.Get("conditions");
  for (uint32_t i = 0; i < conditions.size(); ++i) {
    const FieldPath path = status.path.Index(i);  // the real server leaves the field's name out
    const std::string_view type = conditions[i].GetString("type");
    for (uint32_t before = i; before-- > 0;) {
      if (conditions[before].GetString("type") != type) continue;
      status.errors.Invalid(
          path.Child("type"), type,
          "the type of the condition is not unique, it also appears in conditions[" + std::to_string(before) + "]");
      break;
    }
    kQualifiedName(status.errors, path.Child("type"), type);
    kQualifiedName(status.errors, path.Child("status"), conditions[i].GetString("status"));
    for (std::string_view field : {"reason", "message"}) {
      if (!conditions[i].GetString(field).empty()) continue;
      status.errors.Required(path.Child(field), std::string(field) + " cannot be empty");
    }
  }
}

constexpr Rule kStatusContents[] = {Call(CheckServers), Call(CheckCommonVersion), Call(CheckConditionsOf)};

void CheckStatus(Scope& version) {
  Check(version, kStatusContents, version.At("status"), version.Get("status"), nullptr);
}

constexpr Rule kStatusRules[] = {Call(CheckStatus)};

}  // namespace

constinit const registry::StrategyTable kStorageVersions = {
    .validate_update = ValidateUpdate<kNoRules, kStatusRules>,
    .facts =
        {
            .check_name = CheckName,
            .update_checks = registry::MetadataChecks::kNone,
            .allow_unconditional_update = false,
            .resets = kStatusResets,
            .status_write_keeps = registry::kForStatus,
        },
};

}  // namespace resources::apiserverinternal
