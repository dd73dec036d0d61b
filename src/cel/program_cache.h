// ProgramCache: compiled expressions, shared by their text and environment. A thousand equal rules cost one program.
//
// Any thread; compiling happens outside of the lock, so that two threads may compile the same text once each, and the
// first result stays. An entry lives as long as somebody holds it; what nobody holds any more is swept out as the cache
// grows. Bounds: holds nothing alive itself, so it is as large as its users' programs.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "cel/program.h"

namespace cel {

// An expression that was compiled, or why it could not be.
struct CompiledExpression {
  std::shared_ptr<const Program> program;
  CostRange estimate;         // with the sizes that the variables' declarations know
  std::string output_type;    // as texts name it: "bool", "list(string)"; "" where it did not compile
  std::string check_error;    // the issues, "" if there are none
  std::string program_error;  // what folding its constants ran into
};

// Without a cache.
std::shared_ptr<const CompiledExpression> Compile(const std::shared_ptr<const Environment>& environment,
                                                  std::string_view text);

class ProgramCache {
 public:
  std::shared_ptr<const CompiledExpression> Get(const std::shared_ptr<const Environment>& environment,
                                                std::string_view text);
  size_t size() const;  // entries, with those that nobody holds

 private:
  struct Entry {
    std::weak_ptr<const CompiledExpression> compiled;
    std::weak_ptr<const Environment> environment;  // tells a new environment at an old one's address
  };
  using Key = std::pair<const Environment*, std::string>;
  void SweepIfGrown();

  mutable std::mutex mutex_;
  absl::flat_hash_map<Key, Entry> entries_;
  size_t sweep_at_ = 256;
};

}  // namespace cel
