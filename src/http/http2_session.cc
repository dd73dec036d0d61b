#include "http/http2_session.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "http/request_head.h"
#include "http/response_fields.h"

namespace http {
namespace {

constexpr size_t kPiece = 16 << 10;
constexpr size_t kFieldOverhead = 32;     // of a field in the size of a header list (RFC 9113, 6.5.2)
constexpr size_t kFreeFields = 16 << 10;  // of a whole head without a charge
constexpr size_t kMostHeads = 2;          // times a head's limit are read of one before the connection is ended
constexpr size_t kSpareFields = 10;       // that Go leaves beside the limit of HTTP/1

nghttp2_nv Field(std::string_view name, std::string_view value, uint8_t flags) {
  return {reinterpret_cast<uint8_t*>(const_cast<char*>(name.data())),
          reinterpret_cast<uint8_t*>(const_cast<char*>(value.data())), name.size(), value.size(), flags};
}

// A field whose value is another one in every answer would only push others out of the compressor's table.
bool IsUnique(std::string_view name) { return name == "audit-id" || name == "content-length" || name == "etag"; }

std::string_view View(const uint8_t* bytes, size_t size) { return {reinterpret_cast<const char*>(bytes), size}; }

}  // namespace

// One request and its answer.
class Http2Session::Stream final : public ResponseReceiver, public WakeTarget {
 public:
  Stream(Http2Session& session, int32_t id) : session_(session), id_(id) {}
  ~Stream() {
    if (call_) call_->Abandon();
  }

  void AddField(std::string_view name, std::string_view value);
  // The head is whole; `ended`: so is the request.
  void HeadDone(bool ended);
  void AddBody(std::string_view data);
  void RequestDone();
  // Charges what the head has so far.
  void ChargeHead();
  bool waits_for_body() const { return body_expected_; }
  // Its client has sent no body, or has taken nothing of the answer, for too long.
  bool IsLate(TimePoint now) const { return body_expected_ && !started_ && now > body_until_; }
  bool IsStalled(TimePoint now) const;
  void Reset();
  void Refuse(int status);
  bool is_watch() const { return is_watch_; }
  void EndBody();
  bool AnswerSent() const { return answered_ && body_expected_; }
  ssize_t ReadBody(size_t length, uint32_t& flags);
  void TakeBody(size_t length, Sink& sink);

 private:
  void StartCall();
  bool Hold(size_t bytes);
  bool Admit();
  void Progressed();
  BodyCharge& charge();
  void OnResponse(exchange::Response response) override;
  void OnBroken() noexcept override;
  void OnWake() override;
  void Submit(bool has_body);

