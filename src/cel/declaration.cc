#include "cel/declaration.h"

#include <algorithm>

namespace cel {

const DeclaredField* Declaration::Field(std::string_view wanted_name) const {
  auto found =
      std::lower_bound(fields.begin(), fields.end(), wanted_name,
                       [](const DeclaredField& field, std::string_view wanted) { return field.name < wanted; });
  return found != fields.end() && found->name == wanted_name ? &*found : nullptr;
}

const DeclaredField* Declaration::FieldOfKey(std::string_view wanted_key) const {
  if (const DeclaredField* field = Field(wanted_key); field != nullptr && field->key == wanted_key) return field;
  for (const DeclaredField& field : fields) {
    if (field.key == wanted_key) return &field;
  }
  return nullptr;
}

const Declaration* Declarations::FindType(std::string_view name) const {
  for (const Declaration& declaration : all_) {
    if (declaration.reading == Reading::kObject && declaration.name == name) return &declaration;
  }
  return nullptr;
}

namespace {

bool IsReservedWord(std::string_view name) {
  static constexpr std::string_view kWords[] = {
      "true", "false",  "null", "in",   "as",      "break",     "const",  "continue", "else", "for",  "function",
      "if",   "import", "let",  "loop", "package", "namespace", "return", "var",      "void", "while"};
  return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
}

struct Escape {
  std::string_view text, name;
};
constexpr Escape kEscapes[] = {{"__", "underscores"}, {".", "dot"}, {"-", "dash"}, {"/", "slash"}};

}  // namespace

bool EscapeName(std::string_view name, std::string& escaped) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
  escaped.clear();
  if (IsReservedWord(name)) {
    escaped = "__" + std::string(name) + "__";
    return true;
  }
  while (!name.empty()) {
    char c = name[0];
    const Escape* used = nullptr;
    for (const Escape& escape : kEscapes) {
      if (name.starts_with(escape.text)) used = &escape;
    }
    if (used != nullptr) {
      escaped += "__";
      escaped += used->name;
      escaped += "__";
      name.remove_prefix(used->text.size());
      continue;
    }
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) return false;
    escaped += c;
    name.remove_prefix(1);
  }
  return true;
}

bool UnescapeName(std::string_view escaped, std::string& name) {
  name.clear();
  std::string_view whole = escaped;
  while (!escaped.empty()) {
    // "__" + what has no "_" + "__"; of several underscores the sequence begins with the last two.
    if (escaped.starts_with("__") && escaped.size() > 2 && escaped[2] != '_') {
      size_t end = escaped.find('_', 2);
      if (end != std::string_view::npos && escaped.substr(end).starts_with("__")) {
        std::string_view content = escaped.substr(2, end - 2);
        auto found = std::find_if(std::begin(kEscapes), std::end(kEscapes),
                                  [&](const Escape& escape) { return escape.name == content; });
        if (found != std::end(kEscapes)) {
          name += found->text;
        } else if (IsReservedWord(content) && content.size() + 4 == whole.size()) {
          name += content;
        } else {
          return false;
        }
        escaped.remove_prefix(end + 2);
        continue;
      }
    }
    name += escaped[0];
    escaped.remove_prefix(1);
  }
  return true;
}

}  // namespace cel
