#include "resources/go/chunk_difference.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "base/text.h"
#include "resources/go/edit_script.h"

namespace resources {
namespace {

using go::Comparison;
using go::Kind;
using text::Counts;
using text::Edit;
using text::NodePtr;
using text::Record;

constexpr size_t kLong = 32;     // bytes or items
constexpr int kTextWidth = 64;   // bytes
constexpr int kNumberWidth = 8;  // items
constexpr int kFewLines = 4;
constexpr size_t kLongestLine = 1024;  // bytes
constexpr int kContext = 2;            // equal pieces that are shown beside others

bool IsNumbers(const go::GoValue& v) {
  if (v.kind() != Kind::kSlice) return false;
  const Kind kind = go::KindOf(go::ElementType(v.type()));
  return kind == Kind::kInt || kind == Kind::kBool;
}

enum class Form { kText, kLines, kNumbers };

// The two sequences as items that can be compared; bytes of texts, numbers of lists.
struct Sequences {
  std::vector<std::string_view> x, y;
  int width;
  std::string_view name;
  Form form;

  bool Equal(int i, int j) const { return x[static_cast<size_t>(i)] == y[static_cast<size_t>(j)]; }
};

std::vector<std::string_view> BytesOf(std::string_view text) {
  std::vector<std::string_view> bytes;
  bytes.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) bytes.push_back(text.substr(i, 1));
  return bytes;
}

std::vector<std::string> NumbersOf(const go::GoValue& list) {
  std::vector<std::string> numbers;
  for (const go::GoValue& item : list.Items()) numbers.push_back(item.Scalar());
  return numbers;
}

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

// The type is told where it is another than string.
NodePtr Typed(const go::Options& options, std::string_view type, NodePtr text) {
  return type == "string" ? text : go::WithType(options, type, std::move(text));
}

std::vector<Counts> Groups(const Sequences& s, std::span<const Edit> edits) {
  std::vector<Counts> groups;
  std::optional<bool> were_same;
  for (const Edit edit : edits) {
    const bool same = edit == Edit::kSame;
    if (were_same != same) groups.push_back({.name = s.name});
    were_same = same;
    Counts& last = groups.back();
    ++(same                      ? last.identical
       : edit == Edit::kRemoved  ? last.removed
       : edit == Edit::kInserted ? last.inserted
                                 : last.modified);
  }
  return groups;
}

// Takes short equal stretches between changes for changes.
std::vector<Counts> Coalesce(const std::vector<Counts>& all, int window) {
  std::vector<Counts> groups;
  for (const Counts& next : all) {
    if (groups.size() >= 2 && next.differing() > 0) {
      Counts& before = groups[groups.size() - 2];
      const Counts& between = groups.back();
      const bool removes = before.removed > 0 || next.removed > 0, inserts = before.inserted > 0 || next.inserted > 0;
      if (removes && inserts && between.identical <= window) {
        before.Add(between);
        before.Add(next);
        groups.pop_back();
        continue;
      }
    }
    groups.push_back(next);
  }
  return groups;
}

// Gives what is equal at the ends of changes to the equal neighbours.
std::vector<Counts> GiveEndsBack(const Sequences& s, std::vector<Counts> groups) {
  int x = 0, y = 0, before = 0, behind = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    Counts& group = groups[i];
    if (group.differing() == 0) {
      x += group.identical;
      y += group.identical;
      continue;
    }
    int size_x = group.identical + group.removed + group.modified,
        size_y = group.identical + group.inserted + group.modified;
    int leading = 0, trailing = 0;
    while (leading < size_x && leading < size_y && s.Equal(x + leading, y + leading)) ++leading;
    while (trailing < size_x && trailing < size_y && s.Equal(x + size_x - 1 - trailing, y + size_y - 1 - trailing)) {
      ++trailing;
    }
    if (leading + trailing > 0) {
      (i > 0 ? groups[i - 1].identical : before) += leading;
      (i + 1 < groups.size() ? groups[i + 1].identical : behind) += trailing;
      x += leading;
      y += leading;
      size_x -= leading + trailing;
      size_y -= leading + trailing;
      group = {.name = s.name, .removed = size_x, .inserted = size_y};
    }
    x += size_x;
    y += size_y;
  }
  if (before > 0) groups.insert(groups.begin(), {.name = s.name, .identical = before});
  if (behind > 0) groups.push_back({.name = s.name, .identical = behind});
  return groups;
}

