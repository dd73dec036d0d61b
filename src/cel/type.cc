#include "cel/type.h"

#include <array>
#include <charconv>

namespace cel {

const Type kNoType{.kind = TypeKind::kNone, .name = ""};
const Type kErrorType{.kind = TypeKind::kError, .name = "error"};
const Type kDynType{.kind = TypeKind::kDyn, .name = "dyn"};
const Type kAnyType{.kind = TypeKind::kAny, .name = "google.protobuf.Any"};
const Type kBoolType{.kind = TypeKind::kBool, .name = "bool"};
const Type kBytesType{.kind = TypeKind::kBytes, .name = "bytes"};
const Type kDoubleType{.kind = TypeKind::kDouble, .name = "double"};
const Type kDurationType{.kind = TypeKind::kDuration, .name = "google.protobuf.Duration"};
const Type kIntType{.kind = TypeKind::kInt, .name = "int"};
const Type kNullType{.kind = TypeKind::kNull, .name = "null_type"};
const Type kStringType{.kind = TypeKind::kString, .name = "string"};
const Type kTimestampType{.kind = TypeKind::kTimestamp, .name = "google.protobuf.Timestamp"};
const Type kTypeType{.kind = TypeKind::kType, .name = "type"};
const Type kUintType{.kind = TypeKind::kUint, .name = "uint"};

namespace {
constexpr int kMaxTypeDepth = 32;
const Type* const kTwoDyns[] = {&kDynType, &kDynType};
}  // namespace

const Type kDynListType{.kind = TypeKind::kList, .name = "list", .parameters = std::span(kTwoDyns, 1)};
const Type kDynMapType{.kind = TypeKind::kMap, .name = "map", .parameters = std::span(kTwoDyns, 2)};

Type* TypePool::New(TypeKind kind, std::string_view name, std::span<const Type* const> parameters) {
  auto* type = new (arena_.Allocate(sizeof(Type), alignof(Type))) Type;
  type->kind = kind;
  type->name = name;
  if (!parameters.empty()) {
    auto* copy = arena_.AllocateArray<const Type*>(parameters.size());
    for (size_t i = 0; i < parameters.size(); ++i) copy[i] = parameters[i];
    type->parameters = {copy, parameters.size()};
  }
  return type;
}

const Type* TypePool::List(const Type* element) { return New(TypeKind::kList, "list", {&element, 1}); }

const Type* TypePool::Map(const Type* key, const Type* value) {
  const Type* parameters[] = {key, value};
  return New(TypeKind::kMap, "map", parameters);
}

const Type* TypePool::Opaque(std::string_view name, std::span<const Type* const> parameters) {
  return New(TypeKind::kOpaque, arena_.CopyString(name), parameters);
}

const Type* TypePool::Struct(std::string_view name, const Declaration* declaration) {
  Type* type = New(TypeKind::kStruct, arena_.CopyString(name), {});
  type->declaration = declaration;
  return type;
}

const Type* TypePool::TypeOf(const Type* of) { return New(TypeKind::kType, "type", {&of, 1}); }

const Type* TypePool::Nullable(const Type* of) {
  Type* type = New(of->kind, of->name, of->parameters);
  type->nullable = true;
  return type;
}

const Type* TypePool::Parameter(std::string_view name) { return New(TypeKind::kParam, arena_.CopyString(name), {}); }

const Type* TypePool::Variable(int32_t number) {
  char text[16] = "_var";
  char* end = std::to_chars(text + 4, text + sizeof text, number).ptr;
  Type* type = New(TypeKind::kParam, arena_.CopyString({text, static_cast<size_t>(end - text)}), {});
  type->variable = number;
  return type;
}

const Type* TypePool::Copy(const Type* type) {
  for (const Type* basic :
       {&kNoType, &kErrorType, &kDynType, &kAnyType, &kBoolType, &kBytesType, &kDoubleType, &kDurationType, &kIntType,
        &kNullType, &kStringType, &kTimestampType, &kTypeType, &kUintType}) {
    if (type == basic) return basic;
  }
  std::array<const Type*, 8> few{};
  size_t count = std::min(type->parameters.size(), few.size());
  for (size_t i = 0; i < count; ++i) few[i] = Copy(type->parameters[i]);
  Type* copy = New(type->kind, arena_.CopyString(type->name), std::span(few).first(count));
  copy->nullable = type->nullable;
  copy->declaration = type->declaration;
  return copy;
}

const Type* TypePool::Parse(std::string_view text) {
  const Type* type = ParseAt(text, 0);
  return text.empty() ? type : nullptr;
}

const Type* TypePool::ParseAt(std::string_view& rest, int depth) {
  size_t end = rest.find_first_of("(), ");
  std::string_view name = rest.substr(0, end);
  rest.remove_prefix(name.size());
  if (name.empty() || depth > kMaxTypeDepth) return nullptr;
  std::array<const Type*, 8> parameters{};
  size_t count = 0;
  bool parentheses = rest.starts_with('(');
  if (parentheses) {
    rest.remove_prefix(1);
    while (!rest.starts_with(')')) {
      if (count == parameters.size()) return nullptr;
      const Type* parameter = ParseAt(rest, depth + 1);
      if (parameter == nullptr) return nullptr;
      parameters[count++] = parameter;
      while (rest.starts_with(',') || rest.starts_with(' ')) rest.remove_prefix(1);
      if (rest.empty()) return nullptr;
    }
    rest.remove_prefix(1);
  }
  struct Basic {
    std::string_view name;
    const Type* type;
  };
  static constexpr Basic kBasics[] = {
      {"dyn", &kDynType},
      {"any", &kAnyType},
      {"bool", &kBoolType},
      {"bytes", &kBytesType},
      {"double", &kDoubleType},
      {"duration", &kDurationType},
      {"int", &kIntType},
      {"null_type", &kNullType},
      {"null", &kNullType},
      {"string", &kStringType},
      {"timestamp", &kTimestampType},
      {"uint", &kUintType},
      {"google.protobuf.Duration", &kDurationType},
      {"google.protobuf.Timestamp", &kTimestampType},
  };
  if (!parentheses) {
    for (const Basic& basic : kBasics) {
      if (basic.name == name) return basic.type;
    }
    if (name == "type") return &kTypeType;
    if (name == "list") return &kDynListType;
    if (name == "map") return &kDynMapType;
    if (name.size() == 1 && name[0] >= 'A' && name[0] <= 'Z') return Parameter(name);
    if (name == "net.IP" || name == "net.CIDR") return Opaque(name, {});
    return Struct(name);
  }
  if (name == "list" && count == 1) return List(parameters[0]);
  if (name == "map" && count == 2) return Map(parameters[0], parameters[1]);
  if (name == "type" && count == 1) return TypeOf(parameters[0]);
  if (name == "wrapper" && count == 1) return Nullable(parameters[0]);
  return Opaque(name, std::span(parameters).first(count));
}

namespace {

bool SameStructure(const Type& a, const Type& b, bool names) {
  if (&a == &b) return true;
  if (a.kind != b.kind || a.parameters.size() != b.parameters.size()) return false;
  if ((names || a.kind != TypeKind::kParam) && a.name != b.name) return false;
  for (size_t i = 0; i < a.parameters.size(); ++i) {
    if (!SameStructure(*a.parameters[i], *b.parameters[i], names)) return false;
  }
  return true;
}

}  // namespace

bool Same(const Type& a, const Type& b) { return SameStructure(a, b, true); }
bool Equivalent(const Type& a, const Type& b) { return SameStructure(a, b, false); }

bool Assignable(const Type& to, const Type& from) {
  if (&to == &from || to.is_dyn() || to.kind == TypeKind::kParam) return true;
  if (to.nullable && from.kind == TypeKind::kNull) return true;
  if (to.kind != from.kind || to.name != from.name || to.parameters.size() != from.parameters.size()) return false;
  for (size_t i = 0; i < to.parameters.size(); ++i) {
    if (!Assignable(*to.parameters[i], *from.parameters[i])) return false;
  }
  return true;
}

void AppendFormat(std::string& out, const Type& type) {
  switch (type.kind) {
    case TypeKind::kAny:
      out += "any";
      return;
    case TypeKind::kDuration:
      out += "duration";
      return;
    case TypeKind::kError:
      out += "!error!";
      return;
    case TypeKind::kNull:
      out += "null";
      return;
    case TypeKind::kTimestamp:
      out += "timestamp";
      return;
    default:
      break;
  }
  if (type.parameters.empty()) {
    if (type.nullable) out += "wrapper(";
    out += type.name;
    if (type.nullable) out += ')';
    return;
  }
  out += type.name;
  out += '(';
  for (size_t i = 0; i < type.parameters.size(); ++i) {
    if (i != 0) out += ", ";
    AppendFormat(out, *type.parameters[i]);
  }
  out += ')';
}

std::string Format(const Type& type) {
  std::string out;
  AppendFormat(out, type);
  return out;
}

std::string FormatFull(const Type& type) {
  std::string out;
  if (type.nullable) out += "wrapper(";
  out += type.name;
  if (type.nullable) out += ')';
  if (type.parameters.empty()) return out;
  out += '(';
  for (size_t i = 0; i < type.parameters.size(); ++i) {
    if (i != 0) out += ", ";
    out += FormatFull(*type.parameters[i]);
  }
  return out + ')';
}

}  // namespace cel
