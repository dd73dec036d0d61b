// Account: writes of a controller to the registry, as a client with a service account's name would make them: every
// rule of the API holds for them. Used on one executor's thread; copied nowhere, outlived by the registry and the
// executor.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "base/executor.h"
#include "base/task.h"
#include "registry/registry.h"

namespace controllers {

class Account {
 public:
  // `name`: of the account in kube-system, "namespace-controller".
  Account(registry::Registry& registry, base::Executor& executor, std::string_view name);

  // Resources and keys live until the task ended.
  base::Task<api::Result<>> Delete(const registry::Resource& resource, registry::Key key,
                                   registry::DeleteOptions options) const;
  base::Task<api::Result<>> DeleteCollection(const registry::Resource& resource, std::string_view namespace_name,
                                             registry::DeleteOptions options) const;

  // `object` is canonical, with its name, and lives in `arena` until the task ended.
  base::Task<api::Result<>> Create(const registry::Resource& resource, registry::Key key, value::Value object,
                                   value::Arena& arena) const;

  // What `change` makes of the object, which it changes in place. It may be called again after another write.
  using Change = absl::FunctionRef<void(const value::Value& object, value::Arena& arena)>;
  struct Target {
    const registry::Resource& resource;
    registry::Key key;
    std::string_view subresource;  // "" the object itself
    std::string_view uid;          // 409 where the object has another
    // Whom managedFields name; none: they stay as `change` leaves them. The program in which such controllers run
    // elsewhere.
    std::optional<std::string_view> field_manager = "kube-controller-manager";
  };
  // `change` lives until the task ended.
  base::Task<api::Result<>> Update(Target target, Change change) const;
  // As a server-side apply by force in the name of target.field_manager. `configuration` is of the target's version and
  // lives until the task ended; `now` is RFC 3339.
  base::Task<api::Result<>> Apply(Target target, value::Value configuration, std::string now) const;

 private:
  api::RequestContext Context(std::string_view verb, const registry::Resource& resource, registry::Key key) const;

  using Transform = decltype(registry::Registry::Update::transform);
  base::Task<api::Result<>> Write(Target target, std::optional<std::string> field_manager, Transform transform) const;
  api::Result<value::Value> Applied(const Target& target, const value::Value& configuration, std::string_view now,
                                    const value::Value& live, value::Arena& arena) const;

  registry::Registry& registry_;
  base::Executor& executor_;
  const std::string user_;
};

}  // namespace controllers
