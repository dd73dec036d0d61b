#include "controllers/account.h"

#include <utility>
#include <vector>

#include "base/text.h"
#include "registry/field_manager.h"

namespace controllers {
Account::Account(registry::Registry& registry, base::Executor& executor, std::string_view name)
    : registry_(registry), executor_(executor), user_(base::Cat("system:serviceaccount:kube-system:", name)) {}

api::RequestContext Account::Context(std::string_view verb, const registry::Resource& resource,
                                     registry::Key key) const {
  api::RequestContext context;
  context.user = {.name = user_,
                  .uid = {},
                  .groups = {"system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"},
                  .extra = {}};
  context.info = {.is_resource_request = true,
                  .path = {},
                  .verb = std::string(verb),
                  .api_prefix = resource.group.empty() ? "api" : "apis",
                  .group = resource.group,
                  .version = resource.version,
                  .namespace_name = std::string(key.namespace_name),
                  .resource = resource.plural,
                  .subresource = {},
                  .name = std::string(key.name),
                  .parts = {}};
  return context;
}

base::Task<api::Result<>> Account::Delete(const registry::Resource& resource, registry::Key key,
                                          registry::DeleteOptions options) const {
  api::RequestContext context = Context("delete", resource, key);
  const registry::ResourceTableRef resources = registry_.resources();
  registry::Call call{context, executor_, context.warnings, *resources};
  auto written = co_await registry_.DeleteObject(call, resource, key, std::move(options));
  if (!written) co_return std::unexpected(std::move(written.error()));
  co_return api::Result<>();
}

base::Task<api::Result<>> Account::DeleteCollection(const registry::Resource& resource, std::string_view namespace_name,
                                                    registry::DeleteOptions options) const {
  api::RequestContext context = Context("deletecollection", resource, {namespace_name, ""});
  const registry::ResourceTableRef resources = registry_.resources();
  registry::Call call{context, executor_, context.warnings, *resources};
  const registry::ListOptions everything;
  auto deleted = co_await registry_.DeleteCollection(call, resource, namespace_name, everything, std::move(options));
  if (!deleted) co_return std::unexpected(std::move(deleted.error()));
  co_return api::Result<>();
}

base::Task<api::Result<>> Account::Create(const registry::Resource& resource, registry::Key key, value::Value object,
                                          value::Arena& arena) const {
  api::RequestContext context = Context("create", resource, key);
  const registry::ResourceTableRef resources = registry_.resources();
  registry::Call call{context, executor_, context.warnings, *resources};
  auto written = co_await registry_.CreateObject(
      call, resource, {.key = key, .object = object, .arena = &arena, .field_manager = "kube-apiserver"});
  if (!written) co_return std::unexpected(std::move(written.error()));
  co_return api::Result<>();
}

base::Task<api::Result<>> Account::Update(Target target, Change change) const {
  std::optional<std::string> manager;
  if (target.field_manager) manager = std::string(*target.field_manager);
  co_return co_await Write(
      target, std::move(manager),
      [change](const value::Value* current, const value::Value&, value::Arena& arena) -> api::Result<value::Value> {
        value::Value object = value::DeepCopy(arena, *current);
        change(object, arena);
        return object;
      });
}

base::Task<api::Result<>> Account::Apply(Target target, value::Value configuration, std::string now) const {
  // Who owns what is said by the apply itself.
  co_return co_await Write(target, std::nullopt,
                           [&](const value::Value* current, const value::Value&, value::Arena& arena) {
                             return Applied(target, configuration, now, *current, arena);
                           });
}

api::Result<value::Value> Account::Applied(const Target& target, const value::Value& configuration,
                                           std::string_view now, const value::Value& live, value::Arena& arena) const {
  const registry::ResourceTableRef resources = registry_.resources();
  const registry::FieldManager ownership(*resources, target.resource, target.subresource, arena);
  return ownership.ApplyByForce(target.field_manager.value_or(""), arena.CopyString(now), live, configuration);
}

base::Task<api::Result<>> Account::Write(Target target, std::optional<std::string> field_manager,
                                         Transform transform) const {
  api::RequestContext context = Context("update", target.resource, target.key);
  context.info.subresource = target.subresource;
  const registry::ResourceTableRef resources = registry_.resources();
  registry::Call call{context, executor_, context.warnings, *resources};
  registry::Registry::Update update;
  update.key = target.key;
  update.subresource = target.subresource;
  update.preconditions.uid = std::string(target.uid);
  update.field_manager = std::move(field_manager);
  update.transform = std::move(transform);
  auto written = co_await registry_.UpdateObject(call, target.resource, std::move(update));
  if (!written) co_return std::unexpected(std::move(written.error()));
  co_return api::Result<>();
}

}  // namespace controllers
