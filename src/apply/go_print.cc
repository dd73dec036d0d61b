#include "apply/go_print.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "api/quote.h"
#include "value/json_writer.h"

namespace apply {

using value::Member;
using value::Value;

void AppendGoValue(const Value& v, std::string& out) {
  if (v.is_string()) {
    out += v.AsString();
  } else if (v.is_array()) {
    out += '[';
    const char* blank = "";
    for (const Value& item : v.items()) {
      out += std::exchange(blank, " ");
      AppendGoValue(item, out);
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
      AppendGoValue(member.value, out);
    }
    out += ']';
  } else if (v.is_null()) {
    out += "<nil>";
  } else {
    value::WriteJson(v, out);
  }
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
    value::WriteJson(v, out);
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

}  // namespace apply
