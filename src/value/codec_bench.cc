// What the codecs cost on a 1 KiB ConfigMap and a 10 KiB Pod list item, and what simdjson's tree plus ours would cost
// instead.
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <string>

#include "value/cbor.h"
#include "value/json_reader.h"
#include "value/json_writer.h"
#include "value/yaml_reader.h"
#include "value/yaml_writer.h"

namespace value {
namespace {

std::string ConfigMap() {
  std::string json =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings","namespace":"default","uid":"0e1f0b62-7a1c-4d7f-9d1c-0d0d5f2d1c11","resourceVersion":"1234","creationTimestamp":"2025-01-01T00:00:00Z","labels":{"app":"web","tier":"front"}},"data":{)";
  for (int i = 0; i < 10; ++i)
    json += "\"key-" + std::to_string(i) + "\":\"" + std::string(60, static_cast<char>('a' + i)) + "\",";
  return json + R"("last":"a \"quoted\" text\nwith two lines"}})";
}

std::string Pod() {
  std::string json =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-7d9c","namespace":"default","labels":{"app":"web"},"managedFields":[]},"spec":{"containers":[)";
  for (int i = 0; i < 10; ++i) {
    std::string n = std::to_string(i);
    if (i) json += ",";
    json +=
        R"({"name":"c)" + n + R"(","image":"registry.example/team/image:1.2.)" + n +
        R"(","command":["/bin/run","--flag=value","--verbose"],"ports":[{"name":"http","containerPort":8080,"protocol":"TCP"},{"name":"metrics","containerPort":9090,"protocol":"TCP"}],"env":[{"name":"A","value":"1"},{"name":"B","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}}],"resources":{"limits":{"cpu":"500m","memory":"128Mi"},"requests":{"cpu":"100m","memory":"64Mi"}},"livenessProbe":{"httpGet":{"path":"/healthz","port":8080,"scheme":"HTTP"},"initialDelaySeconds":5,"timeoutSeconds":1,"periodSeconds":10,"successThreshold":1,"failureThreshold":3},"volumeMounts":[{"name":"config","readOnly":true,"mountPath":"/etc/config"}],"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"})";
  }
  return json +
         R"(],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst"},"status":{"phase":"Pending"}})";
}

std::string Document(int64_t which) { return which ? Pod() : ConfigMap(); }

void Bytes(benchmark::State& state, size_t size) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(size));
}

void BM_ReadJson(benchmark::State& state) {
  std::string text = Document(state.range(0));
  for (auto _ : state) {
    Arena arena(16384);
    benchmark::DoNotOptimize(ReadJson(text, arena));
  }
  Bytes(state, text.size());
}
BENCHMARK(BM_ReadJson)->Arg(0)->Arg(1);

Value Convert(simdjson::dom::element e, Arena& arena) {
  switch (e.type()) {
    case simdjson::dom::element_type::ARRAY: {
      simdjson::dom::array items(e);
      Value out = Value::Array(arena, static_cast<uint32_t>(items.size()));
      for (simdjson::dom::element item : items) out.Append(arena, Convert(item, arena));
      return out;
    }
    case simdjson::dom::element_type::OBJECT: {
      simdjson::dom::object members(e);
      Value out = Value::Object(arena, static_cast<uint32_t>(members.size()));
      for (auto [key, item] : members) out.Add(arena, arena.CopyString(key), Convert(item, arena));
      return out;
    }
    case simdjson::dom::element_type::STRING:
      return Value::Copy(arena, std::string_view(e));
    case simdjson::dom::element_type::BOOL:
      return Value::Bool(bool(e));
    case simdjson::dom::element_type::INT64:
      return Value::Int(int64_t(e));
    default:
      return Value();
  }
}

void BM_ReadJsonBySimdjson(benchmark::State& state) {
  std::string text = Document(state.range(0));
  simdjson::dom::parser parser;  // kept: its buffers are what a thread would keep
  for (auto _ : state) {
    Arena arena(16384);
    simdjson::dom::element root = parser.parse(text);
    benchmark::DoNotOptimize(Convert(root, arena));
  }
  Bytes(state, text.size());
}
BENCHMARK(BM_ReadJsonBySimdjson)->Arg(0)->Arg(1);

void BM_WriteJson(benchmark::State& state) {
  std::string text = Document(state.range(0)), out;
  Arena arena;
  Value v = *ReadJson(text, arena);
  for (auto _ : state) {
    out.clear();
    WriteJson(v, out);
    benchmark::DoNotOptimize(out.data());
  }
  Bytes(state, text.size());
}
BENCHMARK(BM_WriteJson)->Arg(0)->Arg(1);

void BM_ReadYaml(benchmark::State& state) {
  Arena source;
  std::string text;
  WriteYaml(*ReadJson(Document(state.range(0)), source), text);
  for (auto _ : state) {
    Arena arena(16384);
    benchmark::DoNotOptimize(ReadYaml(text, arena));
  }
  Bytes(state, text.size());
}
BENCHMARK(BM_ReadYaml)->Arg(0)->Arg(1);

// What server-side apply mostly gets: JSON under the name of YAML.
void BM_ReadYamlOfJson(benchmark::State& state) {
  std::string text = Document(state.range(0));
  for (auto _ : state) {
    Arena arena(16384);
    benchmark::DoNotOptimize(ReadYaml(text, arena));
  }
  Bytes(state, text.size());
}
BENCHMARK(BM_ReadYamlOfJson)->Arg(0)->Arg(1);

void BM_WriteYaml(benchmark::State& state) {
  std::string text = Document(state.range(0)), out;
  Arena arena;
  Value v = *ReadJson(text, arena);
  for (auto _ : state) {
    out.clear();
    WriteYaml(v, out);
    benchmark::DoNotOptimize(out.data());
  }
  Bytes(state, out.size());
}
BENCHMARK(BM_WriteYaml)->Arg(0)->Arg(1);

void BM_WriteCbor(benchmark::State& state) {
  std::string text = Document(state.range(0)), out;
  Arena arena;
  Value v = *ReadJson(text, arena);
  for (auto _ : state) {
    out.clear();
    WriteCbor(v, out);
    benchmark::DoNotOptimize(out.data());
  }
  Bytes(state, out.size());
}
BENCHMARK(BM_WriteCbor)->Arg(0)->Arg(1);

}  // namespace
}  // namespace value
