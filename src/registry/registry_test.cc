#include "registry/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "registry/continue_token.h"
#include "registry/registry_fixture.h"
#include "value/json_writer.h"

namespace registry {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

template <class T>
std::string Message(const api::Result<T>& result) {
  return result ? "no error" : std::to_string(result.error().code) + " " + result.error().message;
}
std::string Text(const api::Result<WriteResult>& written) {
  return written ? std::string(written->bytes.data) : Message(written);
}
std::vector<std::string> Keys(api::Result<ListView>& view) {
  std::vector<std::string> keys;
  while (const store::Cell* cell = view->Next()) keys.emplace_back(cell->key());
  return keys;
}
std::string NewestVersion(Fixture& f) { return std::to_string(f.store->revision().value()); }

TEST(Create, WritesMetadataOfItsOwn) {
  Fixture f;
  auto written =
      f.Create(*f.configmaps, R"({"metadata":{"name":"a","uid":"mine","labels":{"x":"y"}},"data":{"k":"v"}})");
  ASSERT_TRUE(written) << Message(written);
  EXPECT_TRUE(written->created);
  EXPECT_THAT(Text(written),
              MatchesRegex(R"(\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"a","namespace":"ns",)"
                           R"("uid":"[0-9a-f-]{36}","resourceVersion":"3","creationTimestamp":"2027-01-15T08:00:00Z",)"
                           R"("labels":\{"x":"y"\}\},"data":\{"k":"v"\}\})"));
}

TEST(Create, GeneratesNames) {
  Fixture f;
  auto written = f.Create(*f.configmaps, R"({"metadata":{"generateName":"a-"}})");
  EXPECT_THAT(Text(written), MatchesRegex(R"(.*"name":"a-[a-z0-9]{5}","generateName":"a-".*)"));
}

TEST(Create, Refuses) {
  struct Case {
    std::string_view name, json, ns;
    std::string_view message;
  };
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"there"}})"));
  const Case cases[] = {
      {"taken", R"({"metadata":{"name":"there"}})", "ns", R"(409 configmaps "there" already exists)"},
      {"no name", R"({})", "ns",
       R"(422 ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required)"},
      {"other namespace", R"({"metadata":{"name":"a","namespace":"b"}})", "ns",
       "400 the namespace of the provided object does not match the namespace sent on the request"},
      {"version", R"({"metadata":{"name":"a","resourceVersion":"7"}})", "ns",
       "500 resourceVersion should not be set on objects to be created"},
      {"finalizers", R"({"metadata":{"name":"a","finalizers":["orphan","foregroundDeletion"]}})", "ns",
       R"(422 ConfigMap "a" is invalid: metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: )"
       "finalizer orphan and foregroundDeletion cannot be both set"},
      {"owner", R"({"metadata":{"name":"a","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p"}]}})", "ns",
       R"(422 ConfigMap "a" is invalid: metadata.ownerReferences.uid: Invalid value: "": uid must not be empty)"},
  };
  for (const Case& c : cases) EXPECT_EQ(Message(f.Create(*f.configmaps, c.json, c.ns)), c.message) << c.name;
}

TEST(Create, DryRunStoresNothing) {
  Fixture f;
  auto written = f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})", "ns", true);
  EXPECT_THAT(Text(written), HasSubstr(R"("uid":)"));
  EXPECT_THAT(Text(written), Not(HasSubstr("resourceVersion")));
  EXPECT_EQ(Message(f.Get(*f.configmaps, "a")), R"(404 configmaps "a" not found)");
}

TEST(Get, KnowsVersions) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})"));
  EXPECT_TRUE(f.Get(*f.configmaps, "a"));
  EXPECT_TRUE(f.Get(*f.configmaps, "a", "00"));
  EXPECT_EQ(Message(f.Get(*f.configmaps, "a", "x")),
            R"(500 resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax)");
  EXPECT_EQ(Message(f.Get(*f.configmaps, "..")), R"(400 Name parameter invalid: "..": may not be '..')");
  f.clock.ahead = std::chrono::seconds(-3600);  // the wait is over before it begins
  auto late = f.Get(*f.configmaps, "a", "9000000000000000");
  EXPECT_EQ(Message(late), "504 Timeout: Too large resource version: 9000000000000000, current: 3");
  EXPECT_EQ(late.error().details.retry_after_seconds, 1);
  auto uncached = f.Get(*f.events, "a", "9000000000000000");
  EXPECT_EQ(Message(uncached), Message(late));
  EXPECT_EQ(uncached.error().details.retry_after_seconds, 0);
}

