#include "engine/rocksdb/wal_preallocation.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace engine {
namespace {

constexpr size_t kAhead = 256 << 10;

class LogFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  LogFile(std::unique_ptr<rocksdb::FSWritableFile> file, int descriptor)
      : FSWritableFileOwnerWrapper(std::move(file)), descriptor_(descriptor) {}
  ~LogFile() override { ::close(descriptor_); }

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    MakeRoom(data.size());
    return FSWritableFileOwnerWrapper::Append(data, options, debug);
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& verification, rocksdb::IODebugContext* debug) override {
    MakeRoom(data.size());
    return FSWritableFileOwnerWrapper::Append(data, options, verification, debug);
  }

 private:
  void MakeRoom(size_t size) {
    end_ += size;
    if (end_ <= zeroed_) return;
    static const char kZeros[kAhead] = {};
    const uint64_t from = end_;  // the bytes before it are about to be written
    const ssize_t written = pwrite(descriptor_, kZeros, kAhead, static_cast<off_t>(from));
    // Where that fails the file just grows as it is written.
    zeroed_ = written < 0 ? std::numeric_limits<uint64_t>::max() : from + static_cast<uint64_t>(written);
  }

  const int descriptor_;
  uint64_t end_ = 0;     // of what RocksDB appended
  uint64_t zeroed_ = 0;  // the file has this size at least
};

class ZeroAheadFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "FairleadZeroAhead"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (!status.ok() || !name.ends_with(".log")) return status;
    // A second descriptor: RocksDB writes at the position of its own.
    if (const int descriptor = open(name.c_str(), O_WRONLY | O_CLOEXEC); descriptor >= 0) {
      *file = std::make_unique<LogFile>(std::move(*file), descriptor);
    }
    return status;
  }
};

}  // namespace

std::unique_ptr<rocksdb::Env> MakeZeroAheadEnv(rocksdb::Env* env) {
  if (env == nullptr) env = rocksdb::Env::Default();
  return rocksdb::NewCompositeEnv(std::make_shared<ZeroAheadFileSystem>(env->GetFileSystem()));
}

}  // namespace engine
