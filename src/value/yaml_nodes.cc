#include "value/yaml_nodes.h"

#include <yaml.h>

#include <new>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace value {

namespace {

std::string_view View(const yaml_char_t* text) {
  return text ? reinterpret_cast<const char*>(text) : std::string_view();
}

// Finds what libyaml takes for a slash and the server's parser does not know: `\/` in double quotes. Scalars are asked
// about in the order of the text.
class EscapedSlashes {
 public:
  explicit EscapedSlashes(std::string_view text)
      : text_(text.starts_with(kMark) ? text.substr(kMark.size()) : text), any_(text.contains("\\/")) {}

  // The line, from 0, of the first one in the scalar.
  std::optional<size_t> LineIn(const yaml_event_t& scalar) {
    if (!any_ || scalar.data.scalar.style != YAML_DOUBLE_QUOTED_SCALAR_STYLE) return std::nullopt;
    const size_t begin = ByteAt(scalar.start_mark.index);
    const std::string_view raw = text_.substr(begin, ByteAt(scalar.end_mark.index) - begin);
    size_t line = scalar.start_mark.line;
    const size_t quote = raw.find('"');  // an anchor and a tag may stand before it
    for (size_t i = 0; i + 1 < raw.size(); ++i) {
      if (raw[i] == '\n' || (raw[i] == '\r' && raw[i + 1] != '\n')) ++line;
      if (i <= quote || raw[i] != '\\') continue;
      if (raw[i + 1] == '/') return line;
      if (raw[i + 1] == '\\' || raw[i + 1] == '"') ++i;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::string_view kMark = "\xEF\xBB\xBF";

  // Marks count characters. No earlier one is asked for again.
  size_t ByteAt(size_t index) {
    for (; character_ < index && byte_ < text_.size(); ++character_) {
      do ++byte_;
      while (byte_ < text_.size() && (static_cast<unsigned char>(text_[byte_]) & 0xC0) == 0x80);
    }
    return byte_;
  }

  std::string_view text_;
  bool any_;
  size_t character_ = 0, byte_ = 0;
};

// Reads events and builds nodes; containers that are open are on a stack, not in recursion.
class Composer {
 public:
  Composer(std::string_view text, Arena& arena, const YamlLimits& limits)
      : directives_(CountDirectives(text)), slashes_(text), arena_(arena), limits_(limits) {
    ready_ = yaml_parser_initialize(&parser_);
    static constexpr std::string_view kNothing = "\n";
    if (text.empty()) text = kNothing;
    if (ready_)
      yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  ~Composer() {
    if (ready_) yaml_parser_delete(&parser_);
  }
  Composer(const Composer&) = delete;
  Composer& operator=(const Composer&) = delete;

  base::Result<const YamlNode*> Run() {
    if (!ready_) return base::Fail(base::Code::kExhausted, "yaml: out of memory");
    if (directives_ > limits_.max_directives) return base::Fail(base::Code::kInvalid, "yaml: too many directives");
    Document();
    if (!error_.empty()) return base::Fail(base::Code::kInvalid, "yaml: " + error_);
    return root_;
  }

 private:
  struct Open {
    YamlNode* node;
    size_t first;  // its children in children_ begin here
  };

  // Lines that may be one: each is held against all before, and each tag against all.
  static size_t CountDirectives(std::string_view text) {
    constexpr std::string_view kTag = "%TAG";
    size_t count = 0;
    for (size_t at = text.find(kTag); at != std::string_view::npos; at = text.find(kTag, at + kTag.size())) {
      if (at == 0 || text[at - 1] == '\n' || text[at - 1] == '\r') ++count;
    }
    return count;
  }

  // Reads up to the end of the first document. False: error_ says why.
  bool Document() {
    while (true) {
      yaml_event_t event;
      if (!yaml_parser_parse(&parser_, &event)) return ParserError();
      bool go_on = Bounded() && Take(event);
      bool last = event.type == YAML_STREAM_END_EVENT || event.type == YAML_DOCUMENT_END_EVENT;
      yaml_event_delete(&event);
      if (!go_on) return false;
      if (last) return true;
    }
  }

  bool Take(const yaml_event_t& event) {
    switch (event.type) {
      case YAML_SCALAR_EVENT:
        return Scalar(event);
      case YAML_ALIAS_EVENT:
        return Alias(event);
      case YAML_SEQUENCE_START_EVENT:
        return Begin(event, YamlNodeKind::kSequence, event.data.sequence_start.anchor, event.data.sequence_start.tag);
      case YAML_MAPPING_START_EVENT:
        return Begin(event, YamlNodeKind::kMapping, event.data.mapping_start.anchor, event.data.mapping_start.tag);
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        return End();
      default:
        return true;
    }
  }

  YamlNode* New(const yaml_event_t& event, YamlNodeKind kind) {
    auto* node = new (arena_.Allocate(sizeof(YamlNode), alignof(YamlNode))) YamlNode;
    node->kind = kind;
    node->line = static_cast<uint32_t>(event.start_mark.line) + 1;
    return node;
  }

  void Anchor(const yaml_char_t* anchor, const YamlNode* node) {
    if (anchor) anchors_[arena_.CopyString(View(anchor))] = node;
  }

  bool Add(const YamlNode* node) {
    if (open_.empty()) {
      root_ = node;
    } else {
      children_.push_back(node);
    }
    return true;
  }

  bool Scalar(const yaml_event_t& event) {
    if (const std::optional<size_t> line = slashes_.LineIn(event)) {
      return Fail(AtLine(*line ? *line + 1 : 0) + "found unknown escape character");
    }
    YamlNode* node = New(event, YamlNodeKind::kScalar);
    const auto& scalar = event.data.scalar;
    node->text = arena_.CopyString({reinterpret_cast<const char*>(scalar.value), scalar.length});
    node->tag = arena_.CopyString(View(scalar.tag));
    node->implicit = scalar.plain_implicit != 0;
    Anchor(scalar.anchor, node);
    return Add(node);
  }

  bool Alias(const yaml_event_t& event) {
    YamlNode* node = New(event, YamlNodeKind::kAlias);
    node->text = arena_.CopyString(View(event.data.alias.anchor));
    auto found = anchors_.find(node->text);
    if (found == anchors_.end()) return Fail("unknown anchor '" + std::string(node->text) + "' referenced");
    node->target = found->second;
    return Add(node);
  }

  bool Begin(const yaml_event_t& event, YamlNodeKind kind, const yaml_char_t* anchor, const yaml_char_t* tag) {
    YamlNode* node = New(event, kind);
    node->tag = arena_.CopyString(View(tag));
    Anchor(anchor, node);
    Add(node);
    open_.push_back({node, children_.size()});
    return true;
  }

  bool End() {
    Open closed = open_.back();
    open_.pop_back();
    size_t count = children_.size() - closed.first;
    auto* kept = arena_.AllocateArray<const YamlNode*>(count);
    std::copy(children_.begin() + static_cast<ptrdiff_t>(closed.first), children_.end(), kept);
    closed.node->children = {kept, count};
    children_.resize(closed.first);
    return true;
  }

  // The bounds that the server's parser has and libyaml has not.
  bool Bounded() {
    auto flow = static_cast<uint64_t>(parser_.flow_level);
    auto indents = static_cast<uint64_t>(parser_.indents.top - parser_.indents.start);
    work_ += flow + indents;
    if (flow <= limits_.max_depth && indents <= limits_.max_depth && work_ <= limits_.max_scan_work) return true;
    return Fail(AtLine(parser_.mark.line ? parser_.mark.line + 1 : 0) + "exceeded max depth of " +
                std::to_string(limits_.max_depth));
  }

  static std::string AtLine(size_t line) { return line ? "line " + std::to_string(line) + ": " : ""; }

  // Lines are as the server counts them: a parser's error shows the line before its own, one in the first line shows
  // none.
  bool ParserError() {
    size_t line = parser_.problem_mark.line;
    if (line && parser_.error == YAML_SCANNER_ERROR) ++line;
    if (!line) line = parser_.context_mark.line;
    if (parser_.error == YAML_MEMORY_ERROR) return Fail("out of memory");
    return Fail(AtLine(line) + (parser_.problem ? parser_.problem : "unknown problem parsing YAML content"));
  }

  bool Fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  const size_t directives_;
  yaml_parser_t parser_;
  bool ready_ = false;
  EscapedSlashes slashes_;
  Arena& arena_;
  const YamlLimits& limits_;
  uint64_t work_ = 0;
  std::string error_;
  const YamlNode* root_ = nullptr;
  std::vector<Open> open_;
  std::vector<const YamlNode*> children_;
  absl::flat_hash_map<std::string_view, const YamlNode*> anchors_;
};

}  // namespace

base::Result<const YamlNode*> ComposeYaml(std::string_view text, Arena& arena, const YamlLimits& limits) {
  return Composer(text, arena, limits).Run();
}

}  // namespace value
