#include <gtest/gtest.h>

#include <string>

#include "base/text.h"
#include "resources/core/pod/container_rules.h"
#include "resources/core/pod/pod_rules.h"
#include "resources/rules/rules.h"
#include "value/json_reader.h"

namespace resources::core {
namespace {

void CheckContent(Scope& spec) {
  SoundVolumes volumes;
  for (const Value& volume : spec.Get("volumes").items()) volumes.Add(volume);
  CheckPodContainers(spec, volumes);
}
constexpr Rule kContent[] = {Call(CheckContent)};

// Every error of the containers of a spec, a line each, by the lines' places in it.
std::string ErrorsOf(const std::string& spec, const std::string& old = "") {
  value::Arena arena;
  api::RequestContext request;
  registry::Resource resource;
  std::vector<std::string> warnings;
  registry::WriteContext context{request, resource, arena, "", "", warnings};
  Errors errors;
  const Value before = old.empty() ? Value() : *value::ReadJson(old, arena);
  Check(context, kContent, FieldPath("s"), *value::ReadJson(spec, arena), old.empty() ? nullptr : &before, errors);
  std::vector<std::string> texts;
  for (const api::FieldError& error : std::move(errors).Take()) texts.push_back(error.field + ": " + error.Message());
  return base::Join(texts, "\n");
}

constexpr std::string_view kSound =
    R"("name":"c","image":"i","terminationMessagePolicy":"File","imagePullPolicy":"Always")";

// A pod whose only container is sound but for `fields`.
std::string WithContainer(std::string_view fields) {
  return base::Cat(R"({"terminationGracePeriodSeconds":30,"volumes":[{"name":"v","emptyDir":{}},
      {"name":"p","persistentVolumeClaim":{"claimName":"x"}}],"containers":[{)",
                   kSound, fields.empty() ? "" : ",", fields, "}]}");
}

struct Case {
  const char* name;
  const char* fields;
  const char* errors;  // without the container's path
};

// The errors of a container, each without the path that all of them begin with.
std::string OfContainer(std::string_view fields) {
  constexpr std::string_view kPath = "s.containers[0].";
  std::string text = ErrorsOf(WithContainer(fields));
  for (size_t at = text.find(kPath); at != text.npos; at = text.find(kPath)) text.erase(at, kPath.size());
  return text;
}

TEST(PodContainers, Ports) {
  constexpr Case kCases[] = {
      {"sound", R"("ports":[{"name":"a","containerPort":1,"protocol":"TCP","hostPort":65535}])", ""},
      {"nothing", R"("ports":[{}])",
       "ports[0].containerPort: Required value\n"
       "ports[0].protocol: Required value"},
      {"out of range", R"("ports":[{"containerPort":65536,"hostPort":-1,"protocol":"X"}])",
       "ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive\n"
       "ports[0].hostPort: Invalid value: -1: must be between 1 and 65535, inclusive\n"
       "ports[0].protocol: Unsupported value: \"X\": supported values: \"SCTP\", \"TCP\", \"UDP\""},
      {"a name twice, and a bad one twice",
       R"("ports":[{"name":"a","containerPort":1,"protocol":"TCP"},{"name":"a","containerPort":2,"protocol":"TCP"},
                   {"name":"1","containerPort":3,"protocol":"TCP"},{"name":"1","containerPort":4,"protocol":"TCP"}])",
       "ports[1].name: Duplicate value: \"a\"\n"
       "ports[2].name: Invalid value: \"1\": must contain at least one letter (a-z)\n"
       "ports[3].name: Invalid value: \"1\": must contain at least one letter (a-z)"},
      {"a port of the host twice",
       R"("ports":[{"containerPort":1,"hostPort":9,"protocol":"TCP"},{"containerPort":2,"hostPort":9,"protocol":"TCP"},
                   {"containerPort":3,"hostPort":9,"protocol":"UDP"}])",
       "ports[1].hostPort: Duplicate value: \"TCP//9\""},
  };
  for (const Case& test : kCases) EXPECT_EQ(OfContainer(test.fields), test.errors) << test.name;
}

