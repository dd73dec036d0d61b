#include "cel/text.h"

#include "cel/library/numbers.h"
#include "cel/library/times.h"

namespace cel {

std::string Shown(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return "NULL_VALUE";
    case ValueKind::kBool:
      return value.AsBool() ? "true" : "false";
    case ValueKind::kInt:
      return std::to_string(value.AsInt());
    case ValueKind::kUint:
      return std::to_string(value.AsUint());
    case ValueKind::kDouble:
      return library::FormatDouble(value.AsDouble());
    case ValueKind::kString:
    case ValueKind::kType:
    case ValueKind::kError:
      return std::string(value.text());
    case ValueKind::kBytes: {
      std::string out = "[";
      for (char c : value.text()) {
        if (out.size() > 1) out += ' ';
        out += std::to_string(static_cast<unsigned char>(c));
      }
      return out + "]";
    }
    case ValueKind::kDuration:
      return library::FormatDuration(value.nanoseconds());
    case ValueKind::kTimestamp:
      return library::FormatInstant({value.seconds(), value.subsecond(), value.offset_minutes()});
    case ValueKind::kList: {
      std::string out = "[";
      for (uint32_t i = 0; i < value.size() && out.size() < 4096; ++i) {
        if (i > 0) out += ", ";
        out += Shown(value.At(i));
      }
      return out + "]";
    }
    case ValueKind::kMap: {
      std::string out = "{";
      MapWalk walk(value);
      Value key, item;
      while (walk.Next(key, item) && out.size() < 4096) {
        if (out.size() > 1) out += ", ";
        out += Shown(key) + ": " + Shown(item);
      }
      return out + "}";
    }
    case ValueKind::kOptional:
      return value.optional() == nullptr ? "optional.none()" : "optional(" + Shown(*value.optional()) + ")";
    case ValueKind::kStruct:
    case ValueKind::kOpaque:
      return std::string(TypeName(value));
  }
  return {};
}

std::string_view GoTypeName(const Value& value) {
  switch (value.kind()) {
    case ValueKind::kNull:
      return "types.Null";
    case ValueKind::kBool:
      return "types.Bool";
    case ValueKind::kInt:
      return "types.Int";
    case ValueKind::kUint:
      return "types.Uint";
    case ValueKind::kDouble:
      return "types.Double";
    case ValueKind::kString:
      return "types.String";
    case ValueKind::kBytes:
      return "types.Bytes";
    case ValueKind::kDuration:
      return "types.Duration";
    case ValueKind::kTimestamp:
      return "types.Timestamp";
    case ValueKind::kType:
      return "*types.Type";
    case ValueKind::kOptional:
      return "*types.Optional";
    case ValueKind::kList:
      return "*types.baseList";
    case ValueKind::kMap:
      return "*types.baseMap";
    case ValueKind::kError:
      return "*types.Err";
    default:
      return TypeName(value);
  }
}

}  // namespace cel
