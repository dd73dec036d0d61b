// Nothing secret on the disk, keys that change, a kill while values are rewritten.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "engine/encryption/value_cipher.h"
#include "engine/rocksdb/rocksdb_engine.h"
#include "engine/rocksdb/test_file_system.h"

namespace engine {
namespace {

namespace fs = std::filesystem;
using Kind = EncryptionProvider::Kind;

constexpr std::string_view kCanary = "a planted secret";

class Recorder final : public Feed {
 public:
  void OnLoaded(const Version& version) override {
    if (version.value) loaded[std::string(version.key)] = version.value->bytes;
  }
  void OnCommitted(std::span<const Version>, Revision) override {}
  std::map<std::string, std::string> loaded;
};

PublishedCipher::Cipher CipherOf(std::vector<EncryptionProvider> providers) {
  return std::make_shared<const ValueCipher>(
      std::vector<EncryptionRule>{{.resource = "secrets", .group = "", .providers = std::move(providers)}},
      [](std::string_view collection) { return GroupResource{"", collection}; });
}
EncryptionProvider Provider(Kind kind, char key) { return {kind, {{std::string(1, key), std::string(32, key)}}}; }
EncryptionProvider Identity() { return {Kind::kIdentity, {}}; }

class EncryptedEngineTest : public testing::Test {
 protected:
  EncryptedEngineTest() {
    std::string name = (fs::temp_directory_path() / "fairlead-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~EncryptedEngineTest() override {
    engine_ = nullptr;
    fs::remove_all(path_);
  }

  // Opens and loads with these providers of secrets; the error's message where that fails.
  std::string Open(std::vector<EncryptionProvider> providers, rocksdb::Env* env = nullptr) {
    engine_ = nullptr;
    recorder_.loaded.clear();
    cipher_ = providers.empty() ? nullptr : std::make_unique<PublishedCipher>(CipherOf(std::move(providers)));
    auto opened = OpenRocksDbEngine({.path = path_, .cipher = cipher_.get(), .env = env});
    if (!opened) return opened.error().message;
    if (auto loaded = (*opened)->Start(recorder_); !loaded) return loaded.error().message;
    engine_ = *std::move(opened);
    return "";
  }
  void Write(const std::string& key, std::string_view bytes) {
    const Operation operation{
        .collection = "secrets", .key = key, .value = Value{.bytes = bytes, .index = bytes}, .created = {}};
    const Transaction transaction{std::span(&operation, 1)};
    engine_->Commit(std::span(&transaction, 1),
                    [](std::span<const base::Result<Revision>> results) { ASSERT_TRUE(results[0]); });
  }
  // How many files of the data directory hold the text.
  int FilesWith(std::string_view text) const {
    int found = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(in), {});
      found += bytes.find(text) != std::string::npos ? 1 : 0;
    }
    return found;
  }

