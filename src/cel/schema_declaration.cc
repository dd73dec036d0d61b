#include "cel/schema_declaration.h"

#include <algorithm>
#include <string>

namespace cel {
namespace {

constexpr int kMaxDepth = 100;
constexpr uint64_t kLargest = kMaxRequestBytes - 2;
constexpr std::string_view kIntOrString = "x-kubernetes-int-or-string";
constexpr std::string_view kEmbedded = "x-kubernetes-embedded-resource";

bool IsTrue(const value::Value& schema, std::string_view key) {
  const value::Value* flag = schema.Find(key);
  return flag != nullptr && flag->is_bool() && flag->AsBool();
}

// A bound of the schema; negative ones are 0.
bool Bound(const value::Value& schema, std::string_view key, uint64_t& bound) {
  const value::Value* number = schema.Find(key);
  if (number == nullptr || !number->is_int()) return false;
  bound = static_cast<uint64_t>(std::max<int64_t>(number->AsInt(), 0));
  return true;
}

class Maker {
 public:
  explicit Maker(Declarations& declarations) : declarations_(declarations) {}

  const Declaration* Make(const value::Value& schema, const std::string& name, bool root, int depth) {
    if (depth > kMaxDepth || !schema.is_object()) return nullptr;
    std::string_view type = schema.GetString("type");
    Declaration* made = nullptr;
    if (IsTrue(schema, kIntOrString) || schema.GetString("format") == "int-or-string") {
      made = New(&kDynType, Reading::kIntOrString, 1);
      made->max_size = kLargest;
    } else if (type == "array") {
      made = List(schema, name, depth);
    } else if (type == "object") {
      made = Object(schema, name, root, depth);
    } else if (type == "string") {
      made = Text(schema);
    } else if (type == "boolean") {
      made = New(&kBoolType, Reading::kBool, 4);
    } else if (type == "number") {
      made = New(&kDoubleType, Reading::kDouble, 1);
    } else if (type == "integer") {
      made = New(&kIntType, Reading::kInt, 1);
    }
    if (made != nullptr) {
      made->strict = true;
      made->nullable = IsTrue(schema, "nullable");
    }
    return made;
  }

 private:
  Declaration* New(const Type* type, Reading reading, uint64_t least) {
    Declaration* made = declarations_.New();
    made->type = type;
    made->reading = reading;
    made->min_serialized_size = least;
    made->max_size = 0;  // what has no size counts as empty
    return made;
  }

  Declaration* List(const value::Value& schema, const std::string& name, int depth) {
    const value::Value* items = schema.Find("items");
    if (items == nullptr) return nullptr;
    const Declaration* item = Make(*items, name + ".@idx", IsTrue(*items, kEmbedded), depth + 1);
    if (item == nullptr) return nullptr;
    Declaration* made = New(declarations_.types().List(item->type), Reading::kList, 2);
    made->element = item;
    made->has_bytes = item->has_bytes;
    if (!Bound(schema, "maxItems", made->max_size)) made->max_size = kLargest / (item->min_serialized_size + 1);
    std::string_view semantics = schema.GetString("x-kubernetes-list-type");
    made->list = semantics == "set"   ? ListSemantics::kSet
                 : semantics == "map" ? ListSemantics::kMap
                                      : ListSemantics::kAtomic;
    for (const value::Value& key : schema.Get("x-kubernetes-list-map-keys").items()) {
      std::string escaped;
      if (key.is_string() && EscapeName(key.AsString(), escaped)) made->list_map_keys.push_back(escaped);
    }
    return made;
  }

  Declaration* Object(const value::Value& schema, const std::string& name, bool root, int depth) {
    const value::Value* additional = schema.Find("additionalProperties");
    if (additional != nullptr && additional->is_object()) return Map(*additional, schema, name, depth);
    Declaration* made = New(nullptr, Reading::kObject, 2);
    made->name = name;
    for (const value::Member& property : schema.Get("properties").members()) Property(*made, schema, property, depth);
    if (root) AddMetadata(*made);
    std::sort(made->fields.begin(), made->fields.end(),
              [](const DeclaredField& a, const DeclaredField& b) { return a.name < b.name; });
    made->type = declarations_.types().Struct(name, made);
    return made;
  }

  void Property(Declaration& object, const value::Value& schema, const value::Member& property, int depth) {
    std::string escaped;
    bool usable = EscapeName(property.key, escaped);
    const Declaration* declaration =
        Make(property.value, object.name + "." + (usable ? escaped : std::string(property.key)),
             IsTrue(property.value, kEmbedded), depth + 1);
    if (declaration == nullptr) return;
    bool required = false;
    for (const value::Value& key : schema.Get("required").items())
      required |= key.is_string() && key.AsString() == property.key;
    object.has_bytes |= declaration->has_bytes;
    if (usable) object.fields.push_back({escaped, std::string(property.key), declaration, required});
    if (required && property.value.Find("default") == nullptr)
      object.min_serialized_size += property.key.size() + declaration->min_serialized_size + 4;
  }

