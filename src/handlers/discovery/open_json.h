// OpenJson: JSON written piece by piece, commas and escapes taken care of. What OpenAPI documents are written with;
// appends to a string that outlives it. The caller keeps to the grammar (a key before each member's value).
#pragma once

#include <string>
#include <string_view>

#include "value/json_writer.h"

namespace handlers {

class OpenJson {
 public:
  explicit OpenJson(std::string& out) : out_(out) {}

  OpenJson& Begin(char bracket) {
    Separate();
    out_ += bracket;
    fresh_ = true;
    return *this;
  }
  OpenJson& End(char bracket) {
    out_ += bracket;
    fresh_ = false;
    return *this;
  }
  OpenJson& Key(std::string_view key) {
    Separate();
    value::AppendJsonString(out_, key);
    out_ += ':';
    fresh_ = true;
    return *this;
  }
  OpenJson& Text(std::string_view text) {
    Separate();
    value::AppendJsonString(out_, text);
    return *this;
  }
  // JSON as it is: numbers, true, prepared values.
  OpenJson& Raw(std::string_view json) {
    Separate();
    out_ += json;
    return *this;
  }
  // A member that is a text, left out if it is empty.
  OpenJson& Member(std::string_view key, std::string_view text) { return text.empty() ? *this : Key(key).Text(text); }

 private:
  void Separate() {
    if (!fresh_) out_ += ',';
    fresh_ = false;
  }

  std::string& out_;
  bool fresh_ = true;  // nothing stands before what comes next: no comma
};

}  // namespace handlers