TEST(PodContainers, Environment) {
  constexpr Case kCases[] = {
      {"sound",
       R"("env":[{"name":"a b","value":"1"},{"name":"B","valueFrom":{"secretKeyRef":{"name":"s","key":"k"}}}],
          "envFrom":[{"prefix":"a","configMapRef":{"name":"m-"}}])",
       ""},
      {"names", R"("env":[{},{"name":"a=b"}])",
       "env[0].name: Required value\n"
       "env[1].name: Invalid value: \"a=b\": a valid environment variable name must consist only of printable ASCII "
       "characters other than '='"},
      {"sources of a value",
       R"("env":[{"name":"A","valueFrom":{}},{"name":"A","value":"x","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"}}},
                 {"name":"A","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.name"},"configMapKeyRef":{"name":"m","key":"k"}}}])",
       "env[0].valueFrom: Invalid value: \"\": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` "
       "or `secretKeyRef`\n"
       "env[1].valueFrom: Invalid value: \"\": may not be specified when `value` is not empty\n"
       "env[2].valueFrom: Invalid value: \"\": may not have more than one field specified at a time"},
      {"key", R"("env":[{"name":"A","valueFrom":{"configMapKeyRef":{"name":"m"}}}])",
       "env[0].valueFrom.configMapKeyRef.key: Required value"},
      {"sources of many", R"("envFrom":[{},{"configMapRef":{},"secretRef":{"name":"s"}}])",
       "envFrom: Invalid value: \"\": must specify one of: `configMapRef` or `secretRef`\n"
       "envFrom[1].configMapRef.name: Required value\n"
       "envFrom: Invalid value: \"\": may not have more than one field specified at a time"},
  };
  for (const Case& test : kCases) EXPECT_EQ(OfContainer(test.fields), test.errors) << test.name;
}

TEST(PodContainers, Mounts) {
  constexpr Case kCases[] = {
      {"sound",
       R"("volumeMounts":[{"name":"v","mountPath":"/a","subPath":"b"}],"volumeDevices":[{"name":"p","devicePath":"/d"}])",
       ""},
      {"nothing", R"("volumeMounts":[{}],"volumeDevices":[{}])",
       "volumeMounts[0].name: Required value\n"
       "volumeMounts[0].name: Not found: \"\"\n"
       "volumeMounts[0].mountPath: Required value\n"
       "volumeMounts[0].name: Invalid value: \"\": must not already exist in volumeDevices\n"
       "volumeMounts[0].mountPath: Invalid value: \"\": must not already exist as a path in volumeDevices\n"
       "volumeDevices[0].name: Required value\n"
       "volumeDevices[0].name: Not found: \"\"\n"
       "volumeDevices[0].devicePath: Required value\n"
       "volumeDevices[0].name: Invalid value: \"\": must not already exist in volumeMounts\n"
       "volumeDevices[0].devicePath: Invalid value: \"\": must not already exist as a path in volumeMounts"},
      {"a path twice", R"("volumeMounts":[{"name":"v","mountPath":"/a"},{"name":"v","mountPath":"/a"}])",
       "volumeMounts[1].mountPath: Invalid value: \"/a\": must be unique"},
      {"paths below", R"("volumeMounts":[{"name":"v","mountPath":"/a","subPath":"/x/..","subPathExpr":"../y"}])",
       "volumeMounts.subPath: Invalid value: \"/x/..\": must be a relative path\n"
       "volumeMounts.subPath: Invalid value: \"/x/..\": must not contain '..'\n"
       "volumeMounts[0].subPathExpr: Invalid value: \"../y\": subPathExpr and subPath are mutually exclusive\n"
       "volumeMounts.subPathExpr: Invalid value: \"../y\": must not contain '..'"},
      {"propagation",
       R"("volumeMounts":[{"name":"v","mountPath":"/a","mountPropagation":"Up"},{"name":"v","mountPath":"/b","mountPropagation":"Bidirectional"}])",
       "volumeMounts.mountPropagation: Unsupported value: \"Up\": supported values: \"Bidirectional\", "
       "\"HostToContainer\", \"None\"\n"
       "volumeMounts.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged "
       "containers"},
      {"read-only all the way down",
       R"("volumeMounts":[{"name":"v","mountPath":"/a","recursiveReadOnly":"Enabled","mountPropagation":"HostToContainer"},
                          {"name":"v","mountPath":"/b","recursiveReadOnly":"x"}])",
       "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when readOnly is true\n"
       "volumeMounts.recursiveReadOnly: Forbidden: may only be specified when mountPropagation is None or not "
       "specified\n"
       "volumeMounts.recursiveReadOnly: Unsupported value: \"x\": supported values: \"Disabled\", \"Enabled\", "
       "\"IfPossible\""},
      {"devices",
       R"("volumeDevices":[{"name":"v","devicePath":"/d"},{"name":"p","devicePath":"/d"},{"name":"p","devicePath":"/../d"}])",
       "volumeDevices[0].name: Invalid value: \"v\": can only use volume source type of PersistentVolumeClaim or "
       "Ephemeral for block mode\n"
       "volumeDevices[1].devicePath: Invalid value: \"/d\": must be unique\n"
       "volumeDevices[2].name: Invalid value: \"p\": must be unique\n"
       "volumeDevices[2].devicePath: Invalid value: \"/../d\": can not contain backsteps ('..')"},
  };
  for (const Case& test : kCases) EXPECT_EQ(OfContainer(test.fields), test.errors) << test.name;
}

