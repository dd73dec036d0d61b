#include "store/memory_store.h"

#include "engine/memory/memory_engine.h"

namespace store {

std::unique_ptr<Store> OpenMemoryStore(Options options) {
  return Store::Open(engine::MakeMemoryEngine(), options).value();  // nothing to load, so nothing to fail
}

}  // namespace store
