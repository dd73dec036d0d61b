#include "resources/tables/pod_table.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "registry/conditions.h"

namespace resources {
namespace {

// What the columns Ready, Status and Restarts say, gathered from the containers' states.
struct PodSummary {
  int64_t ready = 0, total = 0, restarts = 0;
  std::string status;
  std::string_view last_restart;  // RFC 3339, "" for none
};

void NoteRestart(const Value& container, std::string_view& last) {
  last = std::max(last, TextAt(container, {"lastState", "terminated", "finishedAt"}));
}

std::string ExitText(const Value& terminated, std::string_view prefix) {
  const std::string_view reason = terminated.GetString("reason");
  if (!reason.empty()) return base::Cat(prefix, reason);
  const int64_t signal = Count(terminated, {"signal"});
  return signal != 0 ? base::Cat(prefix, "Signal:", signal)
                     : base::Cat(prefix, "ExitCode:", Count(terminated, {"exitCode"}));
}

bool ConditionTrue(const Value& pod, std::string_view type) {
  return registry::IsTrue(pod.Get({"status", "conditions"}), type);
}

bool Restartable(const Value& pod, std::string_view container) {
  return std::ranges::any_of(pod.Get({"spec", "initContainers"}).items(), [&](const Value& init) {
    return init.GetString("name") == container && init.GetString("restartPolicy") == "Always";
  });
}

// What an init container says of the pod that waits for it; "" where it is done or runs beside the others.
std::string InitStatus(const Value& pod, const Value& container, uint32_t index, PodSummary& summary) {
  const Value terminated = container.Get({"state", "terminated"});
  if (terminated.is_object() && Count(terminated, {"exitCode"}) == 0) return {};
  if (Restartable(pod, container.GetString("name")) && Flag(container, {"started"})) {
    summary.ready += Flag(container, {"ready"});
    return {};
  }
  if (terminated.is_object()) return ExitText(terminated, "Init:");
  const std::string_view waiting = TextAt(container, {"state", "waiting", "reason"});
  if (!waiting.empty() && waiting != "PodInitializing") return base::Cat("Init:", waiting);
  return base::Cat("Init:", index, "/", pod.Get({"spec", "initContainers"}).size());
}

// True while init containers hold the pod back. `beside` gathers the restarts of those that go on running.
bool Initializing(const Value& pod, PodSummary& summary, PodSummary& beside) {
  const Value statuses = pod.Get({"status", "initContainerStatuses"});
  for (uint32_t i = 0; i < statuses.size(); ++i) {
    const Value& container = statuses[i];
    summary.restarts += Count(container, {"restartCount"});
    NoteRestart(container, summary.last_restart);
    if (Restartable(pod, container.GetString("name"))) {
      beside.restarts += Count(container, {"restartCount"});
      NoteRestart(container, beside.last_restart);
    }
    std::string status = InitStatus(pod, container, i, summary);
    if (status.empty()) continue;
    summary.status = std::move(status);
    return true;
  }
  return false;
}

void Running(const Value& pod, PodSummary& summary) {
  const Value statuses = pod.Get({"status", "containerStatuses"});
  bool has_running = false;
  for (uint32_t i = statuses.size(); i-- > 0;) {
    const Value& container = statuses[i];
    summary.restarts += Count(container, {"restartCount"});
    NoteRestart(container, summary.last_restart);
    const std::string_view waiting = TextAt(container, {"state", "waiting", "reason"});
    const Value terminated = container.Get({"state", "terminated"});
    if (!waiting.empty()) {
      summary.status = waiting;
    } else if (terminated.is_object()) {
      summary.status = ExitText(terminated, "");
    } else if (Flag(container, {"ready"}) && container.Get({"state", "running"}).is_object()) {
      has_running = true;
      ++summary.ready;
    }
  }
  if (summary.status == "Completed" && has_running)
    summary.status = ConditionTrue(pod, "Ready") ? "Running" : "NotReady";
}

PodSummary Summarise(const Value& pod) {
  PodSummary summary, beside;
  const std::string_view phase = TextAt(pod, {"status", "phase"}), reason = TextAt(pod, {"status", "reason"});
  summary.status = reason.empty() ? phase : reason;
  for (const Value& condition : pod.Get({"status", "conditions"}).items()) {
    const bool gated =
        condition.GetString("type") == "PodScheduled" && condition.GetString("reason") == "SchedulingGated";
    if (gated) summary.status = "SchedulingGated";
  }
  summary.total = pod.Get({"spec", "containers"}).size();
  for (const Value& init : pod.Get({"spec", "initContainers"}).items())
    summary.total += init.GetString("restartPolicy") == "Always";
  if (!Initializing(pod, summary, beside) || ConditionTrue(pod, "Initialized")) {
    summary.restarts = beside.restarts;
    summary.last_restart = beside.last_restart;
    Running(pod, summary);
  }
  if (pod.Get({"metadata", "deletionTimestamp"}).is_string()) {
    const bool over = phase == "Succeeded" || phase == "Failed";
    if (reason == "NodeLost") {
      summary.status = "Unknown";
    } else if (!over) {
      summary.status = "Terminating";
    }
  }
  return summary;
}

std::string GatesText(const Value& pod) {
  const Value gates = pod.Get({"spec", "readinessGates"});
  if (gates.empty()) return "<none>";
  int64_t open = 0;
  for (const Value& gate : gates.items()) open += ConditionTrue(pod, gate.GetString("conditionType"));
  return base::Cat(open, "/", gates.size());
}

}  // namespace

Value PodCells(Arena& arena, const Value& pod, std::string_view now) {
  const PodSummary summary = Summarise(pod);
  Cells cells(arena, now);
  cells.Name(pod);
  cells.Text(base::Cat(summary.ready, "/", summary.total));
  cells.Text(summary.status);
  const bool tells_when = summary.restarts != 0 && !summary.last_restart.empty();
  cells.Text(tells_when ? base::Cat(summary.restarts, " (", cells.Since(summary.last_restart), " ago)")
                        : base::Cat(summary.restarts));
  cells.Age(pod);
  const Value ips = pod.Get({"status", "podIPs"});
  cells.Text(ips.empty() ? std::string_view() : ips[0].GetString("ip"), "<none>");
  cells.Text(TextAt(pod, {"spec", "nodeName"}), "<none>");
  cells.Text(TextAt(pod, {"status", "nominatedNodeName"}), "<none>");
  cells.Text(GatesText(pod));
  return cells.Take();
}

std::string_view PodConditions(const Value& pod) {
  const std::string_view phase = pod.Get("status").GetString("phase");
  if (phase == "Succeeded") {
    return R"([{"type":"Completed","status":"True","reason":"Succeeded","message":"The pod has completed successfully."}])";
  }
  if (phase != "Failed") return {};
  return R"([{"type":"Completed","status":"True","reason":"Failed","message":"The pod failed."}])";
}

}  // namespace resources
