#include <gtest/gtest.h>

#include "resources/batch/cron_schedule.h"
#include "resources/batch/index_ranges.h"
#include "resources/batch/time_zones.h"
#include "resources/kind_fixture.h"

namespace resources::batch {
namespace {

constexpr std::string_view kTemplate =
    R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i","imagePullPolicy":"Always","terminationMessagePolicy":"File"}]}})";

std::string Spec(std::string_view members) {
  return base::Cat(R"("spec":{)", kTemplate, members.empty() ? "" : ",", members, "}");
}

// As it is stored: with the selector that was generated.
constexpr std::string_view kGenerated =
    R"("selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"u"}},"template":{"metadata":{"labels":{"batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-name":"x","controller-uid":"u","job-name":"x"}}})";
std::string Stored(std::string_view members) {
  return Spec(base::Cat(kGenerated, members.empty() ? "" : ",", members));
}

KindFixture Jobs() { return {"batch", "v1", "jobs", "Job", true}; }

struct Case {
  std::string_view members, error;
};

TEST(Jobs, AreCreated) {
  KindFixture kind = Jobs();
  const Case cases[] = {
      {"", ""},
      {R"("parallelism":-1,"completions":-1,"activeDeadlineSeconds":-1,"backoffLimit":-1,"ttlSecondsAfterFinished":-1)",
       "spec.parallelism: Invalid value: -1: must be greater than or equal to 0\n"
       "spec.completions: Invalid value: -1: must be greater than or equal to 0\n"
       "spec.activeDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0\n"
       "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0\n"
       "spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0"},
      {R"("managedBy":"a.com/b")", ""},
      {R"("managedBy":"a")",
       "spec.managedBy: Invalid value: \"a\": must be a domain-prefixed path (such as \"acme.io/foo\")"},
      {R"("completionMode":"Indexed","completions":3,"backoffLimitPerIndex":1,"maxFailedIndexes":3)", ""},
      {R"("completionMode":"Indexed","completions":3,"backoffLimitPerIndex":1,"maxFailedIndexes":4)",
       "spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions"},
      {R"("completionMode":"Indexed","parallelism":1)",
       "spec.completions: Required value: when completion mode is Indexed"},
      {R"("completionMode":"Indexed","completions":1,"parallelism":100001)",
       "spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed"},
      {R"("completionMode":"Indexed","completions":100001,"backoffLimitPerIndex":1)",
       "spec.maxFailedIndexes: Required value: must be specified when completions is above 100000"},
      {R"("completionMode":"x")",
       "spec.completionMode: Unsupported value: \"x\": supported values: \"NonIndexed\", \"Indexed\""},
      {R"("backoffLimitPerIndex":1)", "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"},
      {R"("completionMode":"Indexed","completions":3,"maxFailedIndexes":1)",
       "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified"},
      {R"("podReplacementPolicy":"Failed")", ""},
      {R"("podReplacementPolicy":"x")",
       "spec.podReplacementPolicy: Unsupported value: \"x\": supported values: \"Failed\", \"TerminatingOrFailed\""},
      {R"("podReplacementPolicy":"TerminatingOrFailed","podFailurePolicy":{"rules":[]})",
       "spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": supported values: \"Failed\""},
      {R"("template":{"spec":{"restartPolicy":"OnFailure"}})", ""},
      {R"("template":{"spec":{"restartPolicy":"Always"}})",
       "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\""},
      {R"("template":{"spec":{"restartPolicy":"OnFailure"}},"podFailurePolicy":{"rules":[]})",
       "spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is supported when "
       "podFailurePolicy is specified"},
      {R"("manualSelector":true)",
       "spec.selector: Required value\n"
       "spec.template.metadata.labels: Invalid value: map[string]string(nil): `selector` does not match template "
       "`labels`"},
      {R"("manualSelector":true,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}}})",
       ""},
      {R"("template":{"metadata":{"labels":{"job-name":"y"}}})",
       "spec.template.metadata.labels[job-name]: Invalid value: "
       "map[string]string{\"batch.kubernetes.io/controller-uid\":\"u\", \"batch.kubernetes.io/job-name\":\"x\", "
       "\"controller-uid\":\"u\", \"job-name\":\"y\"}: must be 'x'"},
  };
  for (const Case& c : cases) EXPECT_EQ(kind.Create(Spec(c.members)), c.error) << c.members;
  EXPECT_EQ(kind.Create(Spec(R"("completionMode":"Indexed","completions":2)"), R"("name":"a.b")"),
            "metadata.name: Invalid value: \"a.b\": will not able to create pod with invalid DNS label: a.b-1");
}

