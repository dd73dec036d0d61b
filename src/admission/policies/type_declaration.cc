#include "admission/policies/type_declaration.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "schema/structural.h"

namespace admission {
namespace {

using base::Cat;
using cel::Declaration;
using cel::Reading;

constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
constexpr int kMaxDepth = 100;

class Maker {
 public:
  explicit Maker(cel::Declarations& declarations) : declarations_(declarations) {}

  const Declaration* OfType(const schema::Type& type, const std::string& name) {
    if (type.structural != nullptr) return OfRoot(*type.structural, name, 0);
    switch (type.special) {
      case schema::Special::kNone:
        break;
      case schema::Special::kRawExtension:
      case schema::Special::kFieldsV1:
        return Object(name, {});
      case schema::Special::kTime:
      case schema::Special::kMicroTime:
        return New(&cel::kTimestampType, Reading::kTimestamp);
      case schema::Special::kDuration:
        return New(&cel::kStringType, Reading::kString);
      case schema::Special::kIntOrString:
        return New(&cel::kDynType, Reading::kIntOrString);
      case schema::Special::kStringList:
        return ListOf(New(&cel::kStringType, Reading::kString));
      default:
        return nullptr;
    }
    if (std::ranges::find(open_, &type) != open_.end()) return Object(name, {});
    open_.push_back(&type);
    std::vector<cel::DeclaredField> fields;
    for (const schema::Field* field : type.members) {
      std::string escaped;
      const bool usable = cel::EscapeName(field->name, escaped);
      const Declaration* made = OfField(*field, Cat(name, ".", usable ? escaped : std::string(field->name)));
      if (usable && made != nullptr) fields.push_back({escaped, std::string(field->name), made, false});
    }
    open_.pop_back();
    return Object(name, std::move(fields));
  }

 private:
  const Declaration* OfField(const schema::Field& field, const std::string& name) {
    const Declaration* item = OfItem(field, field.shape == schema::Shape::kSingle ? name
                                            : field.shape == schema::Shape::kList ? name + ".@idx"
                                                                                  : name + ".@elem");
    if (item == nullptr || field.shape == schema::Shape::kSingle) return item;
    return field.shape == schema::Shape::kList ? ListOf(item) : MapOf(item);
  }

  const Declaration* OfItem(const schema::Field& field, const std::string& name) {
    switch (field.kind) {
      case schema::FieldKind::kString:
        return Text(field.format);
      case schema::FieldKind::kInt32:
      case schema::FieldKind::kInt64:
        return New(&cel::kIntType, Reading::kInt);
      case schema::FieldKind::kBool:
        return New(&cel::kBoolType, Reading::kBool);
      case schema::FieldKind::kDouble:
        return New(&cel::kDoubleType, Reading::kDouble);
      case schema::FieldKind::kBytes:
        return New(&cel::kBytesType, Reading::kBytes);
      case schema::FieldKind::kTime:
      case schema::FieldKind::kMicroTime:
        return New(&cel::kTimestampType, Reading::kTimestamp);
      case schema::FieldKind::kDuration:
        return New(&cel::kStringType, Reading::kString);
      case schema::FieldKind::kIntOrString:
        return New(&cel::kDynType, Reading::kIntOrString);
      case schema::FieldKind::kRawExtension:
      case schema::FieldKind::kFieldsV1:
        return Object(name, {});
      case schema::FieldKind::kStringList:
        return ListOf(New(&cel::kStringType, Reading::kString));
      case schema::FieldKind::kRef:
        return field.ref == nullptr ? nullptr : OfType(*field.ref, name);
      case schema::FieldKind::kQuantity:
      case schema::FieldKind::kJson:
      case schema::FieldKind::kAny:
        return nullptr;
    }
    return nullptr;
  }

