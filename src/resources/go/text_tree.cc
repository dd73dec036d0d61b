#include "resources/go/text_tree.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace resources::text {
namespace {

constexpr size_t kMaxColumn = 80;

bool IsLine(const NodePtr& node) { return node->kind == Node::Kind::kLine; }
bool HasComment(const Record& record) { return record.counts.has_value() || !record.comment.empty(); }
bool IsChange(char diff) { return diff == '-' || diff == '+'; }

void AppendIndent(std::string& out, int depth, char diff) {
  out += IsChange(diff) ? diff : ' ';
  out += ' ';
  out.append(static_cast<size_t>(depth), '\t');
}

char Inner(char outer, char own) { return IsChange(own) ? own : outer; }

NodePtr Compact(const NodePtr& node, std::string& out, char diff);

NodePtr CompactList(const NodePtr& node, std::string& out, char diff) {
  const size_t start = out.size();
  std::vector<Record> records = node->records;
  bool lines = false;
  for (size_t i = 0; i < records.size(); ++i) {
    Record& record = records[i];
    lines |= IsChange(record.diff) || HasComment(record);
    if (!record.key.empty()) base::Append(out, record.key, ": ");
    record.value = Compact(record.value, out, Inner(diff, record.diff));
    lines |= !IsLine(record.value);
    if (i + 1 < records.size()) out += ", ";
  }
  // What is changed and long is easier to read in lines.
  lines |= IsChange(diff) && out.size() - start > kMaxColumn;
  return lines ? List(std::move(records)) : Line(out.substr(start));
}

// Writes the node as one line, and gives it back with everything below it that fits on a line as one.
NodePtr Compact(const NodePtr& node, std::string& out, char diff) {
  const size_t start = out.size();
  switch (node->kind) {
    case Node::Kind::kLine:
      out += node->text;
      return node;
    case Node::Kind::kList:
      return CompactList(node, out, diff);
    case Node::Kind::kWrap:
      break;
  }
  out += node->prefix;
  NodePtr value = Compact(node->value, out, diff);
  out += node->suffix;
  return IsLine(value) ? Line(out.substr(start)) : Wrap(node->prefix, std::move(value), node->suffix);
}

size_t Characters(std::string_view utf8) {
  return static_cast<size_t>(std::ranges::count_if(utf8, [](char c) { return (c & 0xc0) != 0x80; }));
}

// How many blanks each record needs after its key or value to stand in one column with its neighbours.
template <class Skips, class Width>
std::vector<size_t> Align(const std::vector<Record>& records, Skips skips, Width width) {
  std::vector<size_t> blanks(records.size(), 0);
  size_t begin = 0, widest = 0;
  const auto close = [&](size_t end) {
    for (size_t i = begin; i < end; ++i) blanks[i] = widest - width(records[i]);
    widest = 0;
  };
  for (size_t i = 0; i < records.size(); ++i) {
    if (skips(records[i])) {
      close(i);
      begin = i + 1;
    } else {
      widest = std::max(widest, width(records[i]));
    }
  }
  close(records.size());
  return blanks;
}

void Expand(const NodePtr& node, std::string& out, char diff, int depth);

// Plain items, as many to a line as fit.
void ExpandPlain(const std::vector<Record>& records, std::string& out, char diff, int depth) {
  std::string batch;
  const auto emit = [&] {
    if (batch.empty()) return;
    out += '\n';
    AppendIndent(out, depth + 1, diff);
    out += batch.substr(0, batch.find_last_not_of(' ') + 1);
    batch.clear();
  };
  for (const Record& record : records) {
    if (batch.size() + record.value->text.size() + 2 > kMaxColumn) emit();
    base::Append(batch, record.value->text, ", ");
  }
  emit();
}

void ExpandRecords(const std::vector<Record>& records, std::string& out, char diff, int depth) {
  const auto key_blanks = Align(
      records, [](const Record& record) { return record.key.empty() || !IsLine(record.value); },
      [](const Record& record) { return Characters(record.key); });
  const auto value_blanks = Align(
      records,
      [](const Record& record) { return !IsLine(record.value) || record.value->text == "..." || !HasComment(record); },
      [](const Record& record) { return Characters(record.value->text); });
  for (size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    out += '\n';
    AppendIndent(out, depth + 1, Inner(diff, record.diff));
    if (!record.key.empty()) base::Append(out, record.key, ": ");
    out.append(key_blanks[i], ' ');
    Expand(record.value, out, Inner(diff, record.diff), depth + 1);
    if (!record.elide_comma) out += ',';
    out.append(value_blanks[i], ' ');
    if (HasComment(record)) base::Append(out, " // ", record.counts ? record.counts->Text() : record.comment);
  }
}

void Expand(const NodePtr& node, std::string& out, char diff, int depth) {
  switch (node->kind) {
    case Node::Kind::kLine:
      out += node->text;
      return;
    case Node::Kind::kWrap:
      out += node->prefix;
      Expand(node->value, out, diff, depth);
      out += node->suffix;
      return;
    case Node::Kind::kList:
      break;
  }
  const bool plain = std::ranges::all_of(node->records, [](const Record& record) {
    return record.diff == 0 && record.key.empty() && IsLine(record.value) && !HasComment(record);
  });
  if (plain && !node->records.empty()) {
    ExpandPlain(node->records, out, diff, depth);
  } else {
    ExpandRecords(node->records, out, diff, depth);
  }
  out += '\n';
  AppendIndent(out, depth, diff);
}

}  // namespace

