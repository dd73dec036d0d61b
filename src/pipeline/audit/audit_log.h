// AuditLog: where audit events go: a log file, written by the requests themselves (blocking, blocking-strict) or by a
// thread of its own (batch). One a server.
//
// Threads: Process() any; Stop() once, when no request runs any more. Bounds: in batch mode as many events wait as the
// buffer holds, of kMostWaitingBytes together; what does not fit is dropped and counted. In the other modes a request
// waits for its line, so that nothing is kept.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "pipeline/audit/event.h"
#include "pipeline/audit/log_file.h"

namespace pipeline {

class AuditLog {
 public:
  enum class Mode : uint8_t {
    kBatch,
    kBlocking,        // requests wait for their events, which may fail
    kBlockingStrict,  // a request whose first event cannot be kept is refused
  };
  struct Options {
    LogFile::Options file;
    Mode mode = Mode::kBlocking;
    bool legacy_format = false;
    size_t buffer_size = 10000;              // events that wait, of kBatch
    size_t batch_size = 1;                   // events written at once, of kBatch
    std::chrono::nanoseconds batch_wait{0};  // how long a batch waits until it is full
    double batches_per_second = 0;           // 0: any number
    int64_t batch_burst = 1;                 // batches at once after a rest
    int64_t most_event_bytes = 0;            // larger ones lose their objects, then are dropped; 0: no bound
  };
  static constexpr size_t kMostWaitingBytes = 64 << 20;
  using TellFailure = std::function<void(std::string_view why)>;  // from any thread

  // `clock` and `metrics` outlive the log.
  static base::Result<std::unique_ptr<AuditLog>> Open(const Options& options, const base::Clock& clock,
                                                      base::Metrics& metrics, TellFailure tell);
  ~AuditLog() { Stop(); }
  AuditLog(const AuditLog&) = delete;
  AuditLog& operator=(const AuditLog&) = delete;

  // Keeps the event. False: the request is to be refused.
  bool Process(const AuditEvent& event);
  // Writes what waits. Events that come later are written by whoever brings them.
  void Stop();

  // For the policy's share of the metrics.
  void CountLevel(api::AuditLevel level) { levels_.With({TextOf(level)}).Add(); }
  void CountRejected() { rejected_.Add(); }

 private:
  AuditLog(const Options& options, std::unique_ptr<LogFile> file, base::Metrics& metrics, TellFailure tell);
  // The event as a line; "" if it is too large.
  std::string Render(const AuditEvent& event);
  bool WriteNow(std::string_view lines, size_t events);
  bool Enqueue(std::string line);
  void WriteBatches();
  void WaitForTurn(std::unique_lock<std::mutex>& lock);
  void Fail(std::string_view plugin, std::string_view why, size_t events = 1);

  const Options options_;
  const std::unique_ptr<LogFile> file_;
  const TellFailure tell_;
  base::Counter& events_;
  base::Counter& rejected_;
  base::CounterFamily& errors_;
  base::CounterFamily& levels_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> waiting_;
  size_t waiting_bytes_ = 0;
  bool stopping_ = false;
  double tokens_ = 0;
  std::chrono::steady_clock::time_point tokens_at_;
  std::thread writer_;
};

}  // namespace pipeline
