#include "value/yaml_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "value/go_syntax.h"
#include "value/json_reader.h"
#include "value/number.h"
#include "value/quote.h"
#include "value/utf8.h"
#include "value/yaml_nodes.h"
#include "value/yaml_scalar.h"

namespace value {

namespace {

constexpr std::string_view kLongTag = "tag:yaml.org,2002:";

std::string ShortForm(std::string_view tag) {
  return tag.starts_with(kLongTag) ? "!!" + std::string(tag.substr(kLongTag.size())) : std::string(tag);
}

// How much of a document may come out of aliases, by the number of values made so far.
double AllowedAliasRatio(uint64_t made) {
  constexpr double kSmall = 400'000, kLarge = 4'000'000;
  double count = static_cast<double>(made);
  if (count <= kSmall) return 0.99;
  if (count >= kLarge) return 0.10;
  return 0.99 - 0.89 * ((count - kSmall) / (kLarge - kSmall));
}

// A finite float as it comes back from JSON: whole numbers are integers.
Value FloatValue(Arena& arena, double number) {
  char buffer[kMaxDoubleText];
  std::string_view text = FormatDouble(number, buffer);
  int64_t whole = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) return Value::Int(whole);
  return Value::Number(arena, arena.CopyString(text));
}

// What a scalar says once its tag and its text are judged.
struct Meaning {
  YamlScalar scalar;
  std::string_view string;  // of a string or a date
};

// One mapping while it is read: later entries replace earlier ones of the same key, wherever they come from.
class MapBuilder {
 public:
  // Keys of different types differ, whatever their text.
  using Key = std::pair<YamlTag, std::string_view>;
  struct Entry {
    Key key;
    std::string_view name;  // the key in JSON
    Value value;
  };

  // False: the key was there.
  bool Set(const Entry& entry) {
    if (Entry* there = Find(entry.key)) {
      there->value = entry.value;
      return false;
    }
    entries_.push_back(entry);
    if (entries_.size() == kSmall) {
      for (size_t i = 0; i < entries_.size(); ++i) index_[entries_[i].key] = i;
    } else if (entries_.size() > kSmall) {
      index_[entry.key] = entries_.size() - 1;
    }
    return true;
  }

  std::vector<Entry>& entries() { return entries_; }

 private:
  static constexpr size_t kSmall = 16;

  Entry* Find(const Key& key) {
    if (entries_.size() >= kSmall) {
      auto found = index_.find(key);
      return found == index_.end() ? nullptr : &entries_[found->second];
    }
    auto found = std::ranges::find(entries_, key, &Entry::key);
    return found == entries_.end() ? nullptr : &*found;
  }

  std::vector<Entry> entries_;
  absl::flat_hash_map<Key, size_t> index_;
};

class Decoder {
 public:
  Decoder(Arena& arena, const YamlLimits& limits) : arena_(arena), limits_(limits) {}

  base::Result<Value> Run(const YamlNode* root, std::string* duplicates) {
    Value out;
    bool good = !root || Node(*root, out);
    if (good && !unsupported_.empty()) {
      error_ = unsupported_;
      good = false;
    }
    if (!good) return base::Fail(base::Code::kInvalid, std::move(error_));
    if (duplicates) *duplicates = duplicates_.empty() ? "" : "yaml: unmarshal errors:" + duplicates_;
    return out;
  }

 private:
  bool Fail(std::string message) {
    error_ = "yaml: " + std::move(message);
    return false;
  }

  bool Count() {
    ++made_;
    if (alias_depth_ > 0) ++made_by_alias_;
    bool excessive = made_by_alias_ > 100 && made_ > 1000 &&
                     static_cast<double>(made_by_alias_) / static_cast<double>(made_) > AllowedAliasRatio(made_);
    return !excessive || Fail("document contains excessive aliasing");
  }

