#include "resources/go/difference.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/text.h"
#include "resources/go/chunk_difference.h"
#include "resources/go/comparison.h"
#include "resources/go/sent_amounts.h"
#include "resources/go/value_text.h"

namespace resources {
namespace {

using go::Comparison;
using go::Kind;
using go::Mode;
using go::Options;
using go::TypeMode;
using text::Counts;
using text::NodePtr;
using text::Record;

constexpr int kContext = 2;        // equal neighbours that are shown
constexpr int kLastVerbosity = 6;  // of the attempts to tell two values apart

NodePtr FormatDifference(Options options, const Comparison& v);

Options Verbose(Options options, int attempt) {
  options.level = static_cast<int>(options.Level()) + 2 * attempt;
  options.avoid_text |= attempt > 0;
  return options;
}

// Both values, each in more words until their texts differ.
template <class Format>
std::pair<NodePtr, NodePtr> TellApart(Format format) {
  auto both = format(-1);
  for (int i = 0; i <= kLastVerbosity && both.first && both.second && text::Same(both.first, both.second); ++i) {
    both = format(i);
  }
  return both;
}

NodePtr FormatLeaf(const Options& options, const Comparison& v) {
  if (options.mode == Mode::kRemoved) return FormatValue(options, v.x);
  if (options.mode == Mode::kInserted) return FormatValue(options, v.y);
  if (v.differing == 0) {
    NodePtr x = FormatValue(options, v.x), y = FormatValue(options, v.y);
    return text::Length(x) < text::Length(y) ? x : y;
  }
  const auto [x, y] = TellApart([&](int attempt) {
    const Options verbose = (attempt < 0 ? options : Verbose(options, attempt)).With(TypeMode::kElide);
    return std::pair(FormatValue(verbose, v.x), FormatValue(verbose, v.y));
  });
  std::vector<Record> records;
  if (x) records.push_back({.diff = '-', .key = {}, .value = x, .counts = {}});
  if (y) records.push_back({.diff = '+', .key = {}, .value = y, .counts = {}});
  return go::WithType(options.With(TypeMode::kEmit), v.type(), text::List(std::move(records)));
}

std::string KeyOf(const Comparison& whole, const Comparison& part) {
  const Kind kind = whole.x.kind();
  if (kind == Kind::kMap) return go::FormatKey(whole.x.key_type(), part.key);
  return std::string(part.key);
}

std::string_view PartName(Kind kind) {
  if (kind == Kind::kStruct) return "field";
  return kind == Kind::kMap ? "entry" : "element";
}

// Parts of one value; zero fields are left out.
NodePtr FormatOne(const Options& options, const Comparison& v, size_t most) {
  std::vector<Record> records;
  const go::GoValue& shown = options.mode == Mode::kInserted ? v.y : v.x;
  for (const Comparison& part : v.parts) {
    if (records.size() == most) {
      text::AppendEllipsis(records, std::nullopt);
      break;
    }
    if (shown.kind() == Kind::kStruct) {
      const bool zero_x = part.x.IsZero(), zero_y = part.y.IsZero();
      if (options.mode == Mode::kSame ? zero_x || zero_y : options.mode == Mode::kRemoved ? zero_x : zero_y) continue;
    }
    if (NodePtr out = FormatDifference(options, part)) {
      records.push_back({.key = KeyOf(v, part), .value = std::move(out), .counts = {}});
    }
  }
  return text::Wrap("{", text::List(std::move(records)), "}");
}

// Neighbours that are all equal, or all different.
std::vector<Counts> Groups(const Comparison& v) {
  std::vector<Counts> groups;
  std::optional<bool> were_equal;
  for (const Comparison& part : v.parts) {
    const bool equal = part.differing == 0;
    if (were_equal != equal) groups.push_back({.name = PartName(v.x.kind())});
    were_equal = equal;
    Counts& last = groups.back();
    ++(equal ? last.identical : !part.y.valid() ? last.removed : !part.x.valid() ? last.inserted : last.modified);
  }
  return groups;
}

class PartList {
 public:
  PartList(const Options& options, const Comparison& v) : options_(options), v_(v), rest_(v.parts) {}

