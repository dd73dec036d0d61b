#include "http/body_pump.h"

#include <algorithm>
#include <utility>

namespace http {
namespace {

size_t Size(const std::vector<base::Slice>& slices) {
  size_t size = 0;
  for (const base::Slice& slice : slices) size += slice.data.size();
  return size;
}

}  // namespace

BodyPump::BodyPump(Service& service, EventLoop& loop, WakeTarget& target, Body body) : service_(service) {
  if (auto* whole = std::get_if<std::vector<base::Slice>>(&body)) {
    slices_ = std::move(*whole);
    available_ = Size(slices_);
    return;
  }
  source_ = std::get<std::unique_ptr<exchange::BodySource>>(std::move(body));
  if (source_ == nullptr) return;
  cell_ = std::make_shared<WakeCell>(loop, target);
  source_->SetWaker([cell = cell_] { cell->Wake(); });
}

BodyPump::~BodyPump() {
  if (cell_) cell_->Detach();
}

BodyPump::State BodyPump::Fill(size_t want) {
  if (available_ > 0) return State::kData;
  try {
    return Pull(want);
  } catch (...) {
    service_.TellFailure("body of an answer");
    slices_.clear();
    available_ = 0;
    return State::kFail;
  }
}

BodyPump::State BodyPump::Pull(size_t want) {
  while (available_ == 0) {
    if (source_ == nullptr) return State::kEnd;
    slices_.clear();
    next_ = offset_ = 0;
    switch (source_->Pull(want, slices_)) {
      case exchange::BodySource::State::kMore:
        break;
      case exchange::BodySource::State::kWait:
        slices_ = {};  // may wait for long: hold nothing
        return State::kWait;
      case exchange::BodySource::State::kEnd:
        source_.reset();
        break;
      case exchange::BodySource::State::kFail:
        return State::kFail;
    }
    available_ = Size(slices_);
  }
  return State::kData;
}

void BodyPump::Take(size_t size, Sink& sink) {
  available_ -= size;
  while (size > 0) {
    base::Slice& slice = slices_[next_];
    size_t part = std::min(size, slice.data.size() - offset_);
    sink.Write(slice.data.substr(offset_, part));
    size -= part;
    offset_ += part;
    if (offset_ < slice.data.size()) continue;
    slice.owner.reset();
    offset_ = 0;
    ++next_;
  }
}

}  // namespace http
