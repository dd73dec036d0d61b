// What tools/make_tables.py compiles from data/api/resources.json: the constant rows behind builtin.h and
// api_resource_config.h.
#pragma once

#include <span>
#include <string_view>

namespace resources::rows {

struct SubresourceRow {
  std::string_view name;
  std::span<const std::string_view> verbs;
  std::string_view group, version, kind, type;  // of the body
  bool connect, subpath, table;
  std::string_view gate;  // served only with it; "" none
};

struct SelectableRow {
  std::string_view label;
  std::span<const std::string_view> paths;  // in the stored form
};

struct ResourceRow {
  std::string_view group, version, plural, singular, kind, list_kind, type, list_type;
  bool namespaced;
  std::span<const std::string_view> verbs, short_names, categories;
  std::string_view deletes_returns, gate, deprecation, storage_version_hash;
  std::span<const SubresourceRow> subresources;
  std::span<const SelectableRow> selectables;
  bool selects_namespace;
  std::string_view collection;  // "" if nothing is stored
  std::string_view stored_group, stored_version, stored_kind, stored_type;
};

struct VersionRow {
  std::string_view version;
  bool enabled_by_default;
};

struct GroupRow {
  std::string_view name;
  std::span<const VersionRow> versions;
};

std::span<const ResourceRow> Resources();  // in discovery order
std::span<const GroupRow> Groups();        // in discovery order

}  // namespace resources::rows
