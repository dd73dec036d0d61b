// HTTP/2 on one connection, framed by nghttp2. See Session.
//
// Bodies are pulled stream by stream as flow control and the connection allow, so a slow stream holds one pulled piece
// and stops nobody. Floods (resets, pings, settings, empty frames, continuations, frames that are wrong) end the
// connection with ENHANCE_YOUR_CALM. A client that does not read what its frames are answered with is not read from. A
// stream whose window stays closed while it has something to say is ended.
#pragma once

#include <nghttp2/nghttp2.h>

#include <memory>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "http/body_pump.h"
#include "http/call.h"
#include "http/session.h"

namespace http {

class Http2Session final : public Session {
 public:
  Http2Session(Service& service, Carrier& carrier);
  ~Http2Session() override;

  void Receive(std::string_view bytes) override;
  bool WantsInput() const override;
  void InputEnded() override;
  void Produce(Sink& sink) override;
  bool finished() const override { return finished_; }
  bool linger() const override { return !input_ended_; }
  void Drain() override;
  void Expire(TimePoint now) override;
  TimePoint deadline() const override;
  TimePoint cutoff() const override { return cutoff_; }

 private:
  class Stream;
  struct Callbacks;

  // What nghttp2 tells, each on behalf of the callback of its name.
  int OnBeginHeaders(const nghttp2_frame& frame);
  int OnField(int32_t id, std::string_view name, std::string_view value);
  int OnFrame(const nghttp2_frame& frame);
  int OnData(int32_t id, std::string_view data);
  void OnClose(int32_t id);
  // Of an exception in a callback: the connection cannot go on.
  int OnFailure() noexcept;

  Stream* Find(int32_t id);
  void CountIdleFrame();
  void GoAway();
  void Terminate(uint32_t error);

  Service& service_;
  Carrier& carrier_;
  nghttp2_session* session_ = nullptr;
  absl::flat_hash_map<int32_t, std::unique_ptr<Stream>> streams_;
  // Handlers at work, also those of streams that are gone: cancelling a request does not stop what it costs at once.
  std::shared_ptr<int> running_ = std::make_shared<int>(0);
  Sink* sink_ = nullptr;  // during Produce
  bool finished_ = false;
  bool draining_ = false;    // the server stops
  bool going_away_ = false;  // no new streams
  bool input_ended_ = false;
  int32_t open_head_ = 0;                // the stream whose head is not whole; 0: none
  TimePoint head_since_;                 // of that
  size_t head_bytes_ = 0;                // decoded, as counted in the size of a header list
  TimePoint since_;                      // of the last frame of use
  TimePoint cutoff_ = TimePoint::max();  // the connection is being ended
  // A bucket of frames that cost the client nothing: empty means that it floods.
  double calm_;
  TimePoint calm_since_;
};

}  // namespace http
