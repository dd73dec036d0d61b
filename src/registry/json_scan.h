// Reading single values out of stored JSON without making a tree: for selectors, which look at a field or two of very
// many objects. The text must be JSON as this server wrote it (cells are); on anything else the functions find nothing,
// and never read outside. Views point into the text. Pure functions, any thread, no allocation.
#pragma once

#include <cstddef>
#include <string_view>

namespace registry {

// The text of the value at a dotted path ("spec.nodeName") of the object that `json` begins with; "" if it is absent.
std::string_view FindJson(std::string_view json, std::string_view dotted_path);
// The same and all that follows it: cheaper, for the value itself is not walked through.
std::string_view SeekJson(std::string_view json, std::string_view dotted_path);

// Goes through the members of the object that `json` begins with (at its '{').
class MemberScan {
 public:
  explicit MemberScan(std::string_view json);
  // False at the end. Keys are as written, without quotes; values are raw JSON.
  bool Next(std::string_view& key, std::string_view& value);
  // In its place, where the value may not be wanted: TakeValue() gives it before the next call.
  bool NextKey(std::string_view& key);
  std::string_view TakeValue();
  // What begins with the value of the last NextKey().
  std::string_view AtValue() const { return rest_; }

 private:
  std::string_view rest_;
};

// The inside of a raw JSON string that has no escapes; other values as they are (`true`, `3`); null is "".
std::string_view PlainText(std::string_view raw);
inline bool HasEscapes(std::string_view raw) { return raw.find('\\') != std::string_view::npos; }

}  // namespace registry
