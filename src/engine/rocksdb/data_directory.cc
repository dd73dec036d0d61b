#include "engine/rocksdb/data_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <tuple>

#include "base/files.h"

namespace engine {
namespace {

constexpr std::string_view kFormatLine = "fairlead store format ";
constexpr char kUnfinished[] = "/UNFINISHED";
constexpr mode_t kOwnerOnly = 0600;

std::unexpected<base::Error> System(const std::string& what, const std::string& path) {
  const base::Code code = errno == ENOSPC || errno == EDQUOT ? base::Code::kExhausted : base::Code::kIo;
  return base::Fail(code, what + " " + path + ": " + std::strerror(errno));
}

std::string ReadStart(int file) {
  char bytes[128];
  const ssize_t size = pread(file, bytes, sizeof(bytes), 0);
  return size > 0 ? std::string(bytes, static_cast<size_t>(size)) : std::string();
}

// Writes a small file in place of whatever has that name.
base::Result<> WriteWhole(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kOwnerOnly);
  if (file < 0) return System("cannot create", path);
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  base::Result<> result = written ? base::Result<>() : System("cannot write", path);
  close(file);
  return result;
}

}  // namespace

base::Result<DataDirectory> DataDirectory::Open(const std::string& path) {
  std::vector<std::string> made;
  if (base::Result<> there = base::MakeDirectories(path, &made); !there) return std::unexpected(there.error());
  const std::string name = path + "/LOCKED_BY";
  const int lock = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  if (lock < 0) return System("cannot open", name);
  const int head = open((path + "/HEAD").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly);
  DataDirectory directory(path, lock, head);
  directory.made_ = std::move(made);
  if (head < 0) return System("cannot open", path + "/HEAD");
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    std::string holder = ReadStart(lock);
    while (!holder.empty() && holder.back() == '\n') holder.pop_back();
    return base::Fail(base::Code::kUnavailable, "the data directory " + path + " is in use by process " + holder);
  }
  const std::string pid = std::to_string(getpid()) + "\n";
  if (ftruncate(lock, 0) != 0 || pwrite(lock, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return System("cannot write", name);
  }
  if (base::Result<> known = directory.CheckFormat(); !known) return std::unexpected(std::move(known).error());
  // Earlier versions let everybody on the machine read what they wrote. What another user owns stays as it is.
  std::ignore = base::MakePrivateAlone(path);
  for (const char* entry : {"/db", "/FORMAT", "/HEAD", "/LOCKED_BY", kUnfinished}) {
    std::ignore = base::MakePrivate(path + entry);
  }
  return directory;
}

DataDirectory::~DataDirectory() {
  if (lock_ >= 0) close(lock_);
  if (head_ >= 0) close(head_);
}

int64_t DataDirectory::Head() const {
  const std::string text = ReadStart(head_);
  int64_t revision = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result parsed = std::from_chars(text.data(), end, revision);
  return parsed.ec == std::errc() && parsed.ptr != end && *parsed.ptr == '\n' ? revision : 0;
}

void DataDirectory::SetHead(int64_t revision) {
  // Never shorter than what it replaces: revisions only grow.
  const std::string text = std::to_string(revision) + "\n";
  std::ignore = pwrite(head_, text.data(), text.size(), 0);
}

base::Result<> DataDirectory::CheckFormat() {
  if (std::filesystem::exists(path_ + kUnfinished)) return Begin();
  const std::string name = path_ + "/FORMAT";
  const int file = open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? Begin() : System("cannot open", name);
  const std::string text = ReadStart(file);
  close(file);
  int format = 0;
  const char* const end = text.data() + text.size();
  if (text.starts_with(kFormatLine)) std::from_chars(text.data() + kFormatLine.size(), end, format);
  if (format <= 0) return base::Fail(base::Code::kCorrupt, name + " is not a format that Fairlead has written");
  if (format > kFormat) {
    return base::Fail(base::Code::kCorrupt, "the data directory " + path_ + " has format " + std::to_string(format) +
                                                ", written by a newer Fairlead; this one knows up to " +
                                                std::to_string(kFormat));
  }
  return {};
}

base::Result<> DataDirectory::Begin() {
  const std::string mark = path_ + kUnfinished, database = path_ + "/db";
  if (std::filesystem::exists(mark)) {
    std::error_code failure;
    std::filesystem::remove_all(database, failure);
    if (failure) return base::Fail(base::Code::kIo, "cannot remove " + database + ": " + failure.message());
  } else if (std::filesystem::exists(database)) {
    return base::Fail(base::Code::kCorrupt, "the data directory " + path_ + " has a database but no FORMAT file");
  } else if (base::Result<> marked = WriteWhole(mark, ""); !marked) {
    return marked;
  }
  is_unfinished_ = true;
  const std::string text = std::string(kFormatLine) + std::to_string(kFormat) + "\n";
  return WriteWhole(path_ + "/FORMAT", text);
}

base::Result<> DataDirectory::Finish(bool sync) {
  const std::string mark = path_ + kUnfinished;
  base::Result<> synced = sync ? base::SyncPath(path_ + "/FORMAT") : base::Result<>();
  for (; synced && sync && !made_.empty(); made_.pop_back()) {
    const std::string parent = std::filesystem::path(made_.back()).parent_path().string();
    synced = base::SyncPath(parent.empty() ? "." : parent);
    if (!synced) break;
  }
  if (!synced) return synced;
  if (unlink(mark.c_str()) != 0 && errno != ENOENT) return System("cannot remove", mark);
  synced = sync ? base::SyncPath(path_) : base::Result<>();
  is_unfinished_ = !synced.has_value();
  return synced;
}

}  // namespace engine
