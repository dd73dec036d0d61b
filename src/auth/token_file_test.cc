#include "auth/token_file.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace auth {
namespace {

TEST(TokenFile, ReadsRecords) {
  const auto file = TokenFile::Parse("t1,\"u,1\",i1\r\n\n,skipped,x\nt2,\"a\"\"b\",,\"g\"\nt1,again,i2", "f").value();
  EXPECT_EQ(file->AuthenticateToken("t1").user->name, "again");
  EXPECT_EQ(file->AuthenticateToken("t2").user->name, "a\"b");
  EXPECT_EQ(file->AuthenticateToken("t2").user->groups, (std::vector<std::string>{"g", "system:authenticated"}));
  EXPECT_EQ(file->AuthenticateToken("").outcome, Identity::Outcome::kAbsent);
  EXPECT_EQ(TokenFile::Parse("a,b", "f").error().message,
            "token file 'f' must have at least 3 columns (token, user name, user uid), found 2");
  EXPECT_FALSE(TokenFile::Parse("a,\"b,c", "f").has_value());
  EXPECT_FALSE(TokenFile::Parse("a,b\"c,d", "f").has_value());
}

}  // namespace
}  // namespace auth
