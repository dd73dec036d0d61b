// ServiceAllocator: the cluster addresses and node ports of services. Supplies registry::WriteHooks::allocate for
// services: before the strategy looks at a new or changed service, what it asks for is taken for it, and what it needs
// and does not name is chosen.
//
// What is taken follows from the stored services alone: an index of what they hold is kept up by their events, and made
// anew from the store at the start and where history was lost. There is no second record that could disagree after a
// crash. What writes under way have taken and not stored yet is held by their Claims until they end, one way or the
// other; an index that a write's own event has reached holds it from then on.
//
// Threads: any; one lock, held for one decision, never over a wait. Cost: that of the events since the last decision.
// Several processes on one store agree only as far as each has seen the others' events.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/random.h"
#include "registry/registry.h"
#include "resources/core/service/service_pools.h"
#include "store/store.h"

namespace resources::core {

class ServiceAllocator {
 public:
  struct Options {
    std::vector<api::IpPrefix> address_ranges;  // one, or one of each family; the first is the default family's
    int64_t first_port = 30000, port_count = 2768;
  };
  // `store` outlives this, and this every Claim.
  ServiceAllocator(store::Store& store, store::CollectionId services, const Options& options, base::Random& random);

  // Fills in what `service` needs: families, addresses, ports; `old` is null on create. A dry run takes nothing and
  // gets addresses and ports that say nothing. 422 for what cannot be had, 500 where nothing is left.
  api::Result<registry::Reservation> Allocate(registry::WriteContext& context, const registry::Value& service,
                                              const registry::Value* old, bool dry_run);

 private:
  friend class ServiceDraw;
  void Follow();
  void Rebuild();
  void Count(const store::Cell& cell);
  void Forget(std::string_view key);
  AddressPool* PoolOf(std::string_view family);

  store::Store& store_;
  const store::CollectionId services_;
  base::Random& random_;

  std::mutex mutex_;                    // guards what follows
  std::vector<AddressPool> addresses_;  // not resized: what is held points into it
  PortPool ports_;
  std::map<std::string, std::vector<HeldNumber>, std::less<>> stored_;  // by the service's key
  std::unique_ptr<store::Watcher> events_;                              // null before the first use
};

}  // namespace resources::core