  std::string path_;
  Recorder recorder_;
  std::unique_ptr<PublishedCipher> cipher_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(EncryptedEngineTest, NoFileHoldsWhatIsEncrypted) {
  for (const Kind kind : {Kind::kAesCbc, Kind::kAesGcm, Kind::kSecretbox}) {
    ASSERT_EQ(Open({Provider(kind, 'k'), Provider(Kind::kAesGcm, 'k'), Provider(Kind::kAesCbc, 'k')}), "");
    for (int i = 0; i < 100; ++i) Write("n/" + std::to_string(i), kCanary);
    EXPECT_EQ(FilesWith(kCanary), 0);
    engine_ = nullptr;
    EXPECT_EQ(FilesWith(kCanary), 0);
  }
  ASSERT_EQ(Open({Provider(Kind::kSecretbox, 'k')}), "");
  EXPECT_EQ(recorder_.loaded.size(), 100U);
  EXPECT_EQ(recorder_.loaded["n/7"], kCanary);
}

TEST_F(EncryptedEngineTest, WhatWasPlainIsGoneAfterTheNextStart) {
  ASSERT_EQ(Open({}), "");
  for (int i = 0; i < 100; ++i) Write("n/" + std::to_string(i), kCanary);
  EXPECT_GT(FilesWith(kCanary), 0);
  ASSERT_EQ(Open({Provider(Kind::kAesGcm, 'k'), Identity()}), "");
  EXPECT_EQ(FilesWith(kCanary), 0);
  ASSERT_EQ(Open({Provider(Kind::kAesGcm, 'k')}), "");  // identity is not needed any more
  EXPECT_EQ(recorder_.loaded["n/99"], kCanary);
  // And back.
  ASSERT_EQ(Open({Identity(), Provider(Kind::kAesGcm, 'k')}), "");
  ASSERT_EQ(Open({}), "");
  EXPECT_EQ(recorder_.loaded["n/99"], kCanary);
}

TEST_F(EncryptedEngineTest, AMissingKeyIsNamed) {
  ASSERT_EQ(Open({Provider(Kind::kAesGcm, 'k')}), "");
  Write("n/s", kCanary);
  EXPECT_EQ(Open({Provider(Kind::kAesGcm, 'x')}),
            "cannot read an encrypted value: /registry/secrets/n/s: no matching prefix found");
  EXPECT_EQ(Open({}), "cannot read an encrypted value without --encryption-provider-config: /registry/secrets/n/s");
  EXPECT_EQ(Open({Provider(Kind::kAesGcm, 'k')}), "");  // nothing was harmed
}

TEST_F(EncryptedEngineTest, ANewCipherHoldsForWhatIsWrittenThen) {
  ASSERT_EQ(Open({Provider(Kind::kAesGcm, 'a')}), "");
  Write("n/1", kCanary);
  cipher_->Set(CipherOf({Provider(Kind::kSecretbox, 'b'), Provider(Kind::kAesGcm, 'a')}));
  Write("n/2", kCanary);
  ASSERT_EQ(Open({Provider(Kind::kSecretbox, 'b'), Provider(Kind::kAesGcm, 'a')}), "");
  EXPECT_EQ(recorder_.loaded.size(), 2U);
  ASSERT_EQ(Open({Provider(Kind::kSecretbox, 'b')}), "");  // all was rewritten
  EXPECT_EQ(recorder_.loaded["n/1"], kCanary);
}

TEST_F(EncryptedEngineTest, AKillWhileValuesAreRewrittenLosesNothing) {
  ASSERT_EQ(Open({Provider(Kind::kAesGcm, 'a')}), "");
  const std::string large(5000, 'x');
  for (int i = 0; i < 1000; ++i) Write("n/" + std::to_string(i), large);  // several batches
  engine_ = nullptr;
  int killed = 0;
  for (int at = 0; at < 24; ++at) {
    const bool to_b = at % 2 == 0;
    const std::vector<EncryptionProvider> providers = {Provider(Kind::kAesGcm, to_b ? 'b' : 'a'),
                                                       Provider(Kind::kAesGcm, to_b ? 'a' : 'b')};
    const pid_t child = fork();
    if (child == 0) {
      FileFaults faults;
      faults.buffered = true;
      faults.random.seed(static_cast<uint64_t>(at));
      faults.kill_after = 2 + at;
      const std::unique_ptr<rocksdb::Env> env = MakeTestEnv(faults);
      std::ignore = Open(providers, env.get());
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    ASSERT_EQ(Open(providers), "") << at;
    EXPECT_EQ(recorder_.loaded.size(), 1000U);
    EXPECT_EQ(recorder_.loaded["n/500"], large);
    engine_ = nullptr;
    ASSERT_EQ(Open({Provider(Kind::kAesGcm, to_b ? 'b' : 'a')}), "") << at;
    engine_ = nullptr;
  }
  EXPECT_GT(killed, 10);
}

}  // namespace
}  // namespace engine
