#include "resources/go/comparison.h"

#include <algorithm>
#include <map>
#include <utility>

#include "resources/go/edit_script.h"

namespace resources::go {
namespace {

void Report(Comparison& leaf, bool equal) { ++(equal ? leaf.same : leaf.differing); }

void Count(Comparison& whole, const Comparison& part) {
  whole.same += part.same;
  whole.differing += part.differing;
  whole.compared += part.compared;
  whole.descendants += part.descendants + 1;
  whole.depth = std::max(whole.depth, part.depth + 1);
}

void AddPart(Comparison& whole, std::string_view key, const GoValue& x, const GoValue& y, Kind kind) {
  Comparison part = Compare(x, y, kind);
  part.key = key;
  Count(whole, part);
  whole.parts.push_back(std::move(part));
}

void CompareItems(Comparison& whole) {
  const std::vector<GoValue> xs = whole.x.Items(), ys = whole.y.Items();
  const auto likeness = [&](int i, int j) {
    const Comparison compared = Compare(xs[static_cast<size_t>(i)], ys[static_cast<size_t>(j)], Kind::kSlice);
    return text::Likeness{compared.same, compared.differing};
  };
  const auto edits = text::EditScript(static_cast<int>(xs.size()), static_cast<int>(ys.size()), likeness);
  size_t i = 0, j = 0;
  for (const text::Edit edit : edits) {
    const GoValue x = edit == text::Edit::kInserted ? GoValue() : xs[i++];
    const GoValue y = edit == text::Edit::kRemoved ? GoValue() : ys[j++];
    AddPart(whole, {}, x, y, Kind::kSlice);
  }
}

void CompareEntries(Comparison& whole) {
  std::map<std::string_view, std::pair<GoValue, GoValue>> all;
  for (const auto& [key, x] : whole.x.Entries()) all[key].first = x;
  for (const auto& [key, y] : whole.y.Entries()) all[key].second = y;
  for (const auto& [key, both] : all) AddPart(whole, key, both.first, both.second, Kind::kMap);
}

}  // namespace

Comparison Compare(const GoValue& x, const GoValue& y, Kind parent) {
  Comparison out;
  out.x = x;
  out.y = y;
  out.parent = parent;
  if (!x.valid() || !y.valid()) {
    Report(out, false);
    return out;
  }
  if (x.HasEqual()) {
    out.compared = 1;
    Report(out, x.Equals(y));
    return out;
  }
  const Kind kind = x.kind();
  if (kind == Kind::kBool || kind == Kind::kInt) {
    Report(out, x.Scalar() == y.Scalar());
  } else if (kind == Kind::kString) {
    Report(out, x.String() == y.String());
  } else if (x.HasText() && kind == Kind::kStruct) {
    Report(out, x.Text() == y.Text());
  } else if (kind == Kind::kStruct) {
    for (const Field& field : x.Fields()) AddPart(out, field.name, x.Get(field), y.Get(field), kind);
  } else if (x.IsNil() || y.IsNil()) {
    Report(out, x.IsNil() && y.IsNil());
  } else if (kind == Kind::kSlice) {
    CompareItems(out);
  } else if (kind == Kind::kMap) {
    CompareEntries(out);
  } else {
    out.target = std::make_unique<Comparison>(Compare(x.Target(), y.Target(), kind));
    Count(out, *out.target);
  }
  return out;
}

}  // namespace resources::go
