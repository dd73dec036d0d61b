#include "engine/rocksdb/torn_tail.h"

#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>

#include <filesystem>
#include <string>

namespace engine {
namespace {

// The bytes of a log that RocksDB wrote: batches of the given sizes.
std::string MakeLog(std::initializer_list<size_t> sizes) {
  std::string name = (std::filesystem::temp_directory_path() / "fairlead-XXXXXX").string();
  const std::string directory = mkdtemp(name.data());
  rocksdb::Options options;
  options.create_if_missing = true;
  options.avoid_flush_during_shutdown = true;
  rocksdb::DB* database = nullptr;
  EXPECT_TRUE(rocksdb::DB::Open(options, directory, &database).ok());
  for (size_t size : sizes) {
    EXPECT_TRUE(database->Put({}, "key", std::string(size, 'v')).ok());
  }
  delete database;
  std::string log;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension() != ".log") continue;
    EXPECT_TRUE(rocksdb::ReadFileToString(rocksdb::Env::Default(), entry.path(), &log).ok());
  }
  std::filesystem::remove_all(directory);
  return log;
}

std::string Changed(std::string log, size_t at) {
  log[at] = static_cast<char>(log[at] ^ 1);
  return log;
}
std::string Zeroed(std::string log, size_t from, size_t size) { return log.replace(from, size, size, '\0'); }

TEST(TornTail, TellsATornEndFromDamage) {
  constexpr LogState kEmpty{}, kWhole{.batches = true}, kTorn{.batches = true, .torn = true};
  constexpr LogState kNothingButTorn{.torn = true};
  constexpr LogState kDamaged{.damaged = true};  // whatever else
  const std::string three = MakeLog({100, 100, 1000});
  const std::string large = MakeLog({100, 70000});  // the second batch spans blocks
  const std::string middle = MakeLog({100, 70000, 100});
  const size_t second = three.size() - 1000;  // within the last batch
  const struct {
    const char* name;
    std::string log;
    LogState state;
  } cases[] = {
      {"nothing", "", kEmpty},
      {"zeros", std::string(5000, '\0'), kEmpty},
      {"whole", three, kWhole},
      {"whole, over blocks", large, kWhole},
      {"whole, zeros behind", three + std::string(100000, '\0'), kWhole},
      {"cut off in the last batch", three.substr(0, three.size() - 10), kWhole},
      {"cut off in its header", three.substr(0, three.size() - 1025), kWhole},
      {"last batch changed", Changed(three, three.size() - 10), kTorn},
      {"last batch half zeros", Zeroed(three, three.size() - 500, 500), kTorn},
      {"its header zeros, the rest there", Zeroed(three, second - 100, 512), kTorn},
      {"last batch over blocks, begin zeros", Zeroed(large, 512, 512), kTorn},
      {"last batch over blocks, a middle zeros", Zeroed(large, 40000, 512), kTorn},
      {"last batch over blocks, end changed", Changed(large, large.size() - 1), kTorn},
      {"first batch changed", Changed(three, 20), kDamaged},
      {"first batch zeros", Zeroed(three, 0, 100), kDamaged},
      {"a length that points beyond the end", Changed(three, 5), kDamaged},
      {"an unfinished batch and nothing else", Zeroed(MakeLog({100}), 6, 1), kNothingButTorn},
      {"far behind zeros", std::string(3 << 20, '\0') + "x", kNothingButTorn},
      {"middle batch over blocks changed", Changed(middle, 40000), kDamaged},
  };
  for (const auto& c : cases) {
    const LogState state = ExamineLog(c.log);
    EXPECT_EQ(state.damaged, c.state.damaged) << c.name;
    if (state.damaged) continue;
    EXPECT_EQ(state.batches, c.state.batches) << c.name;
    EXPECT_EQ(state.torn, c.state.torn) << c.name;
  }
}

}  // namespace
}  // namespace engine
