#include "http/compress.h"

#include <isa-l.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace http {
namespace {

constexpr size_t kThreshold = 128 * 1024;  // what is larger is compressed
constexpr size_t kChunk = 64 * 1024;       // of plain bytes compressed in one go
constexpr int kLevel = 1;                  // as the real server: speed before size

size_t Size(const std::vector<base::Slice>& slices) {
  size_t size = 0;
  for (const base::Slice& slice : slices) size += slice.data.size();
  return size;
}

// A source is pulled before the connection has given its waker: a wake in between is kept and passed on.
class WakeRelay {
 public:
  void Wake() {
    std::lock_guard lock(mutex_);
    if (wake_) {
      wake_();
    } else {
      early_ = true;
    }
  }
  void Set(absl::AnyInvocable<void()> wake) {
    std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
    if (early_) wake_();
  }

 private:
  std::mutex mutex_;
  absl::AnyInvocable<void()> wake_;  // guarded by mutex_, as is early_
  bool early_ = false;
};

// A source of which the first pieces were pulled to learn how large it is.
struct Primed {
  std::vector<base::Slice> slices;
  std::unique_ptr<exchange::BodySource> rest;  // null: the slices are all
  std::shared_ptr<WakeRelay> relay;            // set with `rest`
  bool failed = false;
  bool large = false;
};

// What was primed, then the rest of the source: all as one gzip member.
class GzipSource final : public exchange::BodySource {
 public:
  explicit GzipSource(Primed primed)
      : plain_(std::move(primed.slices)), rest_(std::move(primed.rest)), relay_(std::move(primed.relay)) {
    isal_deflate_init(deflate_.get());
    deflate_->gzip_flag = IGZIP_GZIP;
    deflate_->level = kLevel;
    deflate_->level_buf = work_.get();
    deflate_->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  }

  void SetWaker(absl::AnyInvocable<void()> wake) override {
    if (relay_) relay_->Set(std::move(wake));
  }

  State Pull(size_t, std::vector<base::Slice>& out) override {
    std::string packed;
    for (size_t taken = 0; taken < kChunk || packed.empty();) {
      if (next_ == plain_.size()) {
        if (rest_ == nullptr) return Finish(packed, out);
        plain_.clear();
        next_ = 0;
        State state = rest_->Pull(kChunk, plain_);
        if (state == State::kFail) return state;
        if (state == State::kWait) return Pause(packed, out);
        if (state == State::kEnd) rest_.reset();
        continue;
      }
      std::string_view piece = plain_[next_].data.substr(offset_, kChunk);
      Deflate(piece, NO_FLUSH, packed);
      taken += piece.size();
      offset_ += piece.size();
      if (offset_ < plain_[next_].data.size()) continue;
      plain_[next_++].owner.reset();
      offset_ = 0;
    }
    out.push_back(base::Slice::Own(std::move(packed)));
    return State::kMore;
  }

 private:
  // Nothing more for now: what was taken must reach the client, so the compressor gives all it holds, once.
  State Pause(std::string& packed, std::vector<base::Slice>& out) {
    if (dirty_) Deflate({}, SYNC_FLUSH, packed);
    dirty_ = false;
    if (packed.empty()) return State::kWait;
    out.push_back(base::Slice::Own(std::move(packed)));
    return State::kMore;
  }

  State Finish(std::string& packed, std::vector<base::Slice>& out) {
    deflate_->end_of_stream = 1;
    Deflate({}, NO_FLUSH, packed);
    out.push_back(base::Slice::Own(std::move(packed)));
    return State::kEnd;
  }

  void Deflate(std::string_view plain, uint16_t flush, std::string& packed) {
    dirty_ = true;
    deflate_->flush = flush;
    deflate_->next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(plain.data()));
    deflate_->avail_in = static_cast<uint32_t>(plain.size());
    uint8_t room[16 * 1024];
    do {
      deflate_->next_out = room;
      deflate_->avail_out = sizeof room;
      isal_deflate(deflate_.get());
      packed.append(reinterpret_cast<char*>(room), sizeof room - deflate_->avail_out);
    } while (deflate_->avail_out == 0);
  }

