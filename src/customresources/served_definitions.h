// ServedDefinitions: every custom resource definition of a store as what it makes of the resource table. A definition's
// write asks it for the conditions and names that the definition gets (Complete), and tells it when it is committed
// (Committed): what the definition serves is published before the write is answered.
//
// Threads: any; one lock, held while a definition's resources are made and published. Nothing waits. Ownership: store
// and tables outlive it. Cost: a definition's, for each write of it; memory for names of all definitions and for what
// their resources keep.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"
#include "customresources/custom_resource.h"
#include "customresources/definition_status.h"
#include "customresources/openapi_schema.h"
#include "registry/registry.h"
#include "registry/resource_table.h"
#include "store/store.h"

namespace customresources {

class ServedDefinitions {
 public:
  struct Options {
    api::Features features;
    bool storage_version_hashes = true;
    exchange::WebhookClient* webhooks = nullptr;  // for conversions; outlives the resources
  };
  ServedDefinitions(store::Store& store, registry::ResourceTables& tables, const Options& options);
  ~ServedDefinitions();

  // Publishes what the stored definitions serve. Before the first write.
  base::Result<> Start();

  // registry::WriteHooks. Of a definition that is not being deleted: its status, as ReconcileStatus says. The names
  // that it is given are nobody else's until the reservation ends. Of an object of a definition that is being deleted:
  // refuses its creation.
  api::Result<registry::WriteHooks::Completion> Complete(registry::WriteContext& context, const value::Value& object,
                                                         const value::Value* old);
  void Committed(const registry::Resource& resource, std::string_view key);

  // What OpenAPI documents say of the resource's kind, or of lists of it, by its definition as it is stored now; as
  // JSON, "" where it is gone.
  std::string OpenApiSchema(const registry::Resource& resource, OpenApiForm form, bool list) const;

 private:
  // What is published of one definition.
  struct Served {
    store::Revision revision;
    std::string group;
    UsedNames names;
    std::string content;  // what its resources are made of, as a hash
    std::shared_ptr<std::atomic<bool>> terminating;
    store::CollectionRef collection;
    std::vector<registry::ResourceRef> resources;
  };
  // Names that a write has been given and not stored yet.
  struct Claim {
    std::string definition, group;
    UsedNames names;
  };
  class Reserved;

  bool IsDefinitions(const registry::Resource& resource) const {
    return definitions_ != nullptr && resource.storage == definitions_->storage;
  }
  UsedNames NamesOf(std::string_view group, std::string_view but_claims_of) const;
  base::Result<> Refresh(std::string_view name);
  void ShowTerminating(Served& served, bool terminating);
  const ServingContext& Context();
  // A definition as it is stored now, and the one that was asked for last: documents ask for its versions in turn.
  struct ReadDefinition;
  std::shared_ptr<const ReadDefinition> Read(std::string_view name) const;

  store::Store& store_;
  registry::ResourceTables& tables_;
  const Options options_;
  const registry::ResourceRef definitions_;
  SchemaCompiler compiler_;
  std::mutex mutex_;  // guards these
  std::unique_ptr<const ServingContext> context_;
  base::StringMap<Served> served_;
  std::list<Claim> claims_;
  mutable std::mutex reading_;  // guards this
  mutable std::shared_ptr<const ReadDefinition> last_read_;
  mutable std::once_flag described_;
  mutable std::string api_version_text_, kind_text_;  // what documents say of any kind's fields
};

}  // namespace customresources
