// StoredPolicies: keeps the RBAC policy and the flow schemas, which the pipeline asks about every request, and the API
// services, which discovery follows, equal to the objects in the store. Made by Server after the store; reads
// everything once at Start(), then again whenever one of those objects changes.
//
// Threads: Start() and the destructor on the wiring thread; refreshing runs on the executor it is given. Between a
// write and its effect lies one hop of a thread, never a timer. A watch that cannot begin is tried again with growing
// pauses and logged; what was published last holds meanwhile. Cost: a change reads all objects of its kind, which are
// few.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

#include "auth/rbac.h"
#include "base/executor.h"
#include "base/logging.h"
#include "handlers/discovery/api_services.h"
#include "pipeline/flowcontrol/flow_schemas.h"
#include "registry/resource_table.h"
#include "store/store.h"

namespace server {

class StoredPolicies {
 public:
  struct Publish {
    std::function<void(std::shared_ptr<const auth::RbacPolicy>)> rbac;
    std::function<void(std::shared_ptr<pipeline::FlowSchemas>)> flow_schemas;
    std::function<void(handlers::ApiServices)> api_services;
  };
  // References outlive it, and the executor what the destructor posts.
  StoredPolicies(store::Store& store, const registry::ResourceTable& resources, base::Executor& executor,
                 base::Logger& logger, Publish publish);
  ~StoredPolicies();
  StoredPolicies(const StoredPolicies&) = delete;
  StoredPolicies& operator=(const StoredPolicies&) = delete;

  // Publishes what is stored now, before it returns, and from then on every change.
  void Start();

  // Whether every change is heard of. Any thread; never waits.
  bool following() const;

 private:
  class Group;
  struct Shared;

  std::shared_ptr<Shared> shared_;
};

}  // namespace server
