#include "server/audit_flags.h"

#include <cstdlib>

#include "base/text.h"

namespace server {
namespace {

using base::Cat;
using pipeline::AuditLog;

std::string ReadMode(std::string_view text, AuditLog::Mode& mode) {
  if (text == "batch") {
    mode = AuditLog::Mode::kBatch;
  } else if (text == "blocking") {
    mode = AuditLog::Mode::kBlocking;
  } else if (text == "blocking-strict") {
    mode = AuditLog::Mode::kBlockingStrict;
  } else {
    return Cat("invalid audit log mode ", text, R"(, allowed modes are "batch,blocking,blocking-strict")");
  }
  return "";
}

// Of what only batches look at.
std::string ReadBatches(const FlagValues& flags, AuditLog::Options& log) {
  const int64_t buffer = flags.Int("audit-log-batch-buffer-size"), batch = flags.Int("audit-log-batch-max-size");
  if (buffer <= 0) return Cat("invalid audit batch log buffer size ", buffer, ", must be a positive number");
  if (batch <= 0) return Cat("invalid audit batch log max batch size ", batch, ", must be a positive number");
  log.buffer_size = static_cast<size_t>(buffer);
  log.batch_size = static_cast<size_t>(batch);
  log.batch_wait = flags.Duration("audit-log-batch-max-wait");
  if (!flags.Bool("audit-log-batch-throttle-enable")) return "";
  const std::string_view rate = flags.Text("audit-log-batch-throttle-qps");
  log.batches_per_second = std::strtod(std::string(rate).c_str(), nullptr);
  if (!(log.batches_per_second > 0)) {
    return Cat("invalid audit batch log throttle QPS ", rate.empty() ? "0" : rate, ", must be a positive number");
  }
  log.batch_burst = flags.Int("audit-log-batch-throttle-burst");
  if (log.batch_burst > 0) return "";
  return Cat("invalid audit batch log throttle burst ", log.batch_burst, ", must be a positive number");
}

}  // namespace

std::vector<std::string> TakeAuditFlags(const FlagValues& flags, Options& options) {
  std::vector<std::string> complaints;
  const auto complain = [&complaints](std::string text) {
    if (!text.empty()) complaints.push_back(std::move(text));
  };
  options.audit.policy_file = flags.Text("audit-policy-file");
  const std::string_view path = flags.Text("audit-log-path");
  if (path.empty()) return complaints;
  AuditLog::Options& log = options.audit.log.emplace();
  log.file = {.path = std::string(path),
              .most_megabytes = flags.Int("audit-log-maxsize"),
              .most_days = flags.Int("audit-log-maxage"),
              .most_backups = flags.Int("audit-log-maxbackup"),
              .compress = flags.Bool("audit-log-compress")};
  std::string mode = ReadMode(flags.Text("audit-log-mode"), log.mode);
  if (mode.empty() && log.mode == AuditLog::Mode::kBatch) mode = ReadBatches(flags, log);
  complain(std::move(mode));
  const int64_t most_event = flags.Int("audit-log-truncate-max-event-size");
  const int64_t most_batch = flags.Int("audit-log-truncate-max-batch-size");
  if (most_event <= 0) {
    complain(Cat("invalid audit truncate log max event size ", most_event, ", must be a positive number"));
  } else if (most_batch < most_event) {
    complain(Cat("invalid audit truncate log max batch size ", most_batch, ", must be greater than max event size (",
                 most_event, ")"));
  }
  if (flags.Bool("audit-log-truncate-enabled")) log.most_event_bytes = most_event;
  if (const std::string_view version = flags.Text("audit-log-version"); version != "audit.k8s.io/v1") {
    complain(R"(invalid group version, allowed versions are [{"audit.k8s.io" "v1"}])");
  }
  const std::string_view format = flags.Text("audit-log-format");
  log.legacy_format = format == "legacy";
  if (format != "json" && format != "legacy") {
    complain(Cat("invalid audit log format ", format, R"(, allowed formats are "legacy,json")"));
  }
  for (std::string_view name : {"audit-log-maxage", "audit-log-maxbackup", "audit-log-maxsize"}) {
    if (flags.Int(name) < 0) complain(Cat("--", name, " ", flags.Int(name), " can't be a negative number"));
  }
  return complaints;
}

}  // namespace server
