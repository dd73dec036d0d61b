#include "admission/policies/policy_request.h"

#include "api/request.h"
#include "base/text.h"
#include "registry/registry.h"
#include "registry/stored_form.h"
#include "schema/encode.h"
#include "value/json_reader.h"

namespace admission {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

struct KindName {
  std::string_view group, version, kind;
};

// Of what is sent to the resource, or to its subresource.
KindName KindOf(const registry::Resource& resource, std::string_view subresource) {
  if (const registry::Subresource* sub = subresource.empty() ? nullptr : resource.FindSubresource(subresource)) {
    if (!sub->kind.empty()) return {sub->group, sub->version, sub->kind};
  }
  return {resource.group, resource.version, resource.kind};
}

Value KindObject(const KindName& name, Arena& arena) {
  const Value made = Value::Object(arena, 3);
  made.Add(arena, "group", Value::Copy(arena, name.group));
  made.Add(arena, "version", Value::Copy(arena, name.version));
  made.Add(arena, "kind", Value::Copy(arena, name.kind));
  return made;
}

Value ResourceObject(const registry::Resource& resource, Arena& arena) {
  const Value made = Value::Object(arena, 3);
  made.Add(arena, "group", Value::Copy(arena, resource.group));
  made.Add(arena, "version", Value::Copy(arena, resource.version));
  made.Add(arena, "resource", Value::Copy(arena, resource.plural));
  return made;
}

Value Strings(const std::vector<std::string>& texts, Arena& arena) {
  const Value made = Value::Array(arena, static_cast<uint32_t>(texts.size()));
  for (const std::string& text : texts) made.Append(arena, Value::Copy(arena, text));
  return made;
}

void AddText(const Value& object, std::string_view key, std::string_view text, Arena& arena) {
  if (!text.empty()) object.Add(arena, key, Value::Copy(arena, text));
}

Value UserObject(const api::User& user, Arena& arena) {
  const Value made = Value::Object(arena, 4);
  AddText(made, "username", user.name, arena);
  AddText(made, "uid", user.uid, arena);
  if (!user.groups.empty()) made.Add(arena, "groups", Strings(user.groups, arena));
  if (user.extra.empty()) return made;
  const Value extra = Value::Object(arena, static_cast<uint32_t>(user.extra.size()));
  for (const auto& [key, values] : user.extra) extra.Add(arena, arena.CopyString(key), Strings(values, arena));
  made.Add(arena, "extra", extra);
  return made;
}

}  // namespace

Value RequestVariable(MatchedRequest& matched, const registry::Resource& as) {
  const registry::AdmissionRequest& request = matched.request();
  Arena& arena = request.arena;
  const Value made = Value::Object(arena, 12);
  made.Add(arena, "kind", KindObject(KindOf(as, request.subresource), arena));
  made.Add(arena, "resource", ResourceObject(as, arena));
  AddText(made, "subResource", request.subresource, arena);
  made.Add(arena, "requestKind", KindObject(KindOf(request.resource, request.subresource), arena));
  made.Add(arena, "requestResource", ResourceObject(request.resource, arena));
  AddText(made, "requestSubResource", request.subresource, arena);
  AddText(made, "name", matched.name(), arena);
  AddText(made, "namespace", matched.namespace_name(), arena);
  made.Add(arena, "operation", Value::String(registry::OperationName(request.operation)));
  made.Add(arena, "userInfo", UserObject(request.call.request.user, arena));
  made.Add(arena, "dryRun", Value::Bool(request.dry_run));
  made.Add(arena, "options", registry::OptionsOf(request));
  return made;
}

Value AsShown(const schema::Type* type, const Value& object, Arena& arena) {
  if (type == nullptr || !object.is_object()) return object;
  std::string json;
  schema::EncodeJson(*type, object, json);
  const auto read = value::ReadJson(arena.CopyString(json), arena);
  return read ? *read : object;
}

base::Result<Value> InFormOf(MatchedRequest& matched, const registry::Resource& as, const Value& object) {
  const registry::AdmissionRequest& request = matched.request();
  const registry::Resource& own = request.resource;
  const KindName sent = KindOf(own, request.subresource);
  Arena& arena = request.arena;
  if (!object.is_object()) return object;
  // A body of its own is the same in all versions.
  if (sent.kind != own.kind || sent.group != own.group) {
    const Value body = Value::ObjectOf(arena, object.members());
    const std::string api_version = sent.group.empty() ? std::string(sent.version) : Cat(sent.group, "/", sent.version);
    body.Set(arena, "apiVersion", Value::Copy(arena, api_version));
    body.Set(arena, "kind", Value::Copy(arena, sent.kind));
    return AsShown(own.FindSubresource(request.subresource)->type, body, arena);
  }
  if (&as == &own) return AsShown(own.type, object, arena);
  if (registry::Waits(own) || registry::Waits(as)) {
    return base::Fail(base::Code::kUnavailable,
                      "failed to convert object version: its conversion has to be waited for");
  }
  Value form = object;
  if (own.converter != nullptr) form = own.converter->Now(registry::Converter::To::kStored, arena, form);
  if (as.converter != nullptr) form = as.converter->Now(registry::Converter::To::kServed, arena, form);
  const Value made = Value::ObjectOf(arena, form.members());
  made.Set(arena, "apiVersion", Value::Copy(arena, as.group_version()));
  made.Set(arena, "kind", Value::Copy(arena, as.kind));
  return AsShown(as.type, made, arena);
}

cel::AuthorizerCheck RequestResourceCheck(MatchedRequest& matched) {
  const registry::AdmissionRequest& request = matched.request();
  return {.is_resource = true,
          .group = request.resource.group,
          .resource = request.resource.plural,
          .subresource = request.subresource,
          .namespace_name = matched.namespace_name(),
          .name = matched.name()};
}

}  // namespace admission