TEST(PodContainers, ProbesAndHooks) {
  constexpr Case kCases[] = {
      {"sound",
       R"("livenessProbe":{"exec":{"command":["a"]},"successThreshold":1},"readinessProbe":{"grpc":{"port":1},"successThreshold":2},
          "lifecycle":{"preStop":{"sleep":{"seconds":30}}})",
       ""},
      {"nothing", R"("livenessProbe":{"successThreshold":1},"lifecycle":{"postStart":{}})",
       "lifecycle.postStart: Required value: must specify a handler type\n"
       "livenessProbe: Required value: must specify a handler type"},
      {"two", R"("readinessProbe":{"exec":{},"tcpSocket":{"port":"a"},"grpc":{}})",
       "readinessProbe.exec.command: Required value\n"
       "readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type\n"
       "readinessProbe.grpc: Forbidden: may not specify more than 1 handler type"},
      {"http", R"("startupProbe":{"successThreshold":2,"httpGet":{"scheme":"http","httpHeaders":[{"name":"a b"}]}})",
       "startupProbe.httpGet.path: Required value\n"
       "startupProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive\n"
       "startupProbe.httpGet.scheme: Unsupported value: \"http\": supported values: \"HTTP\", \"HTTPS\"\n"
       "startupProbe.httpGet.httpHeaders: Invalid value: \"a b\": a valid HTTP header must consist of alphanumeric "
       "characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')\n"
       "startupProbe.successThreshold: Invalid value: 2: must be 1"},
      {"numbers", R"("readinessProbe":{"grpc":{"port":1},"periodSeconds":-1,"terminationGracePeriodSeconds":0})",
       "readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0\n"
       "readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must be greater than 0\n"
       "readinessProbe.terminationGracePeriodSeconds: Invalid value: 0: must not be set for readinessProbes"},
      {"a sleep beyond the grace", R"("lifecycle":{"preStop":{"sleep":{"seconds":31}}})",
       "lifecycle.preStop.sleep: Invalid value: 31: must be greater than 0 and less than "
       "terminationGracePeriodSeconds (30). Enable AllowPodLifecycleSleepActionZeroValue feature gate for zero sleep."},
  };
  for (const Case& test : kCases) EXPECT_EQ(OfContainer(test.fields), test.errors) << test.name;
}

