// Resource: one resource type of one served version, as every verb sees it: a record of data, and the objects that say
// what data cannot (Strategy, Printer, Converter). Records are made at start from data/api/resources.json (built in) or
// from a custom resource definition, are immutable once they are published (registry/resource_table.h), and are
// counted: whoever holds one, or a snapshot of the table that has it, may go on using it after it was taken away.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "api/features.h"
#include "api/request.h"
#include "registry/converter.h"
#include "registry/printer.h"
#include "registry/resource_strategy.h"
#include "schema/schema.h"
#include "store/store.h"
#include "value/value.h"

namespace registry {

struct Subresource {
  std::string name;  // "status", "scale", ...
  std::vector<std::string> verbs;
  std::string group, version, kind;  // of the body
  const schema::Type* type = nullptr;
  bool connect = false;
  bool table = true;  // whether it can be shown as one
  bool returns_resource = false;
  std::shared_ptr<const Printer> printer;  // where its objects are shown as other rows than the resource's
};

// Where objects of a resource are kept, whatever version serves them. Shared by the versions of one resource.
struct Storage {
  std::string collection;            // "pods", "services/specs": the key prefix after /registry/
  std::string group, version, kind;  // of the stored form
  const schema::Type* type = nullptr;
  store::CollectionRef id;  // empty where the record only describes
};

// A field that field selectors may name beyond metadata.name and metadata.namespace.
struct SelectableField {
  std::string label;  // "source"
  std::vector<std::string>
      paths;         // in the stored form; the first that is not empty counts. None: the value is always ""
  std::string zero;  // value where all are absent: "", "0" or "false"
};

struct Resource {
  // Of custom resources, which stand behind the built-in ones.
  static constexpr uint32_t kLastPlace = UINT32_MAX;

  std::string group, version, plural, singular, kind, list_kind;
  bool namespaced = false;
  bool custom = false;  // made of a custom resource definition
  std::vector<std::string> verbs, short_names, categories;
  const schema::Type* type = nullptr;  // of the served version
  const schema::Type* list_type = nullptr;
  std::shared_ptr<const void> types;       // keeps `type`, `list_type` and Storage::type; null: they are built in
  std::shared_ptr<const Storage> storage;  // null: virtual (reviews, bindings)
  // Null where the stored and the served form are one (or differ in apiVersion only).
  std::shared_ptr<const Converter> converter;
  api::Features features;  // of the server
  std::string storage_version_hash;
  std::vector<Subresource> subresources;
  std::vector<SelectableField> selectable_fields;
  bool selects_namespace = true;  // metadata.namespace is a field selector too
  std::string deletes_returns;    // kind in OpenAPI
  std::string deprecation;        // what every request to it is warned of; "" nothing
  bool watch_cached = true;  // false for events: the real server keeps no watch cache for them, which clients can tell
  std::shared_ptr<const Printer> printer;    // null: a Table shows name and creation time
  std::shared_ptr<const Strategy> strategy;  // never null once published
  // Discovery shows resources by this, then by group, version (the preferred one first) and plural.
  uint32_t place = kLastPlace;

  std::string group_version() const { return group.empty() ? version : group + "/" + version; }
  api::GroupResource group_resource() const { return {group, plural}; }
  bool HasVerb(std::string_view verb) const;
  const Subresource* FindSubresource(std::string_view name) const;
  const SelectableField* FindSelectableField(std::string_view label) const;
  // As the strategy says.
  void SetDefaults(const Value& object, Arena& arena) const { strategy->SetDefaults(*type, object, arena, features); }
};

using ResourceRef = std::shared_ptr<const Resource>;

inline bool WriteContext::Has(Feature feature) const { return resource.features.Has(feature); }

}  // namespace registry