  bool Node(const YamlNode& node, Value& out) {
    if (!Count()) return false;
    if (++depth_ > limits_.max_depth) return Fail("exceeded max depth of " + std::to_string(limits_.max_depth));
    bool good = false;
    switch (node.kind) {
      case YamlNodeKind::kScalar:
        good = Scalar(node, out);
        break;
      case YamlNodeKind::kSequence:
        good = Sequence(node, out);
        break;
      case YamlNodeKind::kMapping:
        good = Mapping(node, out);
        break;
      case YamlNodeKind::kAlias:
        good = Alias(node, [&] { return Node(*node.target, out); });
        break;
    }
    --depth_;
    return good;
  }

  template <class Read>
  bool Alias(const YamlNode& node, Read read) {
    if (node.expanding) return Fail("anchor '" + std::string(node.text) + "' value contains itself");
    node.expanding = true;
    ++alias_depth_;
    bool good = read();
    --alias_depth_;
    node.expanding = false;
    return good;
  }

  bool Sequence(const YamlNode& node, Value& out) {
    out = Value::Array(arena_, static_cast<uint32_t>(node.children.size()));
    for (const YamlNode* child : node.children) {
      Value item;
      if (!Node(*child, item)) return false;
      out.Append(arena_, item);
    }
    return true;
  }

  bool Mapping(const YamlNode& node, Value& out) {
    MapBuilder map;
    if (!Entries(node, map)) return false;
    std::vector<MapBuilder::Entry>& entries = map.entries();
    std::ranges::stable_sort(entries, {}, &MapBuilder::Entry::name);
    out = Value::Object(arena_, static_cast<uint32_t>(entries.size()));
    for (size_t i = 0; i < entries.size(); ++i) {
      // 1 and "1" are two keys in YAML and one in JSON.
      bool last_of_name = i + 1 == entries.size() || entries[i + 1].name != entries[i].name;
      if (last_of_name) out.Add(arena_, entries[i].name, entries[i].value);
    }
    return true;
  }

  static bool IsMerge(const YamlNode& key) {
    return key.kind == YamlNodeKind::kScalar && key.text == "<<" &&
           (key.implicit || key.tag == "tag:yaml.org,2002:merge");
  }

  bool Entries(const YamlNode& node, MapBuilder& map) {
    for (size_t i = 0; i + 1 < node.children.size(); i += 2) {
      const YamlNode& key = *node.children[i];
      const YamlNode& content = *node.children[i + 1];
      bool good = IsMerge(key) ? Merge(content, map) : Entry(key, content, map);
      if (!good) return false;
    }
    return true;
  }

  bool Entry(const YamlNode& key_node, const YamlNode& content, MapBuilder& map) {
    const YamlNode& what = key_node.kind == YamlNodeKind::kAlias ? *key_node.target : key_node;
    if (what.kind != YamlNodeKind::kScalar) {
      Value key;
      return Node(key_node, key) && Fail("invalid map key: " + GoSyntax(key));
    }
    Meaning key;
    MapBuilder::Entry entry;
    if (!Count() || (&what != &key_node && !Count()) || !Resolve(what, key) || !Node(content, entry.value))
      return false;
    entry.name = KeyName(key, entry.value);
    bool text = key.scalar.tag == YamlTag::kString || key.scalar.tag == YamlTag::kTimestamp;
    entry.key = {text ? YamlTag::kString : key.scalar.tag, entry.name};
    if (!map.Set(entry)) {
      std::string shown = text ? Quote(entry.name) : std::string(entry.name);
      duplicates_ += "\n  line " + std::to_string(content.line) + ": key " + shown + " already set in map";
    }
    return true;
  }

  // JSON's keys are strings. What YAML allows beyond is an error only when all the rest is read, like everything that
  // JSON cannot hold.
  std::string_view KeyName(const Meaning& key, const Value& content) {
    switch (key.scalar.tag) {
      case YamlTag::kFloat:
        return arena_.CopyString(FormatYamlFloat32(key.scalar.number));
      case YamlTag::kInt:
        return arena_.CopyString(std::to_string(key.scalar.integer));
      case YamlTag::kBool:
        return key.scalar.boolean ? "true" : "false";
      case YamlTag::kNull:
        Unsupported("unsupported map key of type: %!s(<nil>), key: <nil>, value: " + GoSyntax(content));
        return "<nil>";
      case YamlTag::kUint: {
        char digits[16];
        auto end = std::to_chars(digits, digits + sizeof(digits), key.scalar.natural, 16).ptr;
        std::string shown = "0x" + std::string(digits, end);
        Unsupported("unsupported map key of type: uint64, key: " + shown + ", value: " + GoSyntax(content));
        return arena_.CopyString(shown);
      }
      case YamlTag::kString:
      case YamlTag::kTimestamp:
        break;
    }
    return key.string;
  }

