#include "engine/rocksdb/rocksdb_engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "engine/rocksdb/test_file_system.h"

namespace engine {
namespace {

using testing::HasSubstr;

class TempDirectory {
 public:
  TempDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "fairlead-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TempDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Remembers what was fed: "key@revision=bytes", or "key@revision deleted".
class Recorder final : public Feed {
 public:
  void OnLoaded(const Version& version) override { loaded[version.modified.value()] = Text(version); }
  void OnCommitted(std::span<const Version> versions, Revision head) override {
    for (const Version& version : versions) committed[version.modified.value()] = Text(version);
    last = head;
  }
  std::map<int64_t, std::string> loaded, committed;
  Revision last;

 private:
  static std::string Text(const Version& version) {
    std::string text(version.key);
    return version.value ? text + "=" + std::string(version.value->bytes) : text + " deleted";
  }
};

struct OneWrite {
  std::string key, bytes;
  Revision created;
  bool deletion = false;
};

base::Result<Revision> Write(Engine& engine, const std::vector<OneWrite>& writes) {
  std::vector<Operation> operations;
  for (const OneWrite& write : writes) {
    Operation operation{.collection = "pods", .key = write.key, .created = write.created};
    if (!write.deletion) operation.value = Value{.bytes = write.bytes};
    operations.push_back(operation);
  }
  const Transaction transaction{operations};
  base::Result<Revision> answer = base::Fail(base::Code::kInternal, "no answer");
  engine.Commit(std::span(&transaction, 1),
                [&](std::span<const base::Result<Revision>> results) { answer = results[0]; });
  return answer;
}

class RocksDbEngineTest : public testing::Test {
 protected:
  // Opens and loads; the error's message where that fails.
  std::string Open() {
    engine_ = nullptr;
    recorder_ = {};
    base::Result<std::unique_ptr<Engine>> opened = OpenRocksDbEngine({.path = directory_.path(), .env = env_.get()});
    if (!opened) return opened.error().message;
    base::Result<Loaded> loaded = (*opened)->Start(recorder_);
    if (!loaded) return loaded.error().message;
    loaded_ = *loaded;
    engine_ = std::move(*opened);
    return "";
  }
  // The newest file of the database with that ending.
  std::string File(std::string_view ending) const {
    std::string newest;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path() + "/db")) {
      const std::string name = entry.path().string();
      if (name.ends_with(ending) && std::filesystem::file_size(name) > 0) newest = std::max(newest, name);
    }
    return newest;
  }
  std::string Manifest() const {
    std::string name;
    std::getline(std::ifstream(directory_.path() + "/db/CURRENT"), name);
    return directory_.path() + "/db/" + name;
  }
  // Where the zeros begin that the file ends with.
  static size_t EndOf(const std::string& file) {
    std::string bytes;
    EXPECT_TRUE(rocksdb::ReadFileToString(rocksdb::Env::Default(), file, &bytes).ok());
    return bytes.find_last_not_of('\0') + 1;
  }
  static void Damage(const std::string& file, size_t at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(stream.get() ^ 0x55);
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(byte);
  }

