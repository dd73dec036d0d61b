#include "engine/rocksdb/rocksdb_engine.h"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <vector>

#include "engine/encryption/value_cipher.h"
#include "engine/local_feed.h"
#include "engine/rocksdb/data_directory.h"
#include "engine/rocksdb/disk_error.h"
#include "engine/rocksdb/late_sync.h"
#include "engine/rocksdb/manifest_journal.h"
#include "engine/rocksdb/torn_tail.h"
#include "engine/rocksdb/version_record.h"
#include "engine/rocksdb/wal_preallocation.h"

namespace engine {
namespace {

constexpr std::chrono::milliseconds kMarkInterval(100);
constexpr size_t kMostLogs = 8;  // every start begins a log; with more of them, the start moves them into a table

std::string_view View(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }
rocksdb::Slice ToSlice(std::string_view view) { return {view.data(), view.size()}; }

// RocksDB writes a file of its doings beside the data; what matters of them it returns as a status.
class SilentLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

rocksdb::Options DatabaseOptions(const RocksDbOptions& options, rocksdb::Env* env) {
  rocksdb::Options database;
  database.env = env;
  database.create_if_missing = true;
  database.info_log = std::make_shared<SilentLogger>();
  database.paranoid_checks = true;
  database.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  database.track_and_verify_wals_in_manifest = true;
  database.avoid_flush_during_recovery = true;  // a quick start; the log is synced already, so
  database.avoid_flush_during_shutdown = true;  // a quick stop as well
  database.allow_concurrent_memtable_write = false;
  database.enable_write_thread_adaptive_yield = false;
  database.max_background_jobs = 2;
  database.max_file_opening_threads = 1;
  database.stats_dump_period_sec = 0;
  database.stats_persist_period_sec = 0;
  database.max_manifest_file_size = 1 << 20;
  database.write_buffer_size = options.write_buffer;
  database.arena_block_size = 128 << 10;
  database.max_write_buffer_number = 3;
  // Tables are read at a start only, where a few more cost little; merging them is a large part of what a write costs.
  database.level0_file_num_compaction_trigger = 12;
  database.level0_slowdown_writes_trigger = 32;
  database.level0_stop_writes_trigger = 48;
  database.target_file_size_base = 16 << 20;
  database.max_bytes_for_level_base = 64 << 20;
  database.compression = rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  table.checksum = rocksdb::kXXH3;  // fast without instructions of its own
  table.block_size = 32 << 10;
  database.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return database;
}

class RocksDbEngine final : public Engine {
 public:
  RocksDbEngine(DataDirectory directory, const RocksDbOptions& options)
      : directory_(std::move(directory)),
        options_(options),
        name_(directory_.path() + "/db"),
        late_sync_(options.env),
        zero_ahead_(MakeZeroAheadEnv(late_sync_.env())),
        env_(MakeManifestJournalEnv(zero_ahead_.get())) {
    if (directory_.is_unfinished()) late_sync_.Begin();
  }
  ~RocksDbEngine() override { MarkHead(); }

  // `fresh_log`: moves what the old logs hold into tables, so that new writes do not stand behind a log's bad end.
  base::Result<> Open(bool fresh_log);

  base::Result<Loaded> Start(Feed& feed) override;
  void Commit(std::span<const Transaction> batch, CommitDone done) override;
  bool sole_writer() const override { return true; }
  void ReadRevision(ReadDone done) override { done(Revision(head_.load(std::memory_order_acquire))); }
  base::Result<> Compact(Revision revision, std::span<const Superseded> superseded) override;
  base::Result<> Health() override;

 private:
  class Loader;
  struct Logs {
    std::vector<std::string> names;  // paths, oldest first
    bool torn = false;
  };

  base::Result<Logs> ExamineLogs() const;
  rocksdb::Status OpenDatabase(const rocksdb::Options& options);
  base::Result<> ReadBase();
  base::Result<> Write(rocksdb::WriteBatch& batch);
  base::Result<> FinishDirectory();
  base::Result<> Persist(std::span<const Version> versions);
  base::Result<> AppendTo(rocksdb::WriteBatch& batch, const Version& version, const ValueCipher* cipher);
  base::Result<> Reseal(std::span<const std::string> keys, const PublishedCipher::Cipher& cipher);
  void MarkHead();

