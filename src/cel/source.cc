#include "cel/source.h"

#include <algorithm>

#include "value/utf8.h"

namespace cel {
namespace {

constexpr int kMaxIssues = 100;
constexpr size_t kMaxSnippet = 16384;

size_t CharacterLength(std::string_view text) { return value::DecodeRune(text).size; }

}  // namespace

Source::Source(std::string_view text) {
  value::AppendMendedUtf8(text_, text);
  lines_.push_back({0, 0});
  for (size_t at = 0; at < text_.size();) {
    size_t length =
        static_cast<unsigned char>(text_[at]) < 0x80 ? 1 : CharacterLength(std::string_view(text_).substr(at));
    bool end = text_[at] == '\n';
    at += length;
    ++size_;
    if (end) lines_.push_back({size_, static_cast<int32_t>(at)});
  }
}

Place Source::At(int32_t offset) const {
  if (offset < 0) return {};
  auto after = std::upper_bound(lines_.begin(), lines_.end(), offset,
                                [](int32_t wanted, const Start& start) { return wanted < start.offset; });
  return {static_cast<int32_t>(after - lines_.begin()), offset - std::prev(after)->offset};
}

bool Source::Line(int32_t line, std::string_view& text) const {
  if (line < 1 || static_cast<size_t>(line) > lines_.size() || text_.empty()) return false;
  auto begin = static_cast<size_t>(lines_[static_cast<size_t>(line) - 1].byte);
  auto end = static_cast<size_t>(line) < lines_.size() ? static_cast<size_t>(lines_[static_cast<size_t>(line)].byte) - 1
                                                       : text_.size();
  text = std::string_view(text_).substr(begin, end - begin);
  return true;
}

void Issues::Add(Place place, std::string message) {
  if (++count_ <= kMaxIssues) all_.push_back({place, std::move(message)});
}

std::string Issues::Text(const Source& source) const {
  std::vector<const Issue*> sorted;
  sorted.reserve(all_.size());
  for (const Issue& issue : all_) sorted.push_back(&issue);
  std::stable_sort(sorted.begin(), sorted.end(), [](const Issue* a, const Issue* b) { return a->place < b->place; });
  std::string out;
  for (const Issue* issue : sorted) {
    if (!out.empty()) out += '\n';
    out += "ERROR: <input>:" + std::to_string(issue->place.line) + ":" + std::to_string(issue->place.column + 1) +
           ": " + issue->message;
    std::string_view line;
    if (!source.Line(issue->place.line, line) || line.size() > kMaxSnippet) continue;
    out += "\n | ";
    for (char c : line) out += c == '\t' ? ' ' : c;
    out += "\n | ";
    std::string_view rest = line;
    for (int32_t i = 0; i < issue->place.column && !rest.empty(); ++i) {
      size_t length = CharacterLength(rest);
      rest.remove_prefix(length);
      out += length > 1 ? "\uff0e" : ".";
    }
    out += !rest.empty() && CharacterLength(rest) > 1 ? "\uff3e" : "^";
  }
  if (count_ > kMaxIssues) out += "\n" + std::to_string(count_ - kMaxIssues) + " more errors were truncated";
  return out;
}

}  // namespace cel
