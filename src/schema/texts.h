// Texts: what the types and fields are for, in words: descriptions in OpenAPI documents and of table columns. Made from
// data/api/docs.json at build time, packed in the binary until somebody asks. Loading takes about two milliseconds and
// half a megabyte; a loaded Texts is constant and may be read from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "value/value.h"

namespace schema {

class Texts {
 public:
  static std::unique_ptr<const Texts> Load();

  // The text about `field` (a JSON name) of the type of that OpenAPI name, or about the type itself; "" if there is
  // none. Types of beta and alpha versions without own texts have those of their group's most stable version.
  std::string_view Of(std::string_view type, std::string_view field = {}) const;

 private:
  Texts() = default;
  const value::Value* Find(std::string_view type) const;

  std::string plain_;  // what the views point into
  value::Arena arena_;
  absl::flat_hash_map<std::string_view, value::Value> types_;
};

}  // namespace schema