TEST(Update, ReplacesAndKeepsWhatItMust) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"},"data":{"k":"1"}})"));
  const std::string uid = std::string((*f.Get(*f.configmaps, "a"))->bytes().substr(80, 36));
  auto written = f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a"},"data":{"k":"2"}})");
  EXPECT_THAT(Text(written),
              HasSubstr(R"("resourceVersion":"4","creationTimestamp":"2027-01-15T08:00:00Z"},"data":{"k":"2"}})"));
  EXPECT_THAT(Text(written), HasSubstr(uid));
  EXPECT_FALSE(written->created);
}

TEST(Update, WithoutChangeWritesNothing) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"},"data":{"k":"1"}})"));
  const std::string before = NewestVersion(f);
  auto written = f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a"},"data":{"k":"1"}})");
  EXPECT_THAT(Text(written), HasSubstr(R"("resourceVersion":")" + before + "\""));
  EXPECT_EQ(NewestVersion(f), before);
}

// Reading makes another object of it than the one that is written.
TEST(Update, WritesWhatReadingWouldChange) {
  constexpr std::string_view kNull = R"({"metadata":{"name":"a"},"binaryData":{"k":null}})";
  constexpr std::string_view kEmpty = R"({"metadata":{"name":"a"},"binaryData":{"k":""}})";
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, kNull)->needs_reencoding);
  for (int i = 0; i < 2; ++i) {
    const std::string before = NewestVersion(f);
    EXPECT_TRUE(f.Put(*f.configmaps, "a", kNull)->needs_reencoding);
    EXPECT_NE(NewestVersion(f), before);
  }
  EXPECT_FALSE(f.Put(*f.configmaps, "a", kEmpty)->needs_reencoding);
  const std::string before = NewestVersion(f);
  f.Put(*f.configmaps, "a", kEmpty);
  EXPECT_EQ(NewestVersion(f), before);
}

TEST(Update, ReadsNullBytesAsEmpty) {
  Fixture f;
  f.Create(*f.configmaps, R"({"metadata":{"name":"a"},"binaryData":{"k":null}})");
  Call call = f.NewCall();
  Registry::Update update;
  update.key = {"ns", "a"};
  std::string read;
  update.transform = [&](const Value* current, const Value& shown, Arena&) -> api::Result<Value> {
    EXPECT_TRUE(shown.is_null());
    read = value::ToJson(current->Get("binaryData"));
    return *current;
  };
  ASSERT_TRUE(f.executor.Run(f.registry->UpdateObject(call, *f.configmaps, std::move(update))));
  EXPECT_EQ(read, R"({"k":""})");
}

// Defaults of the stored version that the version of the request does not have.
TEST(Update, WritesWhatAnotherVersionLeavesToReading) {
  constexpr std::string_view kPlain = R"({"metadata":{"name":"a"},"data":{"k":"v"}})";
  constexpr std::string_view kWhole = R"({"metadata":{"name":"a"},"immutable":false,"data":{"k":"v"}})";
  Fixture f;
  static const schema::Type* const stored = f.configmaps->type;
  f.table.StrategyOf(*f.configmaps).set_defaults = [](const schema::Type& type, const Value& map, Arena& arena,
                                                      const api::Features&) {
    if (&type == stored && map.Find("immutable") == nullptr) map.Set(arena, "immutable", Value::Bool(false));
  };
  const schema::Type served = *stored;
  Resource other = *f.configmaps;
  other.version = "v0";
  other.type = &served;
  class Same final : public ImmediateConverter {
    Value Now(To, Arena&, const Value& map) const override { return map; }
  };
  other.converter = std::make_shared<Same>();

  const auto writes = [&](const Resource& resource, std::string_view json) {
    const std::string before = NewestVersion(f);
    EXPECT_TRUE(f.Put(resource, "a", json));
    return NewestVersion(f) != before;
  };
  const auto created = f.Create(other, kPlain);
  EXPECT_TRUE(created->needs_reencoding);
  EXPECT_THAT(Text(created), Not(HasSubstr("immutable")));
  EXPECT_TRUE(writes(other, kPlain));
  EXPECT_TRUE(writes(*f.configmaps, kPlain));
  EXPECT_FALSE(writes(*f.configmaps, kPlain));
  EXPECT_FALSE(writes(other, kWhole));
  EXPECT_THAT(Text(f.Put(other, "a", kPlain, "", true)), HasSubstr("immutable"));
}

