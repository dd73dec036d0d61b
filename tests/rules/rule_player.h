// RulePlayer: one write of a built-in kind as a server makes it, on a store in memory: decoding, defaults, addresses of
// services, strategy, validation, warnings; no admission plugins, no handlers. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "registry/registry_fixture.h"
#include "resources/builtin.h"
#include "resources/core/service/service_allocator.h"

namespace rules {

inline constexpr std::string_view kNamespace = "rules";

struct Write {
  std::string group, version, resource;
  std::string subresource;            // "" for the object itself
  value::Value object;                // the document that is sent
  const value::Value* old = nullptr;  // the object that is stored; null for a create
};

struct Answer {
  int code = 0;
  std::string reason, message;
  std::vector<api::Cause> causes;
  std::vector<std::string> warnings;
};

class RulePlayer {
 public:
  RulePlayer();

  // What a dry run of `write` is answered with; the object's resourceVersion counts as the stored one's. Code 0, with a
  // message, where the write cannot be asked for.
  Answer Play(const Write& write);

 private:
  api::Result<> Keep(const registry::Resource& resource, const value::Value& old, value::Arena& arena);
  api::Result<registry::WriteResult> Put(const registry::Resource& resource, const Write& write,
                                         const value::Value& object, value::Arena& arena);

  std::unique_ptr<store::Store> store_;
  registry::ResourceTableRef table_;
  registry::ResourceTables tables_;
  resources::core::ServiceAllocator allocator_;
  registry::FixedClock clock_;
  std::unique_ptr<registry::Registry> registry_;
  registry::LoopExecutor executor_;
  api::RequestContext request_;
  std::vector<std::string> warnings_;
};

}  // namespace rules
