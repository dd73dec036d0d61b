#include "handlers/body.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/group_version.h"
#include "api/quote.h"
#include "base/text.h"
#include "handlers/documents.h"
#include "handlers/go_names.h"
#include "schema/cbor.h"
#include "schema/decode.h"
#include "schema/wire.h"
#include "value/json_writer.h"

namespace handlers {

namespace {

using value::Arena;
using value::Value;

struct Named {
  std::string_view group, version, kind;
};

// Kinds of versions that are not served any more but still read, for which a body is told its version and not its kind.
// The internal form they became.
struct RetiredKind {
  std::string_view group, version, kind, became;
};
constexpr RetiredKind kRetired[] = {
    {"apiextensions.k8s.io", "v1beta1", "CustomResourceDefinition", "apiextensions.k8s.io"},
    {"extensions", "v1beta1", "Deployment", "apps"},
    {"extensions", "v1beta1", "DaemonSet", "apps"},
    {"extensions", "v1beta1", "ReplicaSet", "apps"},
    {"extensions", "v1beta1", "Ingress", "networking.k8s.io"},
    {"extensions", "v1beta1", "NetworkPolicy", "networking.k8s.io"},
    {"apps", "v1beta1", "Deployment", "apps"},
    {"apps", "v1beta1", "StatefulSet", "apps"},
    {"apps", "v1beta1", "ControllerRevision", "apps"},
    {"apps", "v1beta2", "Deployment", "apps"},
    {"apps", "v1beta2", "StatefulSet", "apps"},
    {"apps", "v1beta2", "DaemonSet", "apps"},
    {"apps", "v1beta2", "ReplicaSet", "apps"},
    {"apps", "v1beta2", "ControllerRevision", "apps"},
    {"autoscaling", "v2beta1", "HorizontalPodAutoscaler", "autoscaling"},
    {"autoscaling", "v2beta2", "HorizontalPodAutoscaler", "autoscaling"},
    {"batch", "v1beta1", "CronJob", "batch"},
    {"coordination.k8s.io", "v1beta1", "Lease", "coordination.k8s.io"},
    {"discovery.k8s.io", "v1beta1", "EndpointSlice", "discovery.k8s.io"},
    {"events.k8s.io", "v1beta1", "Event", "events.k8s.io"},
    {"flowcontrol.apiserver.k8s.io", "v1beta1", "FlowSchema", "flowcontrol.apiserver.k8s.io"},
    {"flowcontrol.apiserver.k8s.io", "v1beta2", "FlowSchema", "flowcontrol.apiserver.k8s.io"},
    {"flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchema", "flowcontrol.apiserver.k8s.io"},
    {"flowcontrol.apiserver.k8s.io", "v1beta1", "PriorityLevelConfiguration", "flowcontrol.apiserver.k8s.io"},
    {"flowcontrol.apiserver.k8s.io", "v1beta2", "PriorityLevelConfiguration", "flowcontrol.apiserver.k8s.io"},
    {"flowcontrol.apiserver.k8s.io", "v1beta3", "PriorityLevelConfiguration", "flowcontrol.apiserver.k8s.io"},
    {"networking.k8s.io", "v1beta1", "Ingress", "networking.k8s.io"},
    {"networking.k8s.io", "v1beta1", "IngressClass", "networking.k8s.io"},
    {"node.k8s.io", "v1beta1", "RuntimeClass", "node.k8s.io"},
    {"policy", "v1beta1", "PodDisruptionBudget", "policy"},
    {"policy", "v1beta1", "Eviction", "policy"},
    {"rbac.authorization.k8s.io", "v1beta1", "Role", "rbac.authorization.k8s.io"},
    {"rbac.authorization.k8s.io", "v1beta1", "RoleBinding", "rbac.authorization.k8s.io"},
    {"rbac.authorization.k8s.io", "v1beta1", "ClusterRole", "rbac.authorization.k8s.io"},
    {"rbac.authorization.k8s.io", "v1beta1", "ClusterRoleBinding", "rbac.authorization.k8s.io"},
    {"scheduling.k8s.io", "v1beta1", "PriorityClass", "scheduling.k8s.io"},
    {"storage.k8s.io", "v1beta1", "StorageClass", "storage.k8s.io"},
    {"storage.k8s.io", "v1beta1", "CSIDriver", "storage.k8s.io"},
    {"storage.k8s.io", "v1beta1", "CSINode", "storage.k8s.io"},
    {"storage.k8s.io", "v1beta1", "VolumeAttachment", "storage.k8s.io"},
    {"storage.k8s.io", "v1beta1", "CSIStorageCapacity", "storage.k8s.io"},
};

// Which family of types a group's server knows: definitions and API services live apart from all others.
int FamilyOf(std::string_view group) {
  if (group == "apiextensions.k8s.io") return 1;
  return group == "apiregistration.k8s.io" ? 2 : 0;
}

std::unexpected<api::Error> Bad(std::string message) { return api::Fail(api::BadRequest(std::move(message))); }

std::unexpected<api::Error> Unrecognized(std::string_view kind, std::string_view why, std::string_view body) {
  return Bad(base::Cat("the object provided is unrecognized (must be of type ", kind, "): ", why, " (",
                       SummarizeBody(body), ")"));
}

std::unexpected<api::Error> Unhandled(const Named& named, std::string_view kind, std::string_view why) {
  return Bad(
      base::Cat(named.kind, " in version ", api::Quote(named.version), " cannot be handled as a ", kind, ": ", why));
}

// The last member of that name, letter case not looked at: as Go reads a struct.
api::Result<std::string_view> ReadTypeField(const Value& document, std::string_view key) {
  std::string_view text;
  for (const value::Member& member : document.members()) {
    if (!base::EqualsIgnoreCase(member.key, key) || member.value.is_null()) continue;
    if (!member.value.is_string()) {
      return Bad(base::Cat("json: cannot unmarshal ", GoWord(member.value), " into Go struct field .", key,
                           " of type string"));
    }
    text = member.value.AsString();
  }
  return text;
}

// What is not said is what is wanted.
void FillFrom(const BodyKind& wanted, Named& named) {
  if (named.kind.empty()) named.kind = wanted.kind;
  if (named.version.empty() && named.group.empty()) named.group = wanted.group;
  if (named.version.empty() && named.group == wanted.group) named.version = wanted.version;
}

// Custom resources are read as what their route serves; their strategy looks at the kind that they name.
bool IsCustom(const BodyKind& wanted) { return wanted.type != nullptr && wanted.type->structural != nullptr; }

std::string MissingKindText(std::string_view text) { return base::Cat("Object 'Kind' is missing in '", text, "'"); }

// Kind and version as the document says, filled from `wanted`. Errors are texts without their prefix.
api::Result<Named> Interpret(const Value& document, const BodyKind& wanted) {
  constexpr std::string_view kPrefix = "couldn't get version/kind; json parse error: ";
  if (!document.is_object() && !document.is_null()) {
    return Bad(base::Cat(kPrefix, "json: cannot unmarshal ", GoWord(document),
                         " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; "
                         "Kind string \"json:\\\"kind,omitempty\\\"\" }"));
  }
  auto api_version = ReadTypeField(document, "apiVersion");
  if (!api_version) return Bad(base::Cat(kPrefix, api_version.error().message));
  auto kind = ReadTypeField(document, "kind");
  if (!kind) return Bad(base::Cat(kPrefix, kind.error().message));

  const auto version = api::GroupVersion::Parse(*api_version);
  if (!version) return Bad(base::Cat("unexpected GroupVersion string: ", *api_version));
  Named named{.group = version->group, .version = version->version, .kind = *kind};
  FillFrom(wanted, named);
  return named;
}

// Whether the kind is the same in every group and version, whichever a body names. Texts call it by v1.
bool IsUnversioned(std::string_view kind) {
  constexpr std::array<std::string_view, 5> kKinds = {"APIGroup", "APIGroupList", "APIResourceList", "APIVersions",
                                                      "Status"};
  return std::ranges::find(kKinds, kind) != kKinds.end();
}

// Of the group of options and views, which no body of an object may name.
constexpr std::string_view kMetaGroup = "meta.k8s.io";

// How the named type relates to the wanted one.
enum class Relation { kSame, kOtherVersion, kOtherKind, kUnknown };
Relation Relate(const Named& named, const BodyKind& wanted) {
  if (IsCustom(wanted)) return Relation::kSame;
  if (named.kind == wanted.kind && named.group == wanted.group &&
      (named.version == wanted.version || (!wanted.also_version.empty() && named.version == wanted.also_version))) {
    return Relation::kSame;
  }
  for (const RetiredKind& retired : kRetired) {
    if (retired.group != named.group || retired.version != named.version || retired.kind != named.kind) continue;
    bool same = InternalGoName(retired.became, retired.kind) == InternalGoName(wanted.group, wanted.kind);
    return same ? Relation::kOtherVersion : Relation::kOtherKind;
  }
  if (IsUnversioned(named.kind)) return Relation::kOtherKind;
  const schema::Type* type = schema::FindKind(named.group, named.version, named.kind);
  if (type == nullptr || named.group == kMetaGroup) return Relation::kUnknown;
  bool is_shared = type->name.starts_with("io.k8s.apimachinery.");
  if (!is_shared && FamilyOf(named.group) != FamilyOf(wanted.group)) return Relation::kUnknown;
  if (InternalGoName(named.group, named.kind) == InternalGoName(wanted.group, wanted.kind))
    return Relation::kOtherVersion;
  return Relation::kOtherKind;
}

// What stands before a syntax error: the encodings are first read for the kind.
std::string_view SyntaxPrefix(Encoding encoding) {
  switch (encoding) {
    case Encoding::kJson:
      return "couldn't get version/kind; json parse error: ";
    case Encoding::kCbor:
      return "unable to determine group/version/kind: ";
    default:
      return "";
  }
}

// What says the kind of a CBOR body: read before the rest, which only its type can judge.
api::Result<Value> CborKindDocument(std::string_view body, Arena& arena) {
  auto kind = schema::ReadCborKind(body, arena);
  if (!kind) return std::unexpected(std::move(kind.error()));
  Value document = Value::Object(arena, 2);
  // A version that is none counts as none here; in the other encodings it is an error.
  bool odd = std::ranges::count(kind->api_version, '/') > 1;
  document.Add(arena, "apiVersion", Value::String(odd ? std::string_view() : kind->api_version));
  document.Add(arena, "kind", Value::String(kind->kind));
  return document;
}

// The canonical tree of a body, or its document where no type is known.
api::Result<Value> DecodeDocument(Encoding encoding, const schema::Type* type, std::string_view body,
                                  const Value& document, Arena& arena, schema::Findings* findings) {
  if (encoding != Encoding::kCbor) {
    return type != nullptr ? schema::Decode(*type, document, arena, findings) : api::Result<Value>(document);
  }
  if (type == nullptr) return schema::ReadCborObject(body, arena);
  std::string unknown;
  auto read = schema::ReadCbor(*type, body, arena, findings != nullptr ? &unknown : nullptr);
  if (!read) return std::unexpected(std::move(read.error()));
  if (!unknown.empty()) findings->in_order.push_back(std::move(unknown));
  return schema::Decode(*type, *read, arena, nullptr);
}

api::Result<Value> Parse(Encoding encoding, std::string_view body, std::string_view kind, Arena& arena,
                         std::string* yaml_duplicates) {
  if (encoding == Encoding::kCbor) {
    auto tree = CborKindDocument(body, arena);
    if (tree) return *tree;
    return Unrecognized(kind, base::Cat(SyntaxPrefix(encoding), tree.error().message), body);
  }
  auto tree = ReadDocument(encoding, body, arena, yaml_duplicates);
  if (tree) return *tree;
  return Unrecognized(kind, base::Cat(SyntaxPrefix(encoding), tree.error().message), body);
}

// Only the kind where the envelope's version is none.
Named NamedBy(const schema::Envelope& envelope) {
  const auto version = api::GroupVersion::Parse(envelope.api_version).value_or(api::GroupVersion{});
  return {.group = version.group, .version = version.version, .kind = envelope.kind};
}

// Duplicate and unknown members: warnings, or the one 400 that names them all.
api::Result<> Judge(const Scope& scope, const Named& named, const BodyKind& wanted, std::string_view field_validation,
                    const std::vector<std::string>& findings) {
  if (findings.empty() || field_validation == "Ignore") return {};
  if (field_validation == "Strict") {
    return Unhandled(named, wanted.kind, base::Cat("strict decoding error: ", base::Join(findings, ", ")));
  }
  for (const std::string& finding : findings) AddWarnings(finding, scope.context().warnings);
  return {};
}

std::string UnknownKindText(const Named& named) {
  return base::Cat("no kind ", api::Quote(named.kind), " is registered for version ",
                   api::Quote(api::GroupVersion{named.group, named.version}.text()),
                   " in scheme \"pkg/runtime/scheme.go:100\"");
}

// Why a body of that kind is none of this route.
std::string MisfitText(Relation relation, const Named& named, const BodyKind& wanted) {
  if (relation == Relation::kUnknown) return UnknownKindText(named);
  return base::Cat("converting (", IsUnversioned(named.kind) ? "v1" : named.version, ".", named.kind, ") to (",
                   InternalGoName(wanted.group, wanted.kind), "): unknown conversion");
}

// Why a body of another kind holds no options of a deletion.
std::string NoOptionsText(const Named& named) {
  constexpr std::array<std::string_view, 10> kKinds = {
      "CreateOptions", "GetOptions", "ListOptions",  "PartialObjectMetadata", "PartialObjectMetadataList",
      "PatchOptions",  "Table",      "TableOptions", "UpdateOptions",         "WatchEvent"};
  const bool is_known =
      named.group == kMetaGroup && named.version == "v1" && std::ranges::find(kKinds, named.kind) != kKinds.end();
  if (is_known || IsUnversioned(named.kind)) {
    return base::Cat("converting (v1.", named.kind, ") to (v1.DeleteOptions): unknown conversion");
  }
  return UnknownKindText(named);
}

std::unexpected<api::Error> Misfit(Relation relation, const Named& named, const BodyKind& wanted) {
  return Unhandled(named, wanted.kind, MisfitText(relation, named, wanted));
}

api::Result<Encoding> EncodingOf(const Scope& scope, const BodyKind& wanted) {
  const std::string_view type = scope.request().headers.Get("content-type");
  const bool cbor = scope.services.settings.cbor;
  const bool protobuf = wanted.type != nullptr && wanted.type->has_wire;
  // Custom resources name protobuf among what they take, and cannot read it.
  auto encoding = NegotiateInput(type, protobuf || IsCustom(wanted), cbor);
  if (encoding && *encoding == Encoding::kProtobuf && !protobuf) {
    return NegotiateInput("none", true, cbor);
  }
  return encoding;
}

api::Result<Body> Finish(Value object, const Named& named, const BodyKind& wanted, Arena& arena) {
  if (!object.is_object()) object = Value::Object(arena, 4);
  if (!IsCustom(wanted)) {
    object.Set(arena, "kind", Value::Copy(arena, wanted.kind));
    object.Set(arena, "apiVersion", Value::Copy(arena, api::GroupVersion{wanted.group, wanted.version}.text()));
  }
  return Body{.object = object, .group = named.group, .version = named.version};
}

api::Result<Body> ReadProtobuf(const Scope& scope, const BodyKind& wanted, Arena& arena) {
  std::string_view body = scope.request().body;
  auto envelope = schema::DecodeEnvelope(body);
  if (!envelope) return Unrecognized(wanted.kind, envelope.error().message, body);
  Named named = NamedBy(*envelope);
  FillFrom(wanted, named);
  Relation relation = Relate(named, wanted);
  if (relation == Relation::kUnknown) return Misfit(relation, named, wanted);
  const schema::Type* type =
      relation == Relation::kSame ? wanted.type : schema::FindKind(named.group, named.version, named.kind);
  Value object;
  if (type != nullptr && type->has_wire) {
    auto decoded = schema::DecodeWire(*type, envelope->message, arena);
    if (!decoded) return Unhandled(named, wanted.kind, decoded.error().message);
    object = *decoded;
  }
  if (relation == Relation::kOtherKind) return Misfit(relation, named, wanted);
  if (relation == Relation::kOtherVersion) return Body{.object = {}, .group = named.group, .version = named.version};
  return Finish(object, named, wanted, arena);
}

api::Result<Body> ReadSelfDescribing(const Scope& scope, const BodyKind& wanted, Encoding encoding,
                                     std::string_view field_validation, Arena& arena) {
  std::string_view body = scope.request().body;
  schema::Findings findings;
  bool looks = field_validation != "Ignore";
  std::string yaml_duplicates;
  auto document = Parse(encoding, body, wanted.kind, arena, looks ? &yaml_duplicates : nullptr);
  if (!document) return std::unexpected(std::move(document.error()));
  auto named = Interpret(*document, IsCustom(wanted) ? BodyKind{} : wanted);
  if (!named) return Unrecognized(wanted.kind, named.error().message, body);
  if (IsCustom(wanted) && named->kind.empty()) return Unrecognized(wanted.kind, MissingKindText(body), body);
  Relation relation = Relate(*named, wanted);
  if (relation == Relation::kUnknown) return Misfit(relation, *named, wanted);
  const schema::Type* type =
      relation == Relation::kSame ? wanted.type : schema::FindKind(named->group, named->version, named->kind);
  auto object = DecodeDocument(encoding, type, body, *document, arena, looks ? &findings : nullptr);
  if (!object) return Unhandled(*named, wanted.kind, object.error().message);
  if (relation == Relation::kOtherKind) return Misfit(relation, *named, wanted);
  if (!yaml_duplicates.empty()) findings.in_order.insert(findings.in_order.begin(), yaml_duplicates);
  if (auto judged = Judge(scope, *named, wanted, field_validation, findings.in_order); !judged) {
    return std::unexpected(std::move(judged.error()));
  }
  if (relation == Relation::kOtherVersion) return Body{.object = {}, .group = named->group, .version = named->version};
  return Finish(*object, *named, wanted, arena);
}

}  // namespace

void AddWarnings(std::string_view finding, std::vector<std::string>& warnings) {
  std::string_view list = finding;
  for (std::string_view prefix : {"error converting YAML to JSON: ", "yaml: unmarshal errors:\n"}) {
    if (list.starts_with(prefix)) list.remove_prefix(prefix.size());
  }
  if (list.size() == finding.size()) {
    warnings.emplace_back(finding);
    return;
  }
  while (!list.empty()) {
    size_t end = list.find('\n');
    warnings.emplace_back(base::TrimSpace(list.substr(0, end)));
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
}

std::string_view GoWord(const Value& v) {
  switch (v.kind()) {
    case value::Kind::kBool:
      return "bool";
    case value::Kind::kArray:
      return "array";
    case value::Kind::kObject:
      return "object";
    case value::Kind::kInt:
    case value::Kind::kDouble:
      return "number";
    default:
      return "string";
  }
}

api::Result<Value> DecodeObject(const BodyKind& wanted, const Value& document, Arena& arena,
                                schema::Findings* findings) {
  auto named = Interpret(document, IsCustom(wanted) ? BodyKind{} : wanted);
  if (!named) return std::unexpected(std::move(named.error()));
  if (IsCustom(wanted) && named->kind.empty()) return Bad(MissingKindText(value::ToJson(document)));
  Relation relation = Relate(*named, wanted);
  if (relation == Relation::kOtherKind) {
    // It is read as what it says it is before it is found to be of no use.
    const schema::Type* type = schema::FindKind(named->group, named->version, named->kind);
    if (type != nullptr) {
      if (auto other = schema::Decode(*type, document, arena, nullptr); !other) {
        return std::unexpected(std::move(other.error()));
      }
    }
  }
  if (relation == Relation::kUnknown || relation == Relation::kOtherKind) {
    return Bad(MisfitText(relation, *named, wanted));
  }
  Value object = document;
  if (wanted.type != nullptr) {
    auto decoded = schema::Decode(*wanted.type, document, arena, findings);
    if (!decoded) return std::unexpected(std::move(decoded.error()));
    object = *decoded;
  }
  auto body = Finish(object, *named, wanted, arena);
  if (!body) return std::unexpected(std::move(body.error()));
  return body->object;
}

api::Result<> CheckUnversioned(std::string_view kind, const BodyKind& wanted) {
  if (kind.empty() || kind == wanted.kind) return {};
  if (Relate({.group = wanted.group, .version = wanted.version, .kind = kind}, wanted) == Relation::kUnknown) {
    return Bad(base::Cat("no kind ", api::Quote(kind), " is registered for the internal version of group ",
                         api::Quote(wanted.group), " in scheme \"pkg/runtime/scheme.go:100\""));
  }
  return Bad(base::Cat("converting (", InternalGoName(wanted.group, kind), ") to (",
                       InternalGoName(wanted.group, wanted.kind), "): unknown conversion"));
}

Value CopyContainers(Arena& into, const Value& v) {
  if (v.is_array()) {
    std::vector<Value> items;
    for (const Value& item : v.items()) items.push_back(CopyContainers(into, item));
    return Value::ArrayOf(into, items, v.source());
  }
  if (!v.is_object()) return v;
  std::vector<value::Member> members;
  for (const value::Member& member : v.members()) members.push_back({member.key, CopyContainers(into, member.value)});
  return Value::ObjectOf(into, members, v.source());
}

BodyKind KindOf(const registry::Resource& resource) {
  return {resource.group, resource.version, resource.kind, resource.type};
}

BodyKind KindOf(const registry::Subresource& subresource) {
  return {subresource.group, subresource.version, subresource.kind, subresource.type};
}

std::string SummarizeBody(std::string_view body) {
  constexpr size_t kShown = 30;
  if (body.empty()) return "<empty>";
  std::string_view start = body.substr(0, kShown);
  std::string text;
  if (body[0] == '{') {
    text = start;
  } else {
    for (uint8_t byte : start) {
      text += "0123456789abcdef"[byte >> 4];
      text += "0123456789abcdef"[byte & 15];
    }
  }
  if (body.size() > kShown) text += " ...";
  return text;
}

api::Result<> CheckBodySize(const Scope& scope) {
  size_t limit = scope.services.settings.body_limit;
  if (!scope.request().body_error.empty()) return api::Fail(api::Generic(500, scope.request().body_error));
  if (!scope.request().body_too_large && scope.request().body.size() <= limit) return {};
  return api::Fail(api::RequestEntityTooLarge(base::Cat("limit is ", limit)));
}

api::Result<> CheckBodyType(const Scope& scope, const BodyKind& wanted) {
  auto encoding = EncodingOf(scope, wanted);
  if (!encoding) return std::unexpected(std::move(encoding.error()));
  return {};
}

api::Result<Body> ReadBody(const Scope& scope, const BodyKind& wanted, std::string_view field_validation,
                           Arena& arena) {
  auto encoding = EncodingOf(scope, wanted);
  if (!encoding) return std::unexpected(std::move(encoding.error()));
  if (*encoding == Encoding::kProtobuf) return ReadProtobuf(scope, wanted, arena);
  return ReadSelfDescribing(scope, wanted, *encoding, field_validation, arena);
}

api::Result<Value> ReadDeleteBody(const Scope& scope, Arena& arena) {
  std::string_view body = scope.request().body;
  auto encoding = NegotiateInput(scope.request().headers.Get("content-type"), true, scope.services.settings.cbor);
  if (!encoding) return std::unexpected(std::move(encoding.error()));
  static const schema::Type* const type = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  // What cannot be read is the server's fault here, as the real one has it.
  auto fail = [](std::string message) { return api::Fail(api::Generic(500, std::move(message))); };
  if (*encoding == Encoding::kProtobuf) {
    auto envelope = schema::DecodeEnvelope(body);
    if (!envelope) return fail(envelope.error().message);
    auto object = schema::DecodeWire(*type, envelope->message, arena);
    if (!object) return fail(object.error().message);
    return *object;
  }
  auto document = ReadDocument(*encoding, body, arena);
  if (!document) {
    return fail(base::Cat(SyntaxPrefix(*encoding), document.error().message));
  }
  const BodyKind wanted{.group = kMetaGroup, .version = "v1", .kind = "DeleteOptions", .type = type};
  auto named = Interpret(*document, wanted);
  if (!named) return fail(named.error().message);
  if (named->kind != wanted.kind) return fail(NoOptionsText(*named));
  auto object = DecodeDocument(*encoding, type, body, *document, arena, nullptr);
  if (!object) return fail(object.error().message);
  return *object;
}

api::Result<> CheckBodyVersion(const Body& body, const BodyKind& wanted) {
  if (body.group == wanted.group && (body.version == wanted.version || body.version == wanted.also_version)) return {};
  const api::GroupVersion named{body.group, body.version}, expected{wanted.group, wanted.version};
  return Bad(base::Cat("the API version in the data (", named.text(), ") does not match the expected API version (",
                       expected.text(), ")"));
}

api::Result<> MatchNamespace(const Scope& scope, Value object, Arena& arena) {
  Value* metadata = object.Find("metadata");
  if (metadata == nullptr || !metadata->is_object()) {
    if (!scope.resource.namespaced) return {};
    object.Set(arena, "metadata", Value::Object(arena, 4));
    metadata = object.Find("metadata");
  }
  if (!scope.resource.namespaced) {
    metadata->Remove("namespace");
    return {};
  }
  std::string_view said = metadata->GetString("namespace");
  if (!said.empty() && said != scope.namespace_name) {
    return Bad("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (said.empty()) metadata->Set(arena, "namespace", Value::String(scope.namespace_name));
  return {};
}

api::Result<> MatchName(const Scope& scope, const Value& object) {
  std::string_view name = object.Get("metadata").GetString("name");
  if (name.empty()) {
    return Bad(
        base::Cat("the name of the object (", scope.name, " based on URL) was undeterminable: name must be provided"));
  }
  if (name == scope.name) return {};
  return Bad(base::Cat("the name of the object (", name, ") does not match the name on the URL (", scope.name, ")"));
}

}  // namespace handlers
