// Registry::List and Get: which revision a read sees, and what of it.
#include <algorithm>
#include <chrono>
#include <limits>

#include "api/names.h"
#include "base/text.h"
#include "registry/continue_token.h"
#include "registry/errors.h"
#include "registry/keys.h"
#include "registry/label_index.h"
#include "registry/registry.h"
#include "registry/versions.h"

namespace registry {
namespace {

// How long a read waits for a version that is still to come; as long as the real server does.
constexpr auto kFreshnessWait = std::chrono::seconds(3);

}  // namespace

base::Task<api::Result<>> Registry::WaitUntil(Call& call, uint64_t version, bool cached) {
  if (ToRevision(version) <= store_.revision()) co_return api::Result<>();
  if (!cached) co_return api::Fail(TooLargeVersion(version, store_.revision(), 0));
  const auto deadline = std::min(call.request.deadline, clock_.Monotonic() + kFreshnessWait);
  auto fresh = co_await base::Await<base::Result<>>(
      call.executor, [&](auto done) { store_.WaitFor(ToRevision(version), deadline, std::move(done)); });
  if (!fresh) co_return api::Fail(TooLargeVersion(version, store_.revision(), 1));
  co_return api::Result<>();
}

base::Task<api::Result<>> Registry::CatchUp(Call& call, const Resource& resource, std::string_view operation) {
  if (store_.local()) co_return api::Result<>();
  auto newest = co_await base::Await<base::Result<store::Revision>>(
      call.executor, [&](auto done) { store_.ConsistentRevision(std::move(done)); });
  if (!newest) co_return api::Fail(FromStore(newest.error(), resource.group_resource(), "", operation));
  co_return co_await WaitUntil(call, static_cast<uint64_t>(newest->value()), true);
}

base::Task<api::Result<store::CellRef>> Registry::Get(Call& call, const Resource& resource, Key key,
                                                      ResourceVersionMatch version) {
  if (auto checked = CheckName(key.name); !checked) co_return std::unexpected(std::move(checked.error()));
  auto wanted = ParseResourceVersion(version.resource_version);
  if (!wanted) {
    if (resource.watch_cached) co_return std::unexpected(std::move(wanted.error()));
    co_return api::Fail(api::BadRequest(base::Cat("invalid resource version: ", wanted.error().message)));
  }
  auto ready = version.resource_version.empty() ? co_await CatchUp(call, resource, "get")
                                                : co_await WaitUntil(call, *wanted, resource.watch_cached);
  if (!ready) co_return std::unexpected(std::move(ready.error()));
  const store::Snapshot snapshot = store_.Latest(resource.storage->id);
  const store::Cell* cell = snapshot.Get(StoreKey(resource, key));
  if (cell == nullptr) co_return api::Fail(api::NotFound(resource.group_resource(), key.name));
  if (!cell->readable()) co_return api::Fail(ReadErrorOf(resource, key, *cell));
  co_return store::CellRef(cell);
}

api::Error Registry::ReadErrorOf(const Resource& resource, Key key, const store::Cell& cell) const {
  return options_.unsafe_deletion ? CorruptObject(ErrorKey(resource, key), cell) : UndecodableObject(cell);
}

// Makes the ListView of one List call, step by step.
class Lister {
 public:
  Lister(Registry& registry, store::Store& store, Call& call, const Resource& resource, const ListOptions& options)
      : registry_(registry), store_(store), call_(call), resource_(resource), options_(options) {}

  base::Task<api::Result<ListView>> Run(std::string_view namespace_name) {
    if (auto known = Registry::CheckSelector(resource_, options_.fields); !known) {
      co_return std::unexpected(std::move(known.error()));
    }
    SetScope(namespace_name);
    auto read = FromSnapshot() ? co_await ReadSnapshot() : co_await ReadNewest();
    if (!read) co_return std::unexpected(std::move(read.error()));
    if (!view_.single_) {
      view_.candidates_ =
          FindCandidates(store_, resource_, view_.snapshot_, view_.labels_, view_.fields_, view_.prefix_, view_.start_);
    }
    EndPage();
    if (auto readable = CheckReadable(); !readable) co_return std::unexpected(std::move(readable.error()));
    co_return std::move(view_);
  }