  DataDirectory directory_;
  const RocksDbOptions options_;
  const std::string name_;
  LateSync late_sync_;  // these three: each over the one before
  const std::unique_ptr<rocksdb::Env> zero_ahead_, env_;
  Feed* feed_ = nullptr;
  std::atomic<int64_t> head_{1};

  std::mutex mutex_;  // guards these
  std::unique_ptr<rocksdb::DB> database_;
  Revision base_{1};
  std::chrono::steady_clock::time_point marked_{};  // when HEAD was written
  base::Result<> health_;                           // why writes fail
  std::vector<std::string> undo_;                   // keys of a batch that failed, but may have come to the disk
  rocksdb::WriteBatch write_;                       // these three are kept for their memory
  std::vector<Version> versions_;
  std::string key_, header_, sealed_;
};

rocksdb::Status RocksDbEngine::OpenDatabase(const rocksdb::Options& options) {
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(options, name_, &opened);
  database_.reset(opened);
  return status;
}

base::Result<> RocksDbEngine::Open(bool fresh_log) {
  base::Result<Logs> logs = ExamineLogs();
  if (!logs) return std::unexpected(std::move(logs).error());
  if (base::Result<> mended = MendManifest(env_.get(), name_); !mended) return mended;
  rocksdb::Options options = DatabaseOptions(options_, env_.get());
  options.avoid_flush_during_recovery = !fresh_log && !logs->torn && logs->names.size() <= kMostLogs;
  if (logs->torn) options.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  if (rocksdb::Status status = OpenDatabase(options); !status.ok()) return std::unexpected(ErrorOf(status));
  if (logs->torn) {
    // What was good of these is in tables now. RocksDB does not always remove one, and later ones must not stand behind
    // it.
    for (const std::string& log : logs->names) std::ignore = env_->DeleteFile(log);
  }
  return ReadBase();
}

// Torn: the last log ends in a batch that a crash cut off, which nobody was told of. kCorrupt when more is bad than
// that.
base::Result<RocksDbEngine::Logs> RocksDbEngine::ExamineLogs() const {
  Logs logs;
  if (rocksdb::Status status = env_->GetChildren(name_, &logs.names); !status.ok()) {
    if (status.IsNotFound()) return logs;
    return std::unexpected(ErrorOf(status));
  }
  std::erase_if(logs.names, [](const std::string& file) { return !file.ends_with(".log"); });
  std::sort(logs.names.begin(), logs.names.end());  // the numbers have leading zeros
  for (std::string& log : logs.names) {
    log.insert(0, name_ + "/");
    std::string bytes;
    const rocksdb::Status status = rocksdb::ReadFileToString(env_.get(), log, &bytes);
    if (!status.ok()) return std::unexpected(ErrorOf(status));
    const LogState state = ExamineLog(bytes);
    if (state.damaged || (logs.torn && state.batches)) {
      return base::Fail(base::Code::kCorrupt,
                        "the database is damaged: writes behind a bad record of its log, up to " + log);
    }
    logs.torn = logs.torn || state.torn;
  }
  return logs;
}

base::Result<> RocksDbEngine::ReadBase() {
  std::string value;
  const rocksdb::Status status = database_->Get(rocksdb::ReadOptions(), ToSlice(kBaseKey), &value);
  if (status.IsNotFound()) return {};
  if (!status.ok()) return std::unexpected(ErrorOf(status));
  base::Result<Revision> base = ParseBaseValue(value);
  if (!base) return std::unexpected(std::move(base).error());
  base_ = *base;
  return {};
}

// Where the collection and the key of a stored version stand in its key; "" where it makes no sense.
std::pair<std::string_view, std::string_view> PlaceOf(std::string_view version_key) {
  const size_t split = version_key.find('\0');
  const size_t end = split == version_key.npos ? split : version_key.find('\0', split + 1);
  if (end == version_key.npos) return {};
  return {version_key.substr(0, split), version_key.substr(split + 1, end - split - 1)};
}

// Goes through all stored versions, which come object by object and oldest first, and gives the feed what is reachable.
class RocksDbEngine::Loader {
 public:
  Loader(Feed& feed, Revision base, PublishedCipher::Cipher cipher)
      : feed_(feed), base_(base), cipher_(std::move(cipher)) {}

