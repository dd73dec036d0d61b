#include "pipeline/audit/audit_stage.h"

#include <exception>
#include <utility>
#include <vector>

#include "base/text.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace pipeline {
namespace {

using api::AuditLevel;
using Slices = std::vector<base::Slice>;

// The record as the stages know it.
struct OpenRecord final : api::AuditRecord {
  AuditEvent::Time received;
  bool is_judged = false;  // the policy was asked
};

std::string Join(const Slices& slices) {
  size_t size = 0;
  for (const base::Slice& slice : slices) size += slice.data.size();
  std::string text;
  text.reserve(size);
  for (const base::Slice& slice : slices) text += slice.data;
  return text;
}

// Whether an answer shows an API object as JSON. What is no API object does not begin with its kind.
bool LooksLikeObject(std::string_view json) {
  size_t at = 0;
  const auto skip = [&] {
    while (at < json.size() && (json[at] == ' ' || json[at] == '\n')) ++at;
  };
  skip();
  if (at == json.size() || json[at++] != '{') return false;
  skip();
  return json.substr(at).starts_with("\"kind\"");
}

// Whether the client takes objects only in views that no Status has: errors are then told past what knows objects.
bool TakesOnlyViews(std::string_view accept) {
  if (accept.empty()) return false;
  while (!accept.empty()) {
    const size_t comma = accept.find(',');
    if (!accept.substr(0, comma).contains("as=")) return false;
    accept.remove_prefix(comma == accept.npos ? accept.size() : comma + 1);
  }
  return true;
}

// Tells of one request's stages. Shared with the body of an answer that is still being written.
class Teller {
 public:
  Teller(const AuditParts& parts, AuditPolicy::Choice choice, const exchange::Exchange& exchange, const api::User* user)
      : parts_(parts),
        choice_(choice),
        takes_only_views_(TakesOnlyViews(exchange.request().headers.Get("accept"))),
        event_(EventOf(exchange, user, choice.level)) {}

  AuditEvent& event() { return event_; }

  // False: the request is to be refused.
  bool Tell(AuditStageName stage) {
    if (choice_.Omits(stage)) return true;
    event_.stage = stage;
    event_.reached = stage == AuditStageName::kRequestReceived ? event_.received : parts_.clock.Now();
    return parts_.log.Process(event_);
  }

  // Takes the answer's whole body.
  void TakeAnswer(std::string_view media_type, const Slices& body) {
    // The answer that no type could be agreed on is told past everything that knows objects.
    if (event_.code == 406 || (event_.code >= 400 && takes_only_views_) || body.empty()) return;
    const bool wants_object = event_.level == AuditLevel::kRequestResponse;
    const bool is_json = media_type.starts_with("application/json") && !media_type.contains("stream=watch");
    if (!wants_object && event_.code < 400 && event_.info.verb != "delete") return;  // no Status, as far as it goes
    std::string json = Join(body);
    if (!is_json) {
      std::optional<std::string> other;
      if (parts_.as_json) other = parts_.as_json(media_type, json);
      if (!other) return;
      json = *std::move(other);
    }
    if (!LooksLikeObject(json)) return;
    event_.status_object = StatusMembers(json);
    if (!wants_object) return;
    if (choice_.omit_managed_fields && event_.status_object.empty()) {
      event_.response_object = WithoutManagedFields(json);
    } else {
      value::CompactJson(json, event_.response_object);
    }
  }

  void TakeRequest(const api::AuditRecord& record) {
    if (record.request_object.empty()) return;
    if (choice_.omit_managed_fields && !record.request_is_patch) {
      event_.request_object = WithoutManagedFields(record.request_object);
    } else {
      value::CompactJson(record.request_object, event_.request_object);
    }
  }

 private:
  const AuditParts& parts_;  // of the stage, which outlives every answer
  const AuditPolicy::Choice choice_;
  const bool takes_only_views_;
  AuditEvent event_;
};

// The body of an answer whose end is told.
class AuditedBody final : public exchange::BodySource {
 public:
  AuditedBody(std::unique_ptr<exchange::BodySource> body, std::shared_ptr<Teller> teller, std::string media_type,
              bool captures)
      : body_(std::move(body)), teller_(std::move(teller)), media_type_(std::move(media_type)), captures_(captures) {}
  ~AuditedBody() override { End(/*whole=*/false); }

  State Pull(size_t max_bytes, Slices& out) override {
    const size_t before = out.size();
    const State state = body_->Pull(max_bytes, out);
    if (captures_) Capture(out, before);
    if (state == State::kEnd || state == State::kFail) End(state == State::kEnd);
    return state;
  }
  void SetWaker(absl::AnyInvocable<void()> wake) override { body_->SetWaker(std::move(wake)); }

 private:
  void Capture(const Slices& out, size_t from) {
    for (size_t i = from; i < out.size(); ++i) {
      size_ += out[i].data.size();
      if (size_ > Audit::kMostCapturedBytes) {
        captures_ = false;
        captured_ = {};
        teller_->event().truncated = true;
        return;
      }
      captured_.push_back(out[i]);
    }
  }
  void End(bool whole) {
    const std::shared_ptr<Teller> teller = std::exchange(teller_, nullptr);
    if (!teller) return;
    if (captures_ && whole) teller->TakeAnswer(media_type_, captured_);
    captured_ = {};
    teller->Tell(AuditStageName::kResponseComplete);
  }

