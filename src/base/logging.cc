#include "base/logging.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <ctime>

#include "base/text.h"

namespace base {
namespace {

// A value on one line, quoted.
void AppendValue(std::string& out, std::string_view value) {
  out += '"';
  for (char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += ' ';
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace

Logger::Logger(int fd, const Clock& clock, int verbosity)
    : fd_(fd), clock_(clock), verbosity_(verbosity), writer_([this] { Run(); }) {}

Logger::~Logger() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  writer_.join();
}

void Logger::AppendLine(std::string& out, Severity severity, std::string_view message, Fields fields,
                        const std::source_location& where) const {
  const auto now = clock_.Now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() % 1'000'000;
  std::tm time{};
  gmtime_r(&seconds, &time);
  std::string_view file = where.file_name();
  file.remove_prefix(file.rfind('/') + 1);
  char head[96];
  const int size = std::snprintf(head, sizeof(head), "%c%02d%02d %02d:%02d:%02d.%06ld %7d %.*s:%u] ",
                                 "IWE"[static_cast<int>(severity)], time.tm_mon + 1, time.tm_mday, time.tm_hour,
                                 time.tm_min, time.tm_sec, static_cast<long>(micros), static_cast<int>(getpid()),
                                 static_cast<int>(file.size()), file.data(), where.line());
  out.append(head, std::min<size_t>(static_cast<size_t>(size), sizeof(head) - 1));
  AppendValue(out, message);
  for (const Field& field : fields) {
    Append(out, " ", field.key, "=");
    AppendValue(out, field.value);
  }
  out += '\n';
}

void Logger::Log(Severity severity, std::string_view message, Fields fields, const std::source_location& where) {
  std::string line;
  AppendLine(line, severity, message, fields, where);
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + line.size() > kBufferBytes) {
      ++dropped_;
      return;
    }
    waiting_ += line;
  }
  wake_.notify_one();
}

void Logger::Flush() {
  std::unique_lock lock(mutex_);
  written_.wait(lock, [this] { return waiting_.empty() && !writing_; });
}

void Logger::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::string text = std::move(waiting_);
    waiting_.clear();
    if (dropped_ > 0) {
      AppendLine(text, Severity::kWarning, Cat(dropped_, " log lines were dropped"), {},
                 std::source_location::current());
      dropped_ = 0;
    }
    writing_ = true;
    lock.unlock();
    WriteAll(text);
    lock.lock();
    writing_ = false;
    written_.notify_all();
  }
}

void Logger::WriteAll(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = write(fd_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nobody reads any more: nothing better can be done with the line
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace base
