// Tables of the groups apps, batch and autoscaling, and of what else holds pod templates.
#include <string>
#include <vector>

#include "api/group_version.h"
#include "base/text.h"
#include "resources/tables/cells.h"
#include "resources/tables/tables.h"

namespace resources {
namespace {

using registry::Column;

// Containers and images of a pod template.
void TemplateCells(Cells& cells, const Value& pod_template) {
  const Value containers = pod_template.Get({"spec", "containers"});
  cells.Text(JoinMembers(containers, "name"));
  cells.Text(JoinMembers(containers, "image"));
}

constexpr Column kDeployments[] = {kNameColumn,
                                   TextColumn("Ready", "Ready pods of those wanted."),
                                   TextColumn("Up-to-date", "How many pods have the latest template."),
                                   TextColumn("Available", "How many pods have been ready long enough."),
                                   kAgeColumn,
                                   kContainersColumn,
                                   kImagesColumn,
                                   kSelectorColumn};
Value DeploymentCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(base::Cat(Count(object, {"status", "readyReplicas"}), "/", Count(object, {"spec", "replicas"})));
  cells.Number(Count(object, {"status", "updatedReplicas"}));
  cells.Number(Count(object, {"status", "availableReplicas"}));
  cells.Age(object);
  TemplateCells(cells, object.Get({"spec", "template"}));
  cells.Text(FormatSelector(object.Get({"spec", "selector"})));
  return cells.Take();
}

constexpr Column kReplicaSets[] = {kNameColumn,
                                   NumberColumn("Desired", "How many pods are wanted."),
                                   NumberColumn("Current", "How many pods there are."),
                                   NumberColumn("Ready", "How many pods are ready."),
                                   kAgeColumn,
                                   kContainersColumn,
                                   kImagesColumn,
                                   kSelectorColumn};
Value ReplicaCells(Arena& arena, const Value& object, std::string_view now, const std::string& selector) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Number(Count(object, {"spec", "replicas"}));
  cells.Number(Count(object, {"status", "replicas"}));
  cells.Number(Count(object, {"status", "readyReplicas"}));
  cells.Age(object);
  TemplateCells(cells, object.Get({"spec", "template"}));
  cells.Text(selector);
  return cells.Take();
}
Value ReplicaSetCells(Arena& arena, const Value& object, std::string_view now) {
  return ReplicaCells(arena, object, now, FormatSelectorOrNone(object.Get({"spec", "selector"})));
}
// Their selector is plain labels.
Value ReplicationControllerCells(Arena& arena, const Value& object, std::string_view now) {
  return ReplicaCells(arena, object, now, FormatLabels(object.Get({"spec", "selector"})));
}

constexpr Column kPodTemplates[] = {kNameColumn, TextColumn("Containers", "The names of the containers."),
                                    TextColumn("Images", "The images of the containers."),
                                    TextColumn("Pod Labels", "The labels that pods get.")};
Value PodTemplateCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  TemplateCells(cells, object.Get("template"));
  cells.Text(FormatLabels(object.Get({"template", "metadata", "labels"})));
  return cells.Take();
}

constexpr Column kStatefulSets[] = {kNameColumn, TextColumn("Ready", "Ready pods of those wanted."), kAgeColumn,
                                    kContainersColumn, kImagesColumn};
Value StatefulSetCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(base::Cat(Count(object, {"status", "readyReplicas"}), "/", Count(object, {"spec", "replicas"})));
  cells.Age(object);
  TemplateCells(cells, object.Get({"spec", "template"}));
  return cells.Take();
}

constexpr Column kDaemonSets[] = {kNameColumn,
                                  NumberColumn("Desired", "On how many nodes a pod should run."),
                                  NumberColumn("Current", "On how many nodes one runs."),
                                  NumberColumn("Ready", "How many pods are ready."),
                                  NumberColumn("Up-to-date", "How many pods have the latest template."),
                                  NumberColumn("Available", "How many pods have been ready long enough."),
                                  TextColumn("Node Selector", "The labels of the nodes that get a pod."),
                                  kAgeColumn,
                                  kContainersColumn,
                                  kImagesColumn,
                                  kSelectorColumn};
Value DaemonSetCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  for (std::string_view field : {"desiredNumberScheduled", "currentNumberScheduled", "numberReady",
                                 "updatedNumberScheduled", "numberAvailable"}) {
    cells.Number(Count(object, {"status", field}));
  }
  cells.Text(FormatLabels(object.Get({"spec", "template", "spec", "nodeSelector"})));
  cells.Age(object);
  TemplateCells(cells, object.Get({"spec", "template"}));
  cells.Text(FormatSelectorOrNone(object.Get({"spec", "selector"})));
  return cells.Take();
}

constexpr Column kControllerRevisions[] = {kNameColumn, TextColumn("Controller", "The object whose state it keeps."),
                                           TextColumn("Revision", "Which state of it."), kAgeColumn};