  void AddMetadata(Declaration& object) {
    Declaration* text = New(&kStringType, Reading::kString, 2);
    text->max_size = kLargest;
    text->strict = true;
    auto lacks = [&](std::string_view key) {
      return std::none_of(object.fields.begin(), object.fields.end(),
                          [&](const DeclaredField& field) { return field.key == key; });
    };
    for (const char* key : {"kind", "apiVersion"}) {
      if (lacks(key)) object.fields.push_back({key, key, text, false});
    }
    auto metadata = std::find_if(object.fields.begin(), object.fields.end(),
                                 [](const DeclaredField& field) { return field.key == "metadata"; });
    bool whole = metadata != object.fields.end() && metadata->declaration->Field("name") != nullptr &&
                 metadata->declaration->Field("generateName") != nullptr;
    if (whole) return;
    Declaration* made = New(nullptr, Reading::kObject, 2);
    made->name = object.name + ".metadata";
    made->strict = true;
    made->fields = {{"generateName", "generateName", text, false}, {"name", "name", text, false}};
    made->type = declarations_.types().Struct(made->name, made);
    if (metadata != object.fields.end()) {
      metadata->declaration = made;
    } else {
      object.fields.push_back({"metadata", "metadata", made, false});
    }
  }

  Declaration* Map(const value::Value& additional, const value::Value& schema, const std::string& name, int depth) {
    const Declaration* item = Make(additional, name + ".@elem", IsTrue(additional, kEmbedded), depth + 1);
    if (item == nullptr) return nullptr;
    Declaration* made = New(declarations_.types().Map(&kStringType, item->type), Reading::kMap, 2);
    made->element = item;
    made->has_bytes = item->has_bytes;
    made->key = New(&kStringType, Reading::kString, 2);
    if (!Bound(schema, "maxProperties", made->max_size)) made->max_size = kLargest / (item->min_serialized_size + 6);
    return made;
  }

  Declaration* Text(const value::Value& schema) {
    std::string_view format = schema.GetString("format");
    Declaration* made = nullptr;
    if (format == "byte") {
      made = New(&kBytesType, Reading::kBytes, 2);
      made->has_bytes = true;
      if (!Bound(schema, "maxLength", made->max_size)) made->max_size = kLargest;
    } else if (format == "duration") {
      made = New(&kDurationType, Reading::kDuration, 3);
      made->max_size = 32;
    } else if (format == "date") {
      made = New(&kTimestampType, Reading::kDate, 12);
      made->max_size = 12;
    } else if (format == "date-time") {
      made = New(&kTimestampType, Reading::kTimestamp, 21);
      made->max_size = 32;
    } else {
      made = New(&kStringType, Reading::kString, 2);
      if (Bound(schema, "maxLength", made->max_size)) {
        made->max_size *= 4;
      } else {
        made->max_size = LongestEnum(schema);
      }
    }
    return made;
  }

  static uint64_t LongestEnum(const value::Value& schema) {
    value::Value values = schema.Get("enum");
    if (values.empty()) return kLargest;
    size_t longest = 0;
    for (const value::Value& value : values.items()) {
      if (value.is_string()) longest = std::max(longest, value.AsString().size());
    }
    return longest;
  }

  Declarations& declarations_;
};

// The 6 bits of a character; -1 is none of the alphabet for URLs, which the API server takes for this format.
int Bits(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '-' ? 62 : c == '_' ? 63 : -1;
}

// Padded; line breaks count for nothing.
bool ReadBase64(value::Arena& arena, std::string_view text, std::string_view& bytes) {
  char* const to = arena.AllocateArray<char>(text.size());
  size_t size = 0, count = 0, padding = 0;
  uint32_t group = 0;
  for (char c : text) {
    if (c == '\r' || c == '\n') continue;
    if (size > 0 && count % 4 == 0 && padding > 0) return false;  // goes on behind the end
    const int bits = Bits(c);
    if (c == '=' ? count % 4 < 2 : bits < 0 || padding > 0) return false;
    padding += c == '=' ? 1 : 0;
    group = group << 6 | static_cast<uint32_t>(c == '=' ? 0 : bits);
    if (++count % 4 != 0) continue;
    for (int shift : {16, 8, 0}) to[size++] = static_cast<char>(group >> shift & 0xff);
    group = 0;
  }
  bytes = {to, size - padding};
  return count % 4 == 0;
}

}  // namespace

value::Value WithBytes(value::Arena& arena, const value::Value& document, const Declaration& declaration) {
  if (!declaration.has_bytes) return document;
  if (document.is_string() && declaration.reading == Reading::kBytes) {
    std::string_view bytes;
    return ReadBase64(arena, document.AsString(), bytes) ? value::Value::Bytes(bytes) : document;
  }
  if (document.is_array()) {
    const value::Value made = value::Value::Array(arena, document.size());
    for (const value::Value& item : document.items()) made.Append(arena, WithBytes(arena, item, *declaration.element));
    return made;
  }
  if (!document.is_object()) return document;
  const value::Value made = value::Value::Object(arena, document.size());
  for (const value::Member& member : document.members()) {
    const Declaration* inside = declaration.element;
    if (declaration.reading == Reading::kObject) {
      const DeclaredField* field = declaration.FieldOfKey(member.key);
      inside = field != nullptr ? field->declaration : nullptr;
    }
    made.Add(arena, member.key, inside != nullptr ? WithBytes(arena, member.value, *inside) : member.value);
  }
  return made;
}

const Declaration* DeclareSchema(Declarations& declarations, const value::Value& schema, std::string_view type_name,
                                 bool resource_root) {
  return Maker(declarations).Make(schema, std::string(type_name), resource_root, 0);
}

}  // namespace cel
