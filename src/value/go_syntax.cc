#include "value/go_syntax.h"

#include <utility>

#include "value/number.h"
#include "value/quote.h"

namespace value {

namespace {

void Append(const Value& v, std::string_view map_type, std::string& out) {
  switch (v.kind()) {
    case Kind::kNull:
      out += "interface {}(nil)";
      break;
    case Kind::kBool:
      out += v.AsBool() ? "true" : "false";
      break;
    case Kind::kInt:
      out += std::to_string(v.AsInt());
      break;
    case Kind::kDouble: {
      char buffer[kMaxDoubleText];
      out += FormatDouble(v.AsDouble(), buffer);
      break;
    }
    case Kind::kString:
    case Kind::kBytes:
      out += Quote(v.AsString());
      break;
    case Kind::kArray: {
      out += "[]interface {}{";
      const char* separator = "";
      for (const Value& item : v.items()) {
        out += std::exchange(separator, ", ");
        Append(item, map_type, out);
      }
      out += "}";
      break;
    }
    case Kind::kObject: {
      out += map_type;
      out += "{";
      const char* separator = "";
      for (const Member& member : v.members()) {
        out += std::exchange(separator, ", ");
        out += Quote(member.key);
        out += ":";
        Append(member.value, map_type, out);
      }
      out += "}";
      break;
    }
  }
}

}  // namespace

std::string GoSyntax(const Value& v, std::string_view map_type) {
  if (v.is_null()) return "<nil>";
  std::string out;
  Append(v, map_type, out);
  return out;
}

}  // namespace value