class Pieces {
 public:
  explicit Pieces(const Sequences& s) : s_(s), x_(s.x), y_(s.y) {}

  void AddEqual(Counts counts, bool first, bool last) {
    const int all = counts.identical, shown = s_.width * kContext;
    const int low = first ? 0 : std::min(shown, all);
    int high = last ? 0 : std::min(shown, all - low);
    if (all - (low + high) <= s_.width) high = all - low;  // no more than the ellipsis would take
    Add(x_.first(static_cast<size_t>(low)), ' ');
    if (all > low + high) {
      counts.identical -= low + high;
      text::AppendEllipsis(records_, counts);
    }
    Add(x_.subspan(static_cast<size_t>(all - high), static_cast<size_t>(high)), ' ');
    x_ = x_.subspan(static_cast<size_t>(all));
    y_ = y_.subspan(static_cast<size_t>(all));
  }

  // The number of records that it made.
  size_t AddDifferent(const Counts& counts) {
    const size_t before = records_.size();
    const auto of_x = static_cast<size_t>(counts.identical + counts.removed + counts.modified);
    const auto of_y = static_cast<size_t>(counts.identical + counts.inserted + counts.modified);
    Add(x_.first(of_x), '-');
    Add(y_.first(of_y), '+');
    x_ = x_.subspan(of_x);
    y_ = y_.subspan(of_y);
    return records_.size() - before;
  }

  std::vector<Record> Take(const Counts& left_out) && {
    if (!left_out.empty()) text::AppendEllipsis(records_, left_out);
    return std::move(records_);
  }

 private:
  void Add(std::span<const std::string_view> items, char diff) {
    while (!items.empty()) {
      const size_t size = std::min(items.size(), static_cast<size_t>(s_.width));
      std::string piece;
      for (size_t i = 0; i < size; ++i) {
        base::Append(piece, s_.form == Form::kNumbers && i > 0 ? ", " : "", items[i]);
      }
      if (s_.form == Form::kText) piece = go::QuoteText(piece);
      records_.push_back({.diff = diff, .key = {}, .value = text::Line(std::move(piece)), .counts = {}});
      items = items.subspan(size);
    }
  }

  const Sequences& s_;
  std::span<const std::string_view> x_, y_;
  std::vector<Record> records_;
};

// The part of the steps that change something.
double Effort(std::span<const Edit> edits) {
  const auto changes = std::ranges::count_if(edits, [](Edit edit) { return edit != Edit::kSame; });
  return static_cast<double>(changes) / static_cast<double>(edits.size());
}

std::vector<Edit> Edits(const Sequences& s) {
  const auto likeness = [&](int i, int j) {
    return s.Equal(i, j) ? text::Likeness{.same = 1} : text::Likeness{.differing = 2};
  };
  return text::EditScript(static_cast<int>(s.x.size()), static_cast<int>(s.y.size()), likeness);
}

std::vector<Record> Records(const go::Options& options, const Sequences& s, std::span<const Edit> edits) {
  const auto groups = GiveEndsBack(s, Coalesce(Groups(s, edits), s.width / 4));
  const size_t most = options.limited ? (size_t{1} << options.Level()) << 2 : static_cast<size_t>(-1);
  Pieces pieces(s);
  Counts left_out{.name = s.name};
  size_t differing = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (differing >= most) {
      left_out.Add(groups[i]);
    } else if (groups[i].differing() == 0) {
      pieces.AddEqual(groups[i], i == 0, i + 1 == groups.size());
    } else {
      differing += pieces.AddDifferent(groups[i]);
    }
  }
  return std::move(pieces).Take(left_out);
}

// Texts of lines.

Sequences LinesOf(std::string_view x, std::string_view y) {
  return {.x = SplitLines(x), .y = SplitLines(y), .width = 1, .name = "line", .form = Form::kLines};
}

