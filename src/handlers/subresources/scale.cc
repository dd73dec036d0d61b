// The scale subresource: spec.replicas of an object seen as an autoscaling Scale, for reading, replacing and patching.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "api/names.h"
#include "base/text.h"
#include "handlers/audit_bodies.h"
#include "handlers/body.h"
#include "handlers/options.h"
#include "handlers/patcher.h"
#include "handlers/stored_object.h"
#include "handlers/subresources/scale_field_manager.h"
#include "handlers/subresources/subresources.h"
#include "handlers/views.h"
#include "registry/metadata_rules.h"
#include "registry/object_meta.h"
#include "schema/encode.h"

namespace handlers {

namespace {

using value::Arena;
using value::Value;

// A label selector's requirements in the form that clients of Scale read: sorted by key, "a=b,c in (d,e),!f".
struct Requirement {
  std::string_view key;
  std::string text;
};

std::string JoinValues(const Value& values) {
  std::vector<std::string> sorted;
  for (const Value& value : values.items()) sorted.emplace_back(value.AsString());
  std::ranges::sort(sorted);
  return base::Join(sorted, ",");
}

Requirement ReadExpression(const Value& expression) {
  std::string_view key = expression.GetString("key"), op = expression.GetString("operator");
  std::string values = JoinValues(expression.Get("values"));
  if (op == "Exists") return {key, std::string(key)};
  if (op == "DoesNotExist") return {key, base::Cat("!", key)};
  return {key, base::Cat(key, op == "In" ? " in (" : " notin (", values, ")")};
}

std::string SelectorText(const Value& selector) {
  std::vector<Requirement> requirements;
  const Value* labels = selector.Find("matchLabels");
  const Value* expressions = selector.Find("matchExpressions");
  // A replication controller's selector is the labels themselves.
  bool is_plain = labels == nullptr && expressions == nullptr;
  for (const value::Member& label : (is_plain ? selector : labels != nullptr ? *labels : Value()).members()) {
    if (label.value.is_string()) requirements.push_back({label.key, base::Cat(label.key, "=", label.value.AsString())});
  }
  if (expressions != nullptr) {
    for (const Value& expression : expressions->items()) requirements.push_back(ReadExpression(expression));
  }
  std::ranges::stable_sort(requirements, {}, &Requirement::key);
  std::vector<std::string> texts;
  for (Requirement& requirement : requirements) texts.push_back(std::move(requirement.text));
  return base::Join(texts, ",");
}

using Paths = std::optional<ScalePaths>;

// The value at a path like ".spec.replicas"; null where there is none.
Value At(Value object, std::string_view path) {
  while (!path.empty()) {
    path.remove_prefix(path.starts_with('.') ? 1 : 0);
    const size_t end = std::min(path.find('.'), path.size());
    object = object.Get(path.substr(0, end));
    path.remove_prefix(end);
  }
  return object;
}

// Objects on the way are made; false where something else stands there.
bool SetAt(Value object, std::string_view path, Value value, Arena& arena) {
  path.remove_prefix(path.starts_with('.') ? 1 : 0);
  for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.')) {
    const std::string_view key = path.substr(0, dot);
    if (object.Get(key).is_null()) object.Set(arena, arena.CopyString(key), Value::Object(arena, 1));
    object = object.Get(key);
    if (!object.is_object()) return false;
    path.remove_prefix(dot + 1);
  }
  object.Set(arena, arena.CopyString(path), value);
  return true;
}

void CopyMember(std::string_view key, const Value& from, Value to, Arena& arena) {
  if (const Value* member = from.Find(key)) to.Add(arena, key, *member);
}

// The Scale of `object`, canonical.
Value ScaleOf(const BodyKind& kind, const Value& object, const Paths& paths, Arena& arena) {
  Value metadata = Value::Object(arena, 5), spec = Value::Object(arena, 1), status = Value::Object(arena, 2);
  for (std::string_view key : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    CopyMember(key, object.Get("metadata"), metadata, arena);
  }
  // A canonical Scale has no replicas where they are zero.
  const Value wanted = paths ? At(object, paths->spec_replicas) : object.Get({"spec", "replicas"});
  const Value replicas = paths ? At(object, paths->status_replicas) : object.Get({"status", "replicas"});
  if (!wanted.is_null() && (!wanted.is_int() || wanted.AsInt() != 0)) spec.Add(arena, "replicas", wanted);
  status.Add(arena, "replicas", replicas.is_int() ? replicas : Value::Int(0));
  std::string selector = paths ? std::string() : SelectorText(object.Get({"spec", "selector"}));
  if (paths && !paths->label_selector.empty()) {
    if (const Value text = At(object, paths->label_selector); text.is_string()) selector = text.AsString();
  }
  if (!selector.empty()) status.Add(arena, "selector", Value::Copy(arena, selector));
  Value scale = Value::Object(arena, 5);
  scale.Add(arena, "kind", Value::String(kind.kind));
  scale.Add(arena, "apiVersion", Value::Copy(arena, base::Cat(kind.group, "/", kind.version)));
  scale.Add(arena, "metadata", metadata);
  scale.Add(arena, "spec", spec);
  scale.Add(arena, "status", status);
  return scale;
}

// `object`: canonical, of the served version.
api::Result<exchange::Response> RespondScale(const Scope& scope, const Output& output, const Value& object,
                                             const Paths& paths, Arena& arena) {
  BodyKind kind = KindOf(*scope.subresource);
  std::string json;
  schema::EncodeJson(*kind.type, ScaleOf(kind, object, paths, arena), json);
  return RespondJson(scope, output, 200, std::move(json), kind.type, base::Cat(kind.group, "/", kind.version),
                     kind.kind, scope.subresource->printer.get());
}

// 422 where the scale's metadata or replicas break a rule.
api::Result<> CheckScale(const Scope& scope, const Value& scale) {
  api::FieldErrors errors;
  const registry::ObjectMeta meta(scale);
  registry::CheckMetadata(meta, true, api::CheckNameIsDnsSubdomain, errors);
  registry::CheckStrictFinalizers(meta, errors);
  const Value replicas = scale.Get({"spec", "replicas"});
  if (replicas.is_int() && replicas.AsInt() < 0) {
    errors.push_back({api::FieldError::Type::kInvalid, "spec.replicas", base::Cat(replicas.AsInt()),
                      "must be greater than or equal to 0"});
  }
  if (errors.empty()) return {};
  return api::Fail(api::Invalid({"autoscaling", "Scale"}, scope.name, errors));
}

// Whether a scale that cannot be read tells why: the others say that it is not there, whatever the reason is.
bool TellsWhy(const registry::Resource& resource) { return resource.custom || resource.plural == "statefulsets"; }

// What is said of a scale whose object is not there; each resource has its own way.
api::Error NoScale(const Scope& scope) {
  const registry::Resource& resource = scope.resource;
  if (TellsWhy(resource)) return api::NotFound(resource.group_resource(), scope.name);
  const std::string_view group = resource.group.empty() ? "autoscaling" : std::string_view(resource.group);
  return api::NotFound({group, base::Cat(resource.plural, "/scale")}, scope.name);
}

// `object` with the replicas that `scale` asks for, under the version and uid that it names.
api::Result<Value> Rescale(const Scope& scope, const Paths& paths, const Value& current, const Value& scale,
                           Arena& arena) {
  Value replicas = scale.Get({"spec", "replicas"});
  if (!replicas.is_int()) replicas = Value::Int(0);
  if (auto sound = paths ? api::Result<>() : CheckScale(scope, scale); !sound)
    return std::unexpected(std::move(sound.error()));
  std::string_view uid = scale.Get("metadata").GetString("uid"), present = current.Get("metadata").GetString("uid");
  if (!uid.empty() && uid != present) {
    return api::Fail(
        api::Conflict({scope.resource.group, base::Cat(scope.resource.plural, "/scale")}, scope.name,
                      base::Cat("Precondition failed: UID in precondition: ", uid, ", UID in object meta: ", present)));
  }
  Value object = DeepCopy(arena, current);
  const std::string path = paths ? paths->spec_replicas : ".spec.replicas";
  if (!SetAt(object, path, replicas, arena)) {
    return api::Fail(api::Internal(base::Cat("value cannot be set because ", path, " is not within maps")));
  }
  Value metadata = object.Get("metadata");
  std::string_view version = scale.Get("metadata").GetString("resourceVersion");
  if (!version.empty()) {
    metadata.Set(arena, "resourceVersion", Value::Copy(arena, version));
  } else if (!paths) {
    metadata.Remove("resourceVersion");
  }
  return object;
}

Answer GetScale(const Scope& scope, Paths paths) {
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  registry::Call call = scope.call();
  auto cell = co_await scope.services.registry.Get(call, scope.resource, scope.key(),
                                                   {.resource_version = scope.query().Get("resourceVersion")});
  if (!cell && (cell.error().code == 404 || !TellsWhy(scope.resource))) co_return api::Fail(NoScale(scope));
  if (!cell) co_return std::unexpected(std::move(cell.error()));
  auto forms = co_await ConvertFor(scope, *cell);
  if (!forms) co_return std::unexpected(std::move(forms.error()));
  Arena arena;
  const StoredObject stored(scope.resource, Encoding::kJson, false, *std::move(forms));
  const Value object = stored.Decode(**cell, arena);
  if (paths && At(object, paths->spec_replicas).is_null()) {
    co_return api::Fail(
        api::Internal(base::Cat("the spec replicas field \"", paths->spec_replicas, "\" does not exist")));
  }
  co_return RespondScale(scope, *output, object, paths, arena);
}

// Replaces or patches: `change` gives the new Scale of the present one.
struct ScaleChange {
  Paths paths;
  std::function<api::Result<Value>(const Value& present, Arena& arena)> change;
  std::string manager;    // who is recorded as owner
  bool is_apply = false;  // the change has tracked its fields itself
  bool dry_run = false;
  registry::Preconditions preconditions;
};

// Without the dot that paths of definitions begin with.
std::string_view ReplicasPath(const Paths& paths) {
  std::string_view path = paths ? std::string_view(paths->spec_replicas) : "spec.replicas";
  if (path.starts_with('.')) path.remove_prefix(1);
  return path;
}

ScaleFieldManager OwnershipOf(const Scope& scope, const Paths& paths, const Value& object, Arena& arena) {
  return {object.Get({"metadata", "managedFields"}), arena.CopyString(scope.resource.group_version()),
          ReplicasPath(paths), arena};
}

// The Scale of `object` with those who own its replicas.
Value OwnedScaleOf(const Scope& scope, const Paths& paths, const Value& object, Arena& arena) {
  const Value scale = ScaleOf(KindOf(*scope.subresource), object, paths, arena);
  if (const Value owners = OwnershipOf(scope, paths, object, arena).OfScale(); !owners.is_null()) {
    scale.Get("metadata").Set(arena, "managedFields", owners);
  }
  return scale;
}

// The Scale that the change makes of that of `current`.
api::Result<Value> Change(const Scope& scope, const ScaleChange& change, const Value& current, Arena& arena) {
  const Value present = OwnedScaleOf(scope, change.paths, current, arena);
  auto scale = change.change(present, arena);
  if (!scale || change.is_apply) return scale;
  const Value owners = OwnershipOf(scope, change.paths, current, arena)
                           .Track(*KindOf(*scope.subresource).type, present, *scale, change.manager,
                                  arena.CopyString(NowText(scope.services.clock)));
  if (!scale->Get("metadata").is_object()) scale->Set(arena, "metadata", Value::Object(arena, 1));
  const Value metadata = scale->Get("metadata");
  owners.is_null() ? void(metadata.Remove("managedFields")) : metadata.Set(arena, "managedFields", owners);
  return scale;
}

// `current` with the replicas, and their owners, of `scale`.
api::Result<Value> Apply(const Scope& scope, const Paths& paths, const Value& current, const Value& scale,
                         Arena& arena) {
  auto object = Rescale(scope, paths, current, scale, arena);
  if (!object) return object;
  const Value fields = OwnershipOf(scope, paths, current, arena).OfParent(scale.Get({"metadata", "managedFields"}));
  const Value metadata = object->Get("metadata");
  fields.is_null() ? void(metadata.Remove("managedFields")) : metadata.Set(arena, "managedFields", fields);
  return object;
}

Answer WriteScale(const Scope& scope, Output output, ScaleChange change) {
  registry::Call call = scope.call();
  const Paths& paths = change.paths;
  registry::Registry::Update update{
      .key = scope.key(),
      .subresource = "",  // an update of the object like any other: its generation counts it
      .transform = [&](const Value* current, const Value&, Arena& arena) -> api::Result<Value> {
        if (current == nullptr) return api::Fail(api::NotFound(scope.resource.group_resource(), scope.name));
        return Change(scope, change, *current, arena);
      },
      .preconditions = std::move(change.preconditions),
      .dry_run = change.dry_run,
      .field_manager = std::nullopt,
      .body = registry::Registry::Update::Body{
          .subresource = scope.subresource->name,
          .of =
              [&](const Value& object, bool with_owners, Arena& arena) {
                return with_owners ? OwnedScaleOf(scope, paths, object, arena)
                                   : ScaleOf(KindOf(*scope.subresource), object, paths, arena);
              },
          .into = [&](const Value& current, const Value& scale,
                      Arena& arena) { return Apply(scope, paths, current, scale, arena); }}};
  auto written = co_await scope.services.registry.UpdateObject(call, scope.resource, std::move(update));
  if (!written) co_return std::unexpected(std::move(written.error()));
  auto forms = co_await ConvertFor(scope, written->cell);
  if (!forms) co_return std::unexpected(std::move(forms.error()));
  Arena arena;
  const StoredObject stored(scope.resource, Encoding::kJson, false, *forms);
  co_return RespondScale(scope, output, stored.Decode(*written, arena), change.paths, arena);
}

std::string ManagerOf(const Scope& scope, const WriteParameters& parameters) {
  return FieldManagerOrUserAgent(parameters.field_manager, scope.request().headers.Get("user-agent"));
}

Answer PutScale(const Scope& scope, Paths paths) {
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  if (auto fits = CheckBodySize(scope); !fits) co_return std::unexpected(std::move(fits.error()));
  auto parameters = ParseWriteParameters(scope.query(), WriteKind::kUpdate);
  if (!parameters) co_return std::unexpected(std::move(parameters.error()));
  Arena arena;
  BodyKind wanted = KindOf(*scope.subresource);
  auto body = ReadBody(scope, wanted, parameters->field_validation, arena);
  // The real server cannot tell what is wrong with a Scale of a custom resource.
  if (!body && paths && body.error().code == 400) {
    co_return api::Fail(
        api::BadRequest("no kind is registered for the type v1.Scale in scheme \"pkg/runtime/scheme.go:100\""));
  }
  if (!body) co_return std::unexpected(std::move(body.error()));
  if (auto same = CheckBodyVersion(*body, wanted); !same) co_return std::unexpected(std::move(same.error()));
  AuditRequestObject(scope, wanted, *body);
  if (auto matches = MatchNamespace(scope, body->object, arena); !matches) {
    co_return std::unexpected(std::move(matches.error()));
  }
  if (auto named = MatchName(scope, body->object); !named) co_return std::unexpected(std::move(named.error()));
  registry::Preconditions preconditions;
  if (std::string_view uid = body->object.Get("metadata").GetString("uid"); !uid.empty()) preconditions.uid = uid;
  ScaleChange change{
      .paths = std::move(paths),
      .change = [&](const Value&, Arena& into) -> api::Result<Value> { return DeepCopy(into, body->object); },
      .manager = ManagerOf(scope, *parameters),
      .dry_run = parameters->dry_run,
      .preconditions = std::move(preconditions)};
  co_return co_await WriteScale(scope, *output, std::move(change));
}

Answer PatchScale(const Scope& scope, Paths paths) {
  auto kind = PatchKindOf(scope.request().headers.Get("content-type"));
  if (!kind) co_return api::Fail(api::UnsupportedMediaType("415: Unsupported Media Type"));
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  if (auto fits = CheckBodySize(scope); !fits) co_return std::unexpected(std::move(fits.error()));
  auto parameters =
      ParseWriteParameters(scope.query(), *kind == PatchKind::kApply ? WriteKind::kApply : WriteKind::kPatch);
  if (!parameters) co_return std::unexpected(std::move(parameters.error()));
  AuditPatch(scope);
  Patcher patcher(scope, KindOf(*scope.subresource), *kind, *parameters);
  ScaleChange change{
      .paths = std::move(paths),
      .change = [&, is_custom = paths.has_value()](const Value& present, Arena& into) -> api::Result<Value> {
        auto applied = patcher.Apply(&present, Value(), into);
        if (!applied || !is_custom || *kind != PatchKind::kApply) return applied;
        // As in the real server, which has no converter between custom resources and their scales.
        const std::string type = "autoscaling/v1";
        return api::Fail(api::Generic(
            500,
            base::Cat("failed to convert new object (", scope.namespace_name, "/", scope.name, "; ", type,
                      ", Kind=Scale) to proper version: request to convert CR to an invalid group/version: ", type)));
      },
      .manager = ManagerOf(scope, *parameters),
      .is_apply = *kind == PatchKind::kApply,
      .dry_run = parameters->dry_run,
      .preconditions = {}};
  co_return co_await WriteScale(scope, *output, std::move(change));
}

Answer ServeScale(const Scope& scope, std::string_view verb, Paths paths) {
  if (verb == "get") return GetScale(scope, std::move(paths));
  return verb == "update" ? PutScale(scope, std::move(paths)) : PatchScale(scope, std::move(paths));
}

}  // namespace

void AddScales(Subresources& subresources, FindScalePaths find_paths) {
  subresources.AddToAll("scale", [find_paths = std::move(find_paths)](const Scope& scope, std::string_view verb) {
    return ServeScale(scope, verb, find_paths ? find_paths(scope.resource) : std::nullopt);
  });
}

}  // namespace handlers
