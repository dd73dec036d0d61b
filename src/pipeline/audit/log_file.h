// LogFile: a file that lines are added to and that is put aside when it has grown: FILE becomes
// FILE-2006-01-02T15-04-05.000.EXT (the time in UTC), old ones are deleted by age and number, and compressed, in the
// background. The names and rules are those of kube-apiserver's log files, so what rotates and collects them goes on
// working.
//
// Threads: any; writes are one after the other. Errors: of writing are given back; of tidying up are left for the next
// time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/result.h"

namespace pipeline {

class LogFile {
 public:
  struct Options {
    std::string path;                 // "-" is standard output, which is never put aside
    int64_t most_megabytes = 0;       // of one file; 0: 100
    int64_t most_days = 0;            // that an old file stays; 0: for ever
    int64_t most_backups = 0;         // old files; 0: all
    bool compress = false;            // old files, as gzip
    int64_t most_bytes_for_test = 0;  // in place of most_megabytes
  };

  // Makes the file and its folder if they are not there. `clock` outlives the file.
  static base::Result<std::unique_ptr<LogFile>> Open(const Options& options, const base::Clock& clock);
  ~LogFile();  // waits for the tidying up
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // Appends all of `text`, in a new file where it does not fit into this one. More than a file may hold is an error.
  base::Result<> Write(std::string_view text);

 private:
  LogFile(const Options& options, const base::Clock& clock) : options_(options), clock_(clock) {}
  base::Result<> OpenFile();
  base::Result<> Rotate();
  void TidyUp() const;
  void TidyUpWhenAsked();
  int64_t most_bytes() const {
    if (options_.most_bytes_for_test != 0) return options_.most_bytes_for_test;
    return (options_.most_megabytes == 0 ? 100 : options_.most_megabytes) << 20;
  }

  const Options options_;
  const base::Clock& clock_;

  std::mutex mutex_;
  int fd_ = -1;
  int64_t size_ = 0;

  std::mutex tidy_mutex_;
  std::condition_variable tidy_wanted_;
  bool asked_ = false, stopping_ = false;
  std::thread tidier_;
};

}  // namespace pipeline