  Http2Session& session_;
  const int32_t id_;
  bool body_expected_ = false;  // the head is whole, the request is not
  bool started_ = false;
  bool answered_ = false;
  bool is_watch_ = false;
  bool deferred_ = false;  // nghttp2 was told that there is nothing now
  bool is_head_ = false;
  bool bad_target_ = false;
  bool reset_ = false;
  int refused_ = 0;  // the status of a head that is too large, or has no room
  size_t field_bytes_ = 0;
  size_t charged_fields_ = 0;                   // of those
  TimePoint body_until_;                        // when it must be whole
  TimePoint progress_;                          // when the client had taken all that there was, or least_progress bytes
  size_t taken_ = 0;                            // since then
  std::unique_ptr<exchange::Request> request_;  // until the handler has it
  std::unique_ptr<BodyCharge> charge_;
  std::shared_ptr<Call> call_;
  int status_ = 0;
  exchange::Headers fields_;  // of the answer, until it is sent
  std::unique_ptr<BodyPump> pump_;
};

void Http2Session::Stream::AddField(std::string_view name, std::string_view value) {
  if (started_ || body_expected_) return;  // trailers
  if (request_ == nullptr) request_ = std::make_unique<exchange::Request>();
  size_t size = name.size() + value.size() + kFieldOverhead;
  field_bytes_ += size;
  if (field_bytes_ > session_.service_.limits.header_bytes + kSpareFields * kFieldOverhead) refused_ = 431;
  if (refused_ != 0) return;
  if (name == ":method") {
    request_->method = value;
  } else if (name == ":path") {
    bad_target_ = !ParseTarget(value, *request_);
  } else if (name == ":authority" || (name == "host" && request_->authority.empty())) {
    request_->authority = value;
  } else if (!name.starts_with(':') && name != "host") {
    request_->headers.Add(std::string(name), std::string(value));
  }
}

void Http2Session::Stream::ChargeHead() {
  const size_t more = field_bytes_ - charged_fields_;
  if (refused_ != 0 || more == 0) return;
  if (!charge().Add(more)) refused_ = 429;
  charged_fields_ = field_bytes_;
}

void Http2Session::Stream::HeadDone(bool ended) {
  if (request_ == nullptr || bad_target_) {
    session_.CountIdleFrame();
    nghttp2_submit_rst_stream(session_.session_, NGHTTP2_FLAG_NONE, id_, NGHTTP2_PROTOCOL_ERROR);
    return;
  }
  request_->http_major = 2;
  request_->peer = session_.carrier_.peer();
  is_head_ = request_->method == "HEAD";
  body_expected_ = !ended;
  body_until_ = session_.carrier_.loop().now() + session_.service_.limits.body_timeout;
  if (ended && field_bytes_ > kFreeFields) ChargeHead();
  if (refused_ != 0) return Refuse(refused_);
  if (ended) return RequestDone();
  Hold(field_bytes_ - std::exchange(charged_fields_, field_bytes_));
}

// Holds `bytes` more of the request against the budgets; beyond the early ones its head is judged first. False: it was
// answered.
bool Http2Session::Stream::Hold(size_t bytes) {
  const bool early = charge().early() && request_->body.size() + bytes <= session_.service_.limits.early_body_bytes;
  if (early && charge().Add(bytes)) return true;
  if (charge().early() && !Admit()) return false;
  if (charge().Add(bytes)) return true;
  Refuse(429);
  return false;
}

// True where the head may have a body. False: it was answered.
bool Http2Session::Stream::Admit() {
  if (!charge().early()) return true;
  exchange::Admission admission = http::Admit(session_.service_, session_.carrier_.loop(), *request_);
  if (!admission.refusal && charge().Admit(std::move(admission.user))) return true;
  if (!admission.refusal) {
    Refuse(429);
    return false;
  }
  started_ = true;
  request_.reset();
  charge_.reset();
  OnResponse(*std::move(admission.refusal));
  return false;
}

void Http2Session::Stream::AddBody(std::string_view data) {
  if (started_ || request_ == nullptr) return;  // of a body too large, or of a broken head: thrown away
  if (request_->body.size() + data.size() > session_.service_.limits.body_bytes) {
    request_->body = {};
    request_->body_too_large = true;
    return StartCall();
  }
  if (Hold(data.size())) request_->body += data;
}

BodyCharge& Http2Session::Stream::charge() {
  if (charge_ == nullptr)
    charge_ = std::make_unique<BodyCharge>(session_.service_, AddressOf(*session_.carrier_.peer()));
  return *charge_;
}

// The server's own answer to a request that no handler gets to see.
void Http2Session::Stream::Refuse(int status) {
  started_ = true;
  request_.reset();
  charge_.reset();
  exchange::Response answer = PlainAnswer(status, std::to_string(status) + " " + std::string(StatusText(status)));
  if (status == 429) answer.headers.Add("retry-after", "1");
  OnResponse(std::move(answer));
}

void Http2Session::Stream::RequestDone() {
  body_expected_ = false;
  if (!started_) StartCall();
}

void Http2Session::Stream::StartCall() {
  started_ = true;
  if (request_->path == "*" && request_->method == "OPTIONS") return OnResponse({});
  call_ = std::make_shared<Call>(session_.service_, session_.carrier_.loop(), std::move(*request_), std::move(charge_),
                                 *this, session_.running_);
  request_.reset();
  Call::Start(call_);
}

void Http2Session::Stream::OnResponse(exchange::Response response) {
  if (response.headers.Get("connection") == "close") session_.GoAway();
  status_ = response.status;
  is_watch_ = response.is_watch;
  fields_ = WithCleanValues(std::move(response.headers));
  bool bodiless = status_ < 200 || status_ == 204 || status_ == 304;
  if (const auto* whole = std::get_if<std::vector<base::Slice>>(&response.body); whole != nullptr && !bodiless) {
    size_t size = 0;
    for (const base::Slice& slice : *whole) size += slice.data.size();
    fields_.Set("content-length", std::to_string(size));
    bodiless = size == 0;
  } else {
    fields_.Remove("content-length");
  }
  if (!bodiless && !is_head_) {
    pump_ = std::make_unique<BodyPump>(session_.service_, session_.carrier_.loop(), *this, std::move(response.body));
    Progressed();
    if (is_watch_ && session_.draining_) pump_->End();
  }
  Submit(pump_ != nullptr);
  if (is_watch_) call_.reset();  // it may last for hours, and needs nothing of its request
  session_.carrier_.WantFlush();
}

void Http2Session::Stream::OnBroken() noexcept {
  nghttp2_submit_rst_stream(session_.session_, NGHTTP2_FLAG_NONE, id_, NGHTTP2_INTERNAL_ERROR);
  session_.carrier_.WantFlush();
}

void Http2Session::Stream::Progressed() {
  progress_ = session_.carrier_.loop().now();
  taken_ = 0;
}

// Only a closed window is the client's doing: what waits for the socket is the connection's business.
bool Http2Session::Stream::IsStalled(TimePoint now) const {
  if (pump_ == nullptr || deferred_ || answered_ || reset_) return false;
  if (now <= progress_ + session_.service_.limits.write_timeout) return false;
  return nghttp2_session_get_stream_remote_window_size(session_.session_, id_) <= 0 ||
         nghttp2_session_get_remote_window_size(session_.session_) <= 0;
}

void Http2Session::Stream::Reset() {
  reset_ = true;
  nghttp2_submit_rst_stream(session_.session_, NGHTTP2_FLAG_NONE, id_, NGHTTP2_CANCEL);
  session_.carrier_.WantFlush();
}

void Http2Session::Stream::TakeBody(size_t length, Sink& sink) {
  pump_->Take(length, sink);
  taken_ += length;
  if (taken_ >= session_.service_.limits.least_progress) Progressed();
}

void Http2Session::Stream::Submit(bool has_body) {
  std::string status = std::to_string(status_);
  std::vector<nghttp2_nv> wire;
  wire.reserve(fields_.fields().size() + 2);
  wire.push_back(Field(":status", status, NGHTTP2_NV_FLAG_NONE));
  if (!fields_.Has("date")) fields_.Add("date", std::string(session_.carrier_.loop().http_date()));
  for (const auto& [name, value] : fields_.fields()) {
    if (IsFramingField(name) && name != "content-length") continue;
    // `fields_` outlives the frame, so nghttp2 need not copy.
    uint8_t flags = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;
    if (IsUnique(name)) flags |= NGHTTP2_NV_FLAG_NO_INDEX;
    wire.push_back(Field(name, value, flags));
  }
  nghttp2_data_provider body{.source = {.ptr = this},
                             .read_callback = [](nghttp2_session*, int32_t, uint8_t*, size_t length, uint32_t* flags,
                                                 nghttp2_data_source* source, void*) -> ssize_t {
                               return static_cast<Stream*>(source->ptr)->ReadBody(length, *flags);
                             }};
  answered_ = !has_body;
  nghttp2_submit_response(session_.session_, id_, wire.data(), wire.size(), has_body ? &body : nullptr);
}

ssize_t Http2Session::Stream::ReadBody(size_t length, uint32_t& flags) {
  switch (pump_->Fill(std::min(length, kPiece))) {
    case BodyPump::State::kWait:
      deferred_ = true;
      Progressed();
      return NGHTTP2_ERR_DEFERRED;
    case BodyPump::State::kFail:
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    case BodyPump::State::kData:
    case BodyPump::State::kEnd:
      break;
  }
  size_t size = std::min(length, pump_->available());
  flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (size == pump_->available() && pump_->last()) {
    flags |= NGHTTP2_DATA_FLAG_EOF;
    answered_ = true;
  }
  return static_cast<ssize_t>(size);
}

void Http2Session::Stream::OnWake() {
  if (!deferred_) return;
  deferred_ = false;
  Progressed();
  nghttp2_session_resume_data(session_.session_, id_);
  session_.carrier_.WantFlush();
}

void Http2Session::Stream::EndBody() {
  if (pump_ == nullptr) return;
  pump_->End();
  OnWake();
}

// Plain functions for nghttp2, which give each event to the session.
struct Http2Session::Callbacks {
  static Http2Session& Of(void* session) { return *static_cast<Http2Session*>(session); }

