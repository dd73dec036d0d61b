#include "apply/go_print.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "base/text.h"
#include "value/json_writer.h"

namespace apply {

using value::Member;
using value::Value;

namespace {

// As %v has it: the exponent shows from a million on.
void AppendGoFloat(double d, std::string& out) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), d, std::chars_format::scientific).ptr;
  const std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const int exponent = std::atoi(std::string(text.substr(text.find('e') + 1)).c_str());
  if (exponent < -4 || exponent >= 6) {
    out += text;
    return;
  }
  std::array<char, 32> fixed;
  const auto last = std::to_chars(fixed.data(), fixed.data() + fixed.size(), d, std::chars_format::fixed).ptr;
  out.append(fixed.data(), last);
}

void AppendGoScalar(const Value& v, std::string& out) {
  if (v.kind() == value::Kind::kDouble && std::isfinite(v.AsDouble())) {
    AppendGoFloat(v.AsDouble(), out);
  } else {
    value::WriteJson(v, out);
  }
}

// As %v has it, or %s, to which scalars that are no text are errors.
void AppendPlain(const Value& v, bool as_text, std::string& out) {
  if (v.is_string()) {
    out += v.AsString();
  } else if (v.is_array()) {
    out += '[';
    const char* blank = "";
    for (const Value& item : v.items()) {
      out += std::exchange(blank, " ");
      AppendPlain(item, as_text, out);
    }
    out += ']';
  } else if (v.is_object()) {
    std::vector<Member> members(v.members().begin(), v.members().end());
    std::ranges::sort(members, {}, &Member::key);
    out += "map[";
    const char* blank = "";
    for (const Member& member : members) {
      out += std::exchange(blank, " ");
      out += member.key;
      out += ':';
      AppendPlain(member.value, as_text, out);
    }
    out += ']';
  } else if (v.is_null()) {
    out += "<nil>";
  } else {
    if (as_text) base::Append(out, "%!s(", GoTypeName(v), "=");
    AppendGoScalar(v, out);
    if (as_text) out += ')';
  }
}

}  // namespace

void AppendGoValue(const Value& v, std::string& out) { AppendPlain(v, false, out); }

std::string GoText(const Value& v) {
  if (v.is_null()) return "%!s(<nil>)";
  std::string out;
  AppendPlain(v, true, out);
  return out;
}

std::string GoValue(const Value& v) {
  std::string out;
  AppendGoValue(v, out);
  return out;
}

void AppendGoSyntax(const Value& v, std::string& out) {
  if (v.is_string()) {
    out += api::Quote(v.AsString());
  } else if (v.is_array()) {
    out += "[]interface {}{";
    const char* comma = "";
    for (const Value& item : v.items()) {
      out += std::exchange(comma, ", ");
      AppendGoSyntax(item, out);
    }
    out += '}';
  } else if (v.is_object()) {
    out += "map[string]interface {}{";
    const char* comma = "";
    for (const Member& member : v.members()) {
      out += std::exchange(comma, ", ");
      out += api::Quote(member.key) + ":";
      AppendGoSyntax(member.value, out);
    }
    out += '}';
  } else if (v.is_null()) {
    out += "interface {}(nil)";
  } else {
    AppendGoScalar(v, out);
  }
}

std::string_view GoTypeName(const Value& v) {
  switch (v.kind()) {
    case value::Kind::kBool:
      return "bool";
    case value::Kind::kInt:
      return "int64";
    case value::Kind::kDouble:
      return "float64";
    case value::Kind::kString:
    case value::Kind::kBytes:
      return "string";
    case value::Kind::kArray:
      return "[]interface {}";
    case value::Kind::kObject:
      return "map[string]interface {}";
    default:
      return "<nil>";
  }
}

namespace {

// Reads the directive after a '%'.
class Directive {
 public:
  explicit Directive(std::string_view text) : rest_(text) {}

  // Appends what stands in its place; gives the text after it.
  std::string_view Print(std::string& out) {
    SkipAny("#0+- ");
    SkipIndex();
    Number("%!(BADWIDTH)", out);
    if (Skip('.')) {
      SkipIndex();
      Number("%!(BADPREC)", out);
    }
    SkipIndex();
    if (rest_.empty()) {
      out += "%!(NOVERB)";
      return rest_;
    }
    size_t size = 1;
    while (size < rest_.size() && (rest_[size] & 0xC0) == 0x80) ++size;
    const std::string_view verb = rest_.substr(0, size);
    rest_.remove_prefix(size);
    out += verb == "%" ? "%" : base::Cat("%!", verb, indexed_ ? "(BADINDEX)" : "(MISSING)");
    return rest_;
  }

 private:
  void SkipAny(std::string_view set) { rest_.remove_prefix(std::min(rest_.find_first_not_of(set), rest_.size())); }

  bool Skip(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // The number of an argument; there is none, so none is right.
  void SkipIndex() {
    if (!Skip('[')) return;
    indexed_ = true;
    if (const size_t end = rest_.find(']'); end != rest_.npos) rest_.remove_prefix(end + 1);
  }

  // A number that stands there, or is an argument.
  void Number(std::string_view missing, std::string& out) {
    if (Skip('*')) {
      out += missing;
    } else {
      SkipAny("0123456789");
    }
  }

  std::string_view rest_;
  bool indexed_ = false;
};

}  // namespace

std::string GoFormatted(std::string_view text) {
  std::string out;
  for (size_t at = text.find('%'); at != text.npos; at = text.find('%')) {
    out += text.substr(0, at);
    text = Directive(text.substr(at + 1)).Print(out);
  }
  return out += text;
}

}  // namespace apply
