#include "pipeline/audit/policy.h"

#include <algorithm>
#include <array>
#include <fstream>

#include "api/error.h"
#include "api/names.h"
#include "api/quote.h"
#include "base/text.h"
#include "value/yaml_reader.h"

namespace pipeline {
namespace {

using api::AuditLevel;
using api::FieldError;
using base::Cat;
using value::Value;

constexpr std::array<std::string_view, 4> kLevels = {"None", "Metadata", "Request", "RequestResponse"};
constexpr std::array<std::string_view, 4> kStages = {"RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"};

bool Has(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// A pattern of nonResourceURLs: exact, or with a last "*".
bool PathMatches(std::string_view path, std::string_view pattern) {
  if (pattern == "*" || pattern == path) return true;
  if (!pattern.ends_with('*')) return false;
  while (pattern.ends_with('*')) pattern.remove_suffix(1);
  return path.starts_with(pattern);
}

// An entry of `resources` against "resource" or "resource/subresource".
bool ResourceMatches(std::string_view entry, const api::RequestInfo& info) {
  if (entry == "*") return true;
  const std::string_view subresource = info.subresource;
  const size_t slash = entry.find('/');
  if (subresource.empty() ? entry == info.resource
                          : entry.size() == info.resource.size() + 1 + subresource.size() && slash != entry.npos &&
                                entry.starts_with(info.resource) && entry[info.resource.size()] == '/' &&
                                entry.ends_with(subresource)) {
    return true;
  }
  if (!subresource.empty() && entry.starts_with("*/") && entry.substr(2) == subresource) return true;
  return entry.ends_with("/*") && entry.substr(0, entry.size() - 2) == info.resource;
}

}  // namespace

std::string_view TextOf(AuditStageName stage) { return kStages[static_cast<size_t>(stage)]; }
std::string_view TextOf(AuditLevel level) { return kLevels[static_cast<size_t>(level)]; }

// Reads the document: types first, as decoding does, then what validation minds.
class AuditPolicy::Reader {
 public:
  explicit Reader(std::vector<std::string>& warnings) : warnings_(warnings) {}

  base::Result<AuditPolicy> Read(const Value& document) {
    if (base::Result<> known = CheckKind(document); !known) return std::unexpected(known.error());
    AuditPolicy policy;
    WarnOfUnknown(document, {"apiVersion", "kind", "metadata", "rules", "omitStages", "omitManagedFields"}, "");
    policy.omitted_stages_ = Stages(document, "omitStages");
    policy.omit_managed_fields_ = Bool(document, "omitManagedFields", "omitManagedFields").value_or(false);
    const Value rules = document.Get("rules");
    if (!rules.is_null() && !rules.is_array()) Mistyped("rules", "array");
    size_t index = 0;
    for (const Value& rule : rules.items()) {
      policy.rules_.push_back(ReadRule(rule, Cat("rules[", index++, "]")));
      policy.rules_.back().omitted_stages |= policy.omitted_stages_;
    }
    if (!mistyped_.empty()) return base::Fail(base::Code::kInvalid, Cat("failed decoding: ", mistyped_));
    if (!errors_.empty()) return base::Fail(base::Code::kInvalid, api::JoinTexts(errors_));
    if (policy.rules_.empty()) return base::Fail(base::Code::kInvalid, "loaded illegal policy with 0 rules");
    return policy;
  }

 private:
  static base::Result<> CheckKind(const Value& document) {
    const std::string_view kind = document.GetString("kind"), version = document.GetString("apiVersion");
    std::string problem;
    if (!document.is_object()) {
      problem = "couldn't get version/kind; json parse error: the document is no object";
    } else if (kind.empty()) {
      problem = "Object 'Kind' is missing";
    } else if (version.empty()) {
      problem = "Object 'apiVersion' is missing";
    } else if (version != "audit.k8s.io/v1" || kind != "Policy") {
      problem = Cat("no kind ", api::Quote(kind), " is registered for version ", api::Quote(version),
                    " in scheme \"k8s.io/apiserver/pkg/audit/scheme.go:30\"");
    }
    if (problem.empty()) return {};
    return base::Fail(base::Code::kInvalid, Cat("failed decoding: ", problem));
  }