  void AddEqual(Counts counts, bool first, bool last) {
    const int all = counts.identical;
    const int low = first ? 0 : std::min(kContext, all);
    int high = last ? 0 : std::min(kContext, all - low);
    if (all - (low + high) == 1) ++high;  // as short as the ellipsis
    for (int i = 0; i < low; ++i) Add(0, At(i), FormatDifference(options_.With(Mode::kSame), At(i)));
    if (all > low + high) {
      counts.identical -= low + high;
      text::AppendEllipsis(records_, counts);
    }
    for (int i = all - high; i < all; ++i) Add(0, At(i), FormatDifference(options_.With(Mode::kSame), At(i)));
    rest_ = rest_.subspan(static_cast<size_t>(all));
  }

  void AddDifferent(const Counts& counts) {
    for (int i = 0; i < counts.differing(); ++i) AddPart(At(i));
    rest_ = rest_.subspan(static_cast<size_t>(counts.differing()));
  }

  NodePtr Take(const Counts& left_out) && {
    if (!left_out.empty()) text::AppendEllipsis(records_, left_out);
    return text::Wrap("{", text::List(std::move(records_)), "}");
  }

 private:
  const Comparison& At(int i) const { return rest_[static_cast<size_t>(i)]; }

  void Add(char diff, const Comparison& part, NodePtr value) {
    if (value) records_.push_back({.diff = diff, .key = KeyOf(v_, part), .value = std::move(value), .counts = {}});
  }

  void AddPart(const Comparison& part) {
    // What holds nothing that could be shown in part is shown as it was and as it is.
    if (CanDifferInChunks(part) || part.descendants != part.depth) {
      return Add(0, part, FormatDifference(options_, part));
    }
    const auto [x, y] = TellApart([&](int attempt) {
      const Options verbose = attempt < 0 ? options_ : Verbose(options_, attempt);
      return std::pair(FormatDifference(verbose.With(Mode::kRemoved), part),
                       FormatDifference(verbose.With(Mode::kInserted), part));
    });
    Add('-', part, x);
    Add('+', part, y);
  }

  const Options options_;
  const Comparison& v_;
  std::span<const Comparison> rest_;
  std::vector<Record> records_;
};

NodePtr FormatParts(Options options, const Comparison& v) {
  options.types = v.x.kind() == Kind::kStruct ? TypeMode::kComposite : TypeMode::kElide;
  size_t most = static_cast<size_t>(-1);
  if (options.limited) {
    most =
        options.mode == Mode::kSame ? ((size_t{1} << options.Level()) >> 1) << 2 : (size_t{1} << options.Level()) << 1;
    --options.level;
  }
  if (options.mode != Mode::kDiffering) return FormatOne(options, v, most);
  const std::vector<Counts> groups = Groups(v);
  PartList parts(options, v);
  Counts left_out{.name = PartName(v.x.kind())};
  size_t differing = 0;
  for (size_t i = 0; i < groups.size(); ++i) {
    if (differing >= most) {
      left_out.Add(groups[i]);
    } else if (groups[i].differing() == 0) {
      parts.AddEqual(groups[i], i == 0, i + 1 == groups.size());
    } else {
      parts.AddDifferent(groups[i]);
      differing += static_cast<size_t>(groups[i].differing());
    }
  }
  return std::move(parts).Take(left_out);
}

NodePtr FormatDifference(Options options, const Comparison& v) {
  if (options.mode == Mode::kSame) {
    options = options.WithLevel(1);
  } else if (options.Level() < 3) {
    options = options.WithLevel(3);
  }
  if (options.mode == Mode::kDiffering && CanDifferInChunks(v)) return FormatChunks(options, v);
  if (v.depth == 0) return FormatLeaf(options, v);
  if (v.target) return text::Wrap("&", FormatDifference(options, *v.target));
  return go::WithType(options, v.type(), FormatParts(options, v));
}

}  // namespace

std::string Difference(std::string_view go_type, const value::Value& before, const value::Value& after,
                       value::Arena& arena) {
  const value::Value sent = go::AmountsAsSent(after, arena);
  const Comparison root =
      go::Compare(go::GoValue(go_type, before, before, arena), go::GoValue(go_type, sent, sent, arena));
  return root.differing == 0 ? std::string() : text::Layout(FormatDifference({}, root));
}

}  // namespace resources