 private:
  const ResourceVersionMatch& version() const { return options_.version; }
  bool HasVersion() const { return !version().resource_version.empty() && version().resource_version != "0"; }

  // What of the collection is looked at: selectors on namespace and name narrow it, but not where a list goes on.
  void SetScope(std::string_view namespace_name) {
    view_.resource_ = &resource_;
    view_.labels_ = options_.labels;
    view_.fields_ = options_.fields;
    const bool narrow = options_.continue_token.empty();
    if (narrow && namespace_name.empty()) {
      const std::string* wanted = options_.fields.RequiresExact("metadata.namespace");
      if (wanted != nullptr && api::CheckDns1123Label(*wanted).empty()) namespace_name = *wanted;
    }
    if (!resource_.namespaced) namespace_name = {};
    const std::string* name = narrow ? options_.fields.RequiresExact("metadata.name") : nullptr;
    if (name != nullptr && CheckName(*name) && resource_.namespaced == !namespace_name.empty()) {
      view_.single_ = true;
      view_.prefix_ = StoreKey(resource_, {namespace_name, *name});
    } else if (!namespace_name.empty()) {
      view_.prefix_ = base::Cat(namespace_name, "/");
    }
    limit_ = std::max<int64_t>(options_.limit, 0);
  }

  // Whether this list goes to history, as the real server's goes past its cache: other rules for versions and other
  // error texts.
  bool FromSnapshot() const {
    return !resource_.watch_cached || !options_.continue_token.empty() || version().match == "Exact" ||
           (limit_ > 0 && version().match.empty() && HasVersion());
  }

  base::Task<api::Result<>> ReadNewest() {
    auto wanted = ParseResourceVersion(version().resource_version);
    if (!wanted) co_return std::unexpected(std::move(wanted.error()));
    auto ready = version().resource_version.empty() ? co_await registry_.CatchUp(call_, resource_, "list")
                                                    : co_await registry_.WaitUntil(call_, *wanted, true);
    if (!ready) co_return std::unexpected(std::move(ready.error()));
    if (version().resource_version == "0") limit_ = 0;
    TakeLatest();
    co_return api::Result<>();
  }

  base::Task<api::Result<>> ReadSnapshot() {
    auto exact = ExactRevision();
    if (!exact) co_return std::unexpected(std::move(exact.error()));
    if (exact->value() == 0) {
      auto ready = co_await registry_.CatchUp(call_, resource_, "list");
      if (!ready) co_return std::unexpected(std::move(ready.error()));
      // Not older than what was asked for, without waiting for it.
      auto wanted = ParseResourceVersion(version().resource_version);
      if (!wanted) co_return std::unexpected(std::move(wanted.error()));
      auto fresh = co_await registry_.WaitUntil(call_, *wanted, false);
      if (!fresh) co_return std::unexpected(std::move(fresh.error()));
      TakeLatest();
      co_return api::Result<>();
    }
    auto snapshot = store_.At(resource_.storage->id, *exact);
    if (!snapshot) co_return api::Fail(ReadError(snapshot.error()));
    view_.snapshot_ = *std::move(snapshot);
    view_.revision_ = *exact;
    co_return api::Result<>();
  }

  // The revision that must be read; 0 for the newest.
  api::Result<store::Revision> ExactRevision() {
    if (!options_.continue_token.empty()) {
      auto token = DecodeContinueToken(options_.continue_token);
      if (!token) return std::unexpected(std::move(token.error()));
      if (HasVersion()) {
        return api::Fail(api::BadRequest("specifying resource version is not allowed when using continue"));
      }
      relative_start_ = token->start;
      view_.start_ = view_.prefix_ + token->start;
      return store::Revision(std::max<int64_t>(token->revision, 0));
    }
    auto number = ParseResourceVersion(version().resource_version);
    if (!number) return api::Fail(api::BadRequest(base::Cat("invalid resource version: ", number.error().message)));
    const bool exact = version().match == "Exact" || (version().match.empty() && !view_.single_ && limit_ > 0);
    // What is beyond every revision names none: the newest is read, and found too old.
    const bool names_one = *number <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    return exact && names_one ? ToRevision(*number) : store::Revision(0);
  }

