#include "resources/go/value_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "base/text.h"

namespace resources::go {
namespace {

using text::Line;
using text::NodePtr;
using text::Record;

bool IsUnprintable(char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; }

bool Encloses(const NodePtr& node, char open, char close) {
  return node->kind == text::Node::Kind::kWrap && node->prefix.starts_with(open) && node->suffix.ends_with(close);
}

NodePtr InParentheses(NodePtr node) {
  if (Encloses(node, '(', ')') || Encloses(node, '{', '}')) return node;
  return text::Wrap("(", std::move(node), ")");
}

constexpr size_t kFewLines = 4;
constexpr std::string_view kQuotes = R"(""")";

// How many items are shown, and with one level less what is inside them.
size_t TakeLimit(Options& options, size_t all) {
  if (!options.limited) return all;
  const size_t most = ((size_t{1} << options.Level()) >> 1) << 2;
  --options.level;
  return most;
}

// A removed or inserted text of some lines, each on its own between three quotes; null where a line cannot stand so.
NodePtr FormatLines(const Options& options, std::string_view prefix, std::string_view content, size_t most_bytes) {
  if (options.mode != Mode::kRemoved && options.mode != Mode::kInserted) return nullptr;
  const std::vector<std::string_view> lines =
      LinesOf(content.ends_with('\n') ? content.substr(0, content.size() - 1) : content);
  if (lines.size() < kFewLines) return nullptr;
  const char diff = options.mode == Mode::kRemoved ? '-' : '+';
  const size_t most = options.limited ? (size_t{1} << options.Level()) << 2 : lines.size();
  std::vector<Record> records;
  const auto add = [&](std::string text, std::string comment = {}) {
    records.push_back({.diff = diff,
                       .key = {},
                       .value = Line(std::move(text)),
                       .elide_comma = true,
                       .counts = {},
                       .comment = std::move(comment)});
  };
  add(base::Cat(prefix, kQuotes));
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!CanStandAlone(lines[i]) || lines[i].size() > most_bytes) return nullptr;
    if (i + 1 < most || lines.size() - i <= 1) {
      add(std::string(lines[i]));
    } else if (i + 1 == most) {
      add("...", base::Cat(lines.size() - i, " elided lines"));
    }
  }
  add(base::Cat(prefix, kQuotes));
  return text::Wrap("(", text::List(std::move(records)), ")");
}

NodePtr FormatText(const Options& options, std::string_view prefix, std::string_view content) {
  const size_t most = options.limited ? (size_t{1} << options.Level()) << 5 : content.size();
  if (NodePtr lines = FormatLines(options, prefix, content, most)) return lines;
  if (content.size() > most + 3) return Line(base::Cat(prefix, QuoteText(content.substr(0, most)), "..."));
  return Line(base::Cat(prefix, QuoteText(content)));
}

NodePtr FormatStruct(Options options, const GoValue& v) {
  std::vector<Record> records;
  const size_t most = TakeLimit(options, v.Fields().size());
  for (const Field& field : v.Fields()) {
    const GoValue part = v.Get(field);
    if (part.IsZero()) continue;
    if (records.size() == most) {
      text::AppendEllipsis(records, std::nullopt);
      break;
    }
    records.push_back(
        {.key = std::string(field.name), .value = FormatValue(options.With(TypeMode::kComposite), part), .counts = {}});
  }
  return text::Wrap("{", text::List(std::move(records)), "}");
}

NodePtr FormatItems(Options options, const GoValue& v) {
  std::vector<Record> records;
  const std::vector<GoValue> items = v.Items();
  const size_t most = TakeLimit(options, items.size());
  for (const GoValue& item : items) {
    if (records.size() == most) {
      text::AppendEllipsis(records, std::nullopt);
      break;
    }
    records.push_back({.key = {}, .value = FormatValue(options.With(TypeMode::kElide), item), .counts = {}});
  }
  return text::Wrap("{", text::List(std::move(records)), "}");
}

NodePtr FormatEntries(Options options, const GoValue& v) {
  std::vector<Record> records;
  const auto entries = v.Entries();
  const size_t most = TakeLimit(options, entries.size());
  for (const auto& [key, entry] : entries) {
    if (records.size() == most) {
      text::AppendEllipsis(records, std::nullopt);
      break;
    }
    records.push_back({.key = FormatKey(v.key_type(), key),
                       .value = FormatValue(options.With(TypeMode::kElide), entry),
                       .counts = {}});
  }
  return text::Wrap("{", text::List(std::move(records)), "}");
}

NodePtr FormatBare(const Options& options, const GoValue& v) {
  switch (v.kind()) {
    case Kind::kBool:
    case Kind::kInt:
      return Line(v.Scalar());
    case Kind::kString:
      return FormatText(options, "", v.String());
    case Kind::kStruct:
      return FormatStruct(options, v);
    case Kind::kSlice:
      return v.IsNil() ? Line("nil") : FormatItems(options, v);
    case Kind::kMap:
      return v.IsNil() ? Line("nil") : FormatEntries(options, v);
    case Kind::kPointer:
      break;
  }
  return Line("nil");
}

}  // namespace

Options Options::With(Mode m) const {
  Options out = *this;
  out.mode = m;
  return out;
}
Options Options::With(TypeMode t) const {
  Options out = *this;
  out.types = t;
  return out;
}
Options Options::WithLevel(int l) const {
  Options out = *this;
  out.level = l;
  out.limited = true;
  return out;
}

NodePtr WithType(const Options& options, std::string_view type, NodePtr text) {
  if (options.types == TypeMode::kElide) return text;
  const Kind kind = KindOf(type);
  if (options.types == TypeMode::kComposite) {
    if (kind != Kind::kStruct && kind != Kind::kSlice && kind != Kind::kMap) return text;
    if (text->kind == text::Node::Kind::kLine && text->text == "nil") return text;
    if (options.mode == Mode::kSame) return text;
  }
  std::string name(type);
  if (type.starts_with('*')) name = base::Cat("(", name, ")");
  return text::Wrap(std::move(name), InParentheses(std::move(text)));
}

NodePtr FormatValue(Options options, const GoValue& v) {
  if (!v.valid()) return nullptr;
  if (!options.avoid_text && v.HasText()) return FormatText(options, "s", v.Text());
  // A pointer's type is told by what it points to.
  if (v.kind() == Kind::kPointer && !v.IsNil()) return text::Wrap("&", FormatValue(options, v.Target()));
  return WithType(options, v.type(), FormatBare(options, v));
}

std::string FormatKey(std::string_view key_type, std::string_view key) {
  return base::Cat(key_type == "core.ResourceName" ? "s" : "", QuoteText(key));
}

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('\r')) line.remove_prefix(1);
    lines.push_back(line);
    if (end == text.size()) return lines;
    text.remove_prefix(end + 1);
  }
}

bool CanStandAlone(std::string_view line) {
  if (line.starts_with(kQuotes) || line.starts_with("...")) return false;
  return std::ranges::none_of(line, IsUnprintable);
}

std::string QuoteText(std::string_view text) {
  std::string quoted = api::Quote(text);
  if (quoted.size() == text.size() + 2) return quoted;
  const auto spoils = [](char c) { return c == '`' || IsUnprintable(c); };
  // Escapes beyond those of quotes and backslashes stand for what cannot be printed.
  if (std::ranges::any_of(text, spoils) || quoted.contains("\\u") || quoted.contains("\\x")) return quoted;
  return base::Cat("`", text, "`");
}

}  // namespace resources::go