TEST(Jobs, HavePolicies) {
  KindFixture kind = Jobs();
  const Case failures[] = {
      {R"({"action":"Ignore","onPodConditions":[{"type":"DisruptionTarget"}]})", ""},
      {R"({"action":"Count","onExitCodes":{"operator":"In","values":[1,2],"containerName":"c"}})", ""},
      {R"({"onExitCodes":{"values":[1]}})",
       "action: Required value: valid values: [\"Count\" \"FailIndex\" \"FailJob\" \"Ignore\"]\n"
       "onExitCodes.operator: Required value: valid values: [\"In\" \"NotIn\"]"},
      {R"({"action":"x","onExitCodes":{"operator":"x","values":[1]}})",
       "action: Unsupported value: \"x\": supported values: \"Count\", \"FailIndex\", \"FailJob\", \"Ignore\"\n"
       "onExitCodes.operator: Unsupported value: \"x\": supported values: \"In\", \"NotIn\""},
      {R"({"action":"FailIndex","onExitCodes":{"operator":"In","values":[]}})",
       "action: Invalid value: \"FailIndex\": requires the backoffLimitPerIndex to be set\n"
       "onExitCodes.values: Invalid value: []int32{}: at least one value is required"},
      {R"({"action":"Count","onExitCodes":{"operator":"In","values":[3,0,3],"containerName":"d"}})",
       "onExitCodes.containerName: Invalid value: \"d\": must be one of the container or initContainer names in the "
       "pod "
       "template\nonExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator\n"
       "onExitCodes.values[2]: Duplicate value: 3\n"
       "onExitCodes.values: Invalid value: []int32{3, 0, 3}: must be ordered"},
      {R"({"action":"Count","onPodConditions":[{"type":"a","status":"x"}]})",
       "onPodConditions[0].status: Unsupported value: \"x\": supported values: \"False\", \"True\", \"Unknown\""},
  };
  for (const Case& c : failures) {
    std::string expected(c.error);
    const std::string rule = "spec.podFailurePolicy.rules[0].";
    for (size_t at = expected.empty() ? expected.npos : 0; at != expected.npos; at = expected.find('\n', at)) {
      if (expected[at] == '\n') ++at;
      expected.insert(at, rule);
    }
    EXPECT_EQ(kind.Create(Spec(base::Cat(R"("podFailurePolicy":{"rules":[)", c.members, "]}"))), expected) << c.members;
  }
  EXPECT_EQ(kind.Create(Spec(R"("podFailurePolicy":{"rules":[{"action":"Count"}]})")),
            "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is "
            "required");

  const Case successes[] = {
      {R"({"succeededIndexes":"0-2,4","succeededCount":2})", ""},
      {R"({})", "rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified"},
      {R"({"succeededCount":-1})", "rules[0].succeededCount: Invalid value: -1: must be greater than or equal to 0"},
      {R"({"succeededCount":6})",
       "rules[0].succeededCount: Invalid value: 6: must be less than or equal to 5 (the number of specified "
       "completions)"},
      {R"({"succeededIndexes":"1","succeededCount":2})",
       "rules[0].succeededCount: Invalid value: 2: must be less than or equal to 1 (the number of indexes in the "
       "specified succeededIndexes field)"},
      {R"({"succeededIndexes":"5"})",
       "rules[0].succeededIndexes: Invalid value: \"5\": error parsing succeededIndexes: too large index: \"5\""},
  };
  for (const Case& c : successes) {
    const std::string spec =
        Spec(base::Cat(R"("completionMode":"Indexed","completions":5,"successPolicy":{"rules":[)", c.members, "]}"));
    EXPECT_EQ(kind.Create(spec), c.error.empty() ? "" : base::Cat("spec.successPolicy.", c.error)) << c.members;
  }
  EXPECT_EQ(kind.Create(Spec(R"("successPolicy":{"rules":[]})")),
            "spec.successPolicy: Invalid value: batch.SuccessPolicy{\"rules\":[]}: requires indexed completion mode");
}