  api::Error ReadError(const base::Error& error) const {
    if (error.code == base::Code::kCompacted && !relative_start_.empty()) {
      return ExpiredContinue(EncodeContinueToken({-1, relative_start_}));
    }
    return FromStore(error, resource_.group_resource(), "", "list");
  }

  void TakeLatest() {
    view_.snapshot_ = store_.Latest(resource_.storage->id);
    view_.revision_ = view_.snapshot_.revision();
  }

  // A list does not leave out what it cannot read.
  api::Result<> CheckReadable() {
    if (store_.Unreadable(resource_.storage->id) == 0) return {};
    std::vector<store::CellRef> unreadable;
    store::Scan scan = view_.snapshot_.Scan(view_.prefix_, view_.start_);
    while (const store::Cell* cell = scan.Next()) {
      if (!view_.end_.empty() && cell->key() >= view_.end_) break;
      if (view_.single_ && cell->key() != view_.prefix_) break;
      if (!cell->readable()) unreadable.emplace_back(cell);
    }
    if (unreadable.empty()) return {};
    if (!registry_.options_.unsafe_deletion) return api::Fail(UndecodableObject(*unreadable[0]));
    return api::Fail(CorruptObjectsInList(resource_.group_resource(), resource_.storage->collection, unreadable));
  }

  // Finds where the page ends: after `limit` objects that pass the selectors, if any key follows.
  void EndPage() {
    if (limit_ == 0 || view_.single_) return;
    const store::Cell* last = nullptr;
    for (int64_t i = 0; i < limit_; ++i) {
      last = view_.Next();
      if (last == nullptr) break;
    }
    if (last == nullptr) {
      view_.Rewind();
      return;
    }
    const std::string after = std::string(last->key()) + '\0';
    const auto rest = static_cast<int64_t>(view_.snapshot_.Count(view_.prefix_, after));
    view_.Rewind();
    if (rest == 0) return;
    view_.end_ = after;
    view_.continue_token_ = EncodeContinueToken({view_.revision_.value(), after.substr(view_.prefix_.size())});
    if (options_.labels.empty() && options_.fields.empty()) view_.remaining_item_count_ = rest;
  }

  Registry& registry_;
  store::Store& store_;
  Call& call_;
  const Resource& resource_;
  const ListOptions& options_;
  int64_t limit_ = 0;
  std::string relative_start_;
  ListView view_;
};

base::Task<api::Result<ListView>> Registry::List(Call& call, const Resource& resource, std::string_view namespace_name,
                                                 const ListOptions& options) {
  Lister lister(*this, store_, call, resource, options);
  co_return co_await lister.Run(namespace_name);
}

const store::Cell* ListView::Next() {
  if (single_) {
    if (single_given_) return nullptr;
    single_given_ = true;
    const store::Cell* cell = snapshot_.Get(prefix_);
    return cell != nullptr && Registry::Matches(*resource_, *cell, labels_, fields_) ? cell : nullptr;
  }
  if (!scan_ && !candidates_) scan_.emplace(snapshot_.Scan(prefix_, start_));
  const bool all = labels_.empty() && fields_.empty();
  while (const store::Cell* cell = candidates_ ? candidates_->Next() : scan_->Next()) {
    if (!end_.empty() && cell->key() >= end_) return nullptr;
    if (all || Registry::Matches(*resource_, *cell, labels_, fields_)) return cell;
  }
  return nullptr;
}

void ListView::Rewind() {
  scan_.reset();
  if (candidates_) candidates_->Rewind();
  single_given_ = false;
}

}  // namespace registry
