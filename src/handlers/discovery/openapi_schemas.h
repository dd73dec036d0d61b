// OpenApiSchemas: types of the schema tables as OpenAPI schemas, in the words of version 2 or 3 of OpenAPI. Used while
// a document is made, on one thread; the tables and texts outlive it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "handlers/discovery/open_json.h"
#include "schema/schema.h"
#include "schema/texts.h"

namespace handlers {

enum class OpenApiVersion { kV2, kV3 };

// The schema of a kind that is in no table: a custom one's, or that of its lists, by its OpenAPI name, as JSON; "" where
// there is none of that name.
using OpenApiCustomSchemas = std::function<std::string(std::string_view type_name, OpenApiVersion version)>;

class OpenApiSchemas {
 public:
  // `enums`: schemas say which values there are. `custom` may be empty. `of_definitions`: only custom kinds are in the
  // document.
  OpenApiSchemas(OpenApiVersion version, const schema::Texts& texts, bool enums, const OpenApiCustomSchemas& custom,
                 bool of_definitions = false)
      : version_(version), texts_(texts), enums_(enums), custom_(custom), of_definitions_(of_definitions) {}

  // {"$ref": ...} to the type of that OpenAPI name, which is noted.
  void Reference(std::string_view type_name, OpenJson& json);
  // The schemas of all types noted so far and of those that they refer to: an object by name.
  void WriteAll(OpenJson& json);
  bool any() const { return !noted_.empty(); }

 private:
  void Note(std::string_view type_name);
  void Definition(std::string_view name, const schema::Type* type, OpenJson& json);
  void SpecialForm(schema::Special special, OpenJson& json) const;
  void Object(const schema::Type& type, OpenJson& json);
  void Kinds(const schema::Type& type, OpenJson& json) const;
  void Unions(const schema::Type& type, OpenJson& json) const;
  std::string_view Description(const schema::Type& type, std::string_view member) const;
  void Property(const schema::Type& type, const schema::Field& field, OpenJson& json);
  void ItemSchema(const schema::Field& field, OpenJson& json);
  void ScalarMembers(const schema::Field& field, OpenJson& json) const;
  void ListOfStrings(OpenJson& json) const;
  void ReferenceMembers(std::string_view type_name, std::string_view description, std::string_view default_json,
                        OpenJson& json);
  void Enumeration(const schema::Field& field, OpenJson& json) const;
  void Markers(const schema::Field& field, OpenJson& json) const;
  bool is_v3() const { return version_ == OpenApiVersion::kV3; }

  const OpenApiVersion version_;
  const schema::Texts& texts_;
  const bool enums_;
  const OpenApiCustomSchemas& custom_;
  const bool of_definitions_;
  std::map<std::string, bool, std::less<>> noted_;  // OpenAPI name, and whether its references are noted too
};

}  // namespace handlers
