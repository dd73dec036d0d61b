#include "pipeline/flowcontrol/flow_dump.h"

#include <algorithm>

#include "absl/time/time.h"
#include "base/text.h"

namespace pipeline {
namespace {

using base::Cat;
using Row = std::vector<std::string>;

constexpr size_t kLeastWidth = 8;

// Columns end in a comma and are padded to the width of their widest cell and a blank; the last one is not.
std::string Print(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows[0].size(), kLeastWidth);
  for (const Row& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size() + 2);
  }
  std::string text;
  for (const Row& row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      base::Append(text, row[i], ",", std::string(widths[i] - row[i].size() - 1, ' '));
    }
    base::Append(text, row.back(), "\n");
  }
  return text;
}

// "0.00300000ss"
std::string SeatSecondsText(QueueSet::SeatSeconds work) {
  constexpr QueueSet::SeatSeconds kScale = 100'000'000;
  work = std::max<QueueSet::SeatSeconds>(work, 0);
  std::string fraction = Cat(work % kScale);
  fraction.insert(0, 8 - fraction.size(), '0');
  return Cat(work / kScale, ".", fraction, "ss");
}

std::string TimeText(std::chrono::system_clock::time_point time) {
  if (time == std::chrono::system_clock::time_point()) return "0001-01-01T00:00:00Z";
  return absl::FormatTime("%Y-%m-%d%ET%H:%M:%E*SZ", absl::FromChrono(time), absl::UTCTimeZone());
}

Row RowOf(const std::string& level, int64_t queue, int64_t index, const QueueSet::RequestDump& request,
          bool with_details) {
  Row row{level,
          request.flow_schema,
          Cat(queue),
          Cat(index),
          request.distinguisher,
          TimeText(request.arrived),
          Cat(request.seats),
          "0",
          "0s",
          TimeText(request.started)};
  if (!with_details) return row;
  const api::RequestInfo& info = request.info;
  const std::string version = info.group.empty() ? info.version : Cat(info.group, "/", info.version);
  for (const std::string& detail :
       {request.user, info.verb, info.path, info.namespace_name, info.name, version, info.resource, info.subresource}) {
    row.push_back(detail);
  }
  return row;
}

}  // namespace

std::string DumpPriorityLevels(const std::vector<PriorityLevels::Level>& levels) {
  std::vector<Row> rows{{"PriorityLevelName", "ActiveQueues", "IsIdle", "IsQuiescing", "WaitingRequests",
                         "ExecutingRequests", "DispatchedRequests", "RejectedRequests", "TimedoutRequests",
                         "CancelledRequests"}};
  for (const PriorityLevels::Level& level : levels) {
    const QueueSet::Dump& dump = level.dump;
    const auto active = std::ranges::count_if(dump.queues, [](const auto& queue) { return !queue.waiting.empty(); });
    rows.push_back({level.name, Cat(active), dump.idle() ? "true" : "false", level.quiescing ? "true" : "false",
                    Cat(dump.waiting), Cat(dump.running), Cat(dump.dispatched), Cat(dump.rejected), Cat(dump.timed_out),
                    Cat(dump.cancelled)});
  }
  return Print(rows);
}

std::string DumpQueues(const std::vector<PriorityLevels::Level>& levels) {
  std::vector<Row> rows{{"PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse",
                         "NextDispatchR", "InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum"}};
  for (const PriorityLevels::Level& level : levels) {
    for (size_t i = 0; i < level.dump.queues.size(); ++i) {
      const QueueSet::QueueDump& queue = level.dump.queues[i];
      rows.push_back({level.name, Cat(i), Cat(queue.waiting.size()), Cat(queue.running.size()), Cat(queue.seats_in_use),
                      SeatSecondsText(queue.next_dispatch), Cat(queue.seats_waiting), Cat(queue.seats_waiting),
                      SeatSecondsText(queue.work_waiting)});
    }
  }
  return Print(rows);
}

std::string DumpRequests(const std::vector<PriorityLevels::Level>& levels, bool with_details) {
  Row head{"PriorityLevelName", "FlowSchemaName", "QueueIndex", "RequestIndexInQueue", "FlowDistingsher",
           "ArriveTime",        "InitialSeats",   "FinalSeats", "AdditionalLatency",   "StartTime"};
  if (with_details) {
    for (const char* detail :
         {"UserName", "Verb", "APIPath", "Namespace", "Name", "APIVersion", "Resource", "SubResource"}) {
      head.emplace_back(detail);
    }
  }
  std::vector<Row> rows{std::move(head)};
  for (const PriorityLevels::Level& level : levels) {
    int64_t index = 0;
    for (const QueueSet::QueueDump& queue : level.dump.queues) {
      for (size_t i = 0; i < queue.waiting.size(); ++i) {
        rows.push_back(RowOf(level.name, index, static_cast<int64_t>(i), queue.waiting[i], with_details));
      }
      for (const auto& request : queue.running) rows.push_back(RowOf(level.name, index, -1, request, with_details));
      ++index;
    }
    for (const auto& request : level.dump.without_queue) {
      rows.push_back(RowOf(level.name, -1, -1, request, with_details));
    }
  }
  return Print(rows);
}

}  // namespace pipeline
