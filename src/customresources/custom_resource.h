// The served resources of one custom resource definition: a record of the resource table for each version that it
// serves, with the strategy, the columns and the conversions of that version.
//
// Pure but for what the compiler keeps. The records keep all they need alive; nothing of the definition's tree is held.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/features.h"
#include "customresources/compiled_schema.h"
#include "customresources/instance_rules.h"
#include "exchange/webhook_client.h"
#include "registry/resource.h"
#include "store/store.h"
#include "value/value.h"

namespace customresources {

// What all definitions share; outlives the records.
struct ServingContext {
  SchemaCompiler& compiler;
  api::Features features;
  // ObjectMeta's descriptions of these fields, which columns show.
  std::string name_text, age_text;
  bool storage_version_hashes = true;
  exchange::WebhookClient* webhooks = nullptr;  // calls conversion webhooks; null: nobody does
};

// What a custom resource has that the record of a resource has no member for.
struct CustomFacts {
  // Its definition is being deleted: nothing is created any more. Shared by its versions; never null.
  std::shared_ptr<const std::atomic<bool>> terminating;
  // Paths of its scale subresource as the definition says them (".spec.replicas").
  struct Scale {
    std::string spec_replicas, status_replicas;
    std::string label_selector;  // "" none
  };
  std::optional<Scale> scale;
};
// Null where the resource is no custom one. Lives as long as the resource.
const CustomFacts* FactsOf(const registry::Resource& resource);

// "GROUP/PLURAL": the collection of its objects.
std::string CollectionName(const value::Value& definition);

// `definition`: canonical, with the names that it was given in its status. Empty where it is not established.
// `collection` is that of its objects; `terminating` is kept up to date by the caller.
std::vector<registry::ResourceRef> MakeResources(const ServingContext& context, const value::Value& definition,
                                                 const store::CollectionRef& collection,
                                                 std::shared_ptr<const std::atomic<bool>> terminating);
// The same resource, as discovery shows it while its definition is being deleted, or no more.
registry::ResourceRef WithVerbs(const registry::Resource& resource, bool terminating);

}  // namespace customresources
