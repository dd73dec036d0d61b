#include "api/field_path.h"

#include <gtest/gtest.h>

namespace api {
namespace {

TEST(FieldPath, PrintsAsTheServerDoes) {
  FieldPath root;
  EXPECT_EQ(root.text(), "");
  FieldPath spec = root.Child("spec");
  FieldPath containers = spec.Child("containers");
  FieldPath first = containers.Index(0);
  EXPECT_EQ(first.text(), "spec.containers[0]");
  EXPECT_EQ(first.Child("ports").Index(12).Child("name").text(), "spec.containers[0].ports[12].name");
  EXPECT_EQ(root.Child("data").Key("a.b").text(), "data[a.b]");
  EXPECT_EQ(FieldPath("metadata").Child("name").text(), "metadata.name");
}

}  // namespace
}  // namespace api