std::string ControllerText(const Value& object) {
  for (const Value& owner : object.Get({"metadata", "ownerReferences"}).items()) {
    if (!Flag(owner, {"controller"})) continue;
    const auto named = api::GroupVersion::Parse(owner.GetString("apiVersion"));
    const std::string_view group = named ? named->group : "";
    const std::string kind = base::Cat(owner.GetString("kind"), group.empty() ? "" : ".", group);
    return base::Cat(base::ToLower(kind), "/", owner.GetString("name"));
  }
  return "<none>";
}
Value ControllerRevisionCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(ControllerText(object));
  cells.Number(Count(object, {"revision"}));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kJobs[] = {kNameColumn,
                            TextColumn("Status", "What the job is at."),
                            TextColumn("Completions", "Pods that succeeded of those wanted."),
                            TextColumn("Duration", "How long it has run."),
                            kAgeColumn,
                            kContainersColumn,
                            kImagesColumn,
                            kSelectorColumn};

bool JobCondition(const Value& job, std::string_view type) {
  for (const Value& condition : job.Get({"status", "conditions"}).items()) {
    if (condition.GetString("type") == type) return condition.GetString("status") == "True";
  }
  return false;
}

std::string_view JobStatus(const Value& job) {
  if (JobCondition(job, "Complete")) return "Complete";
  if (JobCondition(job, "Failed")) return "Failed";
  if (job.Get({"metadata", "deletionTimestamp"}).is_string()) return "Terminating";
  if (JobCondition(job, "Suspended")) return "Suspended";
  return JobCondition(job, "FailureTarget") ? "FailureTarget" : "Running";
}

std::string JobCompletions(const Value& job) {
  const int64_t succeeded = Count(job, {"status", "succeeded"});
  if (job.Get({"spec", "completions"}).is_int()) return base::Cat(succeeded, "/", Count(job, {"spec", "completions"}));
  const int64_t parallelism = Count(job, {"spec", "parallelism"});
  return parallelism > 1 ? base::Cat(succeeded, "/1 of ", parallelism) : base::Cat(succeeded, "/1");
}

std::string JobDuration(const Value& job, const Cells& cells) {
  const std::string_view start = TextAt(job, {"status", "startTime"}), end = TextAt(job, {"status", "completionTime"});
  if (start.empty()) return {};
  return end.empty() ? cells.Since(start) : HumanDuration(UnixSeconds(end) - UnixSeconds(start));
}

Value JobCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Text(JobStatus(object));
  cells.Text(JobCompletions(object));
  cells.Text(JobDuration(object, cells));
  cells.Age(object);
  TemplateCells(cells, object.Get({"spec", "template"}));
  cells.Text(FormatSelectorOrNone(object.Get({"spec", "selector"})));
  return cells.Take();
}

constexpr Column kCronJobs[] = {kNameColumn,
                                TextColumn("Schedule", "When jobs are started, in cron form."),
                                TextColumn("Timezone", "Whose time the schedule is in."),
                                BoolColumn("Suspend", "Whether no jobs are started for now."),
                                NumberColumn("Active", "How many of its jobs run."),
                                TextColumn("Last Schedule", "How long ago a job was started last."),
                                kAgeColumn,
                                kContainersColumn,
                                kImagesColumn,
                                kSelectorColumn};
Value CronJobCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const std::string_view last = TextAt(object, {"status", "lastScheduleTime"});
  const Value suspend = object.Get({"spec", "suspend"});
  cells.Name(object);
  cells.Text(TextAt(object, {"spec", "schedule"}));
  cells.Text(TextAt(object, {"spec", "timeZone"}), "<none>");
  cells.Text(!suspend.is_bool() ? "<unset>" : suspend.AsBool() ? "True" : "False");
  cells.Number(object.Get({"status", "active"}).size());
  cells.Text(last.empty() ? std::string("<none>") : cells.Since(last));
  cells.Age(object);
  TemplateCells(cells, object.Get({"spec", "jobTemplate", "spec", "template"}));
  cells.Text(FormatSelectorOrNone(object.Get({"spec", "jobTemplate", "spec", "selector"})));
  return cells.Take();
}

constexpr Column kAutoscalers[] = {kNameColumn,
                                   TextColumn("Reference", "The object that it scales."),
                                   TextColumn("Targets", "Measured and wanted of each metric."),
                                   TextColumn("MinPods", "How many pods there are at least."),
                                   TextColumn("MaxPods", "How many pods there are at most."),
                                   TextColumn("Replicas", "How many pods there are."),
                                   kAgeColumn};

std::string OrUnknown(const Value& amount) {
  std::string text = Printed(amount);
  return text.empty() ? "<unknown>" : text;
}

