#include "pipeline/audit/log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/text.h"

namespace pipeline {
namespace {

namespace fs = std::filesystem;
using base::Cat;

constexpr std::string_view kCompressed = ".gz";

std::unexpected<base::Error> Failed(std::string_view what, std::string_view path) {
  return base::Fail(base::Code::kIo, Cat(what, " ", path, ": ", std::strerror(errno)));
}

// "2026-11-22T23-10-14.744"
std::string Stamp(std::chrono::system_clock::time_point time) {
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(millis / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  const size_t size = std::strftime(text, sizeof(text), "%Y-%m-%dT%H-%M-%S", &parts);
  std::string fraction = std::to_string(1000 + millis % 1000);
  fraction[0] = '.';
  return Cat(std::string_view(text, size), fraction);
}

// A file that was put aside.
struct Backup {
  fs::path path;
  std::string stamp;
};

// Newest first. Only what is named like one.
std::vector<Backup> Backups(const fs::path& log) {
  const std::string prefix = Cat(log.stem().string(), "-"), suffix = log.extension().string();
  constexpr size_t kStampSize = sizeof("2006-01-02T15-04-05.000") - 1;
  std::vector<Backup> found;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(log.has_parent_path() ? log.parent_path() : ".", error)) {
    const std::string name = entry.path().filename().string();
    std::string_view rest = name;
    if (!rest.starts_with(prefix)) continue;
    rest.remove_prefix(prefix.size());
    if (rest.ends_with(kCompressed)) rest.remove_suffix(kCompressed.size());
    if (rest.size() != kStampSize + suffix.size() || !rest.ends_with(suffix)) continue;
    const std::string_view stamp = rest.substr(0, kStampSize);
    std::tm parts{};
    const std::string text(stamp);
    if (strptime(text.c_str(), "%Y-%m-%dT%H-%M-%S", &parts) == nullptr) continue;
    found.push_back({entry.path(), text});
  }
  std::ranges::sort(found, std::greater(), &Backup::stamp);
  return found;
}

// FILE becomes FILE.gz; FILE stays where that fails.
void CompressFile(const fs::path& path) {
  const std::string target = Cat(path.string(), kCompressed), unfinished = Cat(target, ".tmp");
  std::ifstream in(path, std::ios::binary);
  gzFile out = gzopen(unfinished.c_str(), "wb");
  if (out == nullptr) return;
  chmod(unfinished.c_str(), S_IRUSR | S_IWUSR);
  std::array<char, 1 << 16> buffer;
  bool written = in.is_open();
  while (written && in) {
    in.read(buffer.data(), buffer.size());
    const auto size = static_cast<unsigned>(in.gcount());
    written = !in.bad() && (size == 0 || gzwrite(out, buffer.data(), size) == static_cast<int>(size));
  }
  written = gzclose(out) == Z_OK && written;
  std::error_code error;
  if (written) fs::rename(unfinished, target, error);
  if (written && !error) {
    fs::remove(path, error);
  } else {
    fs::remove(unfinished, error);
  }
}

}  // namespace

base::Result<std::unique_ptr<LogFile>> LogFile::Open(const Options& options, const base::Clock& clock) {
  std::unique_ptr<LogFile> file(new LogFile(options, clock));
  if (options.path == "-") {
    file->fd_ = dup(STDOUT_FILENO);
    if (file->fd_ < 0) return Failed("open", "standard output");
    return file;
  }
  const fs::path folder = fs::path(options.path).parent_path();
  std::error_code error;
  if (!folder.empty() && fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
  if (base::Result<> opened = file->OpenFile(); !opened) return std::unexpected(opened.error());
  if (options.compress || options.most_days > 0 || options.most_backups > 0) {
    file->asked_ = true;
    file->tidier_ = std::thread([raw = file.get()] { raw->TidyUpWhenAsked(); });
  }
  return file;
}

LogFile::~LogFile() {
  {
    const std::lock_guard lock(tidy_mutex_);
    stopping_ = true;
  }
  tidy_wanted_.notify_all();
  if (tidier_.joinable()) tidier_.join();
  if (fd_ >= 0) close(fd_);
}

base::Result<> LogFile::OpenFile() {
  fd_ = open(options_.path.c_str(), O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd_ < 0) return Failed("open", options_.path);
  struct stat facts{};
  if (fstat(fd_, &facts) != 0) return Failed("stat", options_.path);
  size_ = facts.st_size;
  return {};
}

base::Result<> LogFile::Rotate() {
  const fs::path path(options_.path);
  std::error_code error;
  auto time = clock_.Now();
  fs::path aside;
  do {  // a name of its own, so that nothing is written over
    aside = path.parent_path() / Cat(path.stem().string(), "-", Stamp(time), path.extension().string());
    time += std::chrono::milliseconds(1);
  } while (fs::exists(aside, error) || fs::exists(Cat(aside.string(), kCompressed), error));
  close(fd_);
  fd_ = -1;
  fs::rename(path, aside, error);  // where it fails the file goes on growing: events come first
  if (base::Result<> opened = OpenFile(); !opened) return opened;
  {
    const std::lock_guard lock(tidy_mutex_);
    asked_ = true;
  }
  tidy_wanted_.notify_all();
  return {};
}

base::Result<> LogFile::Write(std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (options_.path != "-") {
    const auto wanted = static_cast<int64_t>(text.size());
    if (wanted > most_bytes()) {
      return base::Fail(base::Code::kInvalid,
                        Cat("write length ", wanted, " exceeds maximum file size ", most_bytes()));
    }
    if (fd_ < 0) {
      if (base::Result<> opened = OpenFile(); !opened) return opened;
    }
    if (size_ + wanted > most_bytes()) {
      if (base::Result<> rotated = Rotate(); !rotated) return rotated;
    }
  }
  while (!text.empty()) {
    const ssize_t written = write(fd_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Failed("write", options_.path);
    size_ += written;
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

void LogFile::TidyUp() const {
  std::vector<Backup> backups = Backups(options_.path);
  std::error_code error;
  size_t kept = 0;
  const std::string oldest =
      options_.most_days > 0 ? Stamp(clock_.Now() - std::chrono::hours(24 * options_.most_days)) : "";
  for (const Backup& backup : backups) {
    const bool too_many = options_.most_backups > 0 && kept >= static_cast<size_t>(options_.most_backups);
    if (too_many || (!oldest.empty() && backup.stamp < oldest)) {
      fs::remove(backup.path, error);
      continue;
    }
    ++kept;
    if (options_.compress && backup.path.extension() != kCompressed) CompressFile(backup.path);
  }
}

void LogFile::TidyUpWhenAsked() {
  std::unique_lock lock(tidy_mutex_);
  while (true) {
    tidy_wanted_.wait(lock, [this] { return asked_ || stopping_; });
    if (!asked_) return;
    asked_ = false;
    lock.unlock();
    TidyUp();
    lock.lock();
  }
}

}  // namespace pipeline
