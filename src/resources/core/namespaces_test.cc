// Namespaces: finalizers of the spec, and where they are found wrong.
#include <gtest/gtest.h>

#include "resources/kind_fixture.h"

namespace resources::core {
namespace {

TEST(Namespaces, Finalizers) {
  KindFixture namespaces("", "v1", "namespaces", "Namespace", false);
  constexpr std::string_view kBare = R"("spec":{"finalizers":["kubernetes","bare"]})";
  constexpr std::string_view kComplaint =
      ": Invalid value: \"bare\": name is neither a standard finalizer name nor is it fully qualified";
  EXPECT_EQ(namespaces.Create(R"("spec":{"finalizers":["a.b/c"]})"), "");
  EXPECT_EQ(namespaces.object(), R"({"spec":{"finalizers":["a.b/c","kubernetes"]},"status":{"phase":"Active"}})");
  EXPECT_EQ(namespaces.Create(kBare), base::Cat("spec.finalizers", kComplaint));
  // The finalize subresource tells them one by one.
  EXPECT_EQ(namespaces.Update("", kBare, "finalize"), base::Cat("spec.finalizers[1]", kComplaint));
  EXPECT_EQ(namespaces.Update("", R"("spec":{"finalizers":["orphan","a.b/c"]})", "finalize"), "");
}

}  // namespace
}  // namespace resources::core
