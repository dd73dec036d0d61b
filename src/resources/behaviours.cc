#include "resources/behaviours.h"

#include <span>

namespace resources {

namespace {

constexpr registry::Behaviour kPlain;

struct Entry {
  std::string_view group, version, plural;  // version "": all of them
  const registry::Behaviour* behaviour;
};

// One line a resource. Each file of src/resources/<group>/ declares its Behaviour here.
constexpr std::span<const Entry> kEntries;

}  // namespace

const registry::Behaviour& BehaviourOf(std::string_view group, std::string_view version, std::string_view plural) {
  for (const Entry& entry : kEntries) {
    if (entry.plural == plural && entry.group == group && (entry.version.empty() || entry.version == version)) {
      return *entry.behaviour;
    }
  }
  return kPlain;
}

}  // namespace resources