  const std::unique_ptr<exchange::BodySource> body_;
  std::shared_ptr<Teller> teller_;
  const std::string media_type_;
  bool captures_;
  size_t size_ = 0;
  Slices captured_;
};

// How a client that nobody knows tried to be known.
std::string TriedCredentials(const exchange::Exchange& exchange) {
  std::vector<std::string> tried;
  const std::string_view header = base::TrimSpace(exchange.request().headers.Get("authorization"));
  const std::string_view scheme = header.substr(0, header.find(' '));
  if (base::EqualsIgnoreCase(scheme, "basic")) tried.emplace_back("basic");
  if (base::EqualsIgnoreCase(scheme, "bearer") && scheme.size() < header.size()) tried.emplace_back("bearer");
  if (!base::TrimSpace(exchange.context().query.Get("access_token")).empty()) tried.emplace_back("access_token");
  if (exchange.request().peer && !exchange.request().peer->certificates.empty()) tried.emplace_back("x509");
  if (tried.empty()) return "Authentication failed, no credentials provided";
  return base::Cat("Authentication failed, attempted: ", base::Join(tried, ", "));
}

}  // namespace

base::Task<exchange::Response> AuditReception::Handle(exchange::Exchange& exchange) {
  const auto record = std::make_shared<OpenRecord>();
  record->received = parts_.clock.Now();
  exchange.context().audit = record;
  exchange::Response response = co_await next_.Handle(exchange);
  if (!record->is_judged && (response.status == 401 || response.status == 400)) TellRefusal(exchange, response);
  co_return response;
}

void AuditReception::TellRefusal(exchange::Exchange& exchange, const exchange::Response& response) const {
  const AuditPolicy::Choice choice = parts_.policy.Choose(nullptr, exchange.context().info);
  parts_.log.CountLevel(choice.level);
  if (choice.level == AuditLevel::kNone) return;
  Teller teller(parts_, choice, exchange, nullptr);
  AuditEvent& event = teller.event();
  event.received = static_cast<const OpenRecord&>(*exchange.context().audit).received;
  event.record = exchange.context().audit;
  event.code = response.status;
  if (response.status == 401) event.status_message = TriedCredentials(exchange);
  if (const auto* body = std::get_if<Slices>(&response.body)) {
    teller.TakeAnswer(response.headers.Get("content-type"), *body);
  }
  teller.Tell(AuditStageName::kResponseStarted);
}

base::Task<exchange::Response> Audit::Handle(exchange::Exchange& exchange) {
  api::RequestContext& context = exchange.context();
  const AuditPolicy::Choice choice = parts_.policy.Choose(&context.user, context.info);
  static_cast<OpenRecord&>(*context.audit).is_judged = true;
  if (!exchange.head_only()) parts_.log.CountLevel(choice.level);
  if (choice.level != AuditLevel::kNone) return HandleAudited(exchange, choice);
  context.audit.reset();
  return next_.Handle(exchange);
}

base::Task<exchange::Response> Audit::HandleAudited(exchange::Exchange& exchange, AuditPolicy::Choice choice) {
  api::RequestContext& context = exchange.context();
  const std::shared_ptr<api::AuditRecord> record = context.audit;
  record->level = choice.level;
  const auto teller = std::make_shared<Teller>(parts_, choice, exchange, &context.user);
  AuditEvent& event = teller->event();
  event.received = static_cast<const OpenRecord&>(*record).received;
  event.record = record;
  // Of a head alone nothing is told until it is clear that nothing comes after it.
  if (!exchange.head_only() && !teller->Tell(AuditStageName::kRequestReceived)) {
    parts_.log.CountRejected();
    co_return InternalServerError(exchange, "failed to store audit event");
  }

  std::optional<exchange::Response> response;
  std::exception_ptr failure;
  try {
    response = co_await next_.Handle(exchange);
  } catch (const std::exception& thrown) {
    failure = std::current_exception();
    event.status_object =
        base::Cat(R"("status":"Failure","message":)",
                  value::ToJson(value::Value::String(base::Cat("APIServer panic'd: ", thrown.what()))),
                  R"(,"reason":"InternalError")");
  }
  if (failure) {
    event.code = 500;
    teller->Tell(AuditStageName::kPanic);
    std::rethrow_exception(failure);
  }
  if (exchange.head_only()) {
    if (response->status == kGoOn) co_return *std::move(response);
    teller->Tell(AuditStageName::kRequestReceived);
  }

  event.code = response->status;
  teller->TakeRequest(*record);
  const std::string media_type(response->headers.Get("content-type"));
  auto* const whole = std::get_if<Slices>(&response->body);
  if (whole != nullptr && !response->is_taken_over) teller->TakeAnswer(media_type, *whole);
  if (IsLongRunning(context.info)) teller->Tell(AuditStageName::kResponseStarted);
  if (whole != nullptr) {
    teller->Tell(AuditStageName::kResponseComplete);
  } else {
    auto& body = std::get<std::unique_ptr<exchange::BodySource>>(response->body);
    const bool captures = choice.level == AuditLevel::kRequestResponse && !response->is_watch &&
                          !response->is_taken_over && !IsLongRunning(context.info);
    body = std::make_unique<AuditedBody>(std::move(body), teller, media_type, captures);
  }
  co_return *std::move(response);
}

}  // namespace pipeline