TEST(Jobs, StayAsTheyWereMade) {
  KindFixture kind = Jobs();
  EXPECT_EQ(kind.Create(Spec("")), "");
  EXPECT_EQ(kind.Update(Stored(""), Stored(R"("backoffLimit":2,"suspend":true)")), "");
  EXPECT_EQ(kind.Update(Stored(""), Stored(R"("completions":3)")),
            "spec.completions: Invalid value: 3: field is immutable");
  EXPECT_EQ(kind.Update(Stored(""), Stored(R"("managedBy":"a.b/c")")),
            "spec.managedBy: Invalid value: \"a.b/c\": field is immutable");
  EXPECT_EQ(kind.Update(Stored(R"("managedBy":"a.b/c")"), Stored("")),
            "spec.managedBy: Invalid value: \"null\": field is immutable");
  constexpr std::string_view kIndexed = R"("completionMode":"Indexed","completions":2,"parallelism":2)";
  EXPECT_EQ(kind.Update(Stored(kIndexed), Stored(R"("completionMode":"Indexed","completions":3,"parallelism":3)")), "");
  EXPECT_EQ(kind.Update(Stored(kIndexed), Stored(R"("completionMode":"Indexed","completions":3,"parallelism":2)")),
            "spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism");
  // Where pods run may change while none has started.
  constexpr std::string_view kElsewhere =
      R"("suspend":true,"template":{"spec":{"nodeSelector":{"a":"b"},"tolerations":[{"operator":"Exists"}]}})";
  EXPECT_EQ(kind.Update(Stored(R"("suspend":true)"), Stored(kElsewhere)), "");
  EXPECT_TRUE(
      kind.Update(Stored(""), Stored(kElsewhere)).starts_with("spec.template: Invalid value: core.PodTemplate"));
}