  Rule ReadRule(const Value& from, const std::string& at) {
    Rule rule;
    if (!from.is_object()) {
      Mistyped(at, "object");
      return rule;
    }
    WarnOfUnknown(from,
                  {"level", "users", "userGroups", "verbs", "resources", "namespaces", "nonResourceURLs", "omitStages",
                   "omitManagedFields"},
                  Cat(at, "."));
    ReadLevel(from, at, rule);
    rule.users = Texts(from, "users", at);
    rule.groups = Texts(from, "userGroups", at);
    rule.verbs = Texts(from, "verbs", at);
    rule.namespaces = Texts(from, "namespaces", at);
    rule.urls = Texts(from, "nonResourceURLs", at);
    CheckUrls(rule.urls, Cat(at, ".nonResourceURLs"));
    const Value resources = from.Get("resources");
    if (!resources.is_null() && !resources.is_array()) Mistyped(Cat(at, ".resources"), "array");
    for (const Value& entry : resources.items()) ReadResources(entry, Cat(at, ".resources"), rule);
    rule.omitted_stages = Stages(from, "omitStages", Cat(at, "."));
    rule.omit_managed_fields = Bool(from, "omitManagedFields", Cat(at, ".omitManagedFields"));
    if (!rule.urls.empty() && (!rule.resources.empty() || !rule.namespaces.empty())) {
      errors_.push_back({FieldError::Type::kInvalid, Cat(at, ".nonResourceURLs"), ListText(rule.urls),
                         "rules cannot apply to both regular resources and non-resource URLs"});
    }
    return rule;
  }

  void ReadLevel(const Value& from, const std::string& at, Rule& rule) {
    const std::string level = Text(from, "level", Cat(at, ".level"));
    const auto known = std::ranges::find(kLevels, level);
    if (level.empty()) {
      errors_.push_back({FieldError::Type::kRequired, Cat(at, ".level"), "", ""});
    } else if (known == kLevels.end()) {
      errors_.push_back({FieldError::Type::kNotSupported, Cat(at, ".level"), api::Quote(level),
                         R"(supported values: "None", "Metadata", "Request", "RequestResponse")"});
    } else {
      rule.level = static_cast<AuditLevel>(known - kLevels.begin());
    }
  }

  void CheckUrls(const std::vector<std::string>& urls, const std::string& at) {
    for (size_t i = 0; i < urls.size(); ++i) {
      const std::string& url = urls[i];
      if (url == "*") continue;
      const auto invalid = [&](std::string_view why) {
        errors_.push_back({FieldError::Type::kInvalid, Cat(at, "[", i, "]"), api::Quote(url), std::string(why)});
      };
      if (!url.starts_with('/')) invalid("non-resource URL rules must begin with a '/' character");
      if (url.find('*') < url.size() - (url.empty() ? 0 : 1)) {
        invalid("non-resource URL wildcards '*' must be the final character of the rule");
      }
    }
  }

  void ReadResources(const Value& from, const std::string& at, Rule& rule) {
    if (!from.is_object()) return Mistyped(at, "object");
    WarnOfUnknown(from, {"group", "resources", "resourceNames"}, Cat(at, "."));
    GroupResources entry{Text(from, "group", Cat(at, ".group")), Texts(from, "resources", at),
                         Texts(from, "resourceNames", at)};
    if (!entry.group.empty()) {
      if (const auto wrong = api::CheckDns1123Subdomain(entry.group); !wrong.empty()) {
        errors_.push_back(
            {FieldError::Type::kInvalid, Cat(at, ".group"), api::Quote(entry.group), base::Join(wrong, ",")});
      }
    }
    if (!entry.names.empty() && entry.resources.empty()) {
      errors_.push_back({FieldError::Type::kInvalid, Cat(at, ".resourceNames"), ListText(entry.names),
                         "using resourceNames requires at least one resource"});
    }
    rule.resources.push_back(std::move(entry));
  }

  uint8_t Stages(const Value& from, std::string_view member, const std::string& prefix = "") {
    const std::string at = Cat(prefix, member);
    uint8_t stages = 0;
    size_t index = 0;
    for (const std::string& stage : Texts(from, member, prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1))) {
      const auto known = std::ranges::find(kStages, stage);
      if (known == kStages.end()) {
        errors_.push_back({FieldError::Type::kInvalid, Cat(at, "[", index, "]"), api::Quote(stage),
                           "allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic"});
      } else {
        stages |= static_cast<uint8_t>(1U << (known - kStages.begin()));
      }
      ++index;
    }
    return stages;
  }

  std::vector<std::string> Texts(const Value& from, std::string_view member, const std::string& at) {
    std::vector<std::string> texts;
    const Value list = from.Get(member);
    const std::string path = at.empty() ? std::string(member) : Cat(at, ".", member);
    if (!list.is_null() && !list.is_array()) Mistyped(path, "array");
    for (const Value& item : list.items()) {
      if (!item.is_string() && !item.is_null()) Mistyped(path, "string");
      texts.emplace_back(item.is_string() ? item.AsString() : std::string_view());
    }
    return texts;
  }
  std::string Text(const Value& from, std::string_view member, const std::string& at) {
    const Value text = from.Get(member);
    if (!text.is_null() && !text.is_string()) Mistyped(at, "string");
    return std::string(from.GetString(member));
  }
  std::optional<bool> Bool(const Value& from, std::string_view member, const std::string& at) {
    const Value flag = from.Get(member);
    if (flag.is_null()) return std::nullopt;
    if (!flag.is_bool()) Mistyped(at, "bool");
    return flag.is_bool() && flag.AsBool();
  }

