// HTTP/2 on one connection, framed by nghttp2. See Session.
//
// Bodies are pulled stream by stream as flow control and the connection allow, so a slow stream holds one pulled piece
// and stops nobody. Floods (resets, pings, settings, empty frames, continuations) end the connection with
// ENHANCE_YOUR_CALM.
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
  bool WantsInput() const override { return true; }  // bodies are bounded by windows and the budget
  void InputEnded() override;
  void Produce(Sink& sink) override;
  bool finished() const override { return finished_; }
  bool linger() const override { return !input_ended_; }
  void Drain() override;
  TimePoint deadline() const override;

 private:
  class Stream;
  struct Callbacks;

  // What nghttp2 tells, each on behalf of the callback of its name.
  int OnBeginHeaders(const nghttp2_frame& frame);
  int OnField(int32_t id, std::string_view name, std::string_view value);
  int OnFrame(const nghttp2_frame& frame);
  int OnData(int32_t id, std::string_view data);
  void OnClose(int32_t id);

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
  int bodies_expected_ = 0;  // streams whose request is not whole
  TimePoint since_;          // of the last frame of use
  // A bucket of frames that cost the client nothing: empty means that it floods.
  double calm_;
  TimePoint calm_since_;
};

}  // namespace http
