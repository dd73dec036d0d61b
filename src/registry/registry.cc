#include "registry/registry.h"

#include "base/task_group.h"
#include "registry/write.h"

namespace registry {

// Of several writes that run beside each other.
struct Registry::FirstFailure {
  static constexpr size_t kNone = SIZE_MAX;
  size_t place = kNone;
  api::Error error;
};

namespace {

constexpr size_t kDeletionsAtOnce = 64;

void WarnOfDefault(Call& call, const Resource& resource, const DeleteOptions& options) {
  const std::string_view warning = resource.strategy->facts().deletion_warning;
  if (warning.empty() || !options.propagation_policy.empty() || options.orphan_dependents) return;
  call.warnings.emplace_back(warning);
}

}  // namespace

Registry::Registry(store::Store& store, ResourceTables& tables, const base::Clock& clock, base::Random& random,
                   WriteHooks hooks, RegistryOptions options)
    : store_(store), tables_(tables), clock_(clock), random_(random), hooks_(std::move(hooks)), options_(options) {}

Registry::~Registry() = default;

base::Task<api::Result<WriteResult>> Registry::CreateObject(Call& call, const Resource& resource, Create create) {
  Writer writer({store_, clock_, random_, hooks_, options_}, call, resource, create.key);
  co_return co_await writer.Create(create);
}

base::Task<api::Result<WriteResult>> Registry::UpdateObject(Call& call, const Resource& resource, Update update) {
  Writer writer({store_, clock_, random_, hooks_, options_}, call, resource, update.key);
  co_return co_await writer.Update(update);
}

base::Task<api::Result<WriteResult>> Registry::DeleteObject(Call& call, const Resource& resource, Key key,
                                                            DeleteOptions options) {
  WarnOfDefault(call, resource, options);
  Writer writer({store_, clock_, random_, hooks_, options_}, call, resource, key);
  co_return co_await writer.Delete(std::move(options));
}

base::Task<api::Result<ListView>> Registry::DeleteCollection(Call& call, const Resource& resource,
                                                             std::string_view namespace_name, const ListOptions& list,
                                                             DeleteOptions options) {
  WarnOfDefault(call, resource, options);
  ListOptions pages = list;
  // The real server reads the collection in pages, for which a version that is named is that very one.
  const std::string_view version = list.version.resource_version;
  if (list.continue_token.empty() && list.version.match.empty() && !version.empty() && version != "0")
    pages.version.match = "Exact";
  auto view = co_await List(call, resource, namespace_name, pages);
  if (!view) co_return std::unexpected(std::move(view.error()));
  if (resource.namespaced && namespace_name.empty() && view->Next() != nullptr)
    co_return api::Fail(api::BadRequest("Namespace parameter required."));  // none can be named without
  auto deleted = co_await DeleteAll(call, resource, *view, options);
  if (!deleted) co_return std::unexpected(std::move(deleted.error()));
  view->Rewind();
  co_return std::move(*view);
}

// One of a collection. `failed` keeps the error of the first object, in order, that has one.
base::Task<bool> Registry::DeleteOne(Call& call, const Resource& resource, Key key, const DeleteOptions& options,
                                     size_t place, FirstFailure& failed) {
  Writer writer({store_, clock_, random_, hooks_, options_}, call, resource, key);
  auto deleted = co_await writer.Delete(options);
  if (deleted || deleted.error().code == 404 || place >= failed.place) co_return true;
  failed = {place, std::move(deleted.error())};
  co_return false;
}

// In order, with many commits under way: the store writes what has gathered in one batch.
base::Task<api::Result<>> Registry::DeleteAll(Call& call, const Resource& resource, ListView& view,
                                              const DeleteOptions& options) {
  FirstFailure failed;
  base::TaskGroup group(kDeletionsAtOnce);
  size_t place = 0;
  while (const store::Cell* cell = view.Next()) {
    co_await group.Room();
    if (failed.place != FirstFailure::kNone) break;
    const size_t slash = cell->key().find('/');
    Key key{"", cell->key()};
    if (resource.namespaced) key = {cell->key().substr(0, slash), cell->key().substr(slash + 1)};
    group.Start(DeleteOne(call, resource, key, options, place++, failed));
  }
  co_await group.AllDone();
  if (failed.place != FirstFailure::kNone) co_return std::unexpected(std::move(failed.error));
  co_return api::Result<>();
}

}  // namespace registry