  // `work` with an exception as what nghttp2 ends its work at: it is C.
  template <class Work>
  static auto Guarded(void* self, Work work) noexcept -> decltype(work(Of(self))) {
    try {
      return work(Of(self));
    } catch (...) {
      return Of(self).OnFailure();
    }
  }

  static int BeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    return Guarded(self, [&](Http2Session& session) { return session.OnBeginHeaders(*frame); });
  }
  static int Header(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name, size_t name_size,
                    const uint8_t* value, size_t value_size, uint8_t, void* self) {
    return Guarded(self, [&](Http2Session& session) {
      return session.OnField(frame->hd.stream_id, View(name, name_size), View(value, value_size));
    });
  }
  static int FrameRecv(nghttp2_session*, const nghttp2_frame* frame, void* self) {
    return Guarded(self, [&](Http2Session& session) { return session.OnFrame(*frame); });
  }
  // Each is answered with a reset at least, and costs the client nothing.
  static int InvalidFrameRecv(nghttp2_session*, const nghttp2_frame*, int, void* self) {
    return Guarded(self, [&](Http2Session& session) {
      session.CountIdleFrame();
      return 0;
    });
  }
  static int DataChunk(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size, void* self) {
    return Guarded(self, [&](Http2Session& session) { return session.OnData(id, View(data, size)); });
  }
  static int StreamClose(nghttp2_session*, int32_t id, uint32_t, void* self) {
    Of(self).OnClose(id);
    return 0;
  }
  static ssize_t Send(nghttp2_session*, const uint8_t* data, size_t size, int, void* self) {
    return Guarded(self, [&](Http2Session& session) -> ssize_t {
      if (session.sink_->room() == 0) return NGHTTP2_ERR_WOULDBLOCK;
      session.sink_->Write(View(data, size));
      return static_cast<ssize_t>(size);
    });
  }
  static int SendData(nghttp2_session*, nghttp2_frame*, const uint8_t* head, size_t length, nghttp2_data_source* source,
                      void* self) {
    constexpr size_t kFrameHead = 9;
    return Guarded(self, [&](Http2Session& session) -> int {
      if (session.sink_->room() == 0) return NGHTTP2_ERR_WOULDBLOCK;
      session.sink_->Write(View(head, kFrameHead));
      static_cast<Stream*>(source->ptr)->TakeBody(length, *session.sink_);
      return 0;
    });
  }
  static int FrameSent(nghttp2_session* nghttp2, const nghttp2_frame* frame, void* self) {
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0) return 0;
    // An answer before the end of its request: the rest of the request is of no use.
    Stream* stream = Of(self).Find(frame->hd.stream_id);
    if (stream != nullptr && stream->AnswerSent()) {
      nghttp2_submit_rst_stream(nghttp2, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    }
    return 0;
  }

