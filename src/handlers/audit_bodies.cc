#include "handlers/audit_bodies.h"

#include "api/audit_record.h"
#include "api/group_version.h"
#include "base/text.h"
#include "handlers/documents.h"
#include "schema/encode.h"
#include "schema/wire.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace handlers {
namespace {

using api::AuditLevel;
using value::Value;

// The record where it wants bodies, else null.
api::AuditRecord* RecordOf(const Scope& scope, AuditLevel least) {
  api::AuditRecord* const record = scope.context().audit.get();
  return record != nullptr && record->level >= least ? record : nullptr;
}

std::string ObjectJson(const schema::Type* type, const Value& object) {
  std::string json;
  if (type == nullptr) {
    value::WriteJson(object, json);
  } else {
    schema::EncodeJson(*type, object, json);
  }
  return json;
}

std::optional<std::string> FromProtobuf(std::string_view body) {
  const auto envelope = schema::DecodeEnvelope(body);
  if (!envelope) return std::nullopt;
  const auto version = api::GroupVersion::Parse(envelope->api_version);
  if (!version) return std::nullopt;
  const schema::Type* const type = envelope->kind == "Status"
                                       ? schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.Status")
                                       : schema::FindKind(version->group, version->version, envelope->kind);
  if (type == nullptr || !type->has_wire) return std::nullopt;
  value::Arena arena(body.size() * 4 + 1024);
  const auto object = schema::DecodeWire(*type, envelope->message, arena);
  if (!object) return std::nullopt;
  object->Set(arena, "kind", Value::String(envelope->kind));
  object->Set(arena, "apiVersion", Value::String(envelope->api_version));
  return ObjectJson(type, *object);
}

}  // namespace

void AuditRequestObject(const Scope& scope, const BodyKind& wanted, const Body& body) {
  api::AuditRecord* const record = RecordOf(scope, AuditLevel::kMetadata);
  if (record == nullptr) return;
  const Value metadata = body.object.Get("metadata");
  record->object_namespace = metadata.GetString("namespace");
  record->object_name = metadata.GetString("name");
  record->object_uid = metadata.GetString("uid");
  record->object_version = metadata.GetString("resourceVersion");
  if (record->level < AuditLevel::kRequest) return;
  value::Arena arena(scope.request().body.size() * 4 + 1024);
  const Value object = CopyContainers(arena, body.object);
  if (wanted.type != nullptr && wanted.type == scope.resource.type) scope.resource.SetDefaults(object, arena);
  record->request_object = ObjectJson(wanted.type, object);
}

void AuditPatch(const Scope& scope) {
  api::AuditRecord* const record = RecordOf(scope, AuditLevel::kRequest);
  if (record == nullptr) return;
  const std::string& patch = scope.request().body;
  record->request_is_patch = true;
  if (!value::FindJsonError(patch)) {
    record->request_object = patch;
  } else {
    value::AppendJsonString(record->request_object, patch);  // YAML, or nothing that can be read: a line stays a line
  }
}

void AuditDeleteOptions(const Scope& scope, const Value& options) {
  api::AuditRecord* const record = RecordOf(scope, AuditLevel::kRequest);
  if (record == nullptr) return;
  static const schema::Type* const type = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  value::Arena arena;
  const Value object = CopyContainers(arena, options);
  object.Set(arena, "kind", Value::String("DeleteOptions"));
  object.Set(arena, "apiVersion", Value::String("meta.k8s.io/__internal"));  // as real audit logs have it
  record->request_object = ObjectJson(type, object);
}

void AuditDeprecation(api::RequestContext& context, std::string_view warning) {
  if (!context.audit) return;
  api::AddAuditAnnotation(context, "k8s.io/deprecated", "true");
  constexpr std::string_view kGone = "unavailable in v";
  const size_t at = warning.find(kGone);
  if (at == warning.npos) return;
  std::string_view release = warning.substr(at + kGone.size());
  release = release.substr(0, release.find_first_not_of("0123456789."));
  api::AddAuditAnnotation(context, "k8s.io/removed-release", release);
}

std::optional<std::string> AnswerAsJson(std::string_view media_type, std::string_view body) {
  media_type = media_type.substr(0, media_type.find(';'));
  if (media_type == MediaType(Encoding::kProtobuf)) return FromProtobuf(body);
  const bool is_yaml = media_type == MediaType(Encoding::kYaml);
  if (!is_yaml && media_type != MediaType(Encoding::kCbor)) return std::nullopt;
  value::Arena arena(body.size() * 4 + 1024);
  const auto document = ReadDocument(is_yaml ? Encoding::kYaml : Encoding::kCbor, body, arena);
  if (!document || !document->is_object()) return std::nullopt;
  // These may have their members in another order: an object begins with its kind.
  const auto version = api::GroupVersion::Parse(document->GetString("apiVersion"));
  const std::string_view kind = document->GetString("kind");
  if (kind.empty() || !version) return std::nullopt;
  const schema::Type* const type = kind == "Status" ? schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.Status")
                                                    : schema::FindKind(version->group, version->version, kind);
  if (type != nullptr) return ObjectJson(type, *document);
  const Value ordered = Value::Object(arena, document->size());
  for (std::string_view key : {"kind", "apiVersion", "metadata"}) {
    if (const Value* member = document->Find(key)) ordered.Add(arena, key, *member);
  }
  for (const value::Member& member : document->members()) {
    if (ordered.Find(member.key) == nullptr) ordered.Add(arena, member.key, member.value);
  }
  return ObjectJson(nullptr, ordered);
}

}  // namespace handlers
