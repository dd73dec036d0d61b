// A store that lives in memory only: for the tests and benchmarks of the floors above, which know no engine.
#pragma once

#include <memory>

#include "store/store.h"

namespace store {

// Empty, at revision 1.
std::unique_ptr<Store> OpenMemoryStore(Options options = {});

}  // namespace store