TEST(Jobs, HaveAStatus) {
  KindFixture kind = Jobs();
  const auto change = [&](std::string_view was, std::string_view now, std::string_view spec = "") {
    return kind.Update(base::Cat(Stored(spec), R"(,"status":{)", was, "}"),
                       base::Cat(Stored(spec), R"(,"status":{)", now, "}"), "status");
  };
  constexpr std::string_view kStart = R"("startTime":"2024-01-01T00:00:00Z")";
  const std::string complete = base::Cat(
      kStart,
      R"(,"completionTime":"2024-01-02T00:00:00Z","conditions":[{"type":"Complete","status":"True"},{"type":"SuccessCriteriaMet","status":"True"}])");
  EXPECT_EQ(change(kStart, complete), "");
  struct {
    std::string was, now, error;
  } const cases[] = {
      {"", R"("active":-1,"ready":-1)",
       "status.active: Invalid value: -1: must be greater than or equal to 0\n"
       "status.ready: Invalid value: -1: must be greater than or equal to 0"},
      {"", R"("uncountedTerminatedPods":{"succeeded":["a",""],"failed":["a"]})",
       "status.uncountedTerminatedPods.succeeded[1]: Invalid value: \"\": must not be empty\n"
       "status.uncountedTerminatedPods.failed[0]: Duplicate value: \"a\""},
      {"", R"("conditions":[{"type":"Complete","status":"True"}])",
       "status.completionTime: Required value: completionTime is required for Complete jobs\n"
       "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true "
       "condition\nstatus.startTime: Required value: startTime is required for finished job"},
      {"", R"("startTime":"2024-01-01T00:00:00Z","conditions":[{"type":"Failed","status":"True"}])",
       "status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition"},
      {"", R"("completionTime":"2024-01-02T00:00:00Z")",
       "status.completionTime: Invalid value: 2024-01-02 00:00:00 +0000 UTC: cannot set completionTime when there is "
       "no "
       "Complete=True condition"},
      {"", R"("completionTime":"0001-01-01T00:00:00Z")",
       "status.completionTime: Invalid value: 0001-01-01 00:00:00 +0000 UTC: cannot set completionTime when there is "
       "no Complete=True condition"},
      {complete, base::Cat(complete, R"(,"active":1)"),
       "status.active: Invalid value: 1: active>0 is invalid for finished job"},
      {complete, base::Cat(complete, R"(,"terminating":1)"),
       "status.terminating: Invalid value: 1: terminating>0 is invalid for finished job"},
      {"", R"("ready":2,"active":1)", "status.ready: Invalid value: 2: cannot set more ready pods than active"},
      {R"("ready":2,"active":1)", R"("ready":2,"active":1,"failed":1)", ""},  // it was so before
      {"", R"("completedIndexes":"0")",
       "status.completedIndexes: Invalid value: \"0\": cannot set non-empty completedIndexes when non-indexed "
       "completion mode"},
      {"", R"("failedIndexes":"0")",
       "status.failedIndexes: Invalid value: \"0\": cannot set non-null failedIndexes when backoffLimitPerIndex is "
       "null"},
      {R"("failed":2,"succeeded":2)", R"("failed":1,"succeeded":1)",
       "status.failed: Invalid value: 1: cannot decrease the failed counter\n"
       "status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"},
      {std::string(kStart), "", "status.startTime: Required value: startTime cannot be removed for unsuspended job"},
      {R"("startTime":"0001-01-01T00:00:00Z")", R"("startTime":"0001-01-01T00:00:00Z")",
       "status.startTime: Required value: startTime cannot be removed for unsuspended job"},
      {complete, std::string(kStart),
       "status.conditions: Invalid value: cannot disable the terminal Complete=True condition\n"
       "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition"},
      {R"("conditions":[{"type":"SuccessCriteriaMet","status":"True"}])", "",
       "status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition"},
  };
  for (const auto& c : cases) EXPECT_EQ(change(c.was, c.now), c.error) << c.now;
  constexpr std::string_view kIndexed = R"("completionMode":"Indexed","completions":5,"backoffLimitPerIndex":1)";
  EXPECT_EQ(change("", R"("completedIndexes":"0-2","failedIndexes":"3")", kIndexed), "");
  EXPECT_EQ(change("", R"("completedIndexes":"0-2","failedIndexes":"2")", kIndexed),
            "status.failedIndexes: Invalid value: \"2\": failedIndexes and completedIndexes overlap at index: 2");
  EXPECT_EQ(change("", R"("completedIndexes":"7")", kIndexed),
            "status.completedIndexes: Invalid value: \"7\": error parsing completedIndexes: too large index: \"7\"");
}

TEST(CronJobs, AreCreatedAndUpdated) {
  KindFixture kind("batch", "v1", "cronjobs", "CronJob", true);
  const auto spec = [](std::string_view members) {
    return base::Cat(R"("spec":{"schedule":"* * * * *","jobTemplate":{"spec":{)", kTemplate, "}}",
                     members.empty() ? "" : ",", members, "}");
  };
  const Case cases[] = {
      {"", ""},
      {R"("schedule":"")", "spec.schedule: Required value"},
      {R"("startingDeadlineSeconds":-1)",
       "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"},
      {R"("concurrencyPolicy":"x")",
       "spec.concurrencyPolicy: Unsupported value: \"x\": supported values: \"Allow\", \"Forbid\", \"Replace\""},
      {R"("successfulJobsHistoryLimit":-1,"failedJobsHistoryLimit":-1)",
       "spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0\n"
       "spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0"},
      {R"("timeZone":"Europe/Oslo")", ""},
      {R"("timeZone":"")", "spec.timeZone: Invalid value: \"\": timeZone must be nil or non-empty string"},
      {R"("timeZone":"a/")", "spec.timeZone: Invalid value: \"a/\": unknown time zone a/"},
      {R"("timeZone":"Local")",
       "spec.timeZone: Invalid value: \"Local\": timeZone must be an explicit time zone as defined in "
       "https://www.iana.org/time-zones"},
      {R"("schedule":"TZ=UTC * * * * *")",
       "spec.schedule: Invalid value: \"TZ=UTC * * * * *\": cannot use TZ or CRON_TZ in schedule, use timeZone field "
       "instead"},
      {R"("jobTemplate":{"spec":{"manualSelector":true,"selector":{}}})",
       "spec.jobTemplate.spec.selector: Invalid value: v1.LabelSelector{}: `selector` will be auto-generated\n"
       "spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: \"nil\", \"false\""},
  };
  for (const Case& c : cases) EXPECT_EQ(kind.Create(spec(c.members)), c.error) << c.members;
  const std::string zoned = spec(R"("schedule":"TZ=UTC * * * * *")");
  EXPECT_EQ(kind.Update(zoned, zoned), "");
  EXPECT_TRUE(kind.warnings().starts_with("cannot use TZ or CRON_TZ in spec.spec.schedule"));
  EXPECT_EQ(kind.Update(zoned, spec(R"("schedule":"TZ=UTC * * * * *","timeZone":"Etc/UTC")")),
            "spec.schedule: Invalid value: \"TZ=UTC * * * * *\": cannot use both timeZone field and TZ or CRON_TZ in "
            "schedule");
  EXPECT_EQ(
      kind.Create(spec(""), base::Cat(R"("name":")", std::string(53, 'a'), "\"")),
      base::Cat("metadata.name: Invalid value: \"", std::string(53, 'a'), "\": must be no more than 52 characters"));
}

