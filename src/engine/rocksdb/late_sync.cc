#include "engine/rocksdb/late_sync.h"

#include <rocksdb/file_system.h>

#include <atomic>
#include <mutex>
#include <set>
#include <utility>

#include "engine/rocksdb/disk_error.h"

namespace engine {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;

class LateSyncFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "FairleadLateSync"; }

  bool late() const { return late_.load(std::memory_order_relaxed); }
  void set_late(bool late) { late_.store(late, std::memory_order_relaxed); }
  IOStatus SyncOpenFiles();

  IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) override;
  IOStatus NewDirectory(const std::string& name, const IOOptions& options,
                        std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* debug) override;

 private:
  class File;
  class Directory;

  std::atomic<bool> late_ = false;
  std::mutex mutex_;
  std::set<File*> open_;  // guarded by mutex_; those made while syncs wait
};

class LateSyncFileSystem::File final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  File(std::unique_ptr<rocksdb::FSWritableFile> file, LateSyncFileSystem& files)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files) {
    std::lock_guard lock(files_.mutex_);
    files_.open_.insert(this);
  }
  ~File() override { Forget(); }

  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return files_.late() ? IOStatus::OK() : FSWritableFileOwnerWrapper::Sync(options, debug);
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return files_.late() ? IOStatus::OK() : FSWritableFileOwnerWrapper::Fsync(options, debug);
  }
  IOStatus RangeSync(uint64_t offset, uint64_t bytes, const IOOptions& options, IODebugContext* debug) override {
    return files_.late() ? IOStatus::OK() : FSWritableFileOwnerWrapper::RangeSync(offset, bytes, options, debug);
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    Forget();
    return FSWritableFileOwnerWrapper::Close(options, debug);
  }

 private:
  void Forget() {
    std::lock_guard lock(files_.mutex_);
    files_.open_.erase(this);
  }
  LateSyncFileSystem& files_;
};

class LateSyncFileSystem::Directory final : public rocksdb::FSDirectoryWrapper {
 public:
  Directory(std::unique_ptr<rocksdb::FSDirectory> directory, LateSyncFileSystem& files)
      : FSDirectoryWrapper(std::move(directory)), files_(files) {}

  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return files_.late() ? IOStatus::OK() : FSDirectoryWrapper::Fsync(options, debug);
  }
  IOStatus FsyncWithDirOptions(const IOOptions& options, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& how) override {
    return files_.late() ? IOStatus::OK() : FSDirectoryWrapper::FsyncWithDirOptions(options, debug, how);
  }

 private:
  LateSyncFileSystem& files_;
};

IOStatus LateSyncFileSystem::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                             std::unique_ptr<rocksdb::FSWritableFile>* file, IODebugContext* debug) {
  IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
  if (status.ok() && late()) *file = std::make_unique<File>(std::move(*file), *this);
  return status;
}

IOStatus LateSyncFileSystem::NewDirectory(const std::string& name, const IOOptions& options,
                                          std::unique_ptr<rocksdb::FSDirectory>* directory, IODebugContext* debug) {
  IOStatus status = FileSystemWrapper::NewDirectory(name, options, directory, debug);
  if (status.ok() && late()) *directory = std::make_unique<Directory>(std::move(*directory), *this);
  return status;
}

IOStatus LateSyncFileSystem::SyncOpenFiles() {
  std::lock_guard lock(mutex_);
  for (File* file : open_) {
    if (IOStatus status = file->Sync({}, nullptr); !status.ok()) return status;
  }
  return IOStatus::OK();
}

LateSync::LateSync(rocksdb::Env* env) {
  if (env == nullptr) env = rocksdb::Env::Default();
  files_ = std::make_shared<LateSyncFileSystem>(env->GetFileSystem());
  env_ = rocksdb::NewCompositeEnv(files_);
}

void LateSync::Begin() { files_->set_late(true); }

// Open are the manifest and the log, closed is the name of the manifest; nothing of the other files is asked for again.
base::Result<> LateSync::End(const std::string& directory, bool sync) {
  files_->set_late(false);
  if (!sync) return {};
  rocksdb::FileSystem& files = *files_;
  std::unique_ptr<rocksdb::FSWritableFile> current;
  std::unique_ptr<rocksdb::FSDirectory> entries;
  IOStatus status = files_->SyncOpenFiles();
  if (status.ok()) status = files.ReopenWritableFile(directory + "/CURRENT", {}, &current, nullptr);
  if (status.ok()) status = current->Sync({}, nullptr);
  if (status.ok()) status = current->Close({}, nullptr);
  if (status.ok()) status = files.NewDirectory(directory, {}, &entries, nullptr);
  if (status.ok()) status = entries->Fsync({}, nullptr);
  return status.ok() ? base::Result<>() : std::unexpected(ErrorOf(status));
}

}  // namespace engine
