#include "controllers/api_service_registration.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "registry/json_scan.h"

namespace controllers {
namespace {

using value::Arena;
using value::Value;

constexpr std::string_view kLabel = "kube-aggregator.kubernetes.io/automanaged";
// Of every group and version of custom resources: they stand behind the built-in ones.
constexpr int64_t kGroupPriority = 1000, kVersionPriority = 100;

bool IsOurs(const store::Cell& cell) {
  const std::string_view labels = registry::FindJson(cell.bytes(), "metadata.labels");
  registry::MemberScan scan(labels);
  std::string_view key, raw;
  while (scan.Next(key, raw)) {
    if (key == kLabel) return registry::PlainText(raw) == "true";
  }
  return false;
}

Value MakeApiService(std::string_view name, std::string_view group, std::string_view version, Arena& arena) {
  const Value labels = Value::Object(arena, 1);
  labels.Add(arena, kLabel, Value::String("true"));
  const Value metadata = Value::Object(arena, 2);
  metadata.Add(arena, "name", Value::Copy(arena, name));
  metadata.Add(arena, "labels", labels);
  const Value spec = Value::Object(arena, 4);
  spec.Add(arena, "group", Value::Copy(arena, group));
  spec.Add(arena, "version", Value::Copy(arena, version));
  spec.Add(arena, "groupPriorityMinimum", Value::Int(kGroupPriority));
  spec.Add(arena, "versionPriority", Value::Int(kVersionPriority));
  const Value object = Value::Object(arena, 4);
  object.Add(arena, "kind", Value::String("APIService"));
  object.Add(arena, "apiVersion", Value::String("apiregistration.k8s.io/v1"));
  object.Add(arena, "metadata", metadata);
  object.Add(arena, "spec", spec);
  return object;
}

}  // namespace

ApiServiceRegistration::ApiServiceRegistration(registry::Registry& registry, const base::Clock& clock,
                                               base::Executor& executor)
    : registry_(registry),
      account_(registry, executor, "api-service-registration-controller"),
      api_services_(registry.resources()->FindEntry("apiregistration.k8s.io", "v1", "apiservices")),
      reconciler_(
          registry, clock, executor, {.watched = {api_services_}},
          [this](WorkQueue& queue, const Reconciler::Change& change) { Notice(queue, change); },
          [this](std::string_view name) { return Work(name); }),
      custom_(registry, executor,
              {.is_wanted = [](const registry::Resource&) { return false; },
               .added = [](size_t) {},
               .removed = [](size_t) {},
               .changed = [this](const registry::ResourceRef& before,
                                 const registry::ResourceRef& after) { OnResource(after != nullptr ? *after : *before); }}) {
}

void ApiServiceRegistration::Start() {
  if (api_services_ == nullptr) return;
  custom_.Start();
  reconciler_.Start();
}

void ApiServiceRegistration::Stop(absl::AnyInvocable<void()> stopped) {
  custom_.Stop();
  reconciler_.Stop(std::move(stopped));
}

// What somebody removes or what was made before the start is looked at, too.
void ApiServiceRegistration::Notice(WorkQueue& queue, const Reconciler::Change& change) const {
  if (IsOurs(change.cell)) queue.Add(change.cell.key());
}

void ApiServiceRegistration::OnResource(const registry::Resource& resource) {
  if (resource.custom) reconciler_.AddAfter(base::Cat(resource.version, ".", resource.group), {});
}

bool ApiServiceRegistration::IsServed(std::string_view group, std::string_view version) const {
  const registry::ResourceTableRef resources = registry_.resources();
  if (!resources->HasVersion(group, version)) return false;
  return std::ranges::any_of(resources->All(), [&](const registry::Resource* resource) {
    return resource->custom && resource->group == group && resource->version == version;
  });
}

base::Task<WorkQueue::Outcome> ApiServiceRegistration::Work(std::string_view name) {
  using enum WorkQueue::Outcome;
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos) co_return kDone;
  const std::string_view version = name.substr(0, dot), group = name.substr(dot + 1);
  const bool served = IsServed(group, version);
  bool stored = false, ours = false;
  {
    const store::Snapshot snapshot = registry_.store().Latest(api_services_->storage->id);
    if (const store::Cell* cell = snapshot.Get(name)) {
      stored = true;
      ours = IsOurs(*cell);
    }
  }
  api::Result<> done;
  if (served && !stored) {
    Arena arena;
    done = co_await account_.Create(*api_services_, {"", name}, MakeApiService(name, group, version, arena), arena);
  } else if (!served && ours) {
    done = co_await account_.Delete(*api_services_, {"", name}, {});
  }
  const bool settled = done || done.error().code == 404 || done.error().code == 409;
  co_return settled ? kDone : kRetry;
}

}  // namespace controllers