// Whether it is better to show which lines differ than which bytes.
bool IsBetterInLines(std::string_view x, std::string_view y, const Sequences& lines) {
  const std::string both = base::Cat(x, y);
  if (std::ranges::count(both, '\n') < kFewLines) return false;
  const auto fits = [](std::string_view line) { return line.size() <= kLongestLine; };
  const auto odd = [](char c) { return static_cast<unsigned char>(c) < 0x20 ? c < '\t' || c > '\r' : c == 0x7f; };
  const std::vector<std::string_view> all = SplitLines(both);
  if (!std::ranges::all_of(all.begin(), all.end() - 1, fits) || std::ranges::any_of(both, odd)) return false;
  const Sequences bytes = {BytesOf(x), BytesOf(y), kTextWidth, "byte", Form::kText};
  if (Effort(Edits(lines)) < 4 * Effort(Edits(bytes))) return true;
  return static_cast<double>(api::Quote(both).size()) / static_cast<double>(both.size()) > 1.1;
}

std::string WithoutSpace(std::string_view line) {
  std::string out;
  std::ranges::copy_if(line, std::back_inserter(out), [](char c) { return c != ' ' && (c < '\t' || c > '\r'); });
  return out;
}

// Whether the lines can stand without quotes of their own: neighbours must not differ in white space alone.
bool CanStandAlone(std::span<const Record> records) {
  std::set<std::string> removed, inserted;
  for (const Record& record : records) {
    const std::string& line = record.value->text;
    if (record.counts) {
      removed.clear();
      inserted.clear();
      continue;
    }
    if (!go::CanStandAlone(line)) return false;
    const std::string bare = WithoutSpace(line);
    if (record.diff == '-') {
      if (inserted.contains(bare)) return false;
      removed.insert(bare);
    } else if (record.diff == '+') {
      if (removed.contains(bare)) return false;
      inserted.insert(bare);
    } else {
      removed.clear();
      inserted.clear();
    }
  }
  return true;
}

NodePtr FormatLines(const go::Options& options, std::string_view type, const Sequences& lines) {
  std::vector<Record> records = Records(options, lines, Edits(lines));
  const bool alone = CanStandAlone(records);
  for (Record& record : records) {
    if (record.counts) continue;
    record.elide_comma |= alone;
    if (!alone) record.value = text::Line(go::QuoteText(record.value->text));
  }
  if (!alone) {
    NodePtr list = text::Wrap("{", text::List(std::move(records)), "}");
    return Typed(options, type, text::Wrap("strings.Join(", std::move(list), ", \"\\n\")"));
  }
  if (!records.empty() && records.back().diff == ' ' && records.back().value->text.empty()) records.pop_back();
  const Record quotes{.key = {}, .value = text::Line("\"\"\""), .elide_comma = true, .counts = {}};
  records.insert(records.begin(), quotes);
  records.push_back(quotes);
  return Typed(options, type, text::Wrap("(", text::List(std::move(records)), ")"));
}

}  // namespace

bool CanDifferInChunks(const Comparison& v) {
  if (v.differing == 0 || !v.x.valid() || !v.y.valid()) return false;
  if (v.x.kind() == Kind::kString) return v.x.String().size() >= kLong && v.y.String().size() >= kLong;
  if (!IsNumbers(v.x)) return false;
  const size_t x = v.x.Items().size(), y = v.y.Items().size();
  return x > 0 && y > 0 && (v.differing > v.same || (x >= kLong && y >= kLong));
}

NodePtr FormatChunks(const go::Options& options, const Comparison& v) {
  if (v.x.kind() == Kind::kString) {
    const std::string_view x = v.x.String(), y = v.y.String();
    const Sequences lines = LinesOf(x, y);
    if (IsBetterInLines(x, y, lines)) return FormatLines(options, v.type(), lines);
    const Sequences bytes = {BytesOf(x), BytesOf(y), kTextWidth, "byte", Form::kText};
    NodePtr list = text::Wrap("{", text::List(Records(options, bytes, Edits(bytes))), "}");
    return Typed(options, v.type(), text::Wrap("strings.Join(", std::move(list), ", \"\")"));
  }
  const std::vector<std::string> x = NumbersOf(v.x), y = NumbersOf(v.y);
  const Sequences numbers = {{x.begin(), x.end()},
                             {y.begin(), y.end()},
                             kNumberWidth,
                             go::Underlying(go::ElementType(v.type())),
                             Form::kNumbers};
  return go::WithType(options, v.type(), text::Wrap("{", text::List(Records(options, numbers, Edits(numbers))), "}"));
}

}  // namespace resources
