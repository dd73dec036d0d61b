// What tests of a built-in kind stand on: one write as the registry makes it, from the document to what would be
// stored, without a store: decoding, defaults, strategy, validation, warnings.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "registry/registry_fixture.h"
#include "registry/strategy.h"
#include "resources/defaults/defaults.h"
#include "resources/strategies.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace resources {

class KindFixture {
 public:
  KindFixture(std::string group, std::string version, std::string plural, std::string kind, bool namespaced) {
    registry::Resource& resource = table_.Add(group, version, plural, kind, namespaced);
    resource.strategy = MakeStrategy(StrategyTableOf(group, version, plural));
    if (resource.type->Member("status") != nullptr) resource.subresources.emplace_back().name = "status";
    resource_ = &resource;
  }

  // Turns a gate on or off for what is written next.
  void Set(api::Feature feature, bool on) { resource_->features.Set(feature, on); }

  void AllowPrivileged(bool allowed) { resource_->features.AllowPrivilegedContainers(allowed); }

  // The errors of creating `members` beside metadata with a name, a line each ("spec.a: Required value"); "" where it
  // may be created. `metadata` are more members of the metadata.
  std::string Create(std::string_view members, std::string_view metadata = "") {
    request_.info.verb = "create";
    const Value object = Read(members, metadata);
    registry::WriteContext context = Context("");
    return Finish(object, registry::BeforeCreate(context, object, Namespace()));
  }

  // The same of changing `old` to `members`.
  std::string Update(std::string_view old, std::string_view members, std::string_view subresource = "",
                     std::string_view old_metadata = "", std::string_view metadata = "") {
    request_.info.verb = "update";
    const Value before = Read(old, old_metadata);
    const Value object = Read(members, metadata);
    registry::WriteContext context = Context(subresource);
    return Finish(object, registry::BeforeUpdate(context, object, before, Namespace()));
  }

  // Of the last write.
  const std::string& object() const { return object_; }  // without metadata, keys sorted
  int64_t generation() const { return generation_; }
  std::string warnings() const { return base::Join(warnings_, "\n"); }

 private:
  Value Read(std::string_view members, std::string_view metadata) {
    texts_.push_back(base::Cat(R"({"metadata":{"name":"x","uid":"u","resourceVersion":"1")",
                               resource_->namespaced ? R"(,"namespace":"ns")" : "", metadata.empty() ? "" : ",",
                               metadata, "}", members.empty() ? "" : ",", members, "}"));
    const Value read = value::ReadJson(texts_.back(), arena_).value();
    const Value object = schema::Decode(*resource_->type, read, arena_, nullptr).value();
    SetDefaults(*resource_->type, object, arena_, resource_->features);
    return object;
  }

  registry::WriteContext Context(std::string_view subresource) {
    warnings_.clear();
    return {request_, *resource_, arena_, subresource, "2027-01-15T08:00:00Z", warnings_};
  }

  std::string_view Namespace() const { return resource_->namespaced ? "ns" : ""; }

  std::string Finish(const Value& object, const api::Result<>& done) {
    generation_ = registry::ObjectMeta(object).generation();
    const Value shown = value::DeepCopy(arena_, object);
    shown.Remove("metadata");
    object_ = value::ToJson(shown, value::KeyOrder::kSorted);
    std::vector<std::string> texts;
    if (!done) {
      for (const api::Cause& cause : done.error().details.causes) {
        texts.push_back(base::Cat(cause.field, ": ", cause.message));
      }
    }
    return base::Join(texts, "\n");
  }

  registry::FixtureTable table_;
  registry::Resource* resource_;
  api::RequestContext request_;
  value::Arena arena_;
  std::deque<std::string> texts_;
  std::vector<std::string> warnings_;
  int64_t generation_ = 0;
  std::string object_;
};

}  // namespace resources
