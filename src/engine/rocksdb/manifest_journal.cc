#include "engine/rocksdb/manifest_journal.h"

#include <rocksdb/file_system.h>

#include <utility>

#include "engine/rocksdb/crc32c.h"
#include "engine/rocksdb/disk_error.h"

namespace engine {
namespace {

constexpr std::string_view kManifest = "MANIFEST-", kJournal = "MANIFEST.journal";
// The journal: CRC of what follows it (4 bytes), offset (8), size of the name (1), all least significant first; name,
// bytes to the end.
constexpr size_t kCrc = 4, kOffset = 8, kHead = kCrc + kOffset + 1;

void AppendNumber(uint64_t number, size_t bytes, std::string& out) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
}

uint64_t NumberAt(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

std::pair<std::string, std::string> Split(const std::string& path) {
  const size_t slash = path.rfind('/') + 1;
  return {path.substr(0, slash), path.substr(slash)};
}

class ManifestFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  ManifestFile(std::unique_ptr<rocksdb::FSWritableFile> file, rocksdb::FileSystem* files, const std::string& path)
      : FSWritableFileOwnerWrapper(std::move(file)), files_(files) {
    std::tie(directory_, name_) = Split(path);
  }

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    unsynced_.append(data.data(), data.size());
    return rocksdb::IOStatus::OK();
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo&, rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  rocksdb::IOStatus Flush(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::OK();  // nothing is in the file before it is in the journal
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (unsynced_.empty()) return FSWritableFileOwnerWrapper::Sync(options, debug);
    rocksdb::IOStatus status = WriteJournal(options, debug);
    if (status.ok()) status = FSWritableFileOwnerWrapper::Append(unsynced_, options, debug);
    if (status.ok()) status = FSWritableFileOwnerWrapper::Flush(options, debug);
    if (status.ok()) status = FSWritableFileOwnerWrapper::Sync(options, debug);
    end_ += unsynced_.size();
    unsynced_.clear();
    return status;
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return Sync(options, debug);
  }
  rocksdb::IOStatus Close(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = unsynced_.empty() ? rocksdb::IOStatus::OK() : Sync(options, debug);
    rocksdb::IOStatus closed = FSWritableFileOwnerWrapper::Close(options, debug);
    return status.ok() ? closed : status;
  }
  uint64_t GetFileSize(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override { return end_ + unsynced_.size(); }

 private:
  rocksdb::IOStatus WriteJournal(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) {
    std::unique_ptr<rocksdb::FSWritableFile> journal;
    rocksdb::IOStatus status =
        files_->NewWritableFile(directory_ + std::string(kJournal), rocksdb::FileOptions(), &journal, debug);
    if (!status.ok()) return status;
    status = journal->Append(FormatManifestAppend({name_, end_, unsynced_}), options, debug);
    if (status.ok()) status = journal->Sync(options, debug);
    rocksdb::IOStatus closed = journal->Close(options, debug);
    return status.ok() ? closed : status;
  }

  rocksdb::FileSystem* const files_;
  std::string directory_, name_;
  uint64_t end_ = 0;  // of what is synced
  std::string unsynced_;
};

class ManifestJournalFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;
  const char* Name() const override { return "FairleadManifestJournal"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (status.ok() && Split(name).second.starts_with(kManifest)) {
      *file = std::make_unique<ManifestFile>(std::move(*file), target(), name);
    }
    return status;
  }
};

rocksdb::Status WriteAt(rocksdb::Env* env, const std::string& path, const ManifestAppend& append) {
  std::unique_ptr<rocksdb::RandomRWFile> file;
  rocksdb::Status status = env->NewRandomRWFile(path, &file, rocksdb::EnvOptions());
  if (status.ok()) status = file->Write(append.offset, append.bytes);
  if (status.ok()) status = file->Sync();
  if (status.ok()) status = file->Close();
  return status;
}

}  // namespace

std::string FormatManifestAppend(const ManifestAppend& append) {
  std::string rest;
  AppendNumber(append.offset, kOffset, rest);
  AppendNumber(append.file.size(), 1, rest);
  rest.append(append.file).append(append.bytes);
  std::string journal;
  AppendNumber(MaskedCrc(rest), kCrc, journal);
  return journal + rest;
}

std::optional<ManifestAppend> ParseManifestAppend(std::string_view journal) {
  if (journal.size() < kHead || NumberAt(journal.substr(0, kCrc)) != MaskedCrc(journal.substr(kCrc))) return {};
  const size_t name = static_cast<uint8_t>(journal[kHead - 1]);
  if (journal.size() < kHead + name) return {};
  return ManifestAppend{.file = journal.substr(kHead, name),
                        .offset = NumberAt(journal.substr(kCrc, kOffset)),
                        .bytes = journal.substr(kHead + name)};
}

std::unique_ptr<rocksdb::Env> MakeManifestJournalEnv(rocksdb::Env* env) {
  return rocksdb::NewCompositeEnv(std::make_shared<ManifestJournalFileSystem>(env->GetFileSystem()));
}

base::Result<> MendManifest(rocksdb::Env* env, const std::string& directory) {
  std::string journal, manifest;
  rocksdb::Status status = rocksdb::ReadFileToString(env, directory + "/" + std::string(kJournal), &journal);
  if (status.IsNotFound() || status.IsPathNotFound()) return {};
  if (!status.ok()) return std::unexpected(ErrorOf(status));
  const std::optional<ManifestAppend> append = ParseManifestAppend(journal);
  if (!append || !append->file.starts_with(kManifest) || append->file.contains('/')) return {};
  const std::string path = directory + "/" + std::string(append->file);
  status = rocksdb::ReadFileToString(env, path, &manifest);
  if (status.IsNotFound() || status.IsPathNotFound()) return {};  // a later one took its place
  if (!status.ok()) return std::unexpected(ErrorOf(status));
  const uint64_t end = append->offset + append->bytes.size();
  const bool next = append->offset <= manifest.size() && manifest.size() <= end;  // nothing was appended since
  if (!next || std::string_view(manifest).substr(append->offset) == append->bytes) return {};
  status = WriteAt(env, path, *append);
  return status.ok() ? base::Result<>() : std::unexpected(ErrorOf(status));
}

}  // namespace engine
