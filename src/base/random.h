// Random identifiers, from the kernel's generator (through OpenSSL), behind an interface so that tests can fix them. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace base {

class Random {
 public:
  virtual ~Random() = default;
  virtual void Fill(uint8_t* bytes, size_t size) = 0;
};

// The kernel's generator. One instance for the process.
Random& SystemRandom();

// A version 4 UUID (RFC 9562) in lower case: 36 characters.
std::string NewUuid(Random& random);

// `length` characters of the alphabet that generated names use: consonants and digits without look-alikes.
std::string NewNameSuffix(Random& random, size_t length);

}  // namespace base
