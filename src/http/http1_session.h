// HTTP/1.1 (and 1.0) on one connection: keep-alive, pipelining, chunked bodies both ways, 100-continue. See Session.
#pragma once

#include <memory>
#include <string>

#include "http/body_pump.h"
#include "http/call.h"
#include "http/chunked.h"
#include "http/request_head.h"
#include "http/session.h"

namespace http {

class Http1Session final : public Session, public ResponseReceiver, public WakeTarget {
 public:
  Http1Session(Service& service, Carrier& carrier);
  ~Http1Session() override;

  void Receive(std::string_view bytes) override;
  bool WantsInput() const override;
  void InputEnded() override;
  void Produce(Sink& sink) override;
  bool finished() const override { return finished_; }
  bool linger() const override { return linger_; }
  void Drain() override;
  void Expire(TimePoint now) override;
  TimePoint deadline() const override;

 private:
  enum class Input {
    kHead,    // a request's head is expected or incomplete
    kBody,    // its body
    kAnswer,  // the request is whole: what comes is the next one's, kept until the answer is out
    kClosed,  // nothing more is read
  };
  enum class Output { kNone, kCalling, kAnswering };

  // Each takes bytes from the front of `bytes` and returns whether to go on.
  void Advance(std::string_view& bytes);
  bool AdvanceHead(std::string_view& bytes);
  bool AdvanceBody(std::string_view& bytes);
  void AdvanceUnread();
  void BeginBody();
  void KeepBody(std::string_view part);
  bool Hold(size_t bytes);
  bool Admit();
  bool ChargeUnread(size_t bytes);
  void BreakBody(std::string_view error);
  void BodyDone();
  void StartCall();
  void Refuse(const HeadError& error);
  void OnResponse(exchange::Response response) override;
  void OnBroken() noexcept override { Finish(/*linger=*/false); }
  void WriteHead(const exchange::Response& response, bool has_body);
  void WriteFraming(const exchange::Response& response, bool has_body);
  void OnWake() override { carrier_.WantFlush(); }
  bool ProduceBody(Sink& sink);
  void AnswerDone();
  void Finish(bool linger);

  Service& service_;
  Carrier& carrier_;

  Input input_ = Input::kHead;
  Output output_ = Output::kNone;
  bool finished_ = false;
  bool linger_ = false;
  bool input_ended_ = false;
  bool draining_ = false;
  bool after_post_ = false;   // empty lines that some clients send after a POST's body are skipped
  bool close_after_ = false;  // the answer under way is the last
  TimePoint since_;           // of the present input state

  std::string unread_;                         // input not yet understood, or of later requests
  size_t taken_ = 0;                           // of unread_, from its front
  std::unique_ptr<BodyCharge> unread_charge_;  // of unread_
  size_t scanned_ = 0;                         // of unread_, by the search for the end of the head
  bool begun_well_ = false;                    // the request line is there and can be one
  std::unique_ptr<BodyCharge> charge_;         // of the body being read
  std::unique_ptr<RequestHead> head_;          // of the request being read
  ChunkedDecoder chunks_;
  uint64_t body_left_ = 0;  // without chunks
  size_t discarded_ = 0;    // of a body that nobody wants
  size_t most_discarded_ = 0;

  std::shared_ptr<Call> call_;
  std::string text_;  // of heads and own answers, to go out before the body
  std::unique_ptr<BodyPump> pump_;
  bool chunked_answer_ = false;
  bool is_head_ = false;
  bool version_10_ = false;
  bool keep_alive_10_ = false;
  bool is_watch_ = false;
  bool is_upgrade_ = false;  // the answer hands the connection to another protocol
};

}  // namespace http
