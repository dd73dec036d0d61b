#include "pipeline/audit/audit_log.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace pipeline {

using std::chrono::steady_clock;

base::Result<std::unique_ptr<AuditLog>> AuditLog::Open(const Options& options, const base::Clock& clock,
                                                       base::Metrics& metrics, TellFailure tell) {
  base::Result<std::unique_ptr<LogFile>> file = LogFile::Open(options.file, clock);
  if (!file) return std::unexpected(file.error());
  std::unique_ptr<AuditLog> log(new AuditLog(options, *std::move(file), metrics, std::move(tell)));
  if (options.mode == Mode::kBatch) log->writer_ = std::thread([raw = log.get()] { raw->WriteBatches(); });
  return log;
}

AuditLog::AuditLog(const Options& options, std::unique_ptr<LogFile> file, base::Metrics& metrics, TellFailure tell)
    : options_(options),
      file_(std::move(file)),
      tell_(std::move(tell)),
      events_(metrics
                  .Counters("apiserver_audit_event_total",
                            "[ALPHA] Counter of audit events generated and sent to the audit backend.", {})
                  .With({})),
      rejected_(metrics
                    .Counters("apiserver_audit_requests_rejected_total",
                              "[ALPHA] Counter of apiserver requests rejected due to an error in audit logging "
                              "backend.",
                              {})
                    .With({})),
      errors_(metrics.Counters("apiserver_audit_error_total",
                               "[ALPHA] Counter of audit events that failed to be audited properly. Plugin identifies "
                               "the plugin affected by the error.",
                               {"plugin"})),
      levels_(metrics.Counters("apiserver_audit_level_total",
                               "[ALPHA] Counter of policy levels for audit events (1 per request).", {"level"})),
      tokens_(static_cast<double>(options.batch_burst)),
      tokens_at_(steady_clock::now()) {}

void AuditLog::Fail(std::string_view plugin, std::string_view why, size_t events) {
  errors_.With({plugin}).Add(events);
  if (tell_) tell_(base::Cat("Error in audit plugin '", plugin, "' affecting ", events, " audit events: ", why));
}

std::string AuditLog::Render(const AuditEvent& event) {
  const auto render = [this](const AuditEvent& one) {
    std::string line;
    line.reserve(1024 + one.request_object.size() + one.response_object.size());
    if (options_.legacy_format) {
      AppendEventLegacy(one, line);
    } else {
      AppendEventJson(one, line);
    }
    return line;
  };
  std::string line = render(event);
  const auto is_too_large = [&](const std::string& text) {
    return options_.most_event_bytes > 0 && text.size() > static_cast<size_t>(options_.most_event_bytes);
  };
  if (is_too_large(line) && event.level >= api::AuditLevel::kRequest) {
    AuditEvent smaller = event;
    smaller.request_object.clear();
    smaller.response_object.clear();
    smaller.truncated = true;
    line = render(smaller);
  }
  if (is_too_large(line)) {
    Fail("truncate", "event is too large even after truncating");
    line.clear();
  }
  return line;
}

bool AuditLog::Process(const AuditEvent& event) {
  events_.Add();
  std::string line = Render(event);
  if (line.empty()) return true;
  if (options_.mode == Mode::kBatch) return Enqueue(std::move(line));
  return WriteNow(line, 1) || options_.mode != Mode::kBlockingStrict;
}

bool AuditLog::WriteNow(std::string_view lines, size_t events) {
  const base::Result<> written = file_->Write(lines);
  if (!written) Fail("log", written.error().message, events);
  return written.has_value();
}

bool AuditLog::Enqueue(std::string line) {
  {
    const std::lock_guard lock(mutex_);
    if (!stopping_) {
      if (waiting_.size() >= options_.buffer_size || waiting_bytes_ + line.size() > kMostWaitingBytes) {
        Fail("buffered", "audit buffer queue blocked");
        return true;
      }
      waiting_bytes_ += line.size();
      waiting_.push_back(std::move(line));
      if (waiting_.size() == 1 || waiting_.size() >= options_.batch_size) changed_.notify_one();
      return true;
    }
  }
  WriteNow(line, 1);
  return true;
}

// Until a batch may be written, or the log stops.
void AuditLog::WaitForTurn(std::unique_lock<std::mutex>& lock) {
  if (options_.batches_per_second <= 0) return;
  while (!stopping_) {
    const auto now = steady_clock::now();
    const double passed = std::chrono::duration<double>(now - tokens_at_).count();
    tokens_at_ = now;
    tokens_ = std::min(static_cast<double>(options_.batch_burst), tokens_ + passed * options_.batches_per_second);
    if (tokens_ >= 1) {
      tokens_ -= 1;
      return;
    }
    changed_.wait_for(lock, std::chrono::duration<double>((1 - tokens_) / options_.batches_per_second));
  }
}

void AuditLog::WriteBatches() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) return;  // stopping, and all is written
    if (options_.batch_size > 1) {
      changed_.wait_for(lock, options_.batch_wait,
                        [this] { return stopping_ || waiting_.size() >= options_.batch_size; });
    }
    WaitForTurn(lock);
    std::string lines;
    size_t events = 0;
    while (!waiting_.empty() && events < std::max<size_t>(options_.batch_size, 1)) {
      lines += waiting_.front();
      waiting_bytes_ -= waiting_.front().size();
      waiting_.pop_front();
      ++events;
    }
    lock.unlock();
    WriteNow(lines, events);
    lock.lock();
  }
}

void AuditLog::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (writer_.joinable()) writer_.join();
}

}  // namespace pipeline