TEST(Update, MarksWhatNobodyIsShown) {
  Fixture f;
  f.table.StrategyOf(*f.configmaps).hidden_member = [](const Value& map) -> std::string_view {
    return map.Get("data").Find("secret") != nullptr ? "data.secret" : "";
  };
  EXPECT_FALSE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})")->needs_reencoding);
  EXPECT_TRUE(f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a"},"data":{"secret":"v"}})")->needs_reencoding);
  EXPECT_TRUE(
      f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a"},"data":{"secret":"w"}})", "", true)->needs_reencoding);
  const std::string before = NewestVersion(f);
  f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a"},"data":{"secret":"v"}})");
  EXPECT_EQ(NewestVersion(f), before);
}

TEST(Update, Refuses) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(Message(f.Put(*f.configmaps, "b", R"({"metadata":{"name":"b"}})")), R"(404 configmaps "b" not found)");
  EXPECT_EQ(Message(f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a","resourceVersion":"2"}})")),
            R"(409 Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your )"
            "changes to the latest version and try again");
  EXPECT_EQ(Message(f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a","resourceVersion":"abc"}})")),
            R"(500 strconv.ParseUint: parsing "abc": invalid syntax)");
  auto changed = f.Put(*f.configmaps, "a",
                       R"({"metadata":{"name":"a","uid":"other","deletionTimestamp":"2001-01-01T00:00:00Z"}})");
  EXPECT_EQ(Message(changed),
            R"(422 ConfigMap "a" is invalid: [metadata.uid: Invalid value: "other": field is immutable, )"
            "metadata.deletionTimestamp: Invalid value: 2001-01-01 00:00:00 +0000 UTC: field is immutable]");
  EXPECT_EQ(changed.error().details.causes.size(), 4u);
}

TEST(Update, LooksAtFinalizersAgain) {
  Fixture f;
  f.table.StrategyOf(*f.configmaps).facts.update_checks = MetadataChecks::kUpdateAndFull;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})"));
  auto refused = f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a","finalizers":["kubernetes","bad"]}})");
  EXPECT_EQ(refused.error().details.causes.size(), 2u);
  EXPECT_EQ(Message(refused), R"(422 ConfigMap "a" is invalid: metadata.finalizers[1]: Invalid value: "bad": )"
                              "name is neither a standard finalizer name nor is it fully qualified");
}

// The rule for names holds the beginning of a generated one too, which an update may still change.
TEST(Update, LooksAtGeneratedNamesAgain) {
  Fixture f;
  f.table.StrategyOf(*f.configmaps).facts.check_name = api::CheckNameIsDnsSubdomain;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})"));
  constexpr std::string_view kSent = R"({"metadata":{"name":"a","generateName":"A"}})";
  auto kept = f.Put(*f.configmaps, "a", kSent);
  EXPECT_TRUE(kept) << Message(kept);
  f.table.StrategyOf(*f.configmaps).facts.update_checks = MetadataChecks::kFull;
  EXPECT_THAT(Message(f.Put(*f.configmaps, "a", kSent)),
              HasSubstr(R"(422 ConfigMap "a" is invalid: metadata.generateName: Invalid value: "A": a lowercase)"));
}

TEST(Update, NeedsAVersionWhereTheKindSaysSo) {
  Fixture f;
  f.table.StrategyOf(*f.configmaps).facts.allow_unconditional_update = false;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(
      Message(f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a"}})")),
      R"(422 configmaps "a" is invalid: metadata.resourceVersion: Invalid value: 0x0: must be specified for an update)");
}

TEST(Update, CreatesWhereTheKindSaysSo) {
  Fixture f;
  f.table.StrategyOf(*f.configmaps).facts.allow_create_on_update = true;
  auto written = f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a","resourceVersion":"5"}})");
  ASSERT_TRUE(written) << Message(written);
  EXPECT_TRUE(written->created);
}

