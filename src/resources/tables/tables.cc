#include "resources/tables/tables.h"

namespace resources {

const registry::Printer* FindPrinter(std::string_view group, std::string_view plural) {
  for (std::span<const TableEntry> table : {CoreTables(), WorkloadTables(), PlatformTables()}) {
    for (const TableEntry& entry : table) {
      if (entry.group == group && entry.plural == plural) return &entry.printer;
    }
  }
  return nullptr;
}

}  // namespace resources