  void Unsupported(std::string message) {
    if (unsupported_.empty()) unsupported_ = std::move(message);
  }

  bool Merge(const YamlNode& node, MapBuilder& map) {
    if (node.kind != YamlNodeKind::kSequence) return MergeOne(node, map);
    for (size_t i = node.children.size(); i-- > 0;) {  // earlier ones win
      if (!MergeOne(*node.children[i], map)) return false;
    }
    return true;
  }

  bool MergeOne(const YamlNode& node, MapBuilder& map) {
    const YamlNode& source = node.kind == YamlNodeKind::kAlias ? *node.target : node;
    if (source.kind != YamlNodeKind::kMapping) return Fail("map merge requires map or sequence of maps as the value");
    if (!Count()) return false;
    if (++depth_ > limits_.max_depth) return Fail("exceeded max depth of " + std::to_string(limits_.max_depth));
    bool good = &source == &node ? Entries(node, map) : Alias(node, [&] { return Count() && Entries(source, map); });
    --depth_;
    return good;
  }

  bool Scalar(const YamlNode& node, Value& out) {
    Meaning meaning;
    if (!Resolve(node, meaning)) return false;
    const YamlScalar& scalar = meaning.scalar;
    switch (scalar.tag) {
      case YamlTag::kNull:
        out = Value();
        break;
      case YamlTag::kBool:
        out = Value::Bool(scalar.boolean);
        break;
      case YamlTag::kInt:
        out = Value::Int(scalar.integer);
        break;
      case YamlTag::kUint:
        out = Value::Number(arena_, arena_.CopyString(std::to_string(scalar.natural)));
        break;
      case YamlTag::kFloat:
        out = Float(scalar.number);
        break;
      default:
        out = Value::String(meaning.string);
        break;
    }
    return true;
  }

  Value Float(double number) {
    if (!std::isfinite(number)) {
      Unsupported(std::string("json: unsupported value: ") + (std::isnan(number) ? "NaN"
                                                              : number > 0       ? "+Inf"
                                                                                 : "-Inf"));
      return {};
    }
    return FloatValue(arena_, number);
  }

  // What a scalar says, by its tag and its text.
  bool Resolve(const YamlNode& node, Meaning& out) {
    out.string = node.text;
    std::string_view tag = node.tag;
    bool plain_string = tag.empty() && !node.implicit;
    std::string_view known = tag.starts_with(kLongTag) ? tag.substr(kLongTag.size()) : "";
    if (!plain_string && known == "binary") {
      if (!Binary(node.text, out)) return false;
    } else if (!plain_string && known != "str" && Resolvable(tag, known)) {
      out.scalar = ResolveYaml(node.text, tag.empty() || known == "timestamp");
      if (!Agrees(tag, known, node.text, out.scalar)) return false;
    }
    return true;
  }

  static bool Resolvable(std::string_view tag, std::string_view known) {
    return tag.empty() || known == "bool" || known == "int" || known == "float" || known == "null" ||
           known == "timestamp";
  }

  bool Agrees(std::string_view tag, std::string_view known, std::string_view text, YamlScalar& scalar) {
    std::string_view found = ShortTag(scalar.tag).substr(2);
    if (tag.empty() || known == found) return true;
    if (known == "float" && scalar.tag == YamlTag::kInt) {
      scalar.number = static_cast<double>(scalar.integer);
      scalar.tag = YamlTag::kFloat;
      return true;
    }
    return Fail("cannot decode !!" + std::string(found) + " `" + std::string(text) + "` as a " + ShortForm(tag));
  }

