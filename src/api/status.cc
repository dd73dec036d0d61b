#include "api/status.h"

#include "base/text.h"
#include "value/json_writer.h"

namespace api {
namespace {

using value::Arena;
using value::Value;

Value CauseValue(Arena& arena, const Cause& cause) {
  Value object = Value::Object(arena, 3);
  if (!cause.reason.empty()) object.Add(arena, "reason", Value::String(cause.reason));
  if (!cause.message.empty()) object.Add(arena, "message", Value::String(cause.message));
  if (!cause.field.empty()) object.Add(arena, "field", Value::String(cause.field));
  return object;
}

Value DetailsValue(Arena& arena, const StatusDetails& details) {
  Value object = Value::Object(arena, 6);
  if (!details.name.empty()) object.Add(arena, "name", Value::String(details.name));
  if (!details.group.empty()) object.Add(arena, "group", Value::String(details.group));
  if (!details.kind.empty()) object.Add(arena, "kind", Value::String(details.kind));
  if (!details.uid.empty()) object.Add(arena, "uid", Value::String(details.uid));
  if (!details.causes.empty()) {
    Value causes = Value::Array(arena, static_cast<uint32_t>(details.causes.size()));
    for (const Cause& cause : details.causes) causes.Append(arena, CauseValue(arena, cause));
    object.Add(arena, "causes", causes);
  }
  if (details.retry_after_seconds != 0) {
    object.Add(arena, "retryAfterSeconds", Value::Int(details.retry_after_seconds));
  }
  return object;
}

// Writes the members of one JSON object; leaves out empty texts.
class MemberWriter {
 public:
  explicit MemberWriter(std::string& out) : out_(out) { out_ += '{'; }
  void End() { out_ += '}'; }
  void Key(std::string_view key) {
    base::Append(out_, first_ ? "\"" : ",\"", key, "\":");
    first_ = false;
  }
  void Text(std::string_view key, std::string_view text) {
    if (text.empty()) return;
    Key(key);
    value::AppendJsonString(out_, text);
  }

 private:
  std::string& out_;
  bool first_ = true;
};

void AppendDetails(std::string& out, const StatusDetails& details) {
  MemberWriter writer(out);
  writer.Text("name", details.name);
  writer.Text("group", details.group);
  writer.Text("kind", details.kind);
  writer.Text("uid", details.uid);
  if (!details.causes.empty()) {
    writer.Key("causes");
    char separator = '[';
    for (const Cause& cause : details.causes) {
      out += separator;
      separator = ',';
      MemberWriter members(out);
      members.Text("reason", cause.reason);
      members.Text("message", cause.message);
      members.Text("field", cause.field);
      members.End();
    }
    out += ']';
  }
  if (details.retry_after_seconds != 0) {
    writer.Key("retryAfterSeconds");
    base::Append(out, details.retry_after_seconds);
  }
  writer.End();
}

}  // namespace

Value StatusValue(Arena& arena, const Error& error) {
  Value status = Value::Object(arena, 8);
  status.Add(arena, "kind", Value::String("Status"));
  status.Add(arena, "apiVersion", Value::String("v1"));
  Value metadata = Value::Object(arena, 1);
  if (!error.continue_token.empty()) metadata.Add(arena, "continue", Value::String(error.continue_token));
  status.Add(arena, "metadata", metadata);
  status.Add(arena, "status", Value::String("Failure"));
  if (!error.message.empty()) status.Add(arena, "message", Value::String(error.message));
  if (!error.reason.empty()) status.Add(arena, "reason", Value::String(error.reason));
  if (error.has_details) status.Add(arena, "details", DetailsValue(arena, error.details));
  status.Add(arena, "code", Value::Int(error.code));
  return status;
}

std::string StatusJson(const Error& error) {
  std::string out;
  out.reserve(160 + error.message.size());
  MemberWriter writer(out);
  writer.Text("kind", "Status");
  writer.Text("apiVersion", "v1");
  writer.Key("metadata");
  MemberWriter metadata(out);
  metadata.Text("continue", error.continue_token);
  metadata.End();
  writer.Text("status", "Failure");
  writer.Text("message", error.message);
  writer.Text("reason", error.reason);
  if (error.has_details) {
    writer.Key("details");
    AppendDetails(out, error.details);
  }
  writer.Key("code");
  base::Append(out, error.code);
  writer.End();
  return out;
}

std::string SuccessStatusJson(const StatusDetails& details) {
  std::string out = R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":)";
  AppendDetails(out, details);
  out += '}';
  return out;
}

}  // namespace api
