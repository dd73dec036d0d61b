#include "resources/coordination/lease_strategy.h"

#include "resources/rules/field_checks.h"

namespace resources::coordination {

// The real server names the field twice.
void CheckLeaseStrategy(Errors& errors, const FieldPath& path, std::string_view strategy) {
  if (strategy.contains('/')) {
    kQualifiedName(errors, path.Child("strategy"), strategy);
  } else if (strategy != kOldestEmulationVersion) {
    errors.NotSupported(path.Child("strategy"), strategy, {kOldestEmulationVersion});
  }
}

}  // namespace resources::coordination
