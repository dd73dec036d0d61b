// PendingConversions: conversions between served versions that code without a coroutine asks for (the tracking of field
// owners, patches) and that have to be waited for. It asks, is given nothing, and comes to its end; its caller waits
// for all that was asked for (Resolve) and runs it again, which is then given what it asked for. Of one write, on its
// thread. Bounds: kMost conversions; what is asked for beyond them is as unknown as a version that nobody serves.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "api/error.h"
#include "registry/resource.h"

namespace registry {

class PendingConversions {
 public:
  static constexpr size_t kMost = 64;

  // `object`, canonical of `source`'s version, as `target` serves it, in `arena`; nullopt where it is to be waited for.
  // The resources live as long as this.
  std::optional<Value> Find(const Resource& source, const Resource& target, const Value& object, Arena& arena);
  // Whether something was asked for in vain since the last Resolve().
  bool asked() const { return asked_; }
  // Waits for what was asked for.
  base::Task<api::Result<>> Resolve(Converter::Request request);
  // What was asked for and not got is unknown from now on.
  void GiveUp() {
    asked_ = false;
    gave_up_ = true;
  }

 private:
  struct Entry {
    const Resource* source;
    const Resource* target;
    std::string object, result;  // JSON
    bool known = false;
  };
  base::Task<api::Result<>> ResolveOne(Converter::Request request, Entry& entry);

  std::deque<Entry> entries_;
  bool asked_ = false, gave_up_ = false;
};

}  // namespace registry
