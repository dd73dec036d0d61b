#include "base/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"

namespace base {
namespace {

namespace fs = std::filesystem;

int ModeOf(const std::string& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 ? static_cast<int>(found.st_mode & 07777) : -1;
}

class FilesTest : public testing::Test {
 protected:
  FilesTest() : folder_((fs::path(testing::TempDir()) / Cat("files_test.", getpid())).string()) {
    fs::create_directories(folder_);
    umask(0);  // the worst that a shell may have set
  }
  ~FilesTest() override { fs::remove_all(folder_); }

  std::string In(std::string_view name) const { return Cat(folder_, "/", name); }
  static void Write(const std::string& path, std::string_view text, int mode) {
    std::ofstream(path) << text;
    chmod(path.c_str(), static_cast<mode_t>(mode));
  }
  static std::string Read(const std::string& path) {
    std::ifstream in(path);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  const std::string folder_;
};

TEST_F(FilesTest, NewDirectoriesAreTheirOwnersAlone) {
  chmod(folder_.c_str(), 0755);
  ASSERT_TRUE(MakeDirectories(In("a/b/c/")));
  for (std::string_view each : {"a", "a/b", "a/b/c"}) EXPECT_EQ(ModeOf(In(each)), 0700) << each;
  EXPECT_EQ(ModeOf(folder_), 0755) << "that was there before";
  std::vector<std::string> made;
  ASSERT_TRUE(MakeDirectories(In("a/b/d/e"), &made));
  EXPECT_EQ(made, (std::vector<std::string>{In("a/b/d"), In("a/b/d/e")}));
  Write(In("file"), "", 0600);
  EXPECT_FALSE(MakeDirectories(In("file")));
  EXPECT_FALSE(MakeDirectories(In("file/below")));
}

TEST_F(FilesTest, ReplacesAFileWithItsMode) {
  Write(In("token.new"), "half of one, readable by all", 0644);
  Write(In("token"), "old", 0644);
  ASSERT_TRUE(ReplaceFile(In("token"), "new"));
  EXPECT_EQ(Read(In("token")), "new");
  EXPECT_EQ(ModeOf(In("token")), 0600);
  EXPECT_FALSE(fs::exists(In("token.new")));
  EXPECT_FALSE(ReplaceFile(In("nowhere/token"), "new"));
}

TEST_F(FilesTest, AFileThatCannotTakeItsNameLeavesNothing) {
  ASSERT_TRUE(MakeDirectories(In("token/full")));
  EXPECT_FALSE(ReplaceFile(In("token"), "new"));
  EXPECT_FALSE(fs::exists(In("token.new")));
}

TEST_F(FilesTest, TakesRightsFromOthersInAWholeTree) {
  fs::create_directories(In("store/db"));
  Write(In("store/db/000001.log"), "secrets", 0644);
  Write(In("outside"), "", 0644);
  fs::create_symlink(In("outside"), In("store/link"));
  chmod(In("store").c_str(), 0755);
  chmod(In("store/db").c_str(), 0775);
  ASSERT_TRUE(MakePrivate(In("store")));
  EXPECT_EQ(ModeOf(In("store")), 0700);
  EXPECT_TRUE(IsPrivate(In("store")));
  EXPECT_FALSE(IsPrivate(In("outside")));
  EXPECT_EQ(ModeOf(In("store/db")), 0700);
  EXPECT_EQ(ModeOf(In("store/db/000001.log")), 0600);
  EXPECT_EQ(ModeOf(In("outside")), 0644) << "behind a link";
  EXPECT_TRUE(MakePrivate(In("nothing")));
}

TEST_F(FilesTest, LeavesADirectoryThatUsersShare) {
  chmod(folder_.c_str(), 01777);
  EXPECT_EQ(MakePrivateAlone(folder_).error().code, Code::kInvalid);
  EXPECT_EQ(ModeOf(folder_), 01777);
}

}  // namespace
}  // namespace base