TEST(CronSchedule, Texts) {
  for (const char* good : {"*/5 0-3,7 ? jan-MAR mon", "0 0 31 2 *", "1/2 * * * *", ", * * * *", "*-5 * * * *", "@daily",
                           "@every 1h30m", "TZ=Europe/Oslo 0 0 * * *", "CRON_TZ= @hourly", "\u00a0* *\t* * *"}) {
    EXPECT_EQ(CheckCronSchedule(good), "") << good;
  }
  const Case wrong[] = {
      {"", "empty spec string"},
      {"* * * *", "expected exactly 5 fields, found 4: [* * * *]"},
      {"0 0 * * 7", "end of range (7) above maximum (6): 7"},
      {"* * 0 * *", "beginning of range (0) below minimum (1): 0"},
      {"5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"},
      {"*/0 * * * *", "step of range should be a positive number: */0"},
      {"*/-1 * * * *", "negative number (-1) not allowed: -1"},
      {"1-2-3 * * * *", "too many hyphens: 1-2-3"},
      {"1/2/3 * * * *", "too many slashes: 1/2/3"},
      {"-1 * * * *", "failed to parse int from : strconv.Atoi: parsing \"\": invalid syntax"},
      {"99999999999999999999 * * * *",
       "failed to parse int from 99999999999999999999: strconv.Atoi: parsing \"99999999999999999999\": value out of "
       "range"},
      {"@foo", "unrecognized descriptor: @foo"},
      {"@every 1h1", "failed to parse duration @every 1h1: time: missing unit in duration \"1h1\""},
      {"TZ=No/Where * * * * *", "provided bad location No/Where: unknown time zone No/Where"},
  };
  for (const Case& c : wrong) EXPECT_EQ(CheckCronSchedule(c.members), c.error) << c.members;
}

TEST(IndexRanges, Texts) {
  EXPECT_EQ(ReadIndexRanges("", 5).total, 0);
  EXPECT_EQ(ReadIndexRanges("0,2-4", 5).total, 4);
  EXPECT_EQ(ReadIndexRanges("2,1", 5).error, "non-increasing order, previous: 2, current: 1");
  EXPECT_EQ(ReadIndexRanges("2-1", 5).error, "non-increasing order, previous: 2, current: 1");
  EXPECT_EQ(ReadIndexRanges("a", 5).error, "cannot convert string to integer for index: \"a\"");
  EXPECT_EQ(
      ReadIndexRanges("1-2-3", 5).error,
      "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two parts separated "
      "by '-'");
  EXPECT_EQ(FindOverlap("0-1,x,4", "2,4", 5), "failedIndexes and completedIndexes overlap at index: 4");
  EXPECT_EQ(FindOverlap("0-1", "2", 5), "");
}

TEST(TimeZones, AreFoundByName) {
  for (const char* good : {"", "UTC", "Local", "Europe/Oslo", "Etc/GMT+1", "EST5EDT"})
    EXPECT_EQ(FindTimeZone(good), "");
  EXPECT_EQ(FindTimeZone("utc"), "unknown time zone utc");
  EXPECT_EQ(FindTimeZone("America"), "is a directory");
  EXPECT_EQ(FindTimeZone("../x"), "time: invalid location name");
}

}  // namespace
}  // namespace resources::batch
