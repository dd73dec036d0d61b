// Result<T>: a value or the reason why there is none. Used on every floor below `api`; from `api` upwards the error is
// api::Error, which carries an HTTP status. Errors are values: nothing of Fairlead's own throws.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace base {

// What a caller can do about a failure, independent of any protocol.
enum class Code {
  kInvalid,       // the input breaks a rule; the same call can never succeed
  kNotFound,      // the thing named does not exist
  kConflict,      // a compare failed: the thing changed meanwhile
  kCompacted,     // a revision before the retained history
  kFuture,        // a revision that has not been written yet
  kExhausted,     // a bound (queue, memory, disk) was reached; later may succeed
  kUnavailable,   // the engine or a peer cannot serve now
  kCorrupt,       // stored bytes fail their checksum or format
  kIo,            // an operating system call failed
  kTimeout,       // the deadline passed
  kCancelled,     // the caller gave up or the server stops
  kInternal,      // a bug
};

struct Error {
  Code code = Code::kInternal;
  std::string message;  // one sentence, lower case, no final stop
};

template <class T = void>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> Fail(Code code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

}  // namespace base
