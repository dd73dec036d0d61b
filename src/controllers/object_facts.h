// ObjectFacts: what controllers want to know of a stored object, read from its bytes without decoding it. Pure
// functions, any thread; views point into the bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"

namespace controllers {

constexpr std::string_view kOrphanFinalizer = "orphan";
constexpr std::string_view kForegroundFinalizer = "foregroundDeletion";

struct ObjectFacts {
  std::string_view uid;
  std::string_view resource_version;
  std::string_view owner_references;  // raw JSON, "" none
  std::string_view finalizers;        // raw JSON, "" none
  bool deleting = false;
  bool orphan = false, foreground = false;  // has the garbage collector's finalizer

  // It is kept until the garbage collector is through with its dependents.
  bool deleting_dependents() const { return deleting && foreground; }
  bool orphaning_dependents() const { return deleting && orphan; }
};
ObjectFacts ReadFacts(std::string_view json);

// Calls `each` for the strings of metadata.finalizers.
void ForEachFinalizer(const ObjectFacts& facts, absl::FunctionRef<void(std::string_view)> each);

// One of metadata.ownerReferences.
struct OwnerReference {
  std::string api_version, kind, name, uid;
  bool blocks = false;  // blockOwnerDeletion
};
std::vector<OwnerReference> ReadOwners(const ObjectFacts& facts);

}  // namespace controllers
