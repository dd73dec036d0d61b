// What tools/make_tables.py compiles: the constant tables behind schema.h. Only schema.cc and go_field_name.cc use
// this.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "schema/schema.h"

namespace schema::tables {

struct Kind {
  std::string_view group, version, kind;
  uint16_t type;  // index into Types()
};

struct GoName {
  uint16_t field;  // index into Fields()
  std::string_view name;
};

std::span<const Type> Types();            // sorted by name
std::span<const Field> Fields();          // of all types
std::span<const GoName> GoNames();        // sorted by field
std::span<const Kind> Kinds();            // sorted by group, version, kind
std::span<const Kind> KindsEverywhere();  // sorted by kind; group and version are empty

}  // namespace schema::tables