  TempDirectory directory_;
  FileFaults faults_;
  std::unique_ptr<rocksdb::Env> env_ = MakeTestEnv(faults_);
  Recorder recorder_;
  Loaded loaded_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(RocksDbEngineTest, LoadsTheBaseAndWhatCameAfter) {
  ASSERT_EQ(Open(), "");
  ASSERT_TRUE(Write(*engine_, {{"a", "1", {}}, {"b", "1", {}}}));
  ASSERT_TRUE(Write(*engine_, {{"a", "2", Revision(2)}}));
  ASSERT_TRUE(Write(*engine_, {{"b", "", Revision(2), true}}));
  ASSERT_TRUE(Write(*engine_, {{"a", "3", Revision(2)}}));
  const std::vector<Superseded> superseded = {{"pods", "a", Revision(2)}};
  ASSERT_TRUE(engine_->Compact(Revision(3), superseded));
  ASSERT_EQ(Open(), "");
  EXPECT_EQ(loaded_.base, Revision(3));
  EXPECT_EQ(loaded_.head, Revision(5));
  EXPECT_EQ(recorder_.loaded, (std::map<int64_t, std::string>{{2, "b=1"}, {3, "a=2"}, {4, "b deleted"}, {5, "a=3"}}));
}

TEST_F(RocksDbEngineTest, WhatACrashLeftBeforeTheBaseIsNotLoaded) {
  ASSERT_EQ(Open(), "");
  ASSERT_TRUE(Write(*engine_, {{"a", "1", {}}}));
  ASSERT_TRUE(Write(*engine_, {{"a", "2", Revision(2)}}));
  ASSERT_TRUE(Write(*engine_, {{"b", "1", {}}}));
  ASSERT_TRUE(Write(*engine_, {{"b", "", Revision(4), true}}));
  ASSERT_TRUE(engine_->Compact(Revision(5), {}));  // says nothing of what became unreachable
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(Open(), "");
    EXPECT_EQ(recorder_.loaded, (std::map<int64_t, std::string>{{3, "a=2"}}));
    EXPECT_EQ(loaded_.head, Revision(5)) << "the revision of a compacted deletion does not come again";
    if (i == 0) ASSERT_TRUE(engine_->Compact(Revision(5), {}));
  }
}

TEST_F(RocksDbEngineTest, ManyStartsDoNotLeaveManyLogs) {
  for (int i = 0; i < 30; ++i) {
    ASSERT_EQ(Open(), "");
    ASSERT_TRUE(Write(*engine_, {{"key" + std::to_string(i), "1", {}}}));
  }
  ASSERT_EQ(Open(), "");
  EXPECT_EQ(recorder_.loaded.size(), 30u);
  int logs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path() + "/db")) {
    if (entry.path().extension() == ".log") ++logs;
  }
  EXPECT_LE(logs, 10);
}

