#include "resources/tables/tables.h"

namespace resources {

std::shared_ptr<const registry::Printer> FindPrinter(std::string_view group, std::string_view plural) {
  for (std::span<const TableEntry> table : {CoreTables(), WorkloadTables(), PlatformTables()}) {
    for (const TableEntry& entry : table) {
      if (entry.group == group && entry.plural == plural)
        return std::make_shared<registry::TablePrinter>(entry.printer);
    }
  }
  return nullptr;
}

}  // namespace resources
