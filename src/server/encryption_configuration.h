// EncryptionConfiguration: how stored objects are encrypted (--encryption-provider-config), as
// apiserver.config.k8s.io/v1 says it. Read at start, and again when the file changes if that is asked for. KMS
// providers are refused by name.
//
// Errors: kube-apiserver's texts; keys are in none of them.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/logging.h"
#include "base/result.h"
#include "engine/encryption/published_cipher.h"
#include "engine/encryption/value_cipher.h"

namespace server {

// The rules of a YAML or JSON document.
base::Result<std::vector<engine::EncryptionRule>> ParseEncryptionConfiguration(std::string_view text);
// The cipher that a file's rules make.
base::Result<engine::PublishedCipher::Cipher> LoadEncryptionConfiguration(const std::string& path);

// Reads a file again when it changes, and publishes the cipher that it makes. A file that cannot be used is told of in
// the log, and what held before goes on. One thread of its own.
class EncryptionReload {
 public:
  // Both outlive this.
  EncryptionReload(std::string path, engine::PublishedCipher& cipher, base::Logger& logger);
  ~EncryptionReload();

 private:
  void Follow();

  const std::string path_;
  engine::PublishedCipher& cipher_;
  base::Logger& logger_;
  std::string seen_;  // the text that holds, or that could not be used
  std::mutex mutex_;
  std::condition_variable stop_asked_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace server
