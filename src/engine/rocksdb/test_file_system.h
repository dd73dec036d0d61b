// TestFileSystem: a RocksDB file layer for tests that fails on demand, and that loses what was not synced when its
// process is killed.
//
// With `buffered`, a file's unsynced bytes stay in the process until Sync(): a kill loses them, as a power cut loses
// what the disk has not got. Some 512-byte sectors of them, at random and in any order, come to the file before: those
// are the torn writes. With `kill_after` the process kills itself within that many-th write or sync, half-way through
// it.
#pragma once

#include <fcntl.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <utility>

namespace engine {

struct FileFaults {
  enum Failure { kNone, kNoSpace, kAppendFails, kSyncFails };
  std::atomic<Failure> failure{kNone};
  bool buffered = false;
  std::atomic<int64_t> kill_after{-1};  // -1: never
  std::mutex mutex;
  std::mt19937_64 random;  // guarded by mutex

  uint64_t Random(uint64_t below) {
    std::lock_guard lock(mutex);
    return random() % below;
  }
  bool KillNow() { return kill_after.load() >= 0 && kill_after.fetch_sub(1) == 0; }
};

class TestWritableFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  TestWritableFile(std::unique_ptr<rocksdb::FSWritableFile> file, int descriptor, FileFaults& faults)
      : FSWritableFileOwnerWrapper(std::move(file)), descriptor_(descriptor), faults_(faults) {
    written_ = static_cast<uint64_t>(lseek(descriptor_, 0, SEEK_END));
  }
  ~TestWritableFile() override {
    if (faults_.buffered) WriteOut();  // some are never closed otherwise
    ::close(descriptor_);
  }

  using FSWritableFileOwnerWrapper::Append;
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    if (faults_.failure == FileFaults::kNoSpace) return rocksdb::IOStatus::NoSpace("injected");
    if (faults_.failure == FileFaults::kAppendFails) return rocksdb::IOStatus::IOError("injected");
    if (!faults_.buffered) return FSWritableFileOwnerWrapper::Append(data, options, debug);
    unsynced_.append(data.data(), data.size());
    if (faults_.KillNow()) Die();
    if (faults_.Random(4) == 0) TearSome();
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (faults_.failure == FileFaults::kSyncFails) return rocksdb::IOStatus::IOError("injected");
    if (!faults_.buffered) return FSWritableFileOwnerWrapper::Sync(options, debug);
    if (faults_.KillNow()) Die();
    WriteOut();
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return Sync(options, debug);
  }
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (faults_.buffered) WriteOut();
    return FSWritableFileOwnerWrapper::Close(options, debug);
  }
  rocksdb::IOStatus RangeSync(uint64_t offset, uint64_t bytes, const rocksdb::IOOptions& options,
                              rocksdb::IODebugContext* debug) override {
    if (faults_.buffered) return rocksdb::IOStatus::OK();
    return FSWritableFileOwnerWrapper::RangeSync(offset, bytes, options, debug);
  }
  uint64_t GetFileSize(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (faults_.buffered) return written_ + unsynced_.size();
    return FSWritableFileOwnerWrapper::GetFileSize(options, debug);
  }
  rocksdb::IOStatus Truncate(uint64_t size, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
    if (!faults_.buffered) return FSWritableFileOwnerWrapper::Truncate(size, options, debug);
    WriteOut();
    written_ = size;
    return ftruncate(descriptor_, static_cast<off_t>(size)) == 0 ? rocksdb::IOStatus::OK()
                                                                 : rocksdb::IOStatus::IOError("ftruncate");
  }
  // The wrapped file has not seen the bytes: it must not cut off at its end what it had allocated for them.
  void PrepareWrite(size_t, size_t, const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {}
  void SetPreallocationBlockSize(size_t) override {}

 private:
  static constexpr size_t kSector = 512;

  void WriteAt(size_t from, size_t size) {
    if (pwrite(descriptor_, unsynced_.data() + from, size, static_cast<off_t>(written_ + from)) < 0) std::abort();
  }
  void WriteOut() {
    if (!unsynced_.empty()) WriteAt(0, unsynced_.size());
    written_ += unsynced_.size();
    unsynced_.clear();
  }
  void TearSome() {
    for (size_t from = 0; from < unsynced_.size();) {
      // Sectors of the disk, not of the buffer.
      const size_t size = std::min(kSector - (written_ + from) % kSector, unsynced_.size() - from);
      if (faults_.Random(2) == 0) WriteAt(from, size);
      from += size;
    }
  }
  [[noreturn]] void Die() {
    switch (faults_.Random(3)) {
      case 0:
        break;  // all unsynced is lost
      case 1:
        TearSome();
        break;
      default:
        WriteAt(0, faults_.Random(unsynced_.size() + 1));
    }
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }

  const int descriptor_;
  FileFaults& faults_;
  uint64_t written_ = 0;  // bytes that are in the file for good
  std::string unsynced_;
};

class TestFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `faults` outlives the file system.
  explicit TestFileSystem(FileFaults& faults) : FileSystemWrapper(rocksdb::FileSystem::Default()), faults_(faults) {}
  const char* Name() const override { return "TestFileSystem"; }
  static const char* kClassName() { return "TestFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    return Wrap(FileSystemWrapper::NewWritableFile(name, options, file, debug), name, file);
  }
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override {
    return Wrap(FileSystemWrapper::ReopenWritableFile(name, options, file, debug), name, file);
  }

 private:
  rocksdb::IOStatus Wrap(rocksdb::IOStatus status, const std::string& name,
                         std::unique_ptr<rocksdb::FSWritableFile>* file) {
    if (!status.ok()) return status;
    if (faults_.failure == FileFaults::kNoSpace) return rocksdb::IOStatus::NoSpace("injected");
    const int descriptor = open(name.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return rocksdb::IOStatus::IOError("cannot open " + name);
    *file = std::make_unique<TestWritableFile>(std::move(*file), descriptor, faults_);
    return status;
  }

  FileFaults& faults_;
};

inline std::unique_ptr<rocksdb::Env> MakeTestEnv(FileFaults& faults) {
  return rocksdb::NewCompositeEnv(std::make_shared<TestFileSystem>(faults));
}

}  // namespace engine