  static const nghttp2_session_callbacks* Table() {
    static const nghttp2_session_callbacks* const table = [] {
      nghttp2_session_callbacks* made = nullptr;
      nghttp2_session_callbacks_new(&made);
      nghttp2_session_callbacks_set_on_begin_headers_callback(made, &BeginHeaders);
      nghttp2_session_callbacks_set_on_header_callback(made, &Header);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, &FrameRecv);
      nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, &InvalidFrameRecv);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, &DataChunk);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, &StreamClose);
      nghttp2_session_callbacks_set_send_callback(made, &Send);
      nghttp2_session_callbacks_set_send_data_callback(made, &SendData);
      nghttp2_session_callbacks_set_on_frame_send_callback(made, &FrameSent);
      return made;
    }();
    return table;
  }
};

Http2Session::Http2Session(Service& service, Carrier& carrier)
    : service_(service),
      carrier_(carrier),
      since_(carrier.loop().now()),
      calm_(service.limits.flood_burst),
      calm_since_(since_) {
  const Limits& limits = service_.limits;
  nghttp2_option* options = nullptr;
  nghttp2_option_new(&options);
  nghttp2_option_set_no_closed_streams(options, 1);
  // Resets are counted by the session itself, with the other frames that cost a client nothing.
  nghttp2_option_set_stream_reset_rate_limit(options, UINT32_MAX, UINT32_MAX);
  nghttp2_option_set_max_send_header_block_length(options, limits.header_bytes);
  nghttp2_session_server_new2(&session_, Callbacks::Table(), this, options);
  nghttp2_option_del(options);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_FRAME_SIZE, limits.frame_bytes},
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<uint32_t>(limits.header_bytes + kSpareFields * kFieldOverhead)},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.stream_window},
  };
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
  int64_t window = static_cast<int64_t>(limits.stream_window) * limits.streams;
  nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                        static_cast<int32_t>(std::min<int64_t>(window, NGHTTP2_MAX_WINDOW_SIZE)));
  carrier_.WantFlush();
}

