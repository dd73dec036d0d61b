// A pod as controllers write it and a ConfigMap of 1 KiB, through decoding and both encodings.
#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

#include "schema/decode.h"
#include "schema/encode.h"
#include "schema/schema.h"
#include "schema/wire.h"
#include "value/arena.h"
#include "value/json_reader.h"

namespace schema {
namespace {

constexpr std::string_view kPod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-6c5f7d9b8-x2x4z","generateName":"web-6c5f7d9b8-","namespace":"default",)"
    R"("uid":"0a4f1d2e-93a5-4f9e-8a53-0f6f2b9e7c11","creationTimestamp":"2024-05-01T10:00:00Z","labels":{"app":"web","pod-template-hash":"6c5f7d9b8"},)"
    R"("annotations":{"prometheus.io/scrape":"true"},"ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"web-6c5f7d9b8",)"
    R"("uid":"6f1b8f3a-2c3e-4d7e-9a35-5b7d1c2f8e90","controller":true,"blockOwnerDeletion":true}]},"spec":{"volumes":[{"name":"kube-api-access",)"
    R"("projected":{"sources":[{"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},{"configMap":{"name":"kube-root-ca.crt",)"
    R"("items":[{"key":"ca.crt","path":"ca.crt"}]}},{"downwardAPI":{"items":[{"path":"namespace","fieldRef":{"apiVersion":"v1",)"
    R"("fieldPath":"metadata.namespace"}}]}}],"defaultMode":420}}],"containers":[{"name":"web","image":"registry.example.com/web:1.2.3",)"
    R"("ports":[{"name":"http","containerPort":8080,"protocol":"TCP"}],"env":[{"name":"A","value":"1"},{"name":"B","valueFrom":{"fieldRef":)"
    R"({"apiVersion":"v1","fieldPath":"status.podIP"}}}],"resources":{"limits":{"cpu":"500m","memory":"256Mi"},"requests":{"cpu":"100m",)"
    R"("memory":"128Mi"}},"volumeMounts":[{"name":"kube-api-access","readOnly":true,"mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}],)"
    R"("readinessProbe":{"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,)"
    R"("failureThreshold":3},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],)"
    R"("restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","serviceAccount":"default",)"
    R"("nodeName":"node-17","securityContext":{},"schedulerName":"default-scheduler","tolerations":[{"key":"node.kubernetes.io/not-ready",)"
    R"("operator":"Exists","effect":"NoExecute","tolerationSeconds":300},{"key":"node.kubernetes.io/unreachable","operator":"Exists",)"
    R"("effect":"NoExecute","tolerationSeconds":300}],"priority":0,"enableServiceLinks":true,"preemptionPolicy":"PreemptLowerPriority"},)"
    R"("status":{"phase":"Running","conditions":[{"type":"Initialized","status":"True","lastProbeTime":null,"lastTransitionTime":"2024-05-01T10:00:01Z"},)"
    R"({"type":"Ready","status":"True","lastProbeTime":null,"lastTransitionTime":"2024-05-01T10:00:09Z"},{"type":"ContainersReady","status":"True",)"
    R"("lastProbeTime":null,"lastTransitionTime":"2024-05-01T10:00:09Z"},{"type":"PodScheduled","status":"True","lastProbeTime":null,)"
    R"("lastTransitionTime":"2024-05-01T10:00:00Z"}],"hostIP":"10.1.2.3","podIP":"10.244.1.7","podIPs":[{"ip":"10.244.1.7"}],)"
    R"("startTime":"2024-05-01T10:00:00Z","containerStatuses":[{"name":"web","state":{"running":{"startedAt":"2024-05-01T10:00:05Z"}},"lastState":{},)"
    R"("ready":true,"restartCount":0,"image":"registry.example.com/web:1.2.3","imageID":"registry.example.com/web@sha256:0123456789abcdef",)"
    R"("containerID":"containerd://0123456789abcdef0123456789abcdef","started":true}],"qosClass":"Burstable"}})";

std::string ConfigMapJson() {
  std::string json =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings","namespace":"default"},"data":{)";
  for (int i = 0; i < 8; ++i) {
    json +=
        (i ? ",\"key-" : "\"key-") + std::to_string(i) + "\":\"" + std::string(110, static_cast<char>('a' + i)) + "\"";
  }
  return json + "}}";
}

struct Subject {
  const Type& type;
  std::string json;
};
Subject Pod() { return {*FindKind("", "v1", "Pod"), std::string(kPod)}; }
Subject ConfigMap() { return {*FindKind("", "v1", "ConfigMap"), ConfigMapJson()}; }

void Sizes(benchmark::State& state, size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
}

void BM_Read(benchmark::State& state, Subject (*make)()) {
  Subject subject = make();
  for (auto _ : state) {
    value::Arena arena(16384);
    benchmark::DoNotOptimize(value::ReadJson(subject.json, arena));
  }
  Sizes(state, subject.json.size());
}

void BM_ReadAndDecode(benchmark::State& state, Subject (*make)()) {
  Subject subject = make();
  for (auto _ : state) {
    value::Arena arena(16384);
    Findings findings;
    benchmark::DoNotOptimize(Decode(subject.type, *value::ReadJson(subject.json, arena), arena, &findings));
  }
  Sizes(state, subject.json.size());
}

void BM_EncodeJson(benchmark::State& state, Subject (*make)()) {
  Subject subject = make();
  value::Arena arena;
  value::Value tree = *Decode(subject.type, *value::ReadJson(subject.json, arena), arena, nullptr);
  std::string out;
  Marks marks;
  for (auto _ : state) {
    out.clear();
    EncodeJson(subject.type, tree, out, &marks);
    benchmark::DoNotOptimize(out.data());
  }
  Sizes(state, out.size());
}

void BM_EncodeWire(benchmark::State& state, Subject (*make)()) {
  Subject subject = make();
  value::Arena arena;
  value::Value tree = *Decode(subject.type, *value::ReadJson(subject.json, arena), arena, nullptr);
  std::string out;
  for (auto _ : state) {
    out.clear();
    EncodeWire(subject.type, tree, out);
    benchmark::DoNotOptimize(out.data());
  }
  Sizes(state, out.size());
}

void BM_DecodeWire(benchmark::State& state, Subject (*make)()) {
  Subject subject = make();
  value::Arena arena;
  std::string wire;
  EncodeWire(subject.type, *Decode(subject.type, *value::ReadJson(subject.json, arena), arena, nullptr), wire);
  for (auto _ : state) {
    value::Arena each(16384);
    benchmark::DoNotOptimize(DecodeWire(subject.type, wire, each));
  }
  Sizes(state, wire.size());
}

// What a list as protobuf costs an item.
void BM_JsonToWire(benchmark::State& state, Subject (*make)()) {
  Subject subject = make();
  value::Arena arena;
  std::string stored, out;
  EncodeJson(subject.type, *Decode(subject.type, *value::ReadJson(subject.json, arena), arena, nullptr), stored);
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(JsonToWire(subject.type, stored, out));
  }
  Sizes(state, stored.size());
}

#define FAIRLEAD_BOTH(function)          \
  BENCHMARK_CAPTURE(function, pod, Pod); \
  BENCHMARK_CAPTURE(function, config_map, ConfigMap)
FAIRLEAD_BOTH(BM_Read);
FAIRLEAD_BOTH(BM_ReadAndDecode);
FAIRLEAD_BOTH(BM_EncodeJson);
FAIRLEAD_BOTH(BM_EncodeWire);
FAIRLEAD_BOTH(BM_DecodeWire);
FAIRLEAD_BOTH(BM_JsonToWire);

}  // namespace
}  // namespace schema
