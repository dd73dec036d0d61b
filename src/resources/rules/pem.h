// PemReader: the PEM blocks of a text, found the way Go's reader finds them, which is what clients' requests and
// certificates are held against. Used by the rules of signing requests, trust
// bundles, and secrets with key pairs; one thread; points into the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace resources {

struct PemBlock {
  std::string_view type;  // "CERTIFICATE"
  bool has_headers = false;
  std::string bytes;
};

class PemReader {
 public:
  explicit PemReader(std::string_view text) : rest_(text) {}
  // The next block, past whatever stands before it; none where the rest holds no whole block.
  std::optional<PemBlock> Next();

 private:
  std::string_view rest_;
};

}  // namespace resources
