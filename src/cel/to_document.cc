#include "cel/to_document.h"

#include <cmath>
#include <string>

#include "api/quantity.h"
#include "api/url.h"
#include "cel/library/named_formats.h"
#include "cel/library/network.h"
#include "cel/text.h"
#include "value/json_writer.h"

namespace cel {
namespace {

constexpr int kMaxDepth = 1000;
constexpr size_t kMaxParts = 1'000'000;

class Maker {
 public:
  explicit Maker(value::Arena& arena) : arena_(arena) {}

  base::Result<value::Value> Make(const Value& value, int depth) {
    if (depth > kMaxDepth || ++parts_ > kMaxParts) return base::Fail(base::Code::kExhausted, "value is too large");
    switch (value.kind()) {
      case ValueKind::kNull:
        return value::Value();
      case ValueKind::kBool:
        return value::Value::Bool(value.AsBool());
      case ValueKind::kInt:
        return value::Value::Int(value.AsInt());
      case ValueKind::kUint:
        if (value.AsUint() <= INT64_MAX) return value::Value::Int(static_cast<int64_t>(value.AsUint()));
        return value::Value::Number(arena_, arena_.CopyString(std::to_string(value.AsUint())));
      case ValueKind::kDouble:
        if (!std::isfinite(value.AsDouble())) return Text(Shown(value));
        return value::Value::Double(arena_, value.AsDouble());
      case ValueKind::kString:
      case ValueKind::kType:
        return Text(value.text());
      case ValueKind::kBytes: {
        std::string base64;
        value::AppendBase64(base64, value.text());
        return Text(base64);
      }
      case ValueKind::kDuration:
      case ValueKind::kTimestamp:
        return Text(Shown(value));
      case ValueKind::kOptional:
        return value.optional() == nullptr ? value::Value() : Make(*value.optional(), depth + 1);
      case ValueKind::kList:
        return List(value, depth);
      case ValueKind::kMap:
      case ValueKind::kStruct:
        return Map(value, depth);
      case ValueKind::kOpaque:
        return Text(OpaqueText(value));
      case ValueKind::kError:
        break;
    }
    return base::Fail(base::Code::kInvalid, std::string(value.text()));
  }

 private:
  value::Value Text(std::string_view text) { return value::Value::Copy(arena_, text); }

  base::Result<value::Value> List(const Value& value, int depth) {
    value::Value list = value::Value::Array(arena_, std::min<uint32_t>(value.size(), 1024));
    for (uint32_t i = 0; i < value.size(); ++i) {
      auto item = Make(value.At(i), depth + 1);
      if (!item) return item;
      list.Append(arena_, *item);
    }
    return list;
  }

  base::Result<value::Value> Map(const Value& value, int depth) {
    value::Value map = value::Value::Object(arena_);
    MapWalk walk(value);
    Value key, item;
    while (walk.Next(key, item)) {
      switch (key.kind()) {
        case ValueKind::kString:
        case ValueKind::kInt:
        case ValueKind::kUint:
        case ValueKind::kDouble:
        case ValueKind::kBool:
          break;
        default:
          return base::Fail(base::Code::kInvalid, "map key has no text");
      }
      auto made = Make(item, depth + 1);
      if (!made) return made;
      map.Add(arena_, arena_.CopyString(Shown(key)), *made);
    }
    return map;
  }

  static std::string OpaqueText(const Value& value) {
    switch (value.opaque_kind()) {
      case OpaqueKind::kQuantity:
        return value.opaque<api::Quantity>().text();
      case OpaqueKind::kIp:
        return value.opaque<library::Ip>().text();
      case OpaqueKind::kCidr:
        return value.opaque<library::Cidr>().text();
      case OpaqueKind::kUrl:
        return std::string(value.opaque<api::Url>().text());
      case OpaqueKind::kFormat:
        return std::string(value.opaque<library::NamedFormat>().name);
      default:
        return std::string(TypeName(value));
    }
  }

  value::Arena& arena_;
  size_t parts_ = 0;
};

}  // namespace

base::Result<value::Value> ToDocument(const Value& value, value::Arena& arena) { return Maker(arena).Make(value, 0); }

}  // namespace cel
