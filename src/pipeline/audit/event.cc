#include "pipeline/audit/event.h"

#include <algorithm>
#include <ctime>

#include "api/ip_address.h"
#include "api/quote.h"
#include "base/text.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace pipeline {
namespace {

using value::AppendJsonString;
using value::Value;

constexpr size_t kLongestUserAgent = 1024;

// RFC 3339 in UTC with six digits of a second.
std::string TimeText(AuditEvent::Time time) {
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(micros / 1'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[40];
  const size_t size = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  std::string fraction = std::to_string(1'000'000 + micros % 1'000'000);
  fraction[0] = '.';
  return base::Cat(std::string_view(text, size), fraction, "Z");
}

// Addresses that a request claims to have passed, and the one that it came from.
std::vector<std::string> SourceIps(const exchange::Request& request) {
  std::vector<api::IpAddress> found;
  std::string_view list = request.headers.Get("x-forwarded-for");
  while (!list.empty()) {
    const size_t comma = list.find(',');
    if (const auto ip = api::IpAddress::ParseLoosely(base::TrimSpace(list.substr(0, comma)))) found.push_back(*ip);
    list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
  }
  if (const auto real = api::IpAddress::ParseLoosely(request.headers.Get("x-real-ip"))) {
    if (std::ranges::find(found, *real) == found.end()) found.push_back(*real);
  }
  std::string_view remote = request.peer ? std::string_view(request.peer->remote_address) : std::string_view();
  remote = remote.substr(0, remote.rfind(':'));
  if (remote.starts_with('[') && remote.ends_with(']')) remote = remote.substr(1, remote.size() - 2);
  if (const auto ip = api::IpAddress::ParseLoosely(remote); ip && (found.empty() || !(found.back() == *ip))) {
    found.push_back(*ip);
  }
  std::vector<std::string> texts;
  texts.reserve(found.size());
  for (const api::IpAddress& ip : found) texts.push_back(ip.text());
  return texts;
}

// An object being written, member by member.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) { out_.push_back('{'); }
  void End() { out_.push_back('}'); }
  std::string& Key(std::string_view key) {
    if (!first_) out_.push_back(',');
    first_ = false;
    AppendJsonString(out_, key);
    out_.push_back(':');
    return out_;
  }
  void Text(std::string_view key, std::string_view text) { AppendJsonString(Key(key), text); }
  void TextIfAny(std::string_view key, std::string_view text) {
    if (!text.empty()) Text(key, text);
  }
  void ListIfAny(std::string_view key, const std::vector<std::string>& texts) {
    if (!texts.empty()) List(key, texts);
  }
  void List(std::string_view key, const std::vector<std::string>& texts) {
    Key(key).push_back('[');
    for (size_t i = 0; i < texts.size(); ++i) {
      if (i != 0) out_.push_back(',');
      AppendJsonString(out_, texts[i]);
    }
    out_.push_back(']');
  }

 private:
  std::string& out_;
  bool first_ = true;
};

void AppendUser(const api::User& user, std::string& out) {
  Members members(out);
  members.TextIfAny("username", user.name);
  members.TextIfAny("uid", user.uid);
  members.ListIfAny("groups", user.groups);
  if (!user.extra.empty()) {
    Members extra(members.Key("extra"));
    for (const auto& [key, values] : user.extra) extra.List(key, values);
    extra.End();
  }
  members.End();
}

void AppendReference(const AuditEvent& event, std::string& out) {
  const api::RequestInfo& info = event.info;
  const api::AuditRecord* record = event.record.get();
  const auto or_else = [record](const std::string& first, std::string api::AuditRecord::* second) -> std::string_view {
    if (!first.empty() || record == nullptr) return first;
    return record->*second;
  };
  Members members(out);
  members.TextIfAny("resource", info.resource);
  members.TextIfAny("namespace", or_else(info.namespace_name, &api::AuditRecord::object_namespace));
  members.TextIfAny("name", or_else(info.name, &api::AuditRecord::object_name));
  if (record != nullptr) members.TextIfAny("uid", record->object_uid);
  members.TextIfAny("apiGroup", info.group);
  members.TextIfAny("apiVersion", info.version);
  if (record != nullptr) members.TextIfAny("resourceVersion", record->object_version);
  members.TextIfAny("subresource", info.subresource);
  members.End();
}

void AppendStatus(const AuditEvent& event, std::string& out) {
  out += R"({"metadata":{})";
  if (!event.status_object.empty()) {
    base::Append(out, ",", event.status_object);
  } else if (!event.status_message.empty()) {
    out += R"(,"message":)";
    AppendJsonString(out, event.status_message);
  }
  base::Append(out, ",\"code\":", event.code, "}");
}

void AppendAnnotations(const AuditEvent& event, std::string& out) {
  auto sorted = event.record->annotations;
  if (event.truncated) sorted.emplace_back("audit.k8s.io/truncated", "true");
  std::ranges::sort(sorted);
  Members members(out);
  for (const auto& [key, text] : sorted) members.Text(key, text);
  members.End();
}

std::string QuotedList(const std::vector<std::string>& list) {
  std::vector<std::string> quoted;
  for (const std::string& one : list) quoted.push_back(api::Quote(one));
  return base::Join(quoted, ",");
}

void DropManagedFields(const Value& object) {
  const Value metadata = object.Get("metadata");
  if (metadata.is_object()) metadata.Remove("managedFields");
}

}  // namespace

