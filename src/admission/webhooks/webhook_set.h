// Webhook and WebhookSet: the webhooks of all stored configurations of one kind, ready to be matched and called, in the
// order of the configurations' names; WebhookSets keeps the newest.
//
// What was written is in force for the next request: Current() compares what the set was made of with what is stored,
// and makes anew what has changed. Any thread; a set is immutable and shared. Cost: a look at each configuration.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policies/compiled_policy.h"
#include "admission/policies/resource_matcher.h"
#include "cel/program_cache.h"
#include "exchange/webhook_client.h"
#include "registry/resource.h"
#include "store/cell.h"
#include "store/store.h"

namespace admission {

struct Webhook {
  // `webhook`: one of a configuration's list. `uid` tells it from all others of its kind.
  Webhook(const value::Value& webhook, std::string uid, cel::ProgramCache& programs);

  std::string name, uid;
  exchange::WebhookAddress address;
  ResourceMatcher matcher;
  // Its match conditions, as a policy has them; null: none.
  std::unique_ptr<const CompiledPolicy> conditions;
  bool fails = true;  // failurePolicy Fail
  bool reinvokes = false;
  bool allows_dry_run = false;  // sideEffects None or NoneOnDryRun
  std::chrono::seconds timeout{10};
  std::string review_version;  // v1 or v1beta1; "" the webhook knows neither
};

class WebhookSet {
 public:
  const std::vector<std::shared_ptr<const Webhook>>& webhooks() const { return webhooks_; }

 private:
  friend class WebhookSets;
  struct Configuration {
    store::CellRef cell;
    std::vector<std::shared_ptr<const Webhook>> webhooks;
  };
  std::vector<Configuration> configurations_;  // in order of their names
  std::vector<std::shared_ptr<const Webhook>> webhooks_;
};

class WebhookSets {
 public:
  // Of one kind of configurations; null: none are served. Both outlive this.
  WebhookSets(store::Store& store, const registry::Resource* configurations)
      : store_(store), configurations_(configurations) {}

  // What is in force now; never null.
  std::shared_ptr<const WebhookSet> Current() const;

 private:
  WebhookSet::Configuration Make(const store::Cell& cell) const;

  store::Store& store_;
  const registry::Resource* const configurations_;
  mutable cel::ProgramCache programs_;
  mutable std::mutex mutex_;  // guards the pointer
  mutable std::shared_ptr<const WebhookSet> newest_ = std::make_shared<const WebhookSet>();
};

}  // namespace admission
