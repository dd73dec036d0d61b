// Bindings: what puts a pod on a node, posted to the pod or to the old collection of their own. Nothing is stored of
// them.
#include <optional>
#include <string>
#include <utility>

#include "api/quote.h"
#include "base/text.h"
#include "handlers/respond.h"
#include "handlers/subresources/subresources.h"
#include "handlers/subresources/virtual_resource.h"
#include "handlers/views.h"
#include "registry/conditions.h"

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
  const registry::Condition scheduled{.type = "PodScheduled", .status = "True"};
  registry::SetPodCondition(pod.Get("status"), scheduled, now, arena);
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

Answer CreateBinding(const Scope& scope, std::string_view) {
  const registry::Resource* pods = scope.resources.Find("", "v1", "pods");
  Arena arena;
  const BodyKind wanted = scope.subresource != nullptr ? KindOf(*scope.subresource) : KindOf(scope.resource);
  auto posted =
      co_await ReadVirtualResource(scope, wanted, arena, {.keeps_system_fields = scope.subresource != nullptr});
  if (!posted) co_return std::unexpected(std::move(posted.error()));

  Value binding = posted->object;
  std::string_view name = binding.Get("metadata").GetString("name");
  if (scope.subresource != nullptr && name != scope.name) {
    co_return api::Fail(api::BadRequest("name in URL does not match name in Binding object"));
  }
  if (api::FieldErrors errors = CheckTarget(binding.Get("target")); !errors.empty()) {
    co_return api::Fail(api::Generic(500, api::JoinTexts(errors)));
  }
  if (auto admitted = co_await AdmitVirtualResource(scope, *posted, arena); !admitted) {
    co_return std::unexpected(std::move(admitted.error()));
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
      .transform = [&](const Value* current, const Value&, Arena& into) { return Bind(*current, binding, now, into); },
      .preconditions = std::move(preconditions),
      .dry_run = posted->parameters.dry_run,
      .bypass_admission = true};
  auto written = co_await scope.services.registry.UpdateObject(call, *pods, std::move(update));
  if (!written) co_return std::unexpected(std::move(written.error()));
  co_return RespondDone(posted->output);
}

}  // namespace

void AddBindings(Subresources& subresources) {
  subresources.Add("", "pods", "binding", CreateBinding);
  subresources.Add("", "bindings", "", CreateBinding);
}

}  // namespace handlers
