#include "resources/apps/deprecated_annotations.h"

#include <string_view>

#include "base/text.h"
#include "registry/object_meta.h"
#include "resources/rules/integers.h"

namespace resources::apps {
namespace {

using value::Arena;
using value::Value;

constexpr std::string_view kRollback = "deprecated.deployment.rollback.to";
constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

std::string_view Annotation(const Value& object, std::string_view name) {
  return object.Get({"metadata", "annotations"}).GetString(name);
}

// In its place among the annotations, which are sorted.
void Annotate(const Value& object, std::string_view name, int64_t number, Arena& arena) {
  const Value text = Value::Copy(arena, base::Cat(number));
  registry::ObjectMeta meta(object, arena);
  const Value before = meta.Get("annotations");
  Value after = Value::Object(arena, before.size() + 1);
  bool placed = false;
  for (const value::Member& member : before.members()) {
    if (!placed && member.key >= name) {
      after.Add(arena, name, text);
      placed = true;
    }
    if (member.key != name) after.Add(arena, member.key, member.value);
  }
  if (!placed) after.Add(arena, name, text);
  meta.Set("annotations", after);
}

}  // namespace

std::optional<int64_t> RollbackRevision(const Value& deployment) {
  const ParsedInteger revision = ParseInteger(Annotation(deployment, kRollback));
  return revision.ok() ? std::optional(revision.value) : std::nullopt;
}

void NormaliseRollback(const Value& deployment, Arena& arena) {
  const Value annotations = deployment.Get({"metadata", "annotations"});
  if (annotations.Find(kRollback) == nullptr) return;
  if (annotations.GetString(kRollback).empty()) {
    annotations.Remove(kRollback);
  } else if (const std::optional<int64_t> revision = RollbackRevision(deployment)) {
    Annotate(deployment, kRollback, *revision, arena);
  }
}

int64_t TemplateGeneration(const Value& daemon_set) {
  const ParsedInteger generation = ParseInteger(Annotation(daemon_set, kTemplateGeneration));
  return generation.ok() ? generation.value : 0;
}

void SetTemplateGeneration(const Value& daemon_set, int64_t generation, Arena& arena) {
  Annotate(daemon_set, kTemplateGeneration, generation, arena);
}

}  // namespace resources::apps