TEST(Update, RaisesGenerationWithTheSpec) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.deployments, R"({"metadata":{"name":"d","generation":9},"spec":{"replicas":1}})"));
  EXPECT_THAT(std::string((*f.Get(*f.deployments, "d"))->bytes()), HasSubstr(R"("generation":1,)"));
  EXPECT_THAT(Text(f.Put(*f.deployments, "d", R"({"metadata":{"name":"d","labels":{"a":"b"}},"spec":{"replicas":1}})")),
              HasSubstr(R"("generation":1,)"));
  EXPECT_THAT(Text(f.Put(*f.deployments, "d", R"({"metadata":{"name":"d","annotations":{}},"spec":{"replicas":2}})")),
              HasSubstr(R"("generation":2,)"));
}

TEST(Update, KeepsStatusAndSpecApart) {
  Fixture f;
  ASSERT_TRUE(f.Create(
      *f.deployments, R"({"metadata":{"name":"d","labels":{"a":"1"}},"spec":{"replicas":1},"status":{"replicas":5}})"));
  EXPECT_THAT(std::string((*f.Get(*f.deployments, "d"))->bytes()), HasSubstr(R"("status":{}})"));
  auto status = f.Put(
      *f.deployments, "d",
      R"({"metadata":{"name":"d","labels":{"a":"2"},"annotations":{"n":"v"}},"spec":{"replicas":7},"status":{"replicas":3}})",
      "status");
  EXPECT_THAT(Text(status), HasSubstr(R"("labels":{"a":"1"},"annotations":{"n":"v"}},"spec":{"replicas":1,)"));
  EXPECT_THAT(Text(status), HasSubstr(R"("status":{"replicas":3}})"));
  auto spec = f.Put(*f.deployments, "d", R"({"metadata":{"name":"d"},"spec":{"replicas":2}})");
  EXPECT_THAT(Text(spec), HasSubstr(R"("status":{"replicas":3}})"));
}

TEST(Delete, RemovesAtOnceWithoutFinalizers) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})"));
  auto deleted = f.Delete(*f.configmaps, "a");
  ASSERT_TRUE(deleted) << Message(deleted);
  EXPECT_TRUE(deleted->deleted);
  EXPECT_THAT(Text(deleted), HasSubstr(R"("resourceVersion":"4")"));
  EXPECT_EQ(Message(f.Delete(*f.configmaps, "a")), R"(404 configmaps "a" not found)");
}

TEST(Delete, WaitsForFinalizers) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a","finalizers":["x.y/z"]}})"));
  auto deleted = f.Delete(*f.configmaps, "a");
  EXPECT_FALSE(deleted->deleted);
  EXPECT_THAT(Text(deleted),
              HasSubstr(R"("deletionTimestamp":"2027-01-15T08:00:00Z","deletionGracePeriodSeconds":0,)"));
  EXPECT_THAT(Message(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})")),
              StartsWith("409 object is being deleted: configmaps"));
  EXPECT_EQ(Message(f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a","finalizers":["x.y/z","x.y/w"]}})")),
            R"(422 ConfigMap "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the )"
            R"(object is being deleted, found new finalizers []string{"x.y/w"})");
  auto last = f.Put(*f.configmaps, "a", R"({"metadata":{"name":"a"}})");
  ASSERT_TRUE(last) << Message(last);
  EXPECT_TRUE(last->deleted);
  EXPECT_EQ(Message(f.Get(*f.configmaps, "a")), R"(404 configmaps "a" not found)");
}

TEST(Delete, AsksTheCollectorByFinalizer) {
  Fixture f;
  struct Case {
    std::string_view policy;
    std::string_view finalizer;
  };
  for (const Case& c :
       {Case{"Orphan", R"("finalizers":["orphan"])"}, Case{"Foreground", R"("finalizers":["foregroundDeletion"])"}}) {
    ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"generateName":"a","name":"a"}})"));
    DeleteOptions options;
    options.propagation_policy = c.policy;
    EXPECT_THAT(Text(f.Delete(*f.configmaps, "a", options)), HasSubstr(c.finalizer));
    options.propagation_policy = "Background";
    EXPECT_TRUE(f.Delete(*f.configmaps, "a", options)->deleted);
  }
}

