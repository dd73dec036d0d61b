// Bindings: what puts a pod on a node, posted to the pod or to the old collection of their own. Nothing is stored of
// them.
#include <optional>
#include <string>
#include <utility>

#include "api/quote.h"
#include "base/text.h"
#include "handlers/body.h"
#include "handlers/options.h"
#include "handlers/respond.h"
#include "handlers/subresources.h"
#include "handlers/views.h"

namespace handlers {

namespace {

using value::Arena;
using value::Value;
using Type = api::FieldError::Type;

api::FieldErrors CheckTarget(const Value& target) {
  api::FieldErrors errors;
  std::string_view kind = target.GetString("kind");
  if (!kind.empty() && kind != "Node") {
    errors.push_back({Type::kNotSupported, "target.kind", api::Quote(kind), R"(supported values: "Node", "<empty>")"});
  }
  if (target.GetString("name").empty()) errors.push_back({Type::kRequired, "target.name", "", ""});
  return errors;
}

// Sets a true PodScheduled condition.
void MarkScheduled(const Value& pod, std::string_view now, Arena& arena) {
  if (pod.Find("status") == nullptr) pod.Set(arena, "status", Value::Object(arena, 1));
  Value status = pod.Get("status");
  if (status.Find("conditions") == nullptr) status.Set(arena, "conditions", Value::Array(arena, 1));
  Value conditions = status.Get("conditions");
  for (const Value& condition : conditions.items()) {
    if (condition.GetString("type") != "PodScheduled") continue;
    if (condition.GetString("status") != "True") condition.Set(arena, "lastTransitionTime", Value::String(now));
    condition.Set(arena, "status", Value::String("True"));
    condition.Remove("reason");
    condition.Remove("message");
    return;
  }
  Value condition = Value::Object(arena, 3);
  condition.Add(arena, "type", Value::String("PodScheduled"));
  condition.Add(arena, "status", Value::String("True"));
  condition.Add(arena, "lastTransitionTime", Value::String(now));
  conditions.Append(arena, condition);
}

// The pod with the binding's node and annotations, or why it cannot have them.
api::Result<Value> Bind(const Value& current, const Value& binding, std::string_view now, Arena& arena) {
  std::string_view name = current.Get("metadata").GetString("name"), node = current.Get("spec").GetString("nodeName");
  auto refuse = [&](const std::string& why) { return api::Fail(api::Conflict({"", "pods/binding"}, name, why)); };
  if (!current.Get("metadata").GetString("deletionTimestamp").empty()) {
    return refuse(base::Cat("pod ", name, " is being deleted, cannot be assigned to a host"));
  }
  if (!node.empty()) return refuse(base::Cat("pod ", name, " is already assigned to node ", api::Quote(node)));
  if (!current.Get({"spec", "schedulingGates"}).empty()) {
    return refuse(base::Cat("pod ", name, " has non-empty .spec.schedulingGates"));
  }
  Value pod = DeepCopy(arena, current);
  pod.Get("spec").Set(arena, "nodeName", Value::Copy(arena, binding.Get("target").GetString("name")));
  Value metadata = pod.Get("metadata");
  std::span<value::Member> annotations = binding.Get({"metadata", "annotations"}).members();
  if (!annotations.empty() && metadata.Find("annotations") == nullptr) {
    metadata.Set(arena, "annotations", Value::Object(arena, annotations.size()));
  }
  for (const value::Member& annotation : annotations) {
    metadata.Get("annotations").Set(arena, arena.CopyString(annotation.key), DeepCopy(arena, annotation.value));
  }
  MarkScheduled(pod, arena.CopyString(now), arena);
  return pod;
}

exchange::Response RespondBound(const Output& output) {
  static const schema::Type* const status = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.Status");
  return Respond(201, {.encoding = output.encoding, .pretty = output.pretty},
                 MakeDocument(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":201})",
                              status, "v1", "Status"));
}

Answer CreateBinding(const Scope& scope, std::string_view) {
  const registry::Resource* pods = scope.services.registry.resources().Find("", "v1", "pods");
  auto output = Negotiate(scope.request(), scope.query(), scope.offer());
  if (!output) co_return std::unexpected(std::move(output.error()));
  BodyKind wanted = scope.subresource != nullptr ? KindOf(*scope.subresource) : KindOf(scope.resource);
  if (auto readable = CheckBodyType(scope, wanted); !readable) co_return std::unexpected(std::move(readable.error()));
  if (auto fits = CheckBodySize(scope); !fits) co_return std::unexpected(std::move(fits.error()));
  auto parameters = ParseWriteParameters(scope.query(), WriteKind::kCreate);
  if (!parameters) co_return std::unexpected(std::move(parameters.error()));
  Arena arena;
  auto body = ReadBody(scope, wanted, parameters->field_validation, arena);
  if (!body) co_return std::unexpected(std::move(body.error()));
  if (auto same = CheckBodyVersion(*body, wanted); !same) co_return std::unexpected(std::move(same.error()));
  if (auto matches = MatchNamespace(scope, body->object, arena); !matches)
    co_return std::unexpected(std::move(matches.error()));

  Value binding = body->object;
  std::string_view name = binding.Get("metadata").GetString("name");
  if (scope.subresource != nullptr && name != scope.name) {
    co_return api::Fail(api::BadRequest("name in URL does not match name in Binding object"));
  }
  if (api::FieldErrors errors = CheckTarget(binding.Get("target")); !errors.empty()) {
    co_return api::Fail(api::Generic(500, api::JoinTexts(errors)));
  }
  registry::Preconditions preconditions;
  if (std::string_view uid = binding.Get("metadata").GetString("uid"); !uid.empty()) preconditions.uid = uid;
  if (std::string_view version = binding.Get("metadata").GetString("resourceVersion"); !version.empty()) {
    preconditions.resource_version = version;
  }
  std::string now = NowText(scope.services.clock);
  registry::Call call = scope.call();
  registry::Registry::Update update{
      .key = {scope.namespace_name, name},
      .subresource = "binding",
      .transform = [&](const Value* current, Arena& into) { return Bind(*current, binding, now, into); },
      .preconditions = std::move(preconditions),
      .dry_run = parameters->dry_run,
      .as_is = true};
  auto written = co_await scope.services.registry.UpdateObject(call, *pods, std::move(update));
  if (!written) co_return std::unexpected(std::move(written.error()));
  co_return RespondBound(*output);
}

}  // namespace

void AddBindings(Subresources& subresources) {
  subresources.Add("", "pods", "binding", CreateBinding);
  subresources.Add("", "bindings", "", CreateBinding);
}

}  // namespace handlers
