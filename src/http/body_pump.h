// BodyPump: what is left of one response's body, whole or made piece by piece, and the wake-ups of a source that waits.
// Used by the sessions on their loop. Holds slices, never copies; pulls only when it is empty, so what it holds is
// bounded by one Pull.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "base/slice.h"
#include "exchange/exchange.h"
#include "http/event_loop.h"
#include "http/session.h"

namespace http {

class BodyPump {
 public:
  enum class State {
    kData,  // available() > 0
    kWait,  // `target` will be woken
    kEnd,   // all was taken
    kFail,
  };
  using Body = std::variant<std::vector<base::Slice>, std::unique_ptr<exchange::BodySource>>;

  // `target` is woken, on `loop`, when a source that waited may have more; it outlives the pump.
  BodyPump(Service& service, EventLoop& loop, WakeTarget& target, Body body);
  ~BodyPump();
  BodyPump(const BodyPump&) = delete;
  BodyPump& operator=(const BodyPump&) = delete;

  // Pulls about `want` bytes when there are none. A source that throws has failed.
  State Fill(size_t want);
  size_t available() const { return available_; }
  bool last() const { return source_ == nullptr; }  // nothing comes after what is available
  // Writes the next `size` (at most available()) bytes.
  void Take(size_t size, Sink& sink);
  // Ends the body after what is available.
  void End() { source_.reset(); }

 private:
  State Pull(size_t want);

  Service& service_;
  std::vector<base::Slice> slices_;
  size_t next_ = 0;    // slices before it are gone
  size_t offset_ = 0;  // in slices_[next_]
  size_t available_ = 0;
  std::unique_ptr<exchange::BodySource> source_;
  std::shared_ptr<WakeCell> cell_;  // only with a source
};

}  // namespace http
