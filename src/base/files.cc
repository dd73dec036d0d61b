#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/text.h"

namespace base {
namespace {

constexpr mode_t kOwnerOnlyDirectory = 0700;
constexpr mode_t kOfOthers = 0077;

std::unexpected<Error> Failure(std::string_view what, const std::string& path, int reason) {
  const Code code = reason == ENOSPC || reason == EDQUOT ? Code::kExhausted : Code::kIo;
  return Fail(code, Cat(what, " ", path, ": ", std::strerror(reason)));
}

std::string ParentOf(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(file, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return true;
}

// Writes a file that nobody looks for by its name yet.
Result<> WriteNew(const std::string& path, std::string_view bytes, int mode, bool sync) {
  unlink(path.c_str());  // of a start that ended in between, perhaps with another mode
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (file < 0) return Failure("open", path, errno);
  bool written = WriteAll(file, bytes);
  if (written && sync) written = fsync(file) == 0;
  const int reason = errno;
  close(file);
  if (written) return {};
  unlink(path.c_str());
  return Failure("write", path, reason);
}

}  // namespace

Result<> SyncPath(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return Failure("open", path, errno);
  const bool synced = fsync(file) == 0;
  const int reason = errno;
  close(file);
  return synced ? Result<>() : Failure("sync", path, reason);
}

Result<> MakeDirectories(const std::string& path, std::vector<std::string>* made) {
  std::vector<std::string> missing;  // innermost first
  std::filesystem::path at = std::filesystem::path(path).lexically_normal();
  if (!at.has_filename()) at = at.parent_path();  // "a/b/"
  std::error_code unreadable;
  for (; !at.empty() && !std::filesystem::exists(at, unreadable); at = at.parent_path()) {
    missing.push_back(at.string());
    if (at == at.parent_path()) break;
  }
  for (size_t i = missing.size(); i-- > 0;) {
    if (mkdir(missing[i].c_str(), kOwnerOnlyDirectory) != 0 && errno != EEXIST)
      return Failure("mkdir", missing[i], errno);
    if (made != nullptr) {
      made->push_back(missing[i]);
    } else if (Result<> synced = SyncPath(ParentOf(missing[i])); !synced) {
      return synced;
    }
  }
  if (!std::filesystem::is_directory(path, unreadable)) return Failure("mkdir", path, ENOTDIR);
  return {};
}

Result<> ReplaceFile(const std::string& path, std::string_view bytes, int mode, bool sync) {
  const std::string fresh = path + ".new";
  if (Result<> written = WriteNew(fresh, bytes, mode, sync); !written) return written;
  if (std::rename(fresh.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    unlink(fresh.c_str());
    return Failure("rename", path, reason);
  }
  return sync ? SyncPath(ParentOf(path)) : Result<>();
}

bool IsPrivate(const std::string& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 && (found.st_mode & kOfOthers) == 0;
}

Result<> MakePrivateAlone(const std::string& path) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) return errno == ENOENT ? Result<>() : Failure("stat", path, errno);
  if (S_ISLNK(found.st_mode) || (found.st_mode & kOfOthers) == 0) return {};
  if (S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX) != 0) {
    return Fail(Code::kInvalid, Cat(path, " is a directory that users share"));
  }
  // Not followed, should somebody have put a link there meanwhile.
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return Failure("open", path, errno);
  const bool changed = fchmod(file, found.st_mode & ~kOfOthers & 07777) == 0;
  const int reason = errno;
  close(file);
  return changed ? Result<>() : Failure("chmod", path, reason);
}

Result<> MakePrivate(const std::string& path) {
  Result<> first = MakePrivateAlone(path);
  std::error_code failure;
  if (!std::filesystem::is_directory(std::filesystem::symlink_status(path, failure))) return first;
  using Walk = std::filesystem::recursive_directory_iterator;
  Walk at(path, failure);
  while (!failure && at != Walk()) {
    if (Result<> mended = MakePrivateAlone(at->path().string()); !mended && first) first = std::move(mended);
    at.increment(failure);
  }
  if (failure && first) first = Fail(Code::kIo, Cat("read ", path, ": ", failure.message()));
  return first;
}

Result<std::string> ReadFile(const std::string& path, size_t most) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return Fail(Code::kIo, Cat("open ", path, ": no such file or directory"));
  std::string content(std::min<size_t>(most, 64 << 10) + 1, '\0');
  size_t size = 0;
  while (in.read(content.data() + size, static_cast<std::streamsize>(content.size() - size)), in.gcount() > 0) {
    size += static_cast<size_t>(in.gcount());
    if (size > most) return Fail(Code::kExhausted, Cat("read ", path, ": the file is larger than ", most, " bytes"));
    if (size == content.size()) content.resize(std::min(2 * size, most + 1));
  }
  if (in.bad()) return Fail(Code::kIo, Cat("read ", path, ": input/output error"));
  content.resize(size);
  return content;
}

}  // namespace base
