#include "registry/bootstrap.h"

#include <future>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "registry/json_scan.h"
#include "registry/strategy.h"

namespace registry {
namespace {

struct Blank {
  std::string_view key, text;  // `"uid":""`, what goes between the quotes
};

// `json` with every blank filled; the place of the resourceVersion, which stays blank, goes to `hole`.
std::string Fill(std::string_view json, std::span<const Blank> blanks, uint32_t& hole) {
  std::string out;
  out.reserve(json.size() + 128);
  size_t done = 0;
  for (size_t at = json.find(R"(":"")"); at != std::string_view::npos; at = json.find(R"(":"")", at + 1)) {
    const size_t key_start = json.rfind('"', at - 1) + 1;
    const std::string_view key = json.substr(key_start, at - key_start);
    out.append(json, done, at + 3 - done);
    done = at + 3;
    if (key == "resourceVersion" && hole == 0) hole = static_cast<uint32_t>(out.size());
    for (const Blank& blank : blanks) {
      if (blank.key == key) out.append(blank.text);
    }
  }
  out.append(json, done);
  return out;
}

uint32_t LabelsOffset(std::string_view json) {
  const std::string_view labels = FindJson(json, "metadata.labels");
  return labels.empty() ? 0 : static_cast<uint32_t>(labels.data() - json.data());
}

const Resource* FindStored(const ResourceTable& resources, const BootstrapObject& object) {
  for (const Resource* resource : resources.All()) {
    const Storage* storage = resource->storage.get();
    if (storage != nullptr && storage->kind == object.kind && storage->group == object.group &&
        storage->version == object.version) {
      return resource;
    }
  }
  return nullptr;
}

std::string KeyOf(const Resource& resource, std::string_view json) {
  const std::string_view name = PlainText(FindJson(json, "metadata.name"));
  if (!resource.namespaced) return std::string(name);
  return base::Cat(PlainText(FindJson(json, "metadata.namespace")), "/", name);
}

}  // namespace

base::Result<> PutMissing(store::Store& store, const ResourceTable& resources, std::span<const BootstrapObject> objects,
                          const base::Clock& clock, base::Random& random) {
  const std::string now = TimeText(clock.Now());
  std::vector<store::Write> writes;
  const Resource* resource = nullptr;
  for (const BootstrapObject& object : objects) {
    // Objects of a kind stand together.
    if (resource == nullptr || resource->storage->kind != object.kind || resource->storage->group != object.group) {
      resource = FindStored(resources, object);
    }
    if (resource == nullptr) continue;
    std::string key = KeyOf(*resource, object.json);
    if (store.Latest(resource->storage->id).Get(key) != nullptr) continue;
    const std::string uid = base::NewUuid(random);
    const Blank blanks[] = {{"uid", uid}, {"creationTimestamp", now}, {"time", now}, {"lastTransitionTime", now}};
    store::Body body;
    body.bytes = Fill(object.json, blanks, body.revision_offset);
    body.labels_offset = LabelsOffset(body.bytes);
    writes.push_back({resource->storage->id, std::move(key), std::move(body), store::Revision(0)});
  }
  if (writes.empty()) return {};
  std::promise<base::Result<store::Committed>> promise;
  store.Commit(std::move(writes), [&](base::Result<store::Committed> done) { promise.set_value(std::move(done)); });
  auto committed = promise.get_future().get();
  if (!committed) return std::unexpected(committed.error());
  return {};
}

}  // namespace registry