// The resource metrics: "cpu: 10%/80%" or "cpu: 100m/200m".
std::string ResourceMetric(const Value& source, const Value& current) {
  const Value target = source.Get("target");
  const std::string_view name = source.GetString("name");
  if (!target.Get("averageValue").is_null()) {
    return base::Cat(name, ": ", OrUnknown(current.Get("averageValue")), "/", Printed(target.Get("averageValue")));
  }
  const Value measured = current.Get("averageUtilization"), wanted = target.Get("averageUtilization");
  return base::Cat(name, ": ", measured.is_int() ? base::Cat(measured.AsInt(), "%") : std::string("<unknown>"), "/",
                   wanted.is_int() ? base::Cat(wanted.AsInt(), "%") : std::string("<auto>"));
}

// The metrics by one value: "5/10", or "5/10 (avg)".
std::string ValueMetric(const Value& source, const Value& current) {
  const Value target = source.Get("target");
  if (!target.Get("averageValue").is_null()) {
    return base::Cat(OrUnknown(current.Get("averageValue")), "/", Printed(target.Get("averageValue")), " (avg)");
  }
  return base::Cat(OrUnknown(current.Get("value")), "/", Printed(target.Get("value")));
}

std::string MetricText(const Value& metric, const Value& measured) {
  const std::string_view type = metric.GetString("type");
  const auto current = [&](std::string_view member) { return measured.Get({member, "current"}); };
  if (type == "External") return ValueMetric(metric.Get("external"), current("external"));
  if (type == "Object") return ValueMetric(metric.Get("object"), current("object"));
  if (type == "Resource") return ResourceMetric(metric.Get("resource"), current("resource"));
  if (type == "ContainerResource") return ResourceMetric(metric.Get("containerResource"), current("containerResource"));
  if (type != "Pods") return "<unknown type>";
  return base::Cat(OrUnknown(current("pods").Get("averageValue")), "/",
                   Printed(metric.Get({"pods", "target", "averageValue"})));
}

std::string MetricsText(const Value& autoscaler) {
  constexpr size_t kShown = 2;
  const Value metrics = autoscaler.Get({"spec", "metrics"}), measured = autoscaler.Get({"status", "currentMetrics"});
  if (!metrics.is_array()) {  // version 1 knows the processor's only
    const Value wanted = autoscaler.Get({"spec", "targetCPUUtilizationPercentage"});
    if (!wanted.is_int()) return "<none>";
    const Value now = autoscaler.Get({"status", "currentCPUUtilizationPercentage"});
    return base::Cat("cpu: ", now.is_int() ? base::Cat(now.AsInt(), "%") : std::string("<unknown>"), "/",
                     wanted.AsInt(), "%");
  }
  if (metrics.empty()) return "<none>";
  std::vector<std::string> texts;
  for (uint32_t i = 0; i < metrics.size() && i < kShown; ++i) {
    texts.push_back(MetricText(metrics[i], i < measured.size() ? measured[i] : Value()));
  }
  const std::string text = JoinRange(texts, ", ");
  return metrics.size() > kShown ? base::Cat(text, " + ", metrics.size() - kShown, " more...") : text;
}

Value AutoscalerCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  const Value least = object.Get({"spec", "minReplicas"});
  cells.Name(object);
  cells.Text(base::Cat(TextAt(object, {"spec", "scaleTargetRef", "kind"}), "/",
                       TextAt(object, {"spec", "scaleTargetRef", "name"})));
  cells.Text(MetricsText(object));
  cells.Text(Printed(least), "<unset>");
  cells.Number(Count(object, {"spec", "maxReplicas"}));
  cells.Number(Count(object, {"status", "currentReplicas"}));
  cells.Age(object);
  return cells.Take();
}

constexpr Column kScales[] = {TextColumn("Name", "The name of what is scaled."),
                              NumberColumn("Desired", "How many replicas are wanted."),
                              NumberColumn("Available", "How many replicas there are."), kAgeColumn};
Value ScaleCells(Arena& arena, const Value& object, std::string_view now) {
  Cells cells(arena, now);
  cells.Name(object);
  cells.Number(Count(object, {"spec", "replicas"}));
  cells.Number(Count(object, {"status", "replicas"}));
  cells.Age(object);
  return cells.Take();
}

constexpr TableEntry kTables[] = {
    {"autoscaling", "Scale", {kScales, ScaleCells}},
    {"apps", "deployments", {kDeployments, DeploymentCells}},
    {"", "podtemplates", {kPodTemplates, PodTemplateCells}},
    {"", "replicationcontrollers", {kReplicaSets, ReplicationControllerCells}},
    {"apps", "replicasets", {kReplicaSets, ReplicaSetCells}},
    {"apps", "statefulsets", {kStatefulSets, StatefulSetCells}},
    {"apps", "daemonsets", {kDaemonSets, DaemonSetCells}},
    {"apps", "controllerrevisions", {kControllerRevisions, ControllerRevisionCells}},
    {"batch", "jobs", {kJobs, JobCells}},
    {"batch", "cronjobs", {kCronJobs, CronJobCells}},
    {"autoscaling", "horizontalpodautoscalers", {kAutoscalers, AutoscalerCells}},
};

}  // namespace

std::span<const TableEntry> WorkloadTables() { return kTables; }

}  // namespace resources