  std::unique_ptr<isal_zstream> deflate_ = std::make_unique_for_overwrite<isal_zstream>();
  std::unique_ptr<uint8_t[]> work_ = std::make_unique_for_overwrite<uint8_t[]>(ISAL_DEF_LVL1_DEFAULT);
  bool dirty_ = false;  // the compressor may hold bytes back
  std::vector<base::Slice> plain_;
  size_t next_ = 0;
  size_t offset_ = 0;
  std::unique_ptr<BodySource> rest_;
  std::shared_ptr<WakeRelay> relay_;
};

// What was primed, then the rest of the source, as they are.
class ResumedSource final : public exchange::BodySource {
 public:
  explicit ResumedSource(Primed primed) : primed_(std::move(primed)) {}
  void SetWaker(absl::AnyInvocable<void()> wake) override { primed_.relay->Set(std::move(wake)); }
  State Pull(size_t max_bytes, std::vector<base::Slice>& out) override {
    if (primed_.slices.empty()) return primed_.failed ? State::kFail : primed_.rest->Pull(max_bytes, out);
    std::ranges::move(primed_.slices, std::back_inserter(out));
    primed_.slices.clear();
    return State::kMore;
  }

 private:
  Primed primed_;
};

Primed Prime(std::unique_ptr<exchange::BodySource> source) {
  using State = exchange::BodySource::State;
  Primed primed{.slices = {}, .rest = std::move(source), .relay = std::make_shared<WakeRelay>()};
  primed.rest->SetWaker([relay = primed.relay] { relay->Wake(); });
  State state = State::kMore;
  while (state == State::kMore && !primed.large) {
    state = primed.rest->Pull(kChunk, primed.slices);
    primed.large = Size(primed.slices) > kThreshold;
  }
  primed.failed = state == State::kFail;
  if (state == State::kEnd) primed.rest.reset();
  return primed;
}

template <class Matches>
bool AnyToken(std::string_view accept_encoding, Matches matches) {
  while (!accept_encoding.empty()) {
    size_t comma = std::min(accept_encoding.find(','), accept_encoding.size());
    std::string_view token = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(std::min(comma + 1, accept_encoding.size()));
    while (token.starts_with(' ') || token.starts_with('\t')) token.remove_prefix(1);
    while (token.ends_with(' ') || token.ends_with('\t')) token.remove_suffix(1);
    if (matches(token)) return true;
  }
  return false;
}

void CompressIfLarge(exchange::Response& response) {
  Primed primed;
  if (auto* whole = std::get_if<std::vector<base::Slice>>(&response.body)) {
    if (Size(*whole) <= kThreshold) return;
    primed.slices = std::move(*whole);
  } else {
    auto& source = std::get<std::unique_ptr<exchange::BodySource>>(response.body);
    if (source == nullptr) return;
    primed = Prime(std::move(source));
    if (!primed.large || primed.failed) {
      if (primed.rest == nullptr) {
        response.body = std::move(primed.slices);
      } else {
        response.body = std::make_unique<ResumedSource>(std::move(primed));
      }
      return;
    }
  }
  response.body = std::make_unique<GzipSource>(std::move(primed));
  response.headers.Set("content-encoding", "gzip");
  response.headers.Add("vary", "Accept-Encoding");
}

void CompressWhole(exchange::Response& response) {
  Primed primed;
  if (auto* whole = std::get_if<std::vector<base::Slice>>(&response.body)) {
    primed.slices = std::move(*whole);
  } else {
    primed = Prime(std::move(std::get<std::unique_ptr<exchange::BodySource>>(response.body)));
  }
  response.body = std::make_unique<GzipSource>(std::move(primed));
  response.headers.Set("content-encoding", "gzip");
}

}  // namespace

bool TakesGzip(std::string_view accept_encoding) {
  return AnyToken(accept_encoding, [](std::string_view token) { return token == "gzip"; });
}

bool TakesWeightedGzip(std::string_view accept_encoding) {
  return AnyToken(accept_encoding,
                  [](std::string_view token) { return token == "gzip" || token.starts_with("gzip;"); });
}

void Compress(const exchange::Request& request, exchange::Response& response) {
  const std::string_view taken = request.headers.Get("accept-encoding");
  if (response.compression == exchange::Compression::kWhenLarge && TakesGzip(taken)) CompressIfLarge(response);
  if (response.compression == exchange::Compression::kWhenTaken && TakesWeightedGzip(taken)) CompressWhole(response);
}

}  // namespace http
