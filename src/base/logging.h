// Logger: lines for people, as Kubernetes components write them:
//   I1121 08:32:19.775510   28323 drain.cc:40] "Shutting down" reason="signal"
// A caller formats its line and leaves it in a buffer; one thread writes the buffer to a file descriptor, so a slow
// terminal or pipe never holds a request. One per server.
//
// Threads: any. Bounds: kBufferBytes wait to be written at most; lines beyond are dropped and their number is told.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <source_location>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"

namespace base {

class Logger {
 public:
  static constexpr size_t kBufferBytes = 1 << 20;
  enum class Severity : uint8_t { kInfo, kWarning, kError };
  struct Field {
    std::string_view key, value;
  };
  using Fields = std::initializer_list<Field>;

  // Writes to `fd`, which it does not close. Info lines above `verbosity` are left out. `clock` outlives the logger.
  Logger(int fd, const Clock& clock, int verbosity = 0);
  // Writes what is waiting.
  ~Logger();
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  void Info(std::string_view message, Fields fields = {},
            std::source_location where = std::source_location::current()) {
    Log(Severity::kInfo, message, fields, where);
  }
  void Warning(std::string_view message, Fields fields = {},
               std::source_location where = std::source_location::current()) {
    Log(Severity::kWarning, message, fields, where);
  }
  void Error(std::string_view message, Fields fields = {},
             std::source_location where = std::source_location::current()) {
    Log(Severity::kError, message, fields, where);
  }
  // Ask before making an expensive line: Info lines of this level are written.
  bool Enabled(int level) const { return level <= verbosity_; }

  // Waits until everything logged so far is written.
  void Flush();

 private:
  void Log(Severity severity, std::string_view message, Fields fields, const std::source_location& where);
  void AppendLine(std::string& out, Severity severity, std::string_view message, Fields fields,
                  const std::source_location& where) const;
  void Run();
  void WriteAll(std::string_view text) const;

  const int fd_;
  const Clock& clock_;
  const int verbosity_;

  std::mutex mutex_;
  std::condition_variable wake_, written_;
  std::string waiting_;    // guarded by mutex_
  uint64_t dropped_ = 0;   // guarded by mutex_
  bool writing_ = false;   // guarded by mutex_
  bool stopping_ = false;  // guarded by mutex_
  std::thread writer_;     // last: it uses everything above
};

}  // namespace base
