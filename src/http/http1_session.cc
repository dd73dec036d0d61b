#include "http/http1_session.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>
#include <variant>

#include "http/response_fields.h"

namespace http {
namespace {

constexpr size_t kPiece = 32 << 10;  // of a body made into one chunk
constexpr size_t kReservedBody = 256 << 10;

void AppendHex(size_t number, std::string& out) {
  char digits[16];
  out.append(digits, std::to_chars(digits, std::end(digits), number, 16).ptr);
}

// What a request takes up before it has a body.
size_t HeldBytes(const exchange::Request& request) {
  size_t bytes = request.path.size() + request.raw_query.size();
  for (const auto& field : request.headers.fields()) bytes += sizeof field + field.first.size() + field.second.size();
  return bytes;
}

}  // namespace

Http1Session::Http1Session(Service& service, Carrier& carrier)
    : service_(service), carrier_(carrier), since_(carrier.loop().now()) {}

Http1Session::~Http1Session() {
  if (call_) call_->Abandon();
}

bool Http1Session::WantsInput() const {
  return input_ != Input::kAnswer || unread_.size() - taken_ < service_.limits.pipelined_bytes;
}

void Http1Session::Receive(std::string_view bytes) {
  if (finished_ || bytes.empty()) return;
  if (unread_.empty()) {
    Advance(bytes);
    if (!bytes.empty() && ChargeUnread(bytes.size())) unread_ = bytes;
    return;
  }
  if (!ChargeUnread(bytes.size())) return;
  unread_ += bytes;
  AdvanceUnread();
}

// False: the connection ends.
bool Http1Session::ChargeUnread(size_t bytes) {
  if (!unread_charge_) unread_charge_ = std::make_unique<BodyCharge>(service_, AddressOf(*carrier_.peer()));
  if (unread_charge_->Add(bytes)) return true;
  Refuse({429, ""});
  return false;
}

void Http1Session::AdvanceUnread() {
  std::string_view bytes = std::string_view(unread_).substr(taken_);
  Advance(bytes);
  if (bytes.empty()) {
    unread_ = {};  // a connection at rest holds no buffer
    taken_ = 0;
    unread_charge_.reset();
    return;
  }
  taken_ = unread_.size() - bytes.size();
  if (taken_ > unread_.size() / 2) {  // so that many pipelined requests are not moved again and again
    if (unread_charge_) unread_charge_->Drop(taken_);
    unread_.erase(0, taken_);
    taken_ = 0;
  }
}

void Http1Session::Advance(std::string_view& bytes) {
  while (!finished_ && !bytes.empty()) {
    switch (input_) {
      case Input::kHead:
        if (!AdvanceHead(bytes)) return;
        break;
      case Input::kBody:
        if (!AdvanceBody(bytes)) return;
        break;
      case Input::kAnswer:
        return;
      case Input::kClosed:
        bytes = {};
        return;
    }
  }
}

bool Http1Session::AdvanceHead(std::string_view& bytes) {
  if (scanned_ == 0) {
    since_ = carrier_.loop().now();
    if (after_post_) bytes.remove_prefix(std::min(bytes.find_first_not_of("\r\n"), bytes.size()));
  }
  const size_t before = scanned_;
  size_t size = FindHeadEnd(bytes, scanned_);
  if (std::min(size, bytes.size()) > service_.limits.header_bytes) {
    Refuse({431, ""});
    return false;
  }
  if (size == std::string_view::npos) {
    // The line is looked for in what came last, and judged once.
    if (!begun_well_ && bytes.find('\n', before) != std::string_view::npos) {
      begun_well_ = PlausibleStart(bytes);
      if (!begun_well_) Refuse({});
    }
    return false;
  }
  scanned_ = 0;
  begun_well_ = false;
  head_ = std::make_unique<RequestHead>();
  if (auto error = ParseRequestHead(bytes.substr(0, size), *head_)) {
    Refuse(*error);
    return false;
  }
  bytes.remove_prefix(size);
  BeginBody();
  return true;
}

void Http1Session::BeginBody() {
  RequestHead& head = *head_;
  version_10_ = head.minor == 0;
  keep_alive_10_ = head.keep_alive_10;
  is_head_ = head.request.method == "HEAD";
  after_post_ = head.request.method == "POST";
  close_after_ = head.close || draining_;
  head.request.peer = carrier_.peer();
  since_ = carrier_.loop().now();
  body_left_ = head.content_length.value_or(0);
  discarded_ = 0;
  // Of a body too large: what it would take to read one at the limit, and a little more.
  most_discarded_ = service_.limits.body_bytes + service_.limits.discarded_bytes;
  chunks_ = ChunkedDecoder();
  if (head.unknown_expectation) {
    input_ = Input::kClosed;
    close_after_ = true;
    head_.reset();
    return OnResponse({.status = 417});
  }
  if (!head.chunked && body_left_ == 0) {
    input_ = Input::kAnswer;
    return StartCall();
  }
  input_ = Input::kBody;
  if (body_left_ > service_.limits.body_bytes) {
    head.request.body_too_large = true;
    close_after_ |= body_left_ > most_discarded_;
    if (head.expects_continue) {  // the client waits for leave that it does not get
      input_ = Input::kClosed;
      close_after_ = true;
    }
    return StartCall();
  }
  charge_ = std::make_unique<BodyCharge>(service_, AddressOf(*carrier_.peer()));
  // A client that waits for leave to send its body gets it when it has asked for something that it may.
  if ((head.expects_continue || body_left_ > service_.limits.early_body_bytes) && !Admit()) return;
  if (!Hold(HeldBytes(head.request))) return;
  head.request.body.reserve(std::min<uint64_t>(body_left_, kReservedBody));
  if (head.expects_continue && !version_10_) {
    text_ += "HTTP/1.1 100 Continue\r\n\r\n";
    carrier_.WantFlush();
  }
}

// Holds `bytes` more of the request against the budgets; beyond the early ones its head is judged first. False: it was
// answered.
bool Http1Session::Hold(size_t bytes) {
  const bool early = charge_->early() && head_->request.body.size() + bytes <= service_.limits.early_body_bytes;
  if (early && charge_->Add(bytes)) return true;
  if (!Admit()) return false;
  if (charge_->Add(bytes)) return true;
  Refuse({429, ""});
  return false;
}

// True where the head may have a body. False: it was answered.
bool Http1Session::Admit() {
  if (!charge_->early()) return true;
  exchange::Admission admission = http::Admit(service_, carrier_.loop(), head_->request);
  if (!admission.refusal) {
    if (charge_->Admit(std::move(admission.user))) return true;
    Refuse({429, ""});
    return false;
  }
  most_discarded_ = service_.limits.discarded_bytes;
  close_after_ |= head_->expects_continue || body_left_ > most_discarded_;
  if (close_after_) input_ = Input::kClosed;
  head_.reset();
  charge_.reset();
  OnResponse(*std::move(admission.refusal));
  return false;
}

bool Http1Session::AdvanceBody(std::string_view& bytes) {
  if (body_left_ > 0) {
    std::string_view part = bytes.substr(0, std::min<uint64_t>(body_left_, bytes.size()));
    bytes.remove_prefix(part.size());
    body_left_ -= part.size();
    KeepBody(part);
    if (body_left_ == 0 && input_ == Input::kBody) BodyDone();
    return true;
  }
  std::string_view part;
  switch (chunks_.Next(bytes, part)) {
    case ChunkedDecoder::Result::kData:
      KeepBody(part);
      return true;
    case ChunkedDecoder::Result::kNeedMore:
      return false;
    case ChunkedDecoder::Result::kDone:
      BodyDone();
      return true;
    case ChunkedDecoder::Result::kBroken:
      break;
  }
  BreakBody(chunks_.error());
  return false;
}

// The rest of the body cannot be read. Its handler tells the client, unless it has answered already.
void Http1Session::BreakBody(std::string_view error) {
  input_ = Input::kClosed;
  close_after_ = true;
  if (head_ != nullptr) {
    head_->request.body = {};
    head_->request.body_error = error;
    StartCall();
  } else if (output_ == Output::kNone) {
    Finish(/*linger=*/true);
  }
}

// Keeps a part of the body, or throws it away when the body is too large and the handler works already.
void Http1Session::KeepBody(std::string_view part) {
  if (head_ != nullptr) {
    std::string& body = head_->request.body;
    if (body.size() + part.size() <= service_.limits.body_bytes) {
      if (Hold(part.size())) head_->request.body += part;
      return;
    }
    body = {};
    head_->request.body_too_large = true;
    StartCall();
  }
  discarded_ += part.size();
  if (discarded_ > most_discarded_) BreakBody({});
}

void Http1Session::BodyDone() {
  bool answered = head_ == nullptr && output_ == Output::kNone;
  input_ = answered ? Input::kHead : Input::kAnswer;
  since_ = carrier_.loop().now();
  if (head_ != nullptr) StartCall();
}

void Http1Session::StartCall() {
  std::unique_ptr<RequestHead> head = std::move(head_);
  output_ = Output::kCalling;
  if (head->request.path == "*" && head->request.method == "OPTIONS") return OnResponse({});
  call_ = std::make_shared<Call>(service_, carrier_.loop(), std::move(head->request), std::move(charge_), *this);
  Call::Start(call_);
}

// The server's own answer to what is no request that it could give to a handler, in the words of Go's net/http.
void Http1Session::Refuse(const HeadError& error) {
  std::string status = std::to_string(error.status) + " " + std::string(StatusText(error.status));
  std::string body = status;
  if (error.status == 501) {
    body = error.text;
  } else if (!error.text.empty()) {
    body = status += ": " + error.text;
  }
  text_ += "HTTP/1.1 " + status + "\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n" + body;
  head_.reset();
  charge_.reset();
  Finish(/*linger=*/true);
}

void Http1Session::Finish(bool linger) {
  finished_ = true;
  linger_ = linger;
  input_ = Input::kClosed;
  if (call_) call_->Abandon();
  pump_.reset();
  carrier_.WantFlush();
}

void Http1Session::OnResponse(exchange::Response response) {
  if (response.headers.Get("connection") == "close") close_after_ = true;
  is_watch_ = response.is_watch;
  is_upgrade_ = response.status == 101 && !version_10_;
  if (is_upgrade_) close_after_ = true;  // what follows is another protocol
  bool bodiless = (response.status < 200 && !is_upgrade_) || response.status == 204 || response.status == 304;
  WriteHead(response, !bodiless);
  if (!bodiless && !is_head_) {
    pump_ = std::make_unique<BodyPump>(service_, carrier_.loop(), *this, std::move(response.body));
    if (is_watch_ && draining_) pump_->End();
    if (is_watch_ && input_ended_) return Finish(/*linger=*/false);
  }
  output_ = Output::kAnswering;
  if (is_watch_) call_.reset();  // it may last for hours, and needs nothing of its request
  carrier_.WantFlush();
}

void Http1Session::WriteHead(const exchange::Response& response, bool has_body) {
  text_.reserve(text_.size() + 512);
  text_ += version_10_ ? "HTTP/1.0 " : "HTTP/1.1 ";
  text_ += std::to_string(response.status);
  text_ += ' ';
  text_ += StatusText(response.status);
  text_ += "\r\n";
  bool dated = false;
  for (const auto& [name, value] : response.headers.fields()) {
    if (IsFramingField(name) && !is_upgrade_) continue;
    dated |= name == "date";
    AppendCanonicalName(name, text_);
    text_ += ": ";
    AppendFieldValue(value, text_);
    text_ += "\r\n";
  }
  if (!dated) {
    text_ += "Date: ";
    text_ += carrier_.loop().http_date();
    text_ += "\r\n";
  }
  WriteFraming(response, has_body);
  text_ += "\r\n";
}

void Http1Session::WriteFraming(const exchange::Response& response, bool has_body) {
  const auto* whole = std::get_if<std::vector<base::Slice>>(&response.body);
  if (is_upgrade_) {  // the body is the connection's, without frames of ours
    chunked_answer_ = false;
    return;
  }
  chunked_answer_ = has_body && whole == nullptr && !version_10_;
  if (whole == nullptr && version_10_) close_after_ = true;
  if (chunked_answer_) {
    text_ += "Transfer-Encoding: chunked\r\n";
  } else if (has_body && whole != nullptr) {
    size_t size = 0;
    for (const base::Slice& slice : *whole) size += slice.data.size();
    text_ += "Content-Length: ";
    text_ += std::to_string(size);
    text_ += "\r\n";
  }
  if (close_after_ && !version_10_) text_ += "Connection: close\r\n";
  if (!close_after_ && keep_alive_10_) text_ += "Connection: keep-alive\r\n";
}

void Http1Session::Produce(Sink& sink) {
  while (sink.room() > 0) {
    if (!text_.empty()) {
      sink.Write(text_);
      text_ = {};
    }
    if (finished_ || output_ != Output::kAnswering || !ProduceBody(sink)) return;
    AnswerDone();
  }
}

// True when the answer is out.
bool Http1Session::ProduceBody(Sink& sink) {
  while (pump_ != nullptr) {
    if (sink.room() == 0) return false;
    switch (pump_->Fill(kPiece)) {
      case BodyPump::State::kWait:
        return false;
      case BodyPump::State::kFail:  // without its last chunk the client knows that the answer is broken
        Finish(/*linger=*/false);
        return false;
      case BodyPump::State::kEnd:
        if (chunked_answer_) sink.Write("0\r\n\r\n");
        return true;
      case BodyPump::State::kData:
        break;
    }
    size_t size = std::min(pump_->available(), kPiece);
    if (!chunked_answer_) {
      pump_->Take(size, sink);
      continue;
    }
    AppendHex(size, text_);
    text_ += "\r\n";
    sink.Write(text_);
    text_.clear();
    pump_->Take(size, sink);
    sink.Write("\r\n");
  }
  return true;
}

void Http1Session::AnswerDone() {
  output_ = Output::kNone;
  pump_.reset();
  call_.reset();
  since_ = carrier_.loop().now();
  bool unread_body = input_ == Input::kBody || input_ == Input::kClosed;
  bool too_much_left = input_ == Input::kBody && discarded_ + body_left_ > most_discarded_;
  if (close_after_ || draining_ || input_ended_ || too_much_left) return Finish(unread_body);
  if (input_ != Input::kAnswer) return;  // the rest of a body is still thrown away
  input_ = Input::kHead;
  if (!unread_.empty()) AdvanceUnread();
}

void Http1Session::InputEnded() {
  input_ended_ = true;
  if (head_ != nullptr) return BreakBody("unexpected EOF");
  if (output_ == Output::kNone || is_watch_) Finish(/*linger=*/false);
}

void Http1Session::Drain() {
  draining_ = true;
  if (output_ == Output::kNone && input_ == Input::kHead && unread_.empty()) return Finish(/*linger=*/false);
  close_after_ = true;
  if (output_ == Output::kAnswering && is_watch_ && pump_ != nullptr) {
    pump_->End();
    carrier_.WantFlush();
  }
}

void Http1Session::Expire(TimePoint now) {
  if (input_ == Input::kBody && head_ != nullptr && now > since_ + service_.limits.body_timeout) Refuse({408, ""});
}

Session::TimePoint Http1Session::deadline() const {
  const Limits& limits = service_.limits;
  if (input_ == Input::kBody) return since_ + limits.body_timeout;
  if (input_ != Input::kHead || output_ != Output::kNone) return TimePoint::max();
  return since_ + (unread_.empty() ? limits.idle_timeout : limits.header_timeout);
}

std::unique_ptr<Session> MakeHttp1Session(Service& service, Carrier& carrier) {
  return std::make_unique<Http1Session>(service, carrier);
}

}  // namespace http