  base::Result<> Add(std::string_view key, std::string_view value) {
    if (base::Result<> opened = Open(key, value); !opened) return opened;
    base::Result<Version> parsed = ParseVersion(key, value);
    if (!parsed) return std::unexpected(std::move(parsed).error());
    const std::string_view object = key.substr(0, key.size() - sizeof(int64_t));
    if (object != object_) {
      Flush();
      object_ = object;
    }
    if (parsed->modified <= base_) {
      // The newest of these is the object at the base; those before it were left by a crash.
      if (!key_.empty()) garbage_.push_back(key_);
      key_ = key;
      value_ = value;
      return {};
    }
    Flush();
    history_.push_back(parsed->modified.value());
    feed_.OnLoaded(*parsed);
    return {};
  }

  // After the last version: the newest revision. kCorrupt when a revision between the base and it is missing.
  base::Result<Revision> Finish() {
    Flush();
    std::sort(history_.begin(), history_.end());
    history_.erase(std::unique(history_.begin(), history_.end()), history_.end());
    if (history_.empty()) return base_;
    if (history_.back() - base_.value() != static_cast<int64_t>(history_.size())) {
      return base::Fail(base::Code::kCorrupt, "the database is damaged: writes after revision " +
                                                  std::to_string(base_.value()) + " are missing");
    }
    return Revision(history_.back());
  }

  const std::vector<std::string>& garbage() const { return garbage_; }
  // Keys of values that are stored in another way than they would be now.
  const std::vector<std::string>& stale() const { return stale_; }

 private:
  // `value` becomes what was encrypted.
  base::Result<> Open(std::string_view key, std::string_view& value) {
    const auto [collection, name] = PlaceOf(key);
    if (!cipher_) {
      if (!ValueCipher::IsSealed(value)) return {};
      return base::Fail(base::Code::kCorrupt,
                        "cannot read an encrypted value without --encryption-provider-config: /registry/" +
                            std::string(collection) + "/" + std::string(name));
    }
    if (IsDeletion(value)) return {};
    const base::Result<ValueCipher::Opened> opened = cipher_->Open(collection, name, value, opened_);
    if (!opened) {
      return base::Fail(opened.error().code, "cannot read an encrypted value: " + opened.error().message);
    }
    if (!opened->is_plain) value = opened_;
    if (opened->is_stale) stale_.emplace_back(key);
    return {};
  }

  void Flush() {
    if (key_.empty()) return;
    const Version version = *ParseVersion(key_, value_);
    if (version.value) {
      feed_.OnLoaded(version);
    } else {
      garbage_.push_back(key_);
    }
    key_.clear();
  }

