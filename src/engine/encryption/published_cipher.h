// PublishedCipher: the cipher that holds now. It is replaced when its configuration is read again, while writes go on.
// Threads: any.
#pragma once

#include <memory>
#include <mutex>

#include "engine/encryption/value_cipher.h"

namespace engine {

class PublishedCipher {
 public:
  using Cipher = std::shared_ptr<const ValueCipher>;
  explicit PublishedCipher(Cipher cipher) : cipher_(std::move(cipher)) {}
  Cipher Get() const {
    const std::lock_guard lock(mutex_);
    return cipher_;
  }
  void Set(Cipher cipher) {
    const std::lock_guard lock(mutex_);
    cipher_.swap(cipher);
  }

 private:
  mutable std::mutex mutex_;
  Cipher cipher_;
};

}  // namespace engine
