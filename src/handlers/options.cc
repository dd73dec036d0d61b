#include "handlers/options.h"

#include <charconv>
#include <cstdio>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "base/text.h"

namespace handlers {

namespace {

using Type = api::FieldError::Type;

constexpr size_t kFieldManagerLimit = 128;

api::FieldError Forbidden(std::string field, std::string detail) {
  return {Type::kForbidden, std::move(field), "", std::move(detail)};
}

api::FieldError NotSupported(std::string field, std::string value, std::string_view supported) {
  return {Type::kNotSupported, std::move(field), std::move(value), base::Cat("supported values: ", supported)};
}

std::unexpected<api::Error> InvalidOptions(std::string_view kind, const api::FieldErrors& errors) {
  return api::Fail(api::Invalid({"meta.k8s.io", kind}, "", errors));
}

// One character of UTF-8 from the front of `text`; broken bytes count as U+FFFD, one at a time.
std::pair<uint32_t, size_t> DecodeRune(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  size_t length = lead >= 0xF0 && lead <= 0xF4 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC2 ? 2 : 0;
  if (length == 0 || lead > 0xF4 || text.size() < length) return {0xFFFD, 1};
  uint32_t rune = lead & (0x7F >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0xFFFD, 1};
    rune = rune << 6 | (byte(i) & 0x3F);
  }
  bool overlong = (length == 3 && rune < 0x800) || (length == 4 && (rune < 0x10000 || rune > 0x10FFFF));
  if (overlong || (rune >= 0xD800 && rune < 0xE000)) return {0xFFFD, 1};
  return {rune, length};
}

// Whether Go's unicode.IsPrint holds: what Quote prints as it is.
bool IsPrintable(std::string_view character) {
  if (character == "\"" || character == "\\") return true;
  return character.size() == 1 && static_cast<uint8_t>(character[0]) >= 0x80 ? true : api::Quote(character)[1] != '\\';
}

// The rune as Go's %U prints it: at least four upper-case hexadecimal digits.
std::string UnprintableText(uint32_t rune, size_t at) {
  char digits[16];
  std::snprintf(digits, sizeof(digits), "%04X", rune);
  return base::Cat("invalid character U+", digits, " (at position ", at, ")");
}

void CheckFieldManager(std::string_view manager, api::FieldErrors& errors) {
  if (manager.size() > kFieldManagerLimit) {
    errors.push_back(
        {Type::kTooLong, "fieldManager", "", base::Cat("may not be more than ", kFieldManagerLimit, " bytes")});
  }
  for (size_t at = 0; at < manager.size() && !errors.full();) {
    auto [rune, length] = DecodeRune(manager.substr(at));
    if (!IsPrintable(manager.substr(at, length))) {
      errors.push_back(
          {Type::kInvalid, "fieldManager", api::Quote(manager), UnprintableText(static_cast<uint32_t>(rune), at)});
    }
    at += length;
  }
}

// Whether the request is a dry run; every value must be "All".
bool CheckDryRun(const std::vector<std::string_view>& values, api::FieldErrors& errors) {
  for (std::string_view value : values) {
    if (value == "All") continue;
    std::string printed;
    for (std::string_view each : values) base::Append(printed, printed.empty() ? "" : ", ", api::Quote(each));
    errors.push_back(NotSupported("dryRun", base::Cat("[]string{", printed, "}"), "\"All\""));
    break;
  }
  return !values.empty();
}

std::string_view CheckFieldValidation(std::string_view value, api::FieldErrors& errors) {
  if (value.empty()) return "Warn";
  if (value != "Ignore" && value != "Warn" && value != "Strict") {
    errors.push_back(NotSupported("fieldValidation", api::Quote(value), R"("", "Ignore", "Strict", "Warn")"));
  }
  return value;
}

constexpr std::string_view kMatch = "resourceVersionMatch";

void CheckWatch(const ListParameters& p, bool watch_lists, api::FieldErrors& errors) {
  if (p.send_initial_events && p.resource_version_match != "NotOlderThan") {
    errors.push_back(
        Forbidden(std::string(kMatch), "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (p.send_initial_events && !watch_lists) {
    errors.push_back(Forbidden(
        "sendInitialEvents", "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"));
  }
  if (p.resource_version_match.empty()) return;
  if (!p.send_initial_events) {
    errors.push_back(Forbidden(std::string(kMatch),
                               "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
  }
  if (p.resource_version_match != "NotOlderThan") {
    errors.push_back(NotSupported(std::string(kMatch), api::Quote(p.resource_version_match), "\"NotOlderThan\""));
  }
  if (!p.continue_token.empty()) {
    errors.push_back(Forbidden(std::string(kMatch), "resourceVersionMatch is forbidden when continue is provided"));
  }
}

void CheckList(const ListParameters& p, api::FieldErrors& errors) {
  std::string_view match = p.resource_version_match;
  if (!match.empty()) {
    if (p.resource_version.empty()) {
      errors.push_back(
          Forbidden(std::string(kMatch), "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    }
    if (!p.continue_token.empty()) {
      errors.push_back(Forbidden(std::string(kMatch), "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (match != "Exact" && match != "NotOlderThan") {
      errors.push_back(NotSupported(std::string(kMatch), api::Quote(match), R"("Exact", "NotOlderThan", "")"));
    }
    if (match == "Exact" && p.resource_version == "0") {
      errors.push_back(
          Forbidden(std::string(kMatch), "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    }
  }
  if (p.send_initial_events)
    errors.push_back(Forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
}

// What the API does before it checks: a watch that names no version starts with the state.
void SetWatchDefaults(ListParameters& p) {
  if (!p.watch || p.send_initial_events || !p.resource_version_match.empty()) return;
  if (!p.resource_version.empty() && p.resource_version != "0") return;
  p.send_initial_events = true;
  p.resource_version_match = "NotOlderThan";
}

constexpr std::string_view kUnreadable = "ignoreStoreReadErrorWithClusterBreakingPotential";

struct RawDeleteOptions {
  registry::DeleteOptions options;
  bool has_policy = false, has_preconditions = false;
  std::vector<std::string_view> dry_run;
};

// What deletes an object that cannot be read has no use for anything that looks at objects.
void CheckUnreadable(const RawDeleteOptions& raw, api::FieldErrors& errors) {
  const registry::DeleteOptions& o = raw.options;
  const std::pair<bool, std::string_view> others[] = {
      {!raw.dry_run.empty(), "dryRun"},
      {raw.has_policy, "propagationPolicy"},
      {o.orphan_dependents.has_value(), "orphanDependents"},
      {o.grace_period_seconds.has_value(), "gracePeriodSeconds"},
      {raw.has_preconditions, "preconditions"},
  };
  for (const auto& [set, name] : others) {
    if (set)
      errors.push_back(
          {Type::kInvalid, std::string(kUnreadable), "true", base::Cat("cannot be set together with .", name)});
  }
}

api::Result<registry::DeleteOptions> CheckDelete(RawDeleteOptions raw) {
  api::FieldErrors errors;
  registry::DeleteOptions& o = raw.options;
  if (o.orphan_dependents && raw.has_policy) {
    errors.push_back({Type::kInvalid, "propagationPolicy", api::Quote(o.propagation_policy),
                      "orphanDependents and deletionPropagation cannot be both set"});
  }
  if (raw.has_policy && o.propagation_policy != "Foreground" && o.propagation_policy != "Background" &&
      o.propagation_policy != "Orphan") {
    errors.push_back(NotSupported("propagationPolicy", api::Quote(o.propagation_policy),
                                  R"("Foreground", "Background", "Orphan", "nil")"));
  }
  o.dry_run = CheckDryRun(raw.dry_run, errors);
  o.has_preconditions = raw.has_preconditions;
  if (o.unreadable) CheckUnreadable(raw, errors);
  if (!errors.empty()) return InvalidOptions("DeleteOptions", errors);
  return std::move(o);
}

}  // namespace

bool ParseQueryBool(std::string_view text) { return text != "0" && !base::EqualsIgnoreCase(text, "false"); }

api::Result<int64_t> ParseQueryInt(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') && digits.substr(1, 1) != "-") digits.remove_prefix(1);
  int64_t number = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (end == digits.data() + digits.size() && error == std::errc()) return number;
  bool too_large = error == std::errc::result_out_of_range && end == digits.data() + digits.size();
  return api::Fail(api::BadRequest(base::Cat("strconv.ParseInt: parsing ", api::Quote(text),
                                             too_large ? ": value out of range" : ": invalid syntax")));
}

api::Result<ListParameters> ParseListParameters(const api::Query& query, bool watch_lists) {
  ListParameters p;
  p.watch = query.Has("watch") && ParseQueryBool(query.Get("watch"));
  p.bookmarks = query.Has("allowWatchBookmarks") && ParseQueryBool(query.Get("allowWatchBookmarks"));
  p.resource_version = query.Get("resourceVersion");
  p.resource_version_match = query.Get("resourceVersionMatch");
  p.continue_token = query.Get("continue");
  if (query.Has("timeoutSeconds")) {
    auto seconds = ParseQueryInt(query.Get("timeoutSeconds"));
    if (!seconds) return std::unexpected(std::move(seconds.error()));
    p.timeout_seconds = *seconds;
  }
  if (query.Has("limit")) {
    auto limit = ParseQueryInt(query.Get("limit"));
    if (!limit) return std::unexpected(std::move(limit.error()));
    p.limit = *limit;
  }
  if (query.Has("sendInitialEvents")) p.send_initial_events = ParseQueryBool(query.Get("sendInitialEvents"));

  auto labels = api::LabelSelector::Parse(query.Get("labelSelector"));
  if (!labels) return api::Fail(api::BadRequest(std::move(labels.error().message)));
  p.labels = std::move(*labels);
  auto fields = api::FieldSelector::Parse(query.Get("fieldSelector"));
  if (!fields) return api::Fail(api::BadRequest(std::move(fields.error().message)));
  p.fields = std::move(*fields);

  if (watch_lists) SetWatchDefaults(p);
  api::FieldErrors errors;
  p.watch ? CheckWatch(p, watch_lists, errors) : CheckList(p, errors);
  if (!errors.empty()) return InvalidOptions("ListOptions", errors);
  return p;
}

api::Result<WriteParameters> ParseWriteParameters(const api::Query& query, WriteKind kind) {
  WriteParameters p;
  bool is_patch = kind == WriteKind::kPatch || kind == WriteKind::kApply;
  if (is_patch && query.Has("force")) p.force = ParseQueryBool(query.Get("force"));
  p.field_manager = query.Get("fieldManager");
  api::FieldErrors errors;
  if (kind == WriteKind::kApply && p.field_manager.empty()) {
    errors.push_back({Type::kRequired, "fieldManager", "", "is required for apply patch"});
  }
  if (kind == WriteKind::kPatch && p.force) {
    errors.push_back(Forbidden("force", "may not be specified for non-apply patch"));
  }
  CheckFieldManager(p.field_manager, errors);
  p.dry_run = CheckDryRun(query.All("dryRun"), errors);
  p.field_validation = CheckFieldValidation(query.Get("fieldValidation"), errors);
  if (errors.empty()) return p;
  return InvalidOptions(is_patch                     ? "PatchOptions"
                        : kind == WriteKind::kCreate ? "CreateOptions"
                                                     : "UpdateOptions",
                        errors);
}

api::Result<registry::DeleteOptions> ParseDeleteParameters(const api::Query& query, bool unsafe_deletion) {
  RawDeleteOptions raw;
  if (query.Has("gracePeriodSeconds")) {
    auto seconds = ParseQueryInt(query.Get("gracePeriodSeconds"));
    if (!seconds) return std::unexpected(std::move(seconds.error()));
    raw.options.grace_period_seconds = *seconds;
  }
  if (query.Has("orphanDependents")) raw.options.orphan_dependents = ParseQueryBool(query.Get("orphanDependents"));
  if (query.Has("propagationPolicy")) {
    raw.has_policy = true;
    raw.options.propagation_policy = query.Get("propagationPolicy");
  }
  if (std::string_view uid = query.Get("uid"); !uid.empty()) raw.options.preconditions.uid = uid;
  if (std::string_view version = query.Get("resourceVersion"); !version.empty()) {
    raw.options.preconditions.resource_version = version;
  }
  raw.has_preconditions = raw.options.preconditions.uid || raw.options.preconditions.resource_version;
  raw.dry_run = query.All("dryRun");
  raw.options.unreadable = unsafe_deletion && query.Has(kUnreadable) && ParseQueryBool(query.Get(kUnreadable));
  return CheckDelete(std::move(raw));
}

api::Result<registry::DeleteOptions> ReadDeleteOptions(const value::Value& body, bool unsafe_deletion) {
  RawDeleteOptions raw;
  if (auto* grace = body.Find("gracePeriodSeconds"); grace && grace->is_int()) {
    raw.options.grace_period_seconds = grace->AsInt();
  }
  if (auto* orphan = body.Find("orphanDependents"); orphan && orphan->is_bool()) {
    raw.options.orphan_dependents = orphan->AsBool();
  }
  if (auto* policy = body.Find("propagationPolicy"); policy && policy->is_string()) {
    raw.has_policy = true;
    raw.options.propagation_policy = policy->AsString();
  }
  if (auto* unreadable = body.Find(kUnreadable); unreadable && unreadable->is_bool()) {
    raw.options.unreadable = unsafe_deletion && unreadable->AsBool();
  }
  value::Value preconditions = body.Get("preconditions");
  raw.has_preconditions = preconditions.is_object();
  if (auto* uid = preconditions.Find("uid"); uid && uid->is_string()) raw.options.preconditions.uid = uid->AsString();
  if (auto* version = preconditions.Find("resourceVersion"); version && version->is_string()) {
    raw.options.preconditions.resource_version = version->AsString();
  }
  for (const value::Value& item : body.Get("dryRun").items()) {
    if (item.is_string()) raw.dry_run.push_back(item.AsString());
  }
  return CheckDelete(std::move(raw));
}

api::Result<IncludeObject> ParseIncludeObject(const api::Query& query) {
  std::string_view value = query.Get("includeObject");
  if (value.empty() || value == "Metadata") return IncludeObject::kMetadata;
  if (value == "Object") return IncludeObject::kObject;
  if (value == "None") return IncludeObject::kNone;
  return api::Fail(api::BadRequest(base::Cat("Unable to convert to Table as requested: includeObject: Invalid value: ",
                                             api::Quote(value), ": must be 'Metadata', 'Object', 'None', or empty")));
}

std::string FieldManagerOrUserAgent(std::string_view manager, std::string_view user_agent) {
  if (!manager.empty()) return std::string(manager);
  std::string name;
  std::string_view rest = user_agent.substr(0, user_agent.find('/'));
  while (!rest.empty()) {
    size_t length = DecodeRune(rest).second;
    std::string_view character = rest.substr(0, length);
    rest.remove_prefix(length);
    if (!IsPrintable(character)) continue;
    if (name.size() + length > kFieldManagerLimit) break;
    name += character;
  }
  return name.empty() ? "unknown" : name;
}

}  // namespace handlers