TEST_F(RocksDbEngineTest, OneProcessHoldsTheDirectory) {
  ASSERT_EQ(Open(), "");
  base::Result<std::unique_ptr<Engine>> second = OpenRocksDbEngine({.path = directory_.path()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, base::Code::kUnavailable);
  EXPECT_THAT(second.error().message, HasSubstr("in use by process " + std::to_string(getpid())));
  engine_ = nullptr;
  EXPECT_TRUE(OpenRocksDbEngine({.path = directory_.path()}));
}

TEST_F(RocksDbEngineTest, WhatWasNeverWrittenIsMadeAnew) {
  const std::string mark = directory_.path() + "/UNFINISHED";
  ASSERT_EQ(Open(), "");
  EXPECT_TRUE(std::filesystem::exists(mark));
  engine_ = nullptr;
  // As a crash may leave what was not synced.
  std::ofstream(directory_.path() + "/db/CURRENT") << "";
  std::ofstream(Manifest()) << "?";
  std::ofstream(directory_.path() + "/FORMAT") << "";
  ASSERT_EQ(Open(), "");
  ASSERT_TRUE(Write(*engine_, {{"a", "1", {}}}));
  EXPECT_FALSE(std::filesystem::exists(mark));
  ASSERT_EQ(Open(), "");
  EXPECT_EQ(recorder_.loaded, (std::map<int64_t, std::string>{{2, "a=1"}}));
}

TEST_F(RocksDbEngineTest, ADirectoryThatCannotBeFinishedTakesNoWrites) {
  ASSERT_EQ(Open(), "");
  faults_.failure = FileFaults::kSyncFails;
  EXPECT_FALSE(Write(*engine_, {{"a", "1", {}}}));
  EXPECT_TRUE(std::filesystem::exists(directory_.path() + "/UNFINISHED"));
  faults_.failure = FileFaults::kNone;
  EXPECT_TRUE(engine_->Health());
  EXPECT_FALSE(std::filesystem::exists(directory_.path() + "/UNFINISHED"));
  ASSERT_TRUE(Write(*engine_, {{"b", "1", {}}}));
  ASSERT_EQ(Open(), "");
  EXPECT_EQ(recorder_.loaded, (std::map<int64_t, std::string>{{2, "b=1"}}));
}

TEST_F(RocksDbEngineTest, TakesFromOthersWhatAnOlderStartLetThemRead) {
  namespace fs = std::filesystem;
  const fs::perms others = fs::perms::group_all | fs::perms::others_all;
  ASSERT_EQ(Open(), "");
  ASSERT_TRUE(Write(*engine_, {{"a", "1", {}}}));
  engine_ = nullptr;
  const std::string foreign = directory_.path() + "/foreign";
  std::ofstream(foreign) << "not the store's";
  for (const auto& entry : fs::recursive_directory_iterator(directory_.path())) {
    fs::permissions(entry.path(), others, fs::perm_options::add);
  }
  fs::permissions(directory_.path(), others, fs::perm_options::add);
  const mode_t before = umask(077);  // as the program sets it: what RocksDB makes anew is the program's to keep
  ASSERT_EQ(Open(), "");
  engine_ = nullptr;
  umask(before);
  EXPECT_EQ(fs::status(directory_.path()).permissions() & others, fs::perms::none);
  for (const char* name : {"/db", "/db/CURRENT", "/FORMAT", "/HEAD", "/LOCKED_BY"}) {
    EXPECT_EQ(fs::status(directory_.path() + name).permissions() & others, fs::perms::none) << name;
  }
  EXPECT_EQ(fs::status(File(".log")).permissions() & others, fs::perms::none);
  EXPECT_EQ(fs::status(foreign).permissions() & others, others);
}

TEST_F(RocksDbEngineTest, ANewDirectoryIsItsOwnersAlone) {
  const std::string path = directory_.path() + "/in/between/store";
  ASSERT_TRUE(OpenRocksDbEngine({.path = path, .env = env_.get()}));
  for (const std::string& made : {path, directory_.path() + "/in"}) {
    EXPECT_EQ(std::filesystem::status(made).permissions(), std::filesystem::perms::owner_all) << made;
  }
}

TEST_F(RocksDbEngineTest, RefusesFormatsItDoesNotKnow) {
  ASSERT_EQ(Open(), "");
  ASSERT_TRUE(Write(*engine_, {{"a", "1", {}}}));
  engine_ = nullptr;
  const struct {
    const char *name, *text, *message;
  } cases[] = {
      {"newer", "fairlead store format 2\n", "written by a newer Fairlead"},
      {"another program's", "etcd 3\n", "is not a format"},
      {"empty", "", "is not a format"},
      {"no number", "fairlead store format x\n", "is not a format"},
  };
  const std::string format = directory_.path() + "/FORMAT";
  for (const auto& c : cases) {
    std::ofstream(format) << c.text;
    EXPECT_THAT(Open(), HasSubstr(c.message)) << c.name;
  }
  std::filesystem::remove(format);
  EXPECT_THAT(Open(), HasSubstr("no FORMAT file"));
}

TEST_F(RocksDbEngineTest, DamageIsAnErrorAtStart) {
  enum How { kChange, kRemove, kCut };
  const struct {
    const char *name, *ending;
    How how;
    size_t at;  // the byte that is changed, or the first that is cut off
    bool table = false;
  } cases[] = {
      {"log, an early record", ".log", kChange, 40},
      {"log vanished", ".log", kRemove, 0},
      {"log cut off", ".log", kCut, 400},
      {"table", ".sst", kChange, 100, true},
      {"table vanished", ".sst", kRemove, 0, true},
      {"table cut off", ".sst", kCut, 100000, true},
      {"manifest, an early record", "", kChange, 20, true},
  };
  for (const auto& c : cases) {
    engine_ = nullptr;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) std::filesystem::remove_all(entry);
    ASSERT_EQ(Open(), "");
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(Write(*engine_, {{"a" + std::to_string(i), std::string(100, 'x'), {}}}));
    if (c.table) {
      // So much that writes have to wait until RocksDB has moved the first of it into a table, and said so in its
      // manifest.
      for (int i = 0; i < 24; ++i)
        ASSERT_TRUE(Write(*engine_, {{"b" + std::to_string(i), std::string(1 << 20, 'x'), {}}}));
    }
    const std::string tail = c.table ? "last" : "c";
    ASSERT_TRUE(Write(*engine_, {{tail, "x", {}}}));
    engine_ = nullptr;
    const std::string file = *c.ending == '\0' ? Manifest() : File(c.ending);
    ASSERT_NE(file, "") << c.name;
    if (c.how == kRemove) std::filesystem::remove(file);
    if (c.how == kCut) std::filesystem::resize_file(file, c.at);
    if (c.how == kChange) Damage(file, c.at);
    EXPECT_NE(Open(), "") << c.name;
    EXPECT_NE(Open(), "") << c.name << ", again: nothing was repaired";
  }
}