Http2Session::~Http2Session() {
  streams_.clear();
  nghttp2_session_del(session_);
}

void Http2Session::Receive(std::string_view bytes) {
  if (finished_ || cutoff_ != TimePoint::max()) return;
  ssize_t taken = nghttp2_session_mem_recv(session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (taken < 0) {
    bool flood = taken == NGHTTP2_ERR_FLOODED || taken == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS;
    Terminate(flood ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR);
  }
  if (Stream* stream = Find(open_head_); stream != nullptr && !stream->waits_for_body()) stream->ChargeHead();
  carrier_.WantFlush();
}

// Bodies are bounded by windows and budgets. What the frames of a client are answered with is bounded by this: while it
// does not take that, nothing is taken from it.
bool Http2Session::WantsInput() const {
  return nghttp2_session_get_outbound_queue_size(session_) < service_.limits.queued_frames;
}

int Http2Session::OnFailure() noexcept {
  service_.TellFailure("connection");
  Terminate(NGHTTP2_INTERNAL_ERROR);
  return NGHTTP2_ERR_CALLBACK_FAILURE;
}

Http2Session::Stream* Http2Session::Find(int32_t id) {
  auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

int Http2Session::OnBeginHeaders(const nghttp2_frame& frame) {
  if (frame.hd.type != NGHTTP2_HEADERS) return 0;
  open_head_ = frame.hd.stream_id;
  head_since_ = carrier_.loop().now();
  head_bytes_ = 0;
  if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  if (*running_ >= 2 * static_cast<int>(service_.limits.streams)) {  // of streams that the client has cancelled
    CountIdleFrame();
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, frame.hd.stream_id, NGHTTP2_REFUSED_STREAM);
    return 0;
  }
  since_ = carrier_.loop().now();
  streams_[frame.hd.stream_id] = std::make_unique<Stream>(*this, frame.hd.stream_id);
  return 0;
}

int Http2Session::OnField(int32_t id, std::string_view name, std::string_view value) {
  head_bytes_ += name.size() + value.size() + kFieldOverhead;
  if (head_bytes_ > kMostHeads * service_.limits.header_bytes) {  // one byte can name a field of thousands
    Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
    return NGHTTP2_ERR_CALLBACK_FAILURE;
  }
  Stream* stream = Find(id);
  if (stream != nullptr) stream->AddField(name, value);
  return 0;
}

int Http2Session::OnFrame(const nghttp2_frame& frame) {
  bool ended = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  Stream* stream = Find(frame.hd.stream_id);
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      open_head_ = 0;
      if (stream == nullptr) return 0;
      if (frame.headers.cat == NGHTTP2_HCAT_REQUEST) {
        stream->HeadDone(ended);
        return 0;
      }
      [[fallthrough]];
    case NGHTTP2_DATA:
      if (stream != nullptr && ended && stream->waits_for_body()) stream->RequestDone();
      if (!ended && frame.hd.length == 0) CountIdleFrame();
      return 0;
    case NGHTTP2_WINDOW_UPDATE:
      return 0;  // clients send many: nghttp2 makes no answer, so one costs no more than its bytes
    default:
      CountIdleFrame();
      return 0;
  }
}

