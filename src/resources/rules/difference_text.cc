#include "resources/rules/difference_text.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace resources {
namespace {

constexpr size_t kLongestLine = 80;

void Indent(std::string& out, char mark, int depth) {
  out += mark != 0 ? mark : ' ';
  out += ' ';
  out.append(static_cast<size_t>(depth), '\t');
}

// Code points.
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

// How many blanks make the widths of neighbours the same; those without width part the neighbours.
std::vector<size_t> Pad(const std::vector<std::optional<size_t>>& widths) {
  std::vector<size_t> pads(widths.size());
  for (size_t begin = 0; begin < widths.size();) {
    size_t end = begin, widest = 0;
    while (end < widths.size() && widths[end]) widest = std::max(widest, *widths[end++]);
    for (size_t i = begin; i < end; ++i) pads[i] = widest - *widths[i];
    begin = end + 1;
  }
  return pads;
}

}  // namespace

void LeftOut::Add(const LeftOut& more) {
  identical += more.identical;
  removed += more.removed;
  inserted += more.inserted;
  modified += more.modified;
}

std::string LeftOut::text() const {
  std::vector<std::string> counts;
  int sum = 0;
  const std::pair<int, std::string_view> kinds[] = {
      {identical, "identical"}, {removed, "removed"}, {inserted, "inserted"}, {modified, "modified"}};
  for (const auto& [count, kind] : kinds) {
    if (count > 0) counts.push_back(base::Cat(count, " ", kind));
    sum += count;
  }
  std::string named(name);
  if (sum > 1) named = named == "entry" ? "entries" : named + "s";
  if (counts.size() <= 2) return base::Cat(base::Join(counts, " and "), " ", named);
  const std::string last = base::Cat("and ", counts.back());
  counts.back() = last;
  return base::Cat(base::Join(counts, ", "), " ", named);
}

DifferenceText DifferenceText::Line(std::string text) {
  DifferenceText made;
  made.before_ = std::move(text);
  return made;
}

DifferenceText DifferenceText::Nil() { return Line("nil"); }

DifferenceText DifferenceText::Wrap(std::string before, DifferenceText inner, std::string after) {
  DifferenceText made;
  made.kind_ = Kind::kWrap;
  made.before_ = std::move(before);
  made.after_ = std::move(after);
  made.parts_.push_back({.value = std::move(inner)});
  return made;
}

DifferenceText DifferenceText::List(std::vector<Part> parts) {
  DifferenceText made;
  made.kind_ = Kind::kList;
  made.parts_ = std::move(parts);
  return made;
}

DifferenceText DifferenceText::Braces(std::vector<Part> parts) { return Wrap("{", List(std::move(parts)), "}"); }

bool DifferenceText::operator==(const DifferenceText& other) const {
  return kind_ == other.kind_ && before_ == other.before_ && after_ == other.after_ && parts_ == other.parts_;
}

bool DifferenceText::Part::operator==(const Part& other) const {
  return mark == other.mark && key == other.key && value == other.value &&
         left_out.has_value() == other.left_out.has_value();
}

size_t DifferenceText::size() const {
  size_t size = before_.size() + after_.size();
  for (const Part& part : parts_) size += part.key.size() + (part.key.empty() ? 0 : 2) + part.value.size();
  if (kind_ == Kind::kList && !parts_.empty()) size += 2 * (parts_.size() - 1);
  return size;
}

void DifferenceText::Compact(char mark) {
  if (kind_ == Kind::kList) return CompactList(mark);
  if (kind_ == Kind::kLine) return;
  DifferenceText& inner = parts_.front().value;
  inner.Compact(mark);
  if (inner.kind_ == Kind::kLine) *this = Line(base::Cat(before_, inner.before_, after_));
}

void DifferenceText::CompactList(char mark) {
  const size_t whole = size();
  bool lines = mark != 0 && whole > kLongestLine;
  for (Part& part : parts_) {
    part.value.Compact(part.mark != 0 ? part.mark : mark);
    lines |= part.mark != 0 || part.left_out || part.value.kind_ != Kind::kLine;
  }
  if (lines) return;
  std::string text;
  for (const Part& part : parts_) {
    base::Append(text, text.empty() ? "" : ", ", part.key, part.key.empty() ? "" : ": ", part.value.before_);
  }
  *this = Line(std::move(text));
}

void DifferenceText::Expand(std::string& out, char mark, int depth) const {
  if (kind_ == Kind::kList) return ExpandList(out, mark, depth);
  out += before_;
  if (kind_ == Kind::kWrap) parts_.front().value.Expand(out, mark, depth);
  out += after_;
}

// Values that need no lines of their own are put beside each other.
bool DifferenceText::IsBatch() const {
  return std::ranges::all_of(parts_, [](const Part& part) {
    return part.mark == 0 && part.key.empty() && part.value.kind_ == Kind::kLine && !part.left_out;
  });
}

void DifferenceText::ExpandList(std::string& out, char mark, int depth) const {
  const auto begin_line = [&](char of, int at) {
    out += '\n';
    Indent(out, of, at);
  };
  if (IsBatch()) {
    size_t column = kLongestLine + 1;
    for (const Part& part : parts_) {
      const std::string& line = part.value.before_;
      if (column + line.size() + 2 > kLongestLine) {
        while (out.ends_with(' ') && column <= kLongestLine) out.pop_back();
        begin_line(mark, depth + 1);
        column = 0;
      }
      out += line + ", ";
      column += line.size() + 2;
    }
    while (out.ends_with(' ')) out.pop_back();
    return begin_line(mark, depth);
  }
  std::vector<std::optional<size_t>> keys, values;
  for (const Part& part : parts_) {
    const bool line = part.value.kind_ == Kind::kLine;
    keys.push_back(line && !part.key.empty() ? std::optional(Width(part.key)) : std::nullopt);
    const bool beside = line && part.left_out && part.value.before_ != "...";
    values.push_back(beside ? std::optional(Width(part.value.before_)) : std::nullopt);
  }
  const std::vector<size_t> key_pads = Pad(keys), value_pads = Pad(values);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const char own = part.mark != 0 ? part.mark : mark;
    begin_line(own, depth + 1);
    if (!part.key.empty()) out += part.key + ": ";
    out.append(key_pads[i], ' ');
    part.value.Expand(out, own, depth + 1);
    if (!part.no_comma) out += ',';
    out.append(value_pads[i], ' ');
    if (part.left_out) out += " // " + part.left_out->text();
  }
  begin_line(mark, depth);
}

std::string DifferenceText::Layout() && {
  Compact(0);
  std::string out;
  Indent(out, 0, 0);
  Expand(out, 0, 0);
  return out + '\n';
}

void AppendEllipsis(std::vector<DifferenceText::Part>& parts, const LeftOut& left_out) {
  const DifferenceText ellipsis = DifferenceText::Line("...");
  if (parts.empty() || !(parts.back().value == ellipsis)) {
    parts.push_back({.value = ellipsis, .no_comma = true});
    if (!left_out.none()) parts.back().left_out = left_out;
  } else if (!left_out.none() && parts.back().left_out) {
    parts.back().left_out->Add(left_out);
  }
}

}  // namespace resources
