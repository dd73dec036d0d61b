// LocalFeed: what every sole writer does alike: gives the transactions of a batch consecutive revisions and feeds them.
// Used by the local engines under their own lock.
#pragma once

#include <span>
#include <vector>

#include "engine/engine.h"

namespace engine {

// The versions that the batch makes when its first transaction has the revision after `head`, in order. They view the
// batch.
void VersionsOf(std::span<const Transaction> batch, Revision head, std::vector<Version>& versions);

}  // namespace engine