TEST(PodContainers, ListsOfContainers) {
  const std::string sound = base::Cat("{", kSound, "}");
  const auto named = [](std::string_view name, std::string_view more = "") {
    return base::Cat(R"({"name":")", name,
                     R"(","image":"i","terminationMessagePolicy":"File","imagePullPolicy":"Never")", more, "}");
  };
  struct {
    const char* name;
    std::string spec;
    const char* errors;
  } cases[] = {
      {"none", "{}", "s.containers: Required value"},
      {"empty", R"({"containers":[{}]})",
       "s.containers[0].name: Required value\n"
       "s.containers[0].image: Required value\n"
       "s.containers[0].terminationMessagePolicy: Required value\n"
       "s.containers[0].imagePullPolicy: Required value"},
      {"a name twice", base::Cat(R"({"containers":[)", sound, ",", sound, R"(],"initContainers":[)", sound, "]}"),
       "s.containers[1].name: Duplicate value: \"c\"\n"
       "s.initContainers[0].name: Duplicate value: \"c\""},
      {"restarts",
       base::Cat(R"({"containers":[)", named("a", R"(,"restartPolicy":"Always")"), R"(],"initContainers":[)",
                 named("b", R"(,"restartPolicy":"Never","lifecycle":{})"), ",",
                 named("d", R"(,"restartPolicy":"Always","livenessProbe":{"successThreshold":1})"), "]}"),
       "s.containers[0].restartPolicy: Forbidden: may not be set for non-init containers\n"
       "s.initContainers[0].restartPolicy: Unsupported value: \"Never\": supported values: \"Always\"\n"
       "s.initContainers[0].lifecycle: Forbidden: may not be set for init containers without restartPolicy=Always\n"
       "s.initContainers[1].livenessProbe: Required value: must specify a handler type"},
      {"ports of the host within a later init container",
       base::Cat(R"({"containers":[)", sound, R"(],"initContainers":[)", named("a"), ",",
                 named("b", R"(,"ports":[{"containerPort":1,"hostPort":9,"protocol":"TCP"},
                                         {"containerPort":2,"hostPort":9,"protocol":"TCP"}])"),
                 "]}"),
       "s.initContainers[0].ports[1].hostPort: Duplicate value: \"TCP//9\""},
      {"ephemeral",
       base::Cat(R"({"containers":[)", sound, R"(],"volumes":[{"name":"v"}],"ephemeralContainers":[)",
                 named("c", R"(,"targetContainerName":"x","ports":[{"containerPort":1,"protocol":"TCP"}],"lifecycle":{},
                               "volumeMounts":[{"name":"v","mountPath":"/a","subPath":"b"}])"),
                 "]}"),
       "s.ephemeralContainers[0].name: Duplicate value: \"c\"\n"
       "s.ephemeralContainers[0].targetContainerName: Not found: \"x\"\n"
       "s.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container\n"
       "s.ephemeralContainers[0].lifecycle: Forbidden: cannot be set for an Ephemeral Container\n"
       "s.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container"},
      {"ephemeral, with what is empty",
       base::Cat(R"({"containers":[)", sound, R"(],"ephemeralContainers":[)",
                 named("e", R"(,"ports":[],"resources":{})"), "]}"),
       "s.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container"},
  };
  for (const auto& test : cases) EXPECT_EQ(ErrorsOf(test.spec), test.errors) << test.name;
}

TEST(PodContainers, WhatWasBrokenMayStay) {
  const std::string pages = WithContainer(R"("resources":{"limits":{"cpu":"1","hugepages-2Mi":"3Mi"}})");
  EXPECT_NE(ErrorsOf(pages), "");
  EXPECT_EQ(ErrorsOf(pages, pages), "");
  const std::string sleep = WithContainer(R"("lifecycle":{"preStop":{"sleep":{}}})");
  EXPECT_NE(ErrorsOf(sleep), "");
  EXPECT_EQ(ErrorsOf(sleep, sleep), "");
}

}  // namespace
}  // namespace resources::core
