#include "resources/tables/tables.h"

#include <gtest/gtest.h>

#include <string>

#include "resources/tables/cells.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace resources {
namespace {

std::string Row(std::string_view group, std::string_view plural, std::string_view json) {
  value::Arena arena;
  const std::shared_ptr<const registry::Printer> printer = FindPrinter(group, plural);
  return value::ToJson(printer->Cells(arena, *value::ReadJson(json, arena), "2020-01-01T01:00:00Z"));
}

// `json` as the writer writes it: with < and > escaped.
std::string Written(std::string_view json) {
  value::Arena arena;
  return value::ToJson(*value::ReadJson(json, arena));
}

TEST(Tables, FlowSchemasComeByPrecedence) {
  value::Arena arena;
  const std::shared_ptr<const registry::Printer> printer = FindPrinter("flowcontrol.apiserver.k8s.io", "flowschemas");
  EXPECT_EQ(printer->Rank(*value::ReadJson(R"({"spec":{"matchingPrecedence":7}})", arena)), 7);
}

TEST(Tables, EveryRowHasACellForEachColumn) {
  value::Arena arena;
  for (std::span<const TableEntry> table : {CoreTables(), WorkloadTables(), PlatformTables()}) {
    for (const TableEntry& entry : table) {
      if (entry.plural == "ipaddresses") continue;  // the real server's rows have one cell more than columns
      EXPECT_EQ(entry.printer.cells(arena, value::Value::Object(arena), "2020-01-01T00:00:00Z").size(),
                entry.printer.columns.size())
          << entry.plural;
    }
  }
}

TEST(Tables, Rows) {
  struct {
    const char* group;
    const char* plural;
    const char* object;
    const char* row;
  } cases[] = {
      {"", "configmaps",
       R"x({"metadata":{"name":"c","creationTimestamp":"2020-01-01T00:50:00Z"},"data":{"a":"1"},"binaryData":{"b":""}})x",
       R"x(["c",2,"10m"])x"},
      {"", "services",
       R"x({"metadata":{"name":"s"},"spec":{"type":"LoadBalancer","clusterIPs":["10.0.0.5"],"ports":[{"port":80,"nodePort":30080,"protocol":"TCP"},{"port":53,"protocol":"UDP"}],"selector":{"b":"2","a":"1"}},"status":{"loadBalancer":{"ingress":[{"ip":"2.2.2.2"},{"hostname":"a.b"}]}}})x",
       R"x(["s","LoadBalancer","10.0.0.5","2.2.2.2,a.b","80:30080/TCP,53/UDP","<unknown>","a=1,b=2"])x"},
      {"", "endpoints",
       R"x({"metadata":{"name":"e"},"subsets":[{"addresses":[{"ip":"1.1.1.1"},{"ip":"::1"}],"ports":[{"port":1},{"port":2}]}]})x",
       R"x(["e","1.1.1.1:1,[::1]:1,1.1.1.1:2 + 1 more...","<unknown>"])x"},
      {"", "nodes",
       R"x({"metadata":{"name":"n","labels":{"node-role.kubernetes.io/worker":"","kubernetes.io/role":"db"}},"spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"False"}],"nodeInfo":{"kubeletVersion":"v1"}}})x",
       R"x(["n","NotReady,SchedulingDisabled","db,worker","<unknown>","v1","<none>","<none>","<unknown>","<unknown>","<unknown>"])x"},
      {"", "pods",
       R"x({"metadata":{"name":"p"},"spec":{"containers":[{},{}],"nodeName":"n"},"status":{"phase":"Running","podIPs":[{"ip":"1.1.1.1"}],"containerStatuses":[{"ready":true,"restartCount":2,"state":{"running":{}},"lastState":{"terminated":{"finishedAt":"2020-01-01T00:59:00Z"}}},{"restartCount":0,"state":{"waiting":{"reason":"ImagePullBackOff"}}}]}})x",
       R"x(["p","1/2","ImagePullBackOff","2 (60s ago)","<unknown>","1.1.1.1","n","<none>","<none>"])x"},
      {"", "pods",
       R"x({"metadata":{"name":"p"},"spec":{"initContainers":[{"name":"i"},{"name":"s","restartPolicy":"Always"}],"containers":[{}]},"status":{"phase":"Pending","initContainerStatuses":[{"name":"i","state":{"terminated":{"exitCode":3}}}]}})x",
       R"x(["p","0/2","Init:ExitCode:3","0","<unknown>","<none>","<none>","<none>","<none>"])x"},
      {"", "events",
       R"x({"metadata":{"name":"e"},"involvedObject":{"kind":"Pod","name":"p"},"message":" hi ","reason":"R","type":"Normal","source":{"component":"c","host":"h"},"lastTimestamp":"2020-01-01T00:00:00Z"})x",
       R"x(["60m","Normal","R","pod/p","","c, h","hi","<unknown>",1,"e"])x"},
      {"", "persistentvolumeclaims",
       R"x({"metadata":{"name":"c"},"spec":{"volumeName":"v","storageClassName":"s"},"status":{"phase":"Bound","capacity":{"storage":"1Gi"},"accessModes":["ReadWriteMany","ReadWriteOnce"]}})x",
       R"x(["c","Bound","v","1Gi","RWO,RWX","s","<unset>","<unknown>","<unset>"])x"},
      {"apps", "deployments",
       R"x({"metadata":{"name":"d"},"spec":{"replicas":3,"selector":{"matchLabels":{"a":"b"},"matchExpressions":[{"key":"c","operator":"NotIn","values":["y","x"]}]},"template":{"spec":{"containers":[{"name":"x","image":"i"},{"name":"y","image":"j"}]}}},"status":{"readyReplicas":1}})x",
       R"x(["d","1/3",0,0,"<unknown>","x,y","i,j","a=b,c notin (x,y)"])x"},
      {"batch", "jobs",
       R"x({"metadata":{"name":"j"},"spec":{"parallelism":3},"status":{"startTime":"2020-01-01T00:00:00Z","completionTime":"2020-01-01T00:02:05Z","conditions":[{"type":"Complete","status":"True"}]}})x",
       R"x(["j","Complete","0/1 of 3","2m5s","<unknown>","","","<none>"])x"},
      {"autoscaling", "horizontalpodautoscalers",
       R"x({"metadata":{"name":"h"},"spec":{"scaleTargetRef":{"kind":"D","name":"d"},"minReplicas":1,"maxReplicas":5,"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"averageUtilization":80}}},{"type":"Pods","pods":{"target":{"averageValue":"5"}}},{"type":"Object"}]}})x",
       R"x(["h","D/d","cpu: <unknown>/80%, <unknown>/5 + 1 more...","1",5,0,"<unknown>"])x"},
      {"networking.k8s.io", "ingresses",
       R"x({"metadata":{"name":"i"},"spec":{"rules":[{"host":"a"},{},{"host":"b"},{"host":"c"},{"host":"d"}],"tls":[{}]}})x",
       R"x(["i","<none>","a,b,c + 2 more...","","80, 443","<unknown>"])x"},
      {"storage.k8s.io", "storageclasses",
       R"x({"metadata":{"name":"s","annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"p"})x",
       R"x(["s (default)","p","Delete","Immediate",false,"<unknown>"])x"},
      {"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations",
       R"x({"metadata":{"name":"l"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":5}}})x",
       R"x(["l","Limited",5,"<none>","<none>","<none>","<unknown>"])x"},
  };
  for (const auto& c : cases) EXPECT_EQ(Row(c.group, c.plural, c.object), Written(c.row)) << c.plural;
}

TEST(HumanDuration, UsesTheUnitsAPersonWants) {
  struct {
    int64_t seconds;
    const char* text;
  } cases[] = {{-2, "<invalid>"},  {-1, "0s"},       {0, "0s"},          {119, "119s"},    {120, "2m"},
               {599, "9m59s"},     {600, "10m"},     {10799, "179m"},    {10800, "3h"},    {28799, "7h59m"},
               {28800, "8h"},      {172799, "47h"},  {172800, "2d"},     {180000, "2d2h"}, {691200, "8d"},
               {63071999, "729d"}, {63072000, "2y"}, {63158400, "2y1d"}, {252288000, "8y"}};
  for (const auto& c : cases) EXPECT_EQ(HumanDuration(c.seconds), c.text) << c.seconds;
}

}  // namespace
}  // namespace resources