AuditEvent EventOf(const exchange::Exchange& exchange, const api::User* user, api::AuditLevel level) {
  const exchange::Request& request = exchange.request();
  AuditEvent event;
  event.level = level;
  event.audit_id = exchange.context().audit_id;
  event.request_uri = request.path;
  if (!request.raw_query.empty()) base::Append(event.request_uri, "?", request.raw_query);
  std::string_view agent = request.headers.Get("user-agent");
  event.user_agent = agent.substr(0, kLongestUserAgent);
  if (agent.size() > kLongestUserAgent) event.user_agent += "...TRUNCATED";
  if (user != nullptr) event.user = *user;
  event.source_ips = SourceIps(request);
  event.info = exchange.context().info;
  return event;
}

void AppendEventJson(const AuditEvent& event, std::string& out) {
  Members members(out);
  members.Text("kind", "Event");
  members.Text("apiVersion", "audit.k8s.io/v1");
  members.Text("level", TextOf(event.level));
  members.Text("auditID", event.audit_id);
  members.Text("stage", TextOf(event.stage));
  members.Text("requestURI", event.request_uri);
  members.Text("verb", event.info.verb);
  AppendUser(event.user, members.Key("user"));
  if (event.record && event.record->impersonated)
    AppendUser(*event.record->impersonated, members.Key("impersonatedUser"));
  members.ListIfAny("sourceIPs", event.source_ips);
  members.TextIfAny("userAgent", event.user_agent);
  if (event.info.is_resource_request) AppendReference(event, members.Key("objectRef"));
  if (event.code != 0) AppendStatus(event, members.Key("responseStatus"));
  if (!event.truncated && !event.request_object.empty()) members.Key("requestObject") += event.request_object;
  if (!event.truncated && !event.response_object.empty()) members.Key("responseObject") += event.response_object;
  members.Text("requestReceivedTimestamp", TimeText(event.received));
  members.Text("stageTimestamp", TimeText(event.reached));
  if (event.record && (event.truncated || !event.record->annotations.empty()))
    AppendAnnotations(event, members.Key("annotations"));
  members.End();
  out.push_back('\n');
}

void AppendEventLegacy(const AuditEvent& event, std::string& out) {
  const auto or_else = [](std::string_view text, std::string_view other) { return text.empty() ? other : text; };
  std::string groups = "<none>", as = "<self>", as_groups = "<lookup>";
  if (!event.user.name.empty() && !event.user.groups.empty()) groups = QuotedList(event.user.groups);
  if (event.record && event.record->impersonated) {
    as = event.record->impersonated->name;
    if (!event.record->impersonated->groups.empty()) as_groups = QuotedList(event.record->impersonated->groups);
  }
  std::string_view namespace_name = event.info.is_resource_request ? event.info.namespace_name : std::string_view();
  if (namespace_name.empty() && event.record) namespace_name = event.record->object_namespace;
  const auto quote = [](std::string_view text) { return api::Quote(text); };
  base::Append(
      out, TimeText(event.received), " AUDIT: id=", quote(event.audit_id), " stage=", quote(TextOf(event.stage)),
      " ip=", quote(event.source_ips.empty() ? std::string_view("<unknown>") : std::string_view(event.source_ips[0])),
      " method=", quote(event.info.verb), " user=", quote(or_else(event.user.name, "<none>")));
  base::Append(out, " groups=", quote(groups), " as=", quote(as), " asgroups=", quote(as_groups),
               " user-agent=", quote(event.user_agent), " namespace=", quote(or_else(namespace_name, "<none>")),
               " uri=", quote(event.request_uri), " response=\"",
               event.code == 0 ? std::string("<deferred>") : std::to_string(event.code), "\"\n");
}

std::string StatusMembers(std::string_view json) {
  value::Arena arena(json.size() * 4 + 512);
  const auto status = value::ReadJson(json, arena);
  if (!status || status->GetString("kind") != "Status" || status->GetString("apiVersion") != "v1") return "";
  std::string members;
  for (std::string_view key : {"status", "message", "reason", "details"}) {
    const Value* const member = status->Find(key);
    if (member == nullptr) continue;
    if (!members.empty()) members.push_back(',');
    AppendJsonString(members, key);
    members.push_back(':');
    value::WriteJson(*member, members);
  }
  return members;
}

std::string WithoutManagedFields(std::string_view json) {
  value::Arena arena(json.size() * 4 + 512);
  const auto document = value::ReadJson(json, arena, {.keep_source = false});
  std::string out;
  if (!document) return out;
  DropManagedFields(*document);
  for (const Value& item : document->Get("items").items()) DropManagedFields(item);
  if (document->GetString("kind") == "Table") {
    for (const Value& row : document->Get("rows").items()) DropManagedFields(row.Get("object"));
  }
  value::WriteJson(*document, out);
  return out;
}

}  // namespace pipeline