  bool Binary(std::string_view text, Meaning& out) {
    std::string cleaned(text), bytes;
    std::erase_if(cleaned, [](char c) { return c == '\n' || c == '\r'; });
    if (cleaned.size() % 4 != 0 || !absl::Base64Unescape(cleaned, &bytes)) {
      return Fail("!!binary value contains invalid base64 data");
    }
    std::string mended;
    AppendMendedUtf8(mended, bytes);
    out.string = arena_.CopyString(mended);
    return true;
  }

  Arena& arena_;
  const YamlLimits& limits_;
  uint32_t depth_ = 0;
  uint64_t made_ = 0, made_by_alias_ = 0;
  uint32_t alias_depth_ = 0;
  std::string error_;
  std::string unsupported_;  // the first value that JSON cannot hold
  std::string duplicates_;
};

// Bodies of server-side apply are nearly always JSON, which the JSON reader takes twenty times as fast. Its tree is the
// same where the text has nothing that the two languages read differently.
class JsonShortcut {
 public:
  JsonShortcut(Arena& arena, const YamlLimits& limits) : arena_(arena), limits_(limits) {}

  std::optional<Value> Read(std::string_view text) {
    if (text.empty() || (text[0] != '{' && text[0] != '[') || !IsPlain(text)) return std::nullopt;
    text_ = arena_.CopyString(text);
    auto read = ReadJson(text_, arena_, {.max_depth = limits_.max_depth, .keep_source = false});
    if (!read || !Normalise(*read)) return std::nullopt;
    return *read;
  }

 private:
  // Printable ASCII and blanks, and no escape that YAML lacks (of a slash, and the halves of a surrogate pair).
  static bool IsPlain(std::string_view text) {
    if (text.contains("\\/")) return false;
    for (char c : text) {
      if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) return false;
    }
    for (size_t at = text.find("\\u"); at != text.npos; at = text.find("\\u", at + 2)) {
      if (at + 2 < text.size() && (text[at + 2] | 0x20) == 'd') return false;
    }
    return true;
  }

  // Whole numbers become integers, members are sorted. False: something that YAML judges otherwise.
  bool Normalise(Value& v) {
    if (v.kind() == Kind::kDouble) return Number(v);
    for (Value& item : v.items()) {
      if (!Normalise(item)) return false;
    }
    std::span<Member> members = v.members();
    std::ranges::sort(members, {}, &Member::key);
    for (size_t i = 0; i < members.size(); ++i) {
      bool repeated = i > 0 && members[i - 1].key == members[i].key;
      if (repeated || members[i].key.size() > kLongestKey || !EndsWithColon(members[i].key)) return false;
      if (!Normalise(members[i].value)) return false;
    }
    return true;
  }

  // A key and its colon stand in one line in YAML: here the colon must follow at once. (A key with escapes is no part
  // of the text.)
  bool EndsWithColon(std::string_view key) const {
    auto at = static_cast<size_t>(reinterpret_cast<uintptr_t>(key.data()) - reinterpret_cast<uintptr_t>(text_.data()));
    return at < text_.size() && text_.substr(at + key.size()).starts_with("\":");
  }

  bool Number(Value& v) {
    YamlScalar scalar = ResolveYaml(v.literal());
    if (scalar.tag != YamlTag::kFloat || !std::isfinite(scalar.number)) return false;
    v = FloatValue(arena_, scalar.number);
    return true;
  }

  static constexpr size_t kLongestKey = 1000;  // YAML's own bound is 1024 with the quotes

  Arena& arena_;
  const YamlLimits& limits_;
  std::string_view text_;
};

}  // namespace

base::Result<Value> ReadYaml(std::string_view text, Arena& arena, std::string* duplicates, const YamlLimits& limits) {
  if (std::optional<Value> json = JsonShortcut(arena, limits).Read(text)) {
    if (duplicates) duplicates->clear();
    return *json;
  }
  auto root = ComposeYaml(text, arena, limits);
  if (!root) return std::unexpected(std::move(root.error()));
  return Decoder(arena, limits).Run(*root, duplicates);
}

}  // namespace value