TEST(Delete, LeavesNothingToACollectorThatIsNotThere) {
  Fixture f({}, {.garbage_collection = false});
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})"));
  DeleteOptions options;
  options.propagation_policy = "Foreground";
  EXPECT_TRUE(f.Delete(*f.configmaps, "a", options)->deleted);
}

TEST(Delete, GivesPodsTime) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.pods, R"({"metadata":{"name":"p"}})"));
  auto first = f.Delete(*f.pods, "p");
  EXPECT_FALSE(first->deleted);
  EXPECT_THAT(Text(first), HasSubstr(R"("deletionTimestamp":"2027-01-15T08:00:30Z","deletionGracePeriodSeconds":30)"));
  DeleteOptions options;
  options.grace_period_seconds = 60;  // longer: nothing changes
  EXPECT_THAT(Text(f.Delete(*f.pods, "p", options)), HasSubstr(R"("deletionGracePeriodSeconds":30)"));
  options.grace_period_seconds = 5;
  EXPECT_THAT(Text(f.Delete(*f.pods, "p", options)),
              HasSubstr(R"("deletionTimestamp":"2027-01-15T08:00:05Z","deletionGracePeriodSeconds":5)"));
  options.grace_period_seconds = 0;
  const int64_t before = f.store->revision().value();
  EXPECT_TRUE(f.Delete(*f.pods, "p", options)->deleted);
  EXPECT_EQ(f.store->revision().value(), before + 2);  // marked, then removed
}

TEST(Delete, HoldsPreconditions) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})"));
  DeleteOptions options;
  options.preconditions.uid = "other";
  EXPECT_THAT(
      Message(f.Delete(*f.configmaps, "a", options)),
      StartsWith(
          R"(409 Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not)"));
}

TEST(Delete, TakesTwoStepsWhereTheKindSaysSo) {
  Fixture f;
  StrategyTable& strategy = f.table.StrategyOf(*f.namespaces);
  strategy.begin_termination = [](WriteContext& context, Value object) {
    object.Set(context.arena, "status", Value::Object(context.arena));
    object.Get("status").Set(context.arena, "phase", Value::String("Terminating"));
  };
  strategy.facts.deletes_in_two_steps = true;
  strategy.termination_pending = [](const Value& object) { return !object.Get({"spec", "finalizers"}).empty(); };
  ASSERT_TRUE(f.Create(*f.namespaces, R"({"metadata":{"name":"x"},"spec":{"finalizers":["kubernetes"]}})", ""));
  DeleteOptions other;
  other.preconditions.uid = "other";
  EXPECT_THAT(
      Message(f.Delete(*f.namespaces, "x", other)),
      StartsWith(
          R"(409 Operation cannot be fulfilled on namespaces "x": Precondition failed: UID in precondition: other,)"));
  auto first = f.Delete(*f.namespaces, "x");
  EXPECT_FALSE(first->deleted);
  EXPECT_THAT(Text(first), HasSubstr(R"("status":{"phase":"Terminating"})"));
  EXPECT_FALSE(f.Delete(*f.namespaces, "x")->deleted);
  auto last = f.Put(*f.namespaces, "x", R"({"metadata":{"name":"x"},"spec":{},"status":{"phase":"Terminating"}})");
  ASSERT_TRUE(last) << Message(last);
  EXPECT_TRUE(last->deleted);
}

TEST(DeleteCollection, GivesTheListAsItWas) {
  Fixture f;
  for (std::string_view name : {"a", "b", "c"}) {
    ASSERT_TRUE(f.Create(*f.configmaps, std::string(R"({"metadata":{"name":")") + std::string(name) + "\"}}"));
  }
  Call call = f.NewCall();
  ListOptions options;
  options.limit = 2;
  auto deleted = f.executor.Run(f.registry->DeleteCollection(call, *f.configmaps, "ns", options, {}));
  ASSERT_TRUE(deleted) << Message(deleted);
  EXPECT_THAT(Keys(deleted), ElementsAre("ns/a", "ns/b"));
  auto rest = f.List(*f.configmaps, {});
  EXPECT_THAT(Keys(rest), ElementsAre("ns/c"));
}