int Http2Session::OnData(int32_t id, std::string_view data) {
  since_ = carrier_.loop().now();
  Stream* stream = Find(id);
  if (stream != nullptr) stream->AddBody(data);
  return 0;
}

void Http2Session::OnClose(int32_t id) {
  if (open_head_ == id) open_head_ = 0;
  auto found = streams_.find(id);
  if (found == streams_.end()) return;
  std::unique_ptr<Stream> gone = std::move(found->second);
  streams_.erase(found);
  since_ = carrier_.loop().now();
}

void Http2Session::CountIdleFrame() {
  const Limits& limits = service_.limits;
  std::chrono::duration<double> passed = carrier_.loop().now() - calm_since_;
  calm_since_ = carrier_.loop().now();
  calm_ = std::min<double>(limits.flood_burst, calm_ + passed.count() * limits.flood_per_second);
  if (--calm_ < 0) Terminate(NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2Session::Terminate(uint32_t error) {
  if (cutoff_ != TimePoint::max()) return;
  cutoff_ = carrier_.loop().now() + service_.limits.farewell_timeout;
  nghttp2_session_terminate_session(session_, error);
  carrier_.WantFlush();
}

void Http2Session::InputEnded() {
  input_ended_ = true;
  finished_ = true;
  carrier_.WantFlush();
}

void Http2Session::Produce(Sink& sink) {
  sink_ = &sink;
  int result = nghttp2_session_send(session_);
  sink_ = nullptr;
  bool nothing_left = nghttp2_session_want_read(session_) == 0 && nghttp2_session_want_write(session_) == 0;
  bool drained = going_away_ && streams_.empty() && nghttp2_session_want_write(session_) == 0;
  if (result != 0 || nothing_left || drained) finished_ = true;
}

void Http2Session::GoAway() {
  if (std::exchange(going_away_, true)) return;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, nullptr, 0);
  carrier_.WantFlush();
}

void Http2Session::Drain() {
  draining_ = true;
  GoAway();
  for (auto& [id, stream] : streams_) {
    if (stream->is_watch()) stream->EndBody();
  }
}

void Http2Session::Expire(TimePoint now) {
  for (auto& [id, stream] : streams_) {
    if (stream->IsLate(now)) stream->Refuse(408);
    if (stream->IsStalled(now)) stream->Reset();
  }
}

Session::TimePoint Http2Session::deadline() const {
  const Limits& limits = service_.limits;
  if (cutoff_ != TimePoint::max()) return cutoff_;
  if (open_head_ != 0) return head_since_ + limits.header_timeout;
  return streams_.empty() ? since_ + limits.idle_timeout : TimePoint::max();
}

std::unique_ptr<Session> MakeHttp2Session(Service& service, Carrier& carrier) {
  return std::make_unique<Http2Session>(service, carrier);
}

}  // namespace http
