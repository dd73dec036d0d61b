// autoscaling/v1 has one metric, the CPU's utilization; everything else that v2 has is kept in four annotations there,
// as JSON, so that nothing is lost on the way through v1.
#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "resources/conversions.h"
#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/schema.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace resources::autoscaling {

using value::Arena;
using value::Member;
using value::Value;

namespace {

constexpr std::string_view kMetrics = "autoscaling.alpha.kubernetes.io/metrics";
constexpr std::string_view kCurrentMetrics = "autoscaling.alpha.kubernetes.io/current-metrics";
constexpr std::string_view kConditions = "autoscaling.alpha.kubernetes.io/conditions";
constexpr std::string_view kBehavior = "autoscaling.alpha.kubernetes.io/behavior";
constexpr std::array kAnnotations = {kMetrics, kCurrentMetrics, kConditions, kBehavior};

// Where one value of a metric stands: in v2, nested, and in v1. `counts_when_absent`: v1 has no way not to say it, so
// that v2 has at least its zero.
struct Move {
  std::string_view v2, v1;
  bool counts_when_absent = false;
};
struct MetricMoves {
  std::string_view kind;  // the member of MetricSpec and MetricStatus
  std::array<Move, 5> moves;
};
constexpr MetricMoves kSpecMoves[] = {
    {"object",
     {{{"describedObject", "target"},
       {"metric.name", "metricName"},
       {"metric.selector", "selector"},
       {"target.value", "targetValue", true},
       {"target.averageValue", "averageValue"}}}},
    {"pods",
     {{{"metric.name", "metricName"},
       {"metric.selector", "selector"},
       {"target.averageValue", "targetAverageValue", true}}}},
    {"resource",
     {{{"name", "name"},
       {"target.averageUtilization", "targetAverageUtilization"},
       {"target.averageValue", "targetAverageValue"}}}},
    {"containerResource",
     {{{"name", "name"},
       {"container", "container"},
       {"target.averageUtilization", "targetAverageUtilization"},
       {"target.averageValue", "targetAverageValue"}}}},
    {"external",
     {{{"metric.name", "metricName"},
       {"metric.selector", "metricSelector"},
       {"target.value", "targetValue"},
       {"target.averageValue", "targetAverageValue"}}}},
};
constexpr MetricMoves kStatusMoves[] = {
    {"object",
     {{{"describedObject", "target"},
       {"metric.name", "metricName"},
       {"metric.selector", "selector"},
       {"current.value", "currentValue", true},
       {"current.averageValue", "averageValue"}}}},
    {"pods",
     {{{"metric.name", "metricName"},
       {"metric.selector", "selector"},
       {"current.averageValue", "currentAverageValue", true}}}},
    {"resource",
     {{{"name", "name"},
       {"current.averageUtilization", "currentAverageUtilization"},
       {"current.averageValue", "currentAverageValue", true}}}},
    {"containerResource",
     {{{"name", "name"},
       {"container", "container"},
       {"current.averageUtilization", "currentAverageUtilization"},
       {"current.averageValue", "currentAverageValue", true}}}},
    {"external",
     {{{"metric.name", "metricName"},
       {"metric.selector", "metricSelector"},
       {"current.value", "currentValue", true},
       {"current.averageValue", "currentAverageValue"}}}},
};

const schema::Type& TypeOf(std::string_view version, std::string_view name) {
  return *schema::FindType(base::Cat("io.k8s.api.autoscaling.", version, ".", name));
}

const Value* FindPath(const Value& object, std::string_view path) {
  size_t dot = path.find('.');
  const Value* v = object.Find(path.substr(0, dot));
  return v && dot != path.npos ? FindPath(*v, path.substr(dot + 1)) : v;
}

void SetPath(Arena& arena, const Value& object, std::string_view path, const Value& v) {
  size_t dot = path.find('.');
  std::string_view key = path.substr(0, dot);
  if (dot == path.npos) return object.Set(arena, key, v);
  if (!object.Find(key)) object.Set(arena, key, Value::Object(arena));
  SetPath(arena, *object.Find(key), path.substr(dot + 1), v);
}

// What v2 says of a target beside its numbers, and v1 leaves to which of them is there.
std::string_view TargetType(std::string_view kind, const Value& v1_metric) {
  auto has = [&](std::string_view key) { return v1_metric.Find(key) != nullptr; };
  if (kind == "object") return has("averageValue") ? "AverageValue" : "Value";
  if (kind == "external") return has("targetValue") ? "Value" : "AverageValue";
  if (kind == "pods") return "AverageValue";
  return has("targetAverageUtilization") ? "Utilization" : "AverageValue";
}

// MetricSpecs or MetricStatuses between the versions.
enum class Direction { kToV1, kToV2 };
Value ConvertMetric(Arena& arena, const Value& metric, std::span<const MetricMoves> table, Direction direction) {
  bool to_v1 = direction == Direction::kToV1;
  Value out = Value::Object(arena, 2);
  if (const Value* type = metric.Find("type")) out.Add(arena, "type", *type);
  for (const MetricMoves& entry : table) {
    const Value* source = metric.Find(entry.kind);
    if (!source) continue;
    Value converted = Value::Object(arena);
    for (const Move& move : entry.moves) {
      if (move.v2.empty()) continue;
      if (const Value* v = FindPath(*source, to_v1 ? move.v2 : move.v1)) {
        SetPath(arena, converted, to_v1 ? move.v1 : move.v2, *v);
      } else if (!to_v1 && move.counts_when_absent) {
        SetPath(arena, converted, move.v2, Value::String("0"));
      }
    }
    if (!to_v1 && table.data() == kSpecMoves) {
      SetPath(arena, converted, "target.type", Value::String(TargetType(entry.kind, *source)));
    }
    out.Add(arena, entry.kind, converted);
  }
  return out;
}

// The internal form of `behavior`: Go's own field names, everything written.
std::string BehaviorJson(const Value& behavior) {
  auto number = [](const Value& v) { return v.is_null() ? std::string("null") : value::ToJson(v); };
  auto rules = [&](std::string_view key) -> std::string {
    const Value* side = behavior.Find(key);
    if (!side) return "null";
    std::string json = base::Cat("{\"StabilizationWindowSeconds\":", number(side->Get("stabilizationWindowSeconds")),
                                 ",\"SelectPolicy\":", number(side->Get("selectPolicy")), ",\"Policies\":");
    if (side->Get("policies").empty()) return json + "null}";
    char before = '[';
    for (const Value& policy : side->Get("policies").items()) {
      json += before;
      before = ',';
      json += "{\"Type\":";
      value::AppendJsonString(json, policy.GetString("type"));
      auto integer = [&](std::string_view name) {
        const Value* v = policy.Find(name);
        return v && v->is_int() ? v->AsInt() : 0;
      };
      base::Append(json, ",\"Value\":", integer("value"), ",\"PeriodSeconds\":", integer("periodSeconds"), "}");
    }
    return json + "]}";
  };
  return base::Cat("{\"ScaleUp\":", rules("scaleUp"), ",\"ScaleDown\":", rules("scaleDown"), "}");
}

// The members of `object` under the names that `type` has for them, whatever their case.
Value WithFieldNames(Arena& arena, const Value& object, const schema::Type& type) {
  Value out = Value::Object(arena, object.size());
  for (const Member& member : object.members()) {
    for (const schema::Field* field : type.members) {
      if (!base::EqualsIgnoreCase(field->name, member.key) || member.value.is_null()) continue;
      Value v = member.value;
      if (field->ref && v.is_object()) v = WithFieldNames(arena, v, *field->ref);
      if (field->ref && v.is_array()) {
        Value list = Value::Array(arena, v.size());
        for (const Value& item : v.items()) list.Append(arena, WithFieldNames(arena, item, *field->ref));
        v = list;
      }
      out.Add(arena, field->name, v);
    }
  }
  return out;
}

Value Annotation(const Value& object, std::string_view name) { return object.Get({"metadata", "annotations", name}); }

// The JSON list of `type` that the annotation holds. False if there is none or it cannot be read.
bool ReadList(Arena& arena, const Value& object, std::string_view annotation, const schema::Type& type, Value& list) {
  Value text = Annotation(object, annotation);
  if (!text.is_string()) return false;
  base::Result<Value> document = value::ReadJson(text.AsString(), arena);
  if (!document || !(document->is_array() || document->is_null())) return false;
  list = Value::Array(arena, document->size());
  for (const Value& item : document->items()) {
    api::Result<Value> decoded = schema::Decode(type, item, arena, nullptr);
    if (!decoded) return false;
    list.Append(arena, *decoded);
  }
  return true;
}

std::string_view ListJson(Arena& arena, const Value& list, const schema::Type& type) {
  std::string json = "[";
  for (const Value& item : list.items()) {
    if (json.size() > 1) json += ',';
    schema::EncodeJson(type, item, json);
  }
  return arena.CopyString(json + "]");
}

bool IsCpu(const Value& metric) {
  return metric.GetString("type") == "Resource" && metric.Get({"resource", "name"}).is_string() &&
         metric.Get({"resource", "name"}).AsString() == "cpu";
}

// The object's own members and metadata without the four annotations; spec and status are for the caller.
Value Frame(Arena& arena, const Value& object, std::string_view api_version) {
  Value out = Value::Object(arena, 5);
  out.Add(arena, "kind", Value::String("HorizontalPodAutoscaler"));
  out.Add(arena, "apiVersion", Value::String(api_version));
  const Value* metadata = object.Find("metadata");
  if (!metadata) return out;
  out.Add(arena, "metadata", value::DeepCopy(arena, *metadata));
  DropAnnotationsOfV1(out);
  return out;
}

void Annotate(Arena& arena, const Value& object, std::string_view name, std::string_view text) {
  SetPath(arena, object, "metadata.annotations",
          object.Get({"metadata", "annotations"}).is_object() ? object.Get({"metadata", "annotations"})
                                                              : Value::Object(arena));
  object.Get({"metadata", "annotations"}).Set(arena, name, Value::String(text));
}

void CopyMembers(Arena& arena, const Value* from, const Value& to, std::initializer_list<std::string_view> names) {
  for (std::string_view name : names) {
    if (const Value* v = from ? from->Find(name) : nullptr) to.Add(arena, name, *v);
  }
}

// As the type says: order, zero values.
Value Canonical(Arena& arena, const Value& object, std::string_view version) {
  return schema::Decode(TypeOf(version, "HorizontalPodAutoscaler"), object, arena, nullptr).value_or(object);
}

Value CpuMetric(Arena& arena, const Value& utilization) {
  Value metric = Value::Object(arena, 2);
  metric.Add(arena, "type", Value::String("Resource"));
  SetPath(arena, metric, "resource.name", Value::String("cpu"));
  SetPath(arena, metric, "resource.target.type", Value::String("Utilization"));
  SetPath(arena, metric, "resource.target.averageUtilization", utilization);
  return metric;
}

void SpecToV1(Arena& arena, const Value& v2, const Value& v1) {
  const Value* from = v2.Find("spec");
  Value spec = Value::Object(arena, 4);
  CopyMembers(arena, from, spec, {"scaleTargetRef", "minReplicas", "maxReplicas"});
  v1.Add(arena, "spec", spec);
  Value others = Value::Array(arena);
  for (const Value& metric : v2.Get({"spec", "metrics"}).items()) {
    Value utilization = metric.Get({"resource", "target", "averageUtilization"});
    if (!IsCpu(metric) || utilization.is_null()) {
      others.Append(arena, ConvertMetric(arena, metric, kSpecMoves, Direction::kToV1));
    } else if (!spec.Find("targetCPUUtilizationPercentage")) {
      spec.Add(arena, "targetCPUUtilizationPercentage", utilization);
    }
  }
  if (!others.empty()) Annotate(arena, v1, kMetrics, ListJson(arena, others, TypeOf("v1", "MetricSpec")));
  if (const Value* behavior = from ? from->Find("behavior") : nullptr) {
    Annotate(arena, v1, kBehavior, arena.CopyString(BehaviorJson(*behavior)));
  }
}

void StatusToV1(Arena& arena, const Value& v2, const Value& v1) {
  const Value* from = v2.Find("status");
  Value status = Value::Object(arena, 5);
  CopyMembers(arena, from, status, {"observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"});
  v1.Add(arena, "status", status);
  Value metrics = Value::Array(arena);
  for (const Value& metric : v2.Get({"status", "currentMetrics"}).items()) {
    metrics.Append(arena, ConvertMetric(arena, metric, kStatusMoves, Direction::kToV1));
    Value utilization = metric.Get({"resource", "current", "averageUtilization"});
    if (IsCpu(metric) && !utilization.is_null()) status.Set(arena, "currentCPUUtilizationPercentage", utilization);
  }
  if (!metrics.empty()) Annotate(arena, v1, kCurrentMetrics, ListJson(arena, metrics, TypeOf("v1", "MetricStatus")));
  Value conditions = v2.Get({"status", "conditions"});
  if (!conditions.empty()) {
    Annotate(arena, v1, kConditions, ListJson(arena, conditions, TypeOf("v1", "HorizontalPodAutoscalerCondition")));
  }
}

void SpecToV2(Arena& arena, const Value& v1, const Value& v2) {
  const Value* from = v1.Find("spec");
  Value spec = Value::Object(arena, 5);
  CopyMembers(arena, from, spec, {"scaleTargetRef", "minReplicas", "maxReplicas"});
  Value metrics = Value::Array(arena), others;
  if (ReadList(arena, v1, kMetrics, TypeOf("v1", "MetricSpec"), others)) {
    for (const Value& metric : others.items())
      metrics.Append(arena, ConvertMetric(arena, metric, kSpecMoves, Direction::kToV2));
  }
  Value utilization = v1.Get({"spec", "targetCPUUtilizationPercentage"});
  if (!utilization.is_null()) metrics.Append(arena, CpuMetric(arena, utilization));
  if (metrics.empty()) metrics.Append(arena, CpuMetric(arena, Value::Int(80)));
  spec.Add(arena, "metrics", metrics);
  if (Value text = Annotation(v1, kBehavior); text.is_string()) {
    const schema::Type& type = TypeOf("v2", "HorizontalPodAutoscalerBehavior");
    base::Result<Value> document = value::ReadJson(text.AsString(), arena);
    if (document && document->is_object()) {
      api::Result<Value> behavior = schema::Decode(type, WithFieldNames(arena, *document, type), arena, nullptr);
      if (behavior && !behavior->empty()) spec.Add(arena, "behavior", *behavior);
    }
  }
  v2.Add(arena, "spec", spec);
}

void StatusToV2(Arena& arena, const Value& v1, const Value& v2) {
  const Value* from = v1.Find("status");
  Value status = Value::Object(arena, 6);
  CopyMembers(arena, from, status, {"observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"});
  Value metrics, listed, conditions;
  if (ReadList(arena, v1, kCurrentMetrics, TypeOf("v1", "MetricStatus"), listed)) {
    metrics = Value::Array(arena, listed.size());
    for (const Value& metric : listed.items())
      metrics.Append(arena, ConvertMetric(arena, metric, kStatusMoves, Direction::kToV2));
  } else if (Value utilization = v1.Get({"status", "currentCPUUtilizationPercentage"}); !utilization.is_null()) {
    Value metric = Value::Object(arena, 2);
    metric.Add(arena, "type", Value::String("Resource"));
    SetPath(arena, metric, "resource.name", Value::String("cpu"));
    SetPath(arena, metric, "resource.current.averageUtilization", utilization);
    metrics = Value::Array(arena, 1);
    metrics.Append(arena, metric);
  }
  if (!metrics.is_null()) status.Add(arena, "currentMetrics", metrics);
  if (ReadList(arena, v1, kConditions, TypeOf("v1", "HorizontalPodAutoscalerCondition"), conditions)) {
    status.Add(arena, "conditions", conditions);
  }
  v2.Add(arena, "status", status);
}

}  // namespace

void DropAnnotationsOfV1(const Value& v2) {
  const Value* annotations = v2.Get("metadata").Find("annotations");
  if (annotations == nullptr) return;
  bool dropped = false;
  for (std::string_view name : kAnnotations) dropped |= annotations->Remove(name);
  if (dropped && annotations->empty()) v2.Get("metadata").Remove("annotations");
}

Value HorizontalPodAutoscalerToV1(Arena& arena, const Value& v2) {
  Value v1 = Frame(arena, v2, "autoscaling/v1");
  SpecToV1(arena, v2, v1);
  StatusToV1(arena, v2, v1);
  return Canonical(arena, v1, "v1");
}

Value HorizontalPodAutoscalerToV2(Arena& arena, const Value& v1) {
  Value v2 = Frame(arena, v1, "autoscaling/v2");
  SpecToV2(arena, v1, v2);
  StatusToV2(arena, v1, v2);
  return Canonical(arena, v2, "v2");
}

}  // namespace resources::autoscaling