TEST(DeleteCollection, OfAVersionIsOfThatVeryOne) {
  Fixture f;
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"a"}})"));
  struct {
    const char *version, *message;
  } cases[] = {
      {"abc",
       R"(400 invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax)"},
      {"9000000000000000", "500 etcdserver: mvcc: required revision is a future revision"},
  };
  for (const auto& c : cases) {
    Call call = f.NewCall();
    ListOptions options;
    options.version.resource_version = c.version;
    EXPECT_EQ(Message(f.executor.Run(f.registry->DeleteCollection(call, *f.configmaps, "ns", options, {}))), c.message);
  }
}

TEST(DeleteCollection, DeletesManyInOrder) {
  Fixture f;
  const auto name = [](int i) { return "a" + std::to_string(1000 + i); };
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":")" + name(i) + "\"}}"));
  const store::Revision before = f.store->revision();
  auto watcher = f.store->Watch({.collection = f.configmaps->storage->id, .after = before}, [] {}).value();
  Call call = f.NewCall();
  ASSERT_TRUE(f.executor.Run(f.registry->DeleteCollection(call, *f.configmaps, "ns", {}, {})));
  for (int i = 0; i < 500; ++i) {
    const store::Event* event = watcher->Next().value();
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(event->cell().key(), "ns/" + name(i));
  }
  EXPECT_EQ(f.store->Latest(f.configmaps->storage->id).Count(), 0U);
}

TEST(DeleteCollection, StopsAtTheFirstError) {
  const FakeAdmission admission([](const AdmissionRequest& request) -> api::Result<> {
    const std::string_view name = request.key.name;
    if (request.operation != Operation::kDelete || (name != "b" && name != "c")) return {};
    return api::Fail(api::Internal("not " + std::string(name)));
  });
  Fixture f({.admission = &admission, .allocate = {}});
  for (std::string name : {"a", "b", "c"}) {
    ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":")" + name + "\"}}"));
  }
  Call call = f.NewCall();
  auto deleted = f.executor.Run(f.registry->DeleteCollection(call, *f.configmaps, "ns", {}, {}));
  EXPECT_EQ(Message(deleted), "500 Internal error occurred: not b");
  auto rest = f.List(*f.configmaps, {});
  EXPECT_THAT(Keys(rest), ElementsAre("ns/b", "ns/c"));
}

// What admission was asked, one line a question.
struct Asked {
  std::vector<std::string> lines;
  FakeAdmission admission{[this](const AdmissionRequest& request) -> api::Result<> {
    const auto text = [](const Value& value) { return value.is_null() ? "null" : value::ToJson(value); };
    if (request.operation == Operation::kCreate) return {};
    lines.push_back(base::Cat(OperationName(request.operation), " /", request.subresource, " ", text(request.object),
                              " ", text(OptionsOf(request))));
    return {};
  }};
};

TEST(Admission, IsShownTheOptionsOfADeletionAsThePodMakesThem) {
  Asked asked;
  Fixture f({.admission = &asked.admission, .allocate = {}});
  ASSERT_TRUE(f.Create(*f.pods, R"({"metadata":{"name":"p"}})"));
  constexpr std::string_view kOptions = R"(DELETE / null {"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1")";
  ASSERT_TRUE(f.Delete(*f.pods, "p", {.dry_run = true}));
  ASSERT_TRUE(f.Delete(*f.pods, "p"));
  DeleteOptions options;
  options.grace_period_seconds = 40;  // it goes earlier: nobody is asked
  ASSERT_TRUE(f.Delete(*f.pods, "p", options));
  options.grace_period_seconds = 0;  // twice: it is marked, and goes
  options.has_preconditions = true;
  ASSERT_TRUE(f.Delete(*f.pods, "p", options));
  const std::string at_once = base::Cat(kOptions, R"(,"gracePeriodSeconds":0,"preconditions":{}})");
  EXPECT_THAT(asked.lines, ElementsAre(base::Cat(kOptions, R"(,"gracePeriodSeconds":30,"dryRun":["All"]})"),
                                       base::Cat(kOptions, R"(,"gracePeriodSeconds":30})"), at_once, at_once));
}