TEST_F(RocksDbEngineTest, ATornManifestIsMadeWhole) {
  const struct {
    const char* name;
    size_t from_end, size;  // the bytes of the manifest that the crash lost
    bool cut;               // lost from the file, instead of changed
    bool journal;           // torn as well: then the manifest was not touched
  } cases[] = {
      {"its last bytes are others", 10, 10, false, false},
      {"its last bytes are not there", 10, 10, true, false},
      {"the journal alone is torn", 0, 0, false, true},
  };
  for (const auto& c : cases) {
    engine_ = nullptr;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) std::filesystem::remove_all(entry);
    ASSERT_EQ(Open(), "");
    ASSERT_TRUE(Write(*engine_, {{"a", "1", {}}}));
    engine_ = nullptr;
    const size_t size = std::filesystem::file_size(Manifest());
    if (c.cut) std::filesystem::resize_file(Manifest(), size - c.from_end);
    for (size_t i = 0; i < c.size && !c.cut; ++i) Damage(Manifest(), size - c.from_end + i);
    if (c.journal) Damage(directory_.path() + "/db/MANIFEST.journal", 20);
    EXPECT_EQ(Open(), "") << c.name;
    EXPECT_EQ(recorder_.loaded.size(), 1u) << c.name;
  }
}

TEST_F(RocksDbEngineTest, ATornLastRecordIsNoDamage) {
  ASSERT_EQ(Open(), "");
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Write(*engine_, {{"a" + std::to_string(i), std::string(1000, 'x'), {}}}));
  engine_ = nullptr;
  const std::string log = File(".log");
  Damage(log, EndOf(log) - 500);
  EXPECT_THAT(Open(), HasSubstr("revision 6 was written"));
  std::filesystem::remove(directory_.path() + "/HEAD");  // as if it had not come so far
  ASSERT_EQ(Open(), "");
  EXPECT_EQ(loaded_.head, Revision(5));
  ASSERT_TRUE(Write(*engine_, {{"b", "1", {}}}));
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(Open(), "");
    EXPECT_EQ(loaded_.head, Revision(6));
    EXPECT_EQ(recorder_.loaded[6], "b=1");
  }
}

TEST_F(RocksDbEngineTest, AFailedWriteLeavesNothingAndWritesComeBack) {
  const struct {
    const char* name;
    FileFaults::Failure failure;
    base::Code code;
  } cases[] = {{"disk full", FileFaults::kNoSpace, base::Code::kExhausted},
               {"write fails", FileFaults::kAppendFails, base::Code::kIo},
               {"sync fails", FileFaults::kSyncFails, base::Code::kIo}};
  for (const auto& c : cases) {
    ASSERT_EQ(Open(), "");
    const Revision head = loaded_.head;
    ASSERT_TRUE(Write(*engine_, {{"a", c.name, {}}}));
    faults_.failure = c.failure;
    for (int i = 0; i < 2; ++i) {
      base::Result<Revision> failed = Write(*engine_, {{"b", c.name, {}}, {"c", c.name, {}}});
      ASSERT_FALSE(failed) << c.name;
      EXPECT_EQ(failed.error().code, c.code) << c.name;
    }
    EXPECT_EQ(recorder_.last, head.Next()) << c.name << ": what failed was not fed";
    EXPECT_FALSE(engine_->Health()) << c.name;
    EXPECT_FALSE(Write(*engine_, {{"b", c.name, {}}})) << c.name;
    faults_.failure = FileFaults::kNone;
    EXPECT_TRUE(engine_->Health()) << c.name;
    base::Result<Revision> again = Write(*engine_, {{"b", "again", {}}});
    ASSERT_TRUE(again) << c.name;
    EXPECT_EQ(*again, Revision(head.value() + 2)) << c.name;
    ASSERT_EQ(Open(), "") << c.name;
    EXPECT_EQ(loaded_.head, *again) << c.name;
    EXPECT_EQ(recorder_.loaded[again->value()], "b=again") << c.name;
    EXPECT_EQ(recorder_.loaded.size(), static_cast<size_t>(loaded_.head.value() - 1)) << c.name;
  }
}

}  // namespace
}  // namespace engine
