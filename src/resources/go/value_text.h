// Go values as text, each as much of it as there is room for. Made for difference.h. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "resources/go/go_values.h"
#include "resources/go/text_tree.h"

namespace resources::go {

enum class Mode : uint8_t { kDiffering, kSame, kRemoved, kInserted };  // which of the two values is shown
enum class TypeMode : uint8_t { kEmit, kElide, kComposite };           // where a value's type is named

struct Options {
  Mode mode = Mode::kDiffering;
  TypeMode types = TypeMode::kEmit;
  bool avoid_text = false;  // does not ask types for their own text
  bool limited = false;     // by `level`: the lower, the less
  int level = 0;

  unsigned Level() const { return level < 0 ? 0 : level > 16 ? 16 : static_cast<unsigned>(level); }
  Options With(Mode m) const;
  Options With(TypeMode t) const;
  Options WithLevel(int l) const;
};

// Puts the type before `text` where the options ask for it.
text::NodePtr WithType(const Options& options, std::string_view type, text::NodePtr text);
// The value; null for none.
text::NodePtr FormatValue(Options options, const GoValue& v);
std::string FormatKey(std::string_view key_type, std::string_view key);
// The lines of a text, without carriage returns at their ends.
std::vector<std::string_view> LinesOf(std::string_view text);
// Whether a line can be shown without quotes of its own.
bool CanStandAlone(std::string_view line);
// In double quotes, or in backquotes where those need fewer escapes.
std::string QuoteText(std::string_view text);

}  // namespace resources::go
