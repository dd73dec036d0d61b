#include "resources/batch/index_ranges.h"

#include <algorithm>
#include <optional>

#include "api/quote.h"
#include "base/text.h"
#include "resources/rules/integers.h"

namespace resources::batch {
namespace {

struct Range {
  int32_t first = 0, last = 0;
  std::string error;
};

// An index; where it is none, the error of `range`.
int64_t ReadIndex(std::string_view text, int64_t completions, Range& range) {
  const ParsedInteger index = ParseInteger(text);
  if (!index.ok()) {
    range.error = base::Cat("cannot convert string to integer for index: ", api::Quote(text));
  } else if (index.value >= completions) {
    range.error = base::Cat("too large index: ", api::Quote(text));
  }
  return index.value;
}

// "3" or "3-5".
Range ReadRange(std::string_view text, int64_t completions) {
  Range range;
  const size_t dash = text.find('-');
  if (dash != text.npos && text.find('-', dash + 1) != text.npos) {
    range.error = base::Cat("the fragment ", api::Quote(text),
                            " violates the requirement that an index interval can have at most two parts separated by "
                            "'-'");
    return range;
  }
  const int64_t first = ReadIndex(text.substr(0, dash), completions, range);
  if (!range.error.empty()) return range;
  int64_t last = first;
  if (dash != text.npos) {
    last = ReadIndex(text.substr(dash + 1), completions, range);
    if (!range.error.empty()) return range;
    if (first >= last) {
      range.error = base::Cat("non-increasing order, previous: ", first, ", current: ", last);
      return range;
    }
  }
  range.first = static_cast<int32_t>(first);
  range.last = static_cast<int32_t>(last);
  return range;
}

// The ranges of a text, one after the other.
class RangeReader {
 public:
  RangeReader(std::string_view text, int64_t completions) : rest_(text), completions_(completions) { Next(); }

  bool done() const { return !range_; }
  const Range& range() const { return *range_; }
  void Next() {
    range_.reset();
    if (ended_) return;
    const size_t comma = rest_.find(',');
    range_ = ReadRange(rest_.substr(0, comma), completions_);
    ended_ = comma == rest_.npos;
    if (!ended_) rest_.remove_prefix(comma + 1);
  }

 private:
  std::string_view rest_;
  const int64_t completions_;
  std::optional<Range> range_;
  bool ended_ = false;
};

}  // namespace

IndexRanges ReadIndexRanges(std::string_view text, int64_t completions) {
  if (text.empty()) return {};
  std::optional<int32_t> previous;
  uint32_t total = 0;
  for (RangeReader reader(text, completions); !reader.done(); reader.Next()) {
    const Range& range = reader.range();
    if (!range.error.empty()) return {0, range.error};
    if (previous && *previous >= range.first) {
      return {0, base::Cat("non-increasing order, previous: ", *previous, ", current: ", range.first)};
    }
    total += static_cast<uint32_t>(range.last) - static_cast<uint32_t>(range.first) + 1;
    previous = range.last;
  }
  return {static_cast<int32_t>(total), {}};
}

std::string FindOverlap(std::string_view completed, std::string_view failed, int64_t completions) {
  if (completed.empty() || failed.empty()) return {};
  RangeReader complete(completed, completions), fail(failed, completions);
  while (!complete.done() && !fail.done()) {
    const Range &a = complete.range(), &b = fail.range();
    if (!a.error.empty()) {
      complete.Next();
    } else if (!b.error.empty()) {
      fail.Next();
    } else if (a.first <= b.last && b.first <= a.last) {
      return base::Cat("failedIndexes and completedIndexes overlap at index: ", std::max(a.first, b.first));
    } else if (a.first <= b.first) {
      complete.Next();
    } else {
      fail.Next();
    }
  }
  return {};
}

}  // namespace resources::batch
