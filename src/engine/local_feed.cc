#include "engine/local_feed.h"

namespace engine {

void VersionsOf(std::span<const Transaction> batch, Revision head, std::vector<Version>& versions) {
  versions.clear();
  for (const Transaction& transaction : batch) {
    head = head.Next();
    for (const Operation& operation : transaction.operations) {
      const Revision created = operation.created == Revision() ? head : operation.created;
      versions.push_back({.collection = operation.collection,
                          .key = operation.key,
                          .created = created,
                          .modified = head,
                          .value = operation.value});
    }
  }
}

}  // namespace engine