  Feed& feed_;
  const Revision base_;
  const PublishedCipher::Cipher cipher_;
  std::string opened_;
  std::vector<std::string> stale_;
  std::string object_;       // being read
  std::string key_, value_;  // its newest version up to the base, not yet given
  std::vector<int64_t> history_;
  std::vector<std::string> garbage_;
};

base::Result<Loaded> RocksDbEngine::Start(Feed& feed) {
  std::lock_guard lock(mutex_);
  rocksdb::ReadOptions read;
  read.fill_cache = false;
  read.readahead_size = 1 << 20;
  const PublishedCipher::Cipher cipher = options_.cipher != nullptr ? options_.cipher->Get() : nullptr;
  Loader loader(feed, base_, cipher);
  {
    std::unique_ptr<rocksdb::Iterator> all(database_->NewIterator(read));
    for (all->Seek(rocksdb::Slice("\1", 1)); all->Valid(); all->Next()) {
      if (base::Result<> added = loader.Add(View(all->key()), View(all->value())); !added) {
        return std::unexpected(std::move(added).error());
      }
    }
    if (!all->status().ok()) return std::unexpected(ErrorOf(all->status()));
  }
  base::Result<Revision> head = loader.Finish();
  if (!head) return std::unexpected(std::move(head).error());
  if (head->value() < directory_.Head()) {
    return base::Fail(base::Code::kCorrupt, "the database is damaged: it ends at revision " +
                                                std::to_string(head->value()) + ", but revision " +
                                                std::to_string(directory_.Head()) + " was written");
  }
  undo_ = loader.garbage();  // goes with the first write
  if (base::Result<> rewritten = Reseal(loader.stale(), cipher); !rewritten) {
    return std::unexpected(std::move(rewritten).error());
  }
  feed_ = &feed;
  head_.store(head->value(), std::memory_order_release);
  return Loaded{.base = base_, .head = *head};
}

// Rewrites the values of these keys as the cipher would write them. A crash on the way leaves some in the old form and
// some in the new one, which the cipher reads as well; the next start goes on. What was there before goes from the
// disk.
base::Result<> RocksDbEngine::Reseal(std::span<const std::string> keys, const PublishedCipher::Cipher& cipher) {
  constexpr size_t kBatch = 1 << 20;
  if (keys.empty()) return {};
  rocksdb::WriteBatch batch;
  std::string stored, plain, sealed;
  for (const std::string& key : keys) {
    const rocksdb::Status status = database_->Get(rocksdb::ReadOptions(), key, &stored);
    if (!status.ok()) return std::unexpected(ErrorOf(status));
    const auto [collection, name] = PlaceOf(key);
    const base::Result<ValueCipher::Opened> opened = cipher->Open(collection, name, stored, plain);
    if (!opened) return std::unexpected(opened.error());
    const std::string& value = opened->is_plain ? stored : plain;
    const base::Result<bool> done = cipher->Seal(collection, name, value, sealed);
    if (!done) return std::unexpected(done.error());
    batch.Put(key, *done ? sealed : value);
    if (batch.GetDataSize() < kBatch) continue;
    if (base::Result<> written = Write(batch); !written) return written;
    batch.Clear();
  }
  if (base::Result<> written = Write(batch); !written) return written;
  if (rocksdb::Status status = database_->Flush(rocksdb::FlushOptions()); !status.ok()) {
    return std::unexpected(ErrorOf(status));
  }
  rocksdb::CompactRangeOptions compact;
  compact.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  if (rocksdb::Status status = database_->CompactRange(compact, nullptr, nullptr); !status.ok()) {
    return std::unexpected(ErrorOf(status));
  }
  return {};
}

base::Result<> RocksDbEngine::AppendTo(rocksdb::WriteBatch& batch, const Version& version, const ValueCipher* cipher) {
  key_.clear();
  header_.clear();
  AppendVersionKey(version.collection, version.key, version.modified, key_);
  AppendVersionHeader(version, header_);
  const rocksdb::Slice key = key_;
  if (cipher != nullptr && version.value) {
    header_.append(version.value->bytes);
    const base::Result<bool> sealed = cipher->Seal(version.collection, version.key, header_, sealed_);
    if (!sealed) return std::unexpected(sealed.error());
    batch.Put(key, *sealed ? sealed_ : header_);
    return {};
  }
  const rocksdb::Slice value[] = {header_, version.value ? ToSlice(version.value->bytes) : rocksdb::Slice()};
  batch.Put(rocksdb::SliceParts(&key, 1), rocksdb::SliceParts(value, 2));
  return {};
}

// Nothing that is written counts before the database is there for good.
base::Result<> RocksDbEngine::FinishDirectory() {
  if (!directory_.is_unfinished()) return {};
  if (base::Result<> synced = late_sync_.End(name_, options_.sync); !synced) return synced;
  return directory_.Finish(options_.sync);
}

base::Result<> RocksDbEngine::Write(rocksdb::WriteBatch& batch) {
  if (!health_) return health_;
  health_ = FinishDirectory();
  if (!health_) return health_;
  rocksdb::WriteOptions options;
  options.sync = options_.sync;
  const rocksdb::Status status = database_->Write(options, &batch);
  if (!status.ok()) health_ = std::unexpected(ErrorOf(status));
  return health_;
}

base::Result<> RocksDbEngine::Persist(std::span<const Version> versions) {
  write_.Clear();
  // First, so that a revision given anew to the same key is put after it went.
  for (const std::string& key : undo_) write_.Delete(key);
  const PublishedCipher::Cipher cipher = options_.cipher != nullptr ? options_.cipher->Get() : nullptr;
  base::Result<> written;
  for (const Version& version : versions) {
    if (written) written = AppendTo(write_, version, cipher.get());
  }
  if (written) {
    written = Write(write_);
  } else {
    health_ = written;  // no random bytes: nothing can be written until there are
  }
  if (written) {
    undo_.clear();
    return written;
  }
  for (const Version& version : versions) {
    std::string key;
    AppendVersionKey(version.collection, version.key, version.modified, key);
    undo_.push_back(std::move(key));
  }
  return written;
}

void RocksDbEngine::Commit(std::span<const Transaction> batch, CommitDone done) {
  std::vector<base::Result<Revision>> results;
  results.reserve(batch.size());
  {
    std::lock_guard lock(mutex_);
    const Revision before(head_.load(std::memory_order_relaxed));
    if (health_) {
      VersionsOf(batch, before, versions_);
      std::ignore = Persist(versions_);
    }
    for (size_t i = 1; i <= batch.size(); ++i) {
      const Revision revision(before.value() + static_cast<int64_t>(i));
      results.push_back(health_ ? base::Result<Revision>(revision) : std::unexpected(health_.error()));
    }
    if (health_) {
      head_.store(results.back()->value(), std::memory_order_release);
      if (const auto now = std::chrono::steady_clock::now(); now - marked_ >= kMarkInterval) {
        marked_ = now;
        MarkHead();
      }
      feed_->OnCommitted(versions_, *results.back());
    }
    constexpr size_t kKeptBuffer = 256 << 10;
    if (write_.GetDataSize() > kKeptBuffer) write_ = rocksdb::WriteBatch();
  }
  done(results);
}

void RocksDbEngine::MarkHead() {
  // Not before Start(), when the head is not known yet; not unsynced, when it may be lost.
  if (feed_ != nullptr && health_ && options_.sync) directory_.SetHead(head_.load(std::memory_order_relaxed));
}

base::Result<> RocksDbEngine::Compact(Revision revision, std::span<const Superseded> superseded) {
  std::lock_guard lock(mutex_);
  rocksdb::WriteBatch batch;
  for (const Superseded& version : superseded) {
    key_.clear();
    AppendVersionKey(version.collection, version.key, version.modified, key_);
    batch.Delete(key_);
  }
  batch.Put(ToSlice(kBaseKey), BaseValue(revision));
  base::Result<> written = Write(batch);
  if (written) base_ = revision;
  return written;
}

base::Result<> RocksDbEngine::Health() {
  std::lock_guard lock(mutex_);
  if (health_) return health_;
  // A database that could not write is not asked to go on: what it has in memory need not be what is on the disk.
  database_.reset();
  health_ = Open(true);
  if (!health_) return health_;
  // Takes back what failed, and shows that the disk works.
  write_.Clear();
  for (const std::string& key : undo_) write_.Delete(key);
  write_.Put(ToSlice(kBaseKey), BaseValue(base_));
  if (Write(write_)) undo_.clear();
  return health_;
}

}  // namespace

base::Result<std::unique_ptr<Engine>> OpenRocksDbEngine(const RocksDbOptions& options) {
  base::Result<DataDirectory> directory = DataDirectory::Open(options.path);
  if (!directory) return std::unexpected(std::move(directory).error());
  auto engine = std::make_unique<RocksDbEngine>(std::move(*directory), options);
  if (base::Result<> opened = engine->Open(false); !opened) return std::unexpected(std::move(opened).error());
  return engine;
}

}  // namespace engine
