// Lists that find what they select beside walks through everything.
#include "registry/label_index.h"

#include <gtest/gtest.h>

#include <random>

#include "base/text.h"
#include "registry/registry_fixture.h"

namespace registry {
namespace {

struct Case {
  std::string_view labels, fields, namespace_name;
  bool found;  // in more than by a scan
};

constexpr Case kCases[] = {
    {"app=a1", "", "", true},
    {"app==a1", "", "ns", true},
    {"app=nowhere", "", "", true},
    {"app=", "", "", true},
    {"app in (a1,a2,nowhere)", "", "", true},
    {"tier=t0,app in (a1,a2),app!=a2", "", "", true},
    {"tier=t0", "", "", false},  // half of all
    {"app!=a1", "", "", false},
    {"app notin (a1)", "", "", false},
    {"app", "", "", false},
    {"!app", "", "", false},
    {"app.kubernetes.io/name=a3,!tier", "", "", true},
    {"", "spec.nodeName=n1", "", true},
    {"app=a1", "spec.nodeName=n1", "ns", true},
    {"", "spec.nodeName!=n1", "", false},
    {"", "spec.nodeName=", "", false},
    {"app=a1", "", "other", false},  // a namespace of few
};

class TermsTest : public testing::Test {
 protected:
  TermsTest() {
    EXPECT_TRUE(f.Create(*f.namespaces, R"({"metadata":{"name":"other"}})", ""));
    for (int i = 0; i < 600; ++i) Write(i);
  }
  void Write(int i) {
    std::string labels = base::Cat(R"("app":"a)", std::to_string(random_() % 20), "\"");
    if (random_() % 40 == 0) labels = R"("app":"")";
    if (random_() % 2 == 0) labels += R"(,"tier":"t0")";
    if (random_() % 30 == 0) labels += R"(,"app.kubernetes.io/name":"a3")";
    const std::string json =
        base::Cat(R"({"metadata":{"name":"p)", std::to_string(i), R"(","labels":{)", labels,
                  R"(}},"spec":{"nodeName":"n)", std::to_string(random_() % 10), R"(","containers":[]}})");
    ASSERT_TRUE(f.Create(*f.pods, json, i % 10 == 0 ? "other" : "ns"));
  }
  // The keys of all pages.
  std::string Listed(const Case& c, int64_t limit) {
    ListOptions options;
    options.labels = api::LabelSelector::Parse(c.labels).value();
    options.fields = api::FieldSelector::Parse(c.fields).value();
    options.limit = limit;
    std::string keys, token;
    do {
      options.continue_token = token;
      auto view = f.List(*f.pods, options, c.namespace_name);
      if (!view) return view.error().message;
      while (const store::Cell* cell = view->Next()) keys += base::Cat(cell->key(), " ");
      token = view->continue_token();
    } while (!token.empty());
    return keys;
  }
  std::string Walked(const Case& c) {
    const auto labels = api::LabelSelector::Parse(c.labels).value();
    const auto fields = api::FieldSelector::Parse(c.fields).value();
    const store::Snapshot snapshot = f.store->Latest(f.pods->storage->id);
    const std::string prefix = c.namespace_name.empty() ? "" : base::Cat(c.namespace_name, "/");
    std::string keys;
    for (store::Scan scan = snapshot.Scan(prefix); const store::Cell* cell = scan.Next();) {
      if (Registry::Matches(*f.pods, *cell, labels, fields)) keys += base::Cat(cell->key(), " ");
    }
    return keys;
  }

  std::mt19937 random_{11};
  Fixture f;
};

TEST_F(TermsTest, ListsAreThoseOfAWalk) {
  for (int round = 0; round < 3; ++round) {
    for (const Case& c : kCases) {
      EXPECT_EQ(Listed(c, 0), Walked(c)) << c.labels << c.fields;
      EXPECT_EQ(Listed(c, 3), Walked(c)) << c.labels << c.fields << " in chunks";
    }
    for (int i = 0; i < 50; ++i) {
      const int number = static_cast<int>(random_() % 600);
      if (number % 10 == 0 || !f.Delete(*f.pods, base::Cat("p", std::to_string(number)), {.grace_period_seconds = 0}))
        continue;
      Write(number);
    }
  }
}

TEST_F(TermsTest, FindsWhatSelectorsName) {
  for (const Case& c : kCases) {
    const auto labels = api::LabelSelector::Parse(c.labels).value();
    const auto fields = api::FieldSelector::Parse(c.fields).value();
    const std::string prefix = c.namespace_name.empty() ? "" : base::Cat(c.namespace_name, "/");
    const auto found =
        FindCandidates(*f.store, *f.pods, f.store->Latest(f.pods->storage->id), labels, fields, prefix, "");
    EXPECT_EQ(found.has_value(), c.found) << c.labels << c.fields;
  }
}

}  // namespace
}  // namespace registry