  void Mistyped(std::string_view at, std::string_view wanted) {
    if (mistyped_.empty()) mistyped_ = Cat("json: cannot unmarshal Policy.", at, " into a value of type ", wanted);
  }
  void WarnOfUnknown(const Value& object, std::initializer_list<std::string_view> known, std::string_view prefix) {
    for (const value::Member& member : object.members()) {
      if (std::ranges::find(known, member.key) != known.end()) continue;
      warnings_.push_back(
          Cat("Audit policy contains errors, falling back to lenient decoding: strict decoding error: "
              "unknown field \"",
              prefix, member.key, "\""));
    }
  }
  // As Go prints a list of texts in an error.
  static std::string ListText(const std::vector<std::string>& list) {
    std::vector<std::string> quoted;
    for (const std::string& one : list) quoted.push_back(api::Quote(one));
    return Cat("[", base::Join(quoted, ","), "]");
  }

  std::vector<std::string>& warnings_;
  std::string mistyped_;
  api::FieldErrors errors_;
};

base::Result<AuditPolicy> AuditPolicy::Parse(std::string_view yaml, std::vector<std::string>& warnings) {
  value::Arena arena(yaml.size() * 4 + 1024);
  std::string duplicates;
  const auto document = value::ReadYaml(yaml, arena, &duplicates);
  if (!document) {
    return base::Fail(base::Code::kInvalid,
                      Cat("failed decoding: couldn't get version/kind; json parse error: ", document.error().message));
  }
  if (!duplicates.empty()) {
    warnings.push_back(Cat("Audit policy contains errors, falling back to lenient decoding: ", duplicates));
  }
  return Reader(warnings).Read(*document);
}

base::Result<AuditPolicy> AuditPolicy::Load(const std::string& path, std::vector<std::string>& warnings) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kMostBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  constexpr std::string_view kPrefix = "loading audit policy file: ";
  if (!file.is_open() || file.bad()) {
    return base::Fail(base::Code::kIo, Cat(kPrefix, "failed to read file path ", api::Quote(path), ": open ", path,
                                           ": no such file or directory"));
  }
  if (text.size() > kMostBytes) return base::Fail(base::Code::kInvalid, Cat(kPrefix, path, " is too large"));
  base::Result<AuditPolicy> policy = Parse(text, warnings);
  if (policy) return policy;
  return base::Fail(policy.error().code, Cat(kPrefix, policy.error().message, ": from file ", path));
}

AuditPolicy::Choice AuditPolicy::Choose(const api::User* user, const api::RequestInfo& info) const {
  for (const Rule& rule : rules_) {
    if (!rule.Matches(user, info)) continue;
    return {rule.level, rule.omitted_stages, rule.omit_managed_fields.value_or(omit_managed_fields_)};
  }
  return {AuditLevel::kNone, omitted_stages_, omit_managed_fields_};
}

bool AuditPolicy::Rule::Matches(const api::User* user, const api::RequestInfo& info) const {
  if (!users.empty() && (user == nullptr || !Has(users, user->name))) return false;
  if (!groups.empty()) {
    const auto is_wanted = [this](const std::string& group) { return Has(groups, group); };
    if (user == nullptr || std::ranges::none_of(user->groups, is_wanted)) return false;
  }
  if (!verbs.empty() && !Has(verbs, info.verb)) return false;
  if (!namespaces.empty() || !resources.empty()) return MatchesResource(info);
  if (urls.empty()) return true;
  const auto is_path = [&info](const std::string& url) { return PathMatches(info.path, url); };
  return !info.is_resource_request && std::ranges::any_of(urls, is_path);
}

bool AuditPolicy::Rule::MatchesResource(const api::RequestInfo& info) const {
  if (!info.is_resource_request) return false;
  if (!namespaces.empty() && !Has(namespaces, info.namespace_name)) return false;
  if (resources.empty()) return true;
  return std::ranges::any_of(resources, [&info](const GroupResources& entry) {
    if (entry.group != info.group) return false;
    if (entry.resources.empty()) return true;
    if (!entry.names.empty() && !Has(entry.names, info.name)) return false;
    return std::ranges::any_of(entry.resources, [&](const std::string& one) { return ResourceMatches(one, info); });
  });
}

}  // namespace pipeline
