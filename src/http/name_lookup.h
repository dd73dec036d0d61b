// NameLookup: addresses of host names by the system's resolver, which blocks: on a few threads of its own, made when
// the first name is asked for. Addresses and `localhost` are answered on the spot.
//
// Threads: Find from any thread; `done` is called on the caller's or on a lookup's thread. Bounds: kMostThreads, and
// kMostWaiting names; what is more is refused at once.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "base/result.h"

namespace http {

class NameLookup {
 public:
  static constexpr int kMostThreads = 4;
  static constexpr size_t kMostWaiting = 256;
  using Done = absl::AnyInvocable<void(base::Result<std::vector<std::string>>)>;

  NameLookup();
  // Names that are asked for go unanswered from now on; threads end when the resolver lets them.
  ~NameLookup();
  NameLookup(const NameLookup&) = delete;
  NameLookup& operator=(const NameLookup&) = delete;

  void Find(const std::string& host, Done done);

 private:
  struct Shared;
  const std::shared_ptr<Shared> shared_;
};

}  // namespace http
