#include "schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace schema {
namespace {

TEST(SchemaTest, FindsTypesByName) {
  const Type* pod = FindType("io.k8s.api.core.v1.Pod");
  ASSERT_NE(pod, nullptr);
  EXPECT_EQ(pod->go_name, "v1.Pod");
  EXPECT_EQ(pod->struct_name(), "Pod");
  EXPECT_EQ(FindType("io.k8s.api.core.v1.Po"), nullptr);
  EXPECT_EQ(FindType(""), nullptr);
  for (const Type& type : AllTypes()) EXPECT_EQ(FindType(type.name), &type);
  EXPECT_EQ(AllTypes().size(), 805u);
}

TEST(SchemaTest, FindsKinds) {
  EXPECT_EQ(FindKind("", "v1", "Pod"), FindType("io.k8s.api.core.v1.Pod"));
  EXPECT_EQ(FindKind("apps", "v1", "Deployment"), FindType("io.k8s.api.apps.v1.Deployment"));
  EXPECT_EQ(FindKind("apps", "v1", "Pod"), nullptr);
  EXPECT_EQ(FindKind("apps", "v1", "DeleteOptions"), FindType("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"));
  for (const Type& type : AllTypes()) {
    if (!type.gvk.kind.empty()) EXPECT_EQ(FindKind(type.gvk.group, type.gvk.version, type.gvk.kind), &type);
  }
}

TEST(SchemaTest, FindsEveryMemberOfEveryType) {
  for (const Type& type : AllTypes()) {
    std::set<std::string_view> names;
    for (size_t i = 0; i < type.members.size(); ++i) {
      EXPECT_EQ(type.MemberIndex(type.members[i]->name), static_cast<int>(i)) << type.name;
      EXPECT_TRUE(names.insert(type.members[i]->name).second) << type.name << " has two " << type.members[i]->name;
    }
    EXPECT_EQ(type.Member("noSuchMember"), nullptr);
    for (const Field& field : type.fields) {
      if (field.wire) EXPECT_EQ(type.Wire(field.wire), &field);
      if (field.wire_only) continue;
      if (field.is_inline) {
        if (!field.ref->members.empty()) EXPECT_EQ(type.members[field.place], field.ref->members[0]);
      } else {
        EXPECT_EQ(type.Own(field.name), &field);
        EXPECT_EQ(type.members[field.place], &field);
      }
    }
    if (type.has_wire) EXPECT_LE(type.members.size(), 64u) << "the wire codecs keep as many";
    EXPECT_EQ(type.Wire(0), nullptr);
    EXPECT_EQ(type.Wire(1000), nullptr);
  }
}

TEST(SchemaTest, InlineMembersStandInTheirPlace) {
  const Type* volume = FindType("io.k8s.api.core.v1.Volume");
  EXPECT_EQ(volume->members[0]->name, "name");
  EXPECT_EQ(volume->members[1]->name, "hostPath");
  EXPECT_EQ(volume->Own("hostPath"), nullptr);
  ASSERT_NE(volume->Member("hostPath"), nullptr);
}

TEST(SchemaTest, BuildSlotsAgreesWithTheTables) {
  for (const Type& type : AllTypes()) {
    std::vector<uint16_t> slots(type.slots.size());
    if (slots.empty()) continue;
    BuildSlots(type.members, slots);
    EXPECT_THAT(slots, testing::ElementsAreArray(type.slots)) << type.name;
  }
}

TEST(SchemaTest, NamesGoTypes) {
  const Type* spec = FindType("io.k8s.api.core.v1.PodSpec");
  const Type* meta = FindType("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_EQ(GoType(*spec->Own("containers")), "[]v1.Container");
  EXPECT_EQ(GoItemType(*spec->Own("containers")), "v1.Container");
  EXPECT_EQ(GoType(*spec->Own("nodeSelector")), "map[string]string");
  EXPECT_EQ(GoItemType(*spec->Own("nodeSelector")), "string");
  EXPECT_EQ(GoType(*spec->Own("restartPolicy")), "v1.RestartPolicy");
  EXPECT_EQ(GoType(*spec->Own("overhead")), "v1.ResourceList");
  EXPECT_EQ(GoItemType(*spec->Own("overhead")), "resource.Quantity");
  EXPECT_EQ(GoType(*meta->Own("uid")), "types.UID");
  EXPECT_EQ(GoType(*meta->Own("creationTimestamp")), "v1.Time");
}

TEST(SchemaTest, KnowsWhatIsStoredAsWire) {
  EXPECT_TRUE(FindKind("", "v1", "Pod")->stored_as_wire);
  EXPECT_FALSE(FindKind("apiextensions.k8s.io", "v1", "CustomResourceDefinition")->stored_as_wire);
  EXPECT_FALSE(FindKind("authorization.k8s.io", "v1", "SubjectAccessReview")->stored_as_wire);
}

}  // namespace
}  // namespace schema