void Counts::Add(const Counts& more) {
  name = more.name;
  identical += more.identical;
  removed += more.removed;
  inserted += more.inserted;
  modified += more.modified;
}

std::string Counts::Text() const {
  std::vector<std::string> parts;
  const std::pair<int, std::string_view> all[] = {
      {identical, "identical"}, {removed, "removed"}, {inserted, "inserted"}, {modified, "modified"}};
  for (const auto& [count, what] : all) {
    if (count > 0) parts.push_back(base::Cat(count, " ", what));
  }
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    if (i > 0) out += parts.size() > 2 ? (last ? ", and " : ", ") : " and ";
    out += parts[i];
  }
  base::Append(out, " ", name);
  if (identical + differing() <= 1) return out;
  if (!out.ends_with('y')) return out + "s";
  out.pop_back();
  return out + "ies";
}

NodePtr Line(std::string text) {
  return std::make_shared<Node>(Node{Node::Kind::kLine, std::move(text), {}, {}, {}, {}});
}
NodePtr List(std::vector<Record> records) {
  return std::make_shared<Node>(Node{Node::Kind::kList, {}, {}, {}, {}, std::move(records)});
}
NodePtr Wrap(std::string prefix, NodePtr value, std::string suffix) {
  return std::make_shared<Node>(
      Node{Node::Kind::kWrap, {}, std::move(prefix), std::move(suffix), std::move(value), {}});
}
NodePtr Ellipsis() { return Line("..."); }

void AppendEllipsis(std::vector<Record>& records, std::optional<Counts> counts) {
  const bool ends_so = !records.empty() && IsLine(records.back().value) && records.back().value->text == "...";
  if (!ends_so) {
    records.push_back({.key = {}, .value = Ellipsis(), .elide_comma = true, .counts = counts});
  } else if (counts) {
    if (!records.back().counts) records.back().counts.emplace();
    records.back().counts->Add(*counts);
  }
}

bool Same(const NodePtr& a, const NodePtr& b) {
  if (a->kind != b->kind) return false;
  if (a->kind == Node::Kind::kLine) return a->text == b->text;
  if (a->kind == Node::Kind::kWrap) {
    return a->prefix == b->prefix && a->suffix == b->suffix && Same(a->value, b->value);
  }
  return std::ranges::equal(a->records, b->records, [](const Record& x, const Record& y) {
    return x.diff == y.diff && x.key == y.key && x.counts.has_value() == y.counts.has_value() && Same(x.value, y.value);
  });
}

size_t Length(const NodePtr& node) {
  if (node->kind == Node::Kind::kLine) return node->text.size();
  if (node->kind == Node::Kind::kWrap) return node->prefix.size() + Length(node->value) + node->suffix.size();
  size_t length = node->records.empty() ? 0 : 2 * (node->records.size() - 1);
  for (const Record& record : node->records) {
    length += record.key.size() + (record.key.empty() ? 0 : 2) + Length(record.value);
  }
  return length;
}

std::string Layout(const NodePtr& node) {
  std::string compact, out;
  const NodePtr ready = Compact(node, compact, 0);
  AppendIndent(out, 0, 0);
  Expand(ready, out, 0, 0);
  return out + '\n';
}

}  // namespace resources::text