TEST(Admission, SeesTheBodyOfASubresourceOfAnotherKind) {
  Asked asked;
  Fixture f({.admission = &asked.admission, .allocate = {}});
  ASSERT_TRUE(f.Create(*f.deployments, R"({"metadata":{"name":"d"},"spec":{"replicas":1}})"));
  Call call = f.NewCall();
  const auto shown = [](const Value& object, bool, Arena& arena) {
    const Value body = Value::Object(arena, 1);
    body.Add(arena, "n", object.Get({"spec", "replicas"}));
    return body;
  };
  Registry::Update update{.key = {"ns", "d"},
                          .subresource = "",
                          .transform = [](const Value*, const Value&, Arena& arena) -> api::Result<Value> {
                            const Value body = Value::Object(arena, 1);
                            body.Add(arena, "n", Value::Int(7));
                            return body;
                          },
                          .preconditions = {},
                          .field_manager = std::nullopt,
                          .body = Registry::Update::Body{
                              .subresource = "scale",
                              .of = shown,
                              .into = [](const Value& current, const Value& body, Arena& arena) -> api::Result<Value> {
                                const Value object = value::DeepCopy(arena, current);
                                object.Get("spec").Set(arena, "replicas", body.Get("n"));
                                return object;
                              }}};
  const auto written = f.executor.Run(f.registry->UpdateObject(call, *f.deployments, std::move(update)));
  ASSERT_TRUE(written);
  EXPECT_THAT(std::string(written->bytes.data), HasSubstr(R"("replicas":7)"));
  EXPECT_THAT(asked.lines,
              ElementsAre(R"(UPDATE /scale {"n":7} {"kind":"UpdateOptions","apiVersion":"meta.k8s.io/v1"})"));
}

class ListTest : public ::testing::Test {
 protected:
  ListTest() {
    for (std::string_view name : {"a", "b", "c", "d"}) {
      const std::string label = name < "c" ? "low" : "high";
      EXPECT_TRUE(f.Create(*f.configmaps, std::string(R"({"metadata":{"name":")") + std::string(name) +
                                              R"(","labels":{"half":")" + label + "\"}}}"));
    }
  }
  Fixture f;
};

TEST_F(ListTest, GoesInChunksOfOneSnapshot) {
  ListOptions options;
  options.limit = 2;
  auto first = f.List(*f.configmaps, options);
  EXPECT_THAT(Keys(first), ElementsAre("ns/a", "ns/b"));
  EXPECT_EQ(first->remaining_item_count(), 2);
  const std::string token = first->continue_token();
  ASSERT_TRUE(f.Delete(*f.configmaps, "c"));
  options.continue_token = token;
  auto second = f.List(*f.configmaps, options);
  EXPECT_THAT(Keys(second), ElementsAre("ns/c", "ns/d"));
  EXPECT_EQ(second->revision(), first->revision());
  EXPECT_EQ(second->continue_token(), "");
  EXPECT_EQ(second->remaining_item_count(), std::nullopt);
}

TEST_F(ListTest, GoesOnThroughEverythingWhateverTheSelectorNames) {
  ListOptions options;
  options.limit = 1;
  const std::string token = f.List(*f.configmaps, options)->continue_token();
  options.continue_token = token;
  options.fields = api::FieldSelector::Parse("metadata.name=b").value();
  auto view = f.List(*f.configmaps, options);
  EXPECT_THAT(Keys(view), ElementsAre("ns/b"));
  EXPECT_NE(view->continue_token(), "");
}

TEST_F(ListTest, ContinuesFromNowWhenTheTokenSaysSo) {
  ListOptions options;
  const std::string token = EncodeContinueToken({-1, std::string("b\0", 2)});
  options.continue_token = token;
  auto rest = f.List(*f.configmaps, options);
  EXPECT_THAT(Keys(rest), ElementsAre("ns/c", "ns/d"));
}

TEST_F(ListTest, SaysHowToGoOnAfterCompaction) {
  ListOptions options;
  options.limit = 1;
  const std::string token = f.List(*f.configmaps, options)->continue_token();
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"e"}})"));
  ASSERT_TRUE(f.Create(*f.configmaps, R"({"metadata":{"name":"f"}})"));
  f.store->Compact(f.store->revision());
  options.continue_token = token;
  auto expired = f.List(*f.configmaps, options);
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().code, 410);
  options.continue_token = expired.error().continue_token;
  auto on = f.List(*f.configmaps, options);
  EXPECT_THAT(Keys(on), ElementsAre("ns/b"));
  options = {};
  options.version = {"2", "Exact"};
  EXPECT_EQ(Message(f.List(*f.configmaps, options)), "410 The resourceVersion for the provided list is too old.");
}