  // A resource, or one embedded in another: it has the metadata of all.
  const Declaration* OfRoot(const schema::Structural& node, const std::string& name, int depth) {
    std::vector<cel::DeclaredField> fields = FieldsOf(node, name, depth);
    std::erase_if(fields, [](const cel::DeclaredField& field) { return schema::IsMetaField(field.key); });
    for (const std::string_view key : {"apiVersion", "kind"}) {
      fields.push_back({std::string(key), std::string(key), New(&cel::kStringType, Reading::kString), false});
    }
    if (const schema::Type* metadata = schema::FindType(kObjectMeta)) {
      fields.push_back({"metadata", "metadata", OfType(*metadata, name + ".metadata"), false});
    }
    return Object(name, std::move(fields));
  }

  const Declaration* OfStructural(const schema::Structural& node, const std::string& name, int depth) {
    if (depth > kMaxDepth) return nullptr;
    if (node.int_or_string) return New(&cel::kDynType, Reading::kIntOrString);
    switch (node.type) {
      case schema::JsonType::kAny:
        return nullptr;
      case schema::JsonType::kString:
        return Text(node.rules == nullptr ? std::string_view() : node.rules->format);
      case schema::JsonType::kInteger:
        return New(&cel::kIntType, Reading::kInt);
      case schema::JsonType::kNumber:
        return New(&cel::kDoubleType, Reading::kDouble);
      case schema::JsonType::kBoolean:
        return New(&cel::kBoolType, Reading::kBool);
      case schema::JsonType::kArray: {
        const Declaration* item =
            node.items == nullptr ? nullptr : OfStructural(*node.items, name + ".@idx", depth + 1);
        return item == nullptr ? nullptr : ListOf(item);
      }
      case schema::JsonType::kObject:
        break;
    }
    if (node.embedded) return OfRoot(node, name, depth);
    if (node.additional_kind == schema::Additional::kSchema) {
      const Declaration* item = OfStructural(*node.additional, name + ".@elem", depth + 1);
      return item == nullptr ? nullptr : MapOf(item);
    }
    return Object(name, FieldsOf(node, name, depth));
  }

  std::vector<cel::DeclaredField> FieldsOf(const schema::Structural& node, const std::string& name, int depth) {
    std::vector<cel::DeclaredField> fields;
    for (const schema::Property& property : node.properties) {
      std::string escaped;
      if (!cel::EscapeName(property.name, escaped)) continue;
      const Declaration* made = OfStructural(*property.schema, Cat(name, ".", escaped), depth + 1);
      if (made != nullptr) fields.push_back({escaped, std::string(property.name), made, false});
    }
    return fields;
  }

  const Declaration* Text(std::string_view format) {
    if (format == "byte") return New(&cel::kBytesType, Reading::kBytes);
    if (format == "duration") return New(&cel::kDurationType, Reading::kDuration);
    if (format == "date") return New(&cel::kTimestampType, Reading::kDate);
    if (format == "date-time") return New(&cel::kTimestampType, Reading::kTimestamp);
    return New(&cel::kStringType, Reading::kString);
  }

  Declaration* New(const cel::Type* type, Reading reading) {
    Declaration* made = declarations_.New();
    made->type = type;
    made->reading = reading;
    return made;
  }

  const Declaration* ListOf(const Declaration* item) {
    Declaration* made = New(declarations_.types().List(item->type), Reading::kList);
    made->element = item;
    return made;
  }

  const Declaration* MapOf(const Declaration* item) {
    Declaration* made = New(declarations_.types().Map(&cel::kStringType, item->type), Reading::kMap);
    made->element = item;
    made->key = New(&cel::kStringType, Reading::kString);
    return made;
  }

  const Declaration* Object(const std::string& name, std::vector<cel::DeclaredField> fields) {
    Declaration* made = New(nullptr, Reading::kObject);
    made->name = name;
    made->fields = std::move(fields);
    std::ranges::sort(made->fields, {}, &cel::DeclaredField::name);
    made->type = declarations_.types().Struct(name, made);
    return made;
  }

  cel::Declarations& declarations_;
  std::vector<const schema::Type*> open_;  // those that are being declared
};

}  // namespace

const Declaration* DeclareType(cel::Declarations& declarations, const schema::Type& type, std::string_view name) {
  return Maker(declarations).OfType(type, std::string(name));
}

}  // namespace admission
