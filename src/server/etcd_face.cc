#include "server/etcd_face.h"

#include <charconv>
#include <utility>

#include "base/text.h"
#include "value/arena.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace server {
namespace {

using base::Cat;

constexpr std::string_view kJson = "application/json";

exchange::Response Text(int status, std::string_view content_type, std::string text) {
  exchange::Response response;
  response.status = status;
  response.headers.Add("content-type", std::string(content_type));
  response.body = std::vector<base::Slice>{base::Slice::Own(std::move(text))};
  return response;
}

}  // namespace

// What is still to be said on one link. Written by whoever asks to compact, read on the link's I/O thread.
struct EtcdFace::Line {
  std::mutex mutex;
  std::string waiting;              // guarded by mutex
  absl::AnyInvocable<void()> wake;  // guarded by mutex

  void Say(std::string_view text) {
    std::lock_guard lock(mutex);
    waiting += text;
    if (wake) wake();
  }
};

// The body of a link's answer: lines as they come, until the client goes.
class EtcdFace::Link final : public exchange::BodySource {
 public:
  explicit Link(std::shared_ptr<Line> line) : line_(std::move(line)) {}
  ~Link() override {
    std::lock_guard lock(line_->mutex);
    line_->wake = nullptr;
  }
  State Pull(size_t, std::vector<base::Slice>& out) override {
    std::lock_guard lock(line_->mutex);
    if (line_->waiting.empty()) return State::kWait;
    out.push_back(base::Slice::Own(std::exchange(line_->waiting, {})));
    return State::kMore;
  }
  void SetWaker(absl::AnyInvocable<void()> wake) override {
    std::lock_guard lock(line_->mutex);
    line_->wake = std::move(wake);
  }

 private:
  const std::shared_ptr<Line> line_;
};

base::Task<exchange::Response> EtcdFace::Handle(exchange::Exchange& exchange) { co_return Answer(exchange); }

exchange::Response EtcdFace::Answer(exchange::Exchange& exchange) {
  const exchange::Request& request = exchange.request();
  if (request.path == "/health") return Text(200, kJson, R"({"health":"true","reason":""})");
  if (request.path == "/livez" || request.path == "/readyz") return Text(200, "text/plain", "ok\n");
  if (request.path == "/version") return Text(200, kJson, R"({"etcdserver":"3.5.16","etcdcluster":"3.5.0"})");
  if (request.path == kEtcdLinkPath) return OpenLink();
  if (request.path == "/v3/kv/compaction" && request.method == "POST") return Compact(request.body);
  return Text(404, "text/plain; charset=utf-8", "404 page not found\n");
}

exchange::Response EtcdFace::OpenLink() {
  auto line = std::make_shared<Line>();
  line->waiting = R"({"directory":)";
  value::AppendJsonString(line->waiting, directory_);
  line->waiting += Cat(R"(,"sync":)", sync_ ? "true" : "false", "}\n");
  {
    std::lock_guard lock(mutex_);
    std::erase_if(lines_, [](const std::weak_ptr<Line>& each) { return each.expired(); });
    if (lines_.size() >= kMaxLinks) return Text(429, "text/plain", "too many links\n");
    lines_.push_back(line);
  }
  exchange::Response response;
  response.headers.Add("content-type", "application/jsonl");
  response.body = std::make_unique<Link>(std::move(line));
  response.is_watch = true;
  return response;
}

exchange::Response EtcdFace::Compact(std::string_view body) {
  value::Arena arena;
  base::Result<value::Value> wish = value::ReadJson(body, arena);
  const value::Value* revision = wish && wish->is_object() ? wish->Find("revision") : nullptr;
  int64_t number = 0;
  if (revision != nullptr && revision->is_int()) {
    number = revision->AsInt();
  } else if (revision != nullptr && revision->is_string()) {  // etcd's gateway writes 64-bit numbers as strings
    std::string_view digits = revision->AsString();
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
  }
  if (number <= 0) return Text(400, kJson, R"({"error":"no revision","code":3,"message":"no revision"})");
  std::lock_guard lock(mutex_);
  for (const std::weak_ptr<Line>& each : lines_) {
    if (std::shared_ptr<Line> line = each.lock()) line->Say(Cat(R"({"compact":)", number, "}\n"));
  }
  return Text(200, kJson, Cat(R"({"header":{"revision":")", number, "\"}}"));
}

}  // namespace server