TEST_F(ListTest, SelectsByLabelAndField) {
  ListOptions options;
  options.labels = api::LabelSelector::Parse("half=high").value();
  options.limit = 1;
  auto view = f.List(*f.configmaps, options);
  EXPECT_THAT(Keys(view), ElementsAre("ns/c"));
  EXPECT_NE(view->continue_token(), "");
  EXPECT_EQ(view->remaining_item_count(), std::nullopt);

  options = {};
  options.fields = api::FieldSelector::Parse("metadata.name=b").value();
  auto one = f.List(*f.configmaps, options);
  EXPECT_THAT(Keys(one), ElementsAre("ns/b"));
  auto everywhere = f.List(*f.configmaps, options, "");
  EXPECT_THAT(Keys(everywhere), ElementsAre("ns/b"));
  options.fields = api::FieldSelector::Parse("metadata.name!=b,metadata.namespace=ns").value();
  auto others = f.List(*f.configmaps, options, "");
  EXPECT_THAT(Keys(others), ElementsAre("ns/a", "ns/c", "ns/d"));
  options.fields = api::FieldSelector::Parse("spec.x=b").value();
  EXPECT_EQ(Message(f.List(*f.configmaps, options)),
            R"(400 "spec.x" is not a known field selector: only "metadata.name", "metadata.namespace")");
}

TEST_F(ListTest, ReadsFieldsOfStoredObjects) {
  ASSERT_TRUE(f.Create(*f.pods, R"({"metadata":{"name":"p"},"spec":{"nodeName":"n1"},"status":{"phase":"Pending"}})"));
  ASSERT_TRUE(f.Create(*f.pods, R"({"metadata":{"name":"q"},"status":{"phase":"Pending"}})"));
  const auto select = [&](std::string_view text) {
    ListOptions options;
    options.fields = api::FieldSelector::Parse(text).value();
    auto view = f.List(*f.pods, options);
    return Keys(view);
  };
  EXPECT_THAT(select("spec.nodeName=n1"), ElementsAre("ns/p"));
  EXPECT_THAT(select("spec.nodeName="), ElementsAre("ns/q"));
  EXPECT_THAT(select("status.phase=Pending,spec.nodeName!=n1"), ElementsAre("ns/q"));
}

TEST_F(ListTest, KnowsVersions) {
  struct Case {
    std::string_view version, match;
    int64_t limit;
    std::string_view message;
  };
  const Case cases[] = {
      {"", "", 0, "no error"},
      {"0", "", 2, "no error"},
      {"3", "Exact", 0, "no error"},
      {"abc", "", 0, R"(500 resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax)"},
      {"abc", "", 1,
       R"(400 invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax)"},
      {"9000000000000000", "", 1, "500 etcdserver: mvcc: required revision is a future revision"},
      {"9000000000000000", "Exact", 0, "500 etcdserver: mvcc: required revision is a future revision"},
  };
  for (const Case& c : cases) {
    ListOptions options;
    options.version = {c.version, c.match};
    options.limit = c.limit;
    EXPECT_EQ(Message(f.List(*f.configmaps, options)), c.message) << c.version << c.match << c.limit;
  }
  for (const char* match : {"", "Exact"}) {
    ListOptions beyond;
    beyond.version = {"9223372036854775808", match};
    beyond.limit = 1;
    EXPECT_THAT(Message(f.List(*f.configmaps, beyond)),
                testing::StartsWith("504 Timeout: Too large resource version: 9223372036854775808, current: "));
  }
  ListOptions any;
  any.version.resource_version = "0";
  any.limit = 1;
  auto all = f.List(*f.configmaps, any);  // a limit at version 0 does not count
  EXPECT_EQ(Keys(all).size(), 4u);
  ListOptions exact;
  exact.version = {"4", "Exact"};
  auto old = f.List(*f.configmaps, exact);
  EXPECT_THAT(Keys(old), ElementsAre("ns/a", "ns/b"));
  EXPECT_EQ(old->revision(), store::Revision(4));
}

}  // namespace
}  // namespace registry
