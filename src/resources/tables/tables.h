// Tables: what `kubectl get` shows of each resource: its columns and how an object fills them. Named by builtin.h when
// resources are made. Constant, any thread.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "registry/resource.h"

namespace resources {

struct TableEntry {
  std::string_view group, plural;  // of a subresource's objects: the kind
  registry::PrinterTable printer;
};

// The printer of a resource, or null: then a table shows name and creation time.
std::shared_ptr<const registry::Printer> FindPrinter(std::string_view group, std::string_view plural);

// The tables of the files beside this one.
std::span<const TableEntry> CoreTables();
std::span<const TableEntry> WorkloadTables();  // apps, batch, autoscaling, pod templates and replication controllers
std::span<const TableEntry> PlatformTables();  // everything else

// Columns that most tables have.
inline constexpr registry::Column kNameColumn = {
    .name = "Name",
    .type = "string",
    .format = "name",
    .description = "The object's name, unique within its namespace and kind."};
inline constexpr registry::Column kAgeColumn = {
    .name = "Age", .type = "string", .description = "How long ago the object was stored."};
constexpr registry::Column TextColumn(std::string_view name, std::string_view description) {
  return {.name = name, .type = "string", .description = description};
}
constexpr registry::Column NumberColumn(std::string_view name, std::string_view description) {
  return {.name = name, .type = "integer", .description = description};
}
constexpr registry::Column BoolColumn(std::string_view name, std::string_view description) {
  return {.name = name, .type = "boolean", .description = description};
}
// Shown with -o wide only.
constexpr registry::Column WideColumn(std::string_view name, std::string_view description) {
  return {.name = name, .type = "string", .priority = 1, .description = description};
}
inline constexpr registry::Column kContainersColumn =
    WideColumn("Containers", "The names of the template's containers.");
inline constexpr registry::Column kImagesColumn = WideColumn("Images", "The images of the template's containers.");
inline constexpr registry::Column kSelectorColumn = WideColumn("Selector", "Which pods belong to the object.");

}  // namespace resources
