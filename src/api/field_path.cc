#include "api/field_path.h"

namespace api {

std::string FieldPath::text() const {
  std::string out;
  AppendTo(out);
  return out;
}

void FieldPath::AppendTo(std::string& out) const {
  if (parent_) parent_->AppendTo(out);
  switch (step_) {
    case Step::kRoot:
      return;
    case Step::kChild:
      if (!out.empty()) out += '.';
      out += text_;
      return;
    case Step::kIndex:
      out += '[';
      out += std::to_string(index_);
      out += ']';
      return;
    case Step::kKey:
      out += '[';
      out += text_;
      out += ']';
      return;
  }
}

}  // namespace api
