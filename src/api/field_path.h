// FieldPath: where in an object a check stands, as error texts say it ("spec.containers[0].ports[1].name", "data[key]").
// A chain of frames on the stack: walking down allocates nothing, the text is made only when an error needs it. A child must not
// outlive its parent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace api {

class FieldPath {
 public:
  // The object itself: its text is empty, its children have no dot before them.
  constexpr FieldPath() = default;
  explicit constexpr FieldPath(std::string_view name) : text_(name), step_(Step::kChild) {}

  constexpr FieldPath Child(std::string_view name) const { return FieldPath(this, name, 0, Step::kChild); }
  constexpr FieldPath Index(int64_t index) const { return FieldPath(this, {}, index, Step::kIndex); }
  constexpr FieldPath Key(std::string_view key) const { return FieldPath(this, key, 0, Step::kKey); }

  std::string text() const;
  std::string_view last() const { return text_; }  // the name or key of this step

 private:
  enum class Step : uint8_t { kRoot, kChild, kIndex, kKey };
  constexpr FieldPath(const FieldPath* parent, std::string_view text, int64_t index, Step step)
      : parent_(parent), text_(text), index_(index), step_(step) {}
  void AppendTo(std::string& out) const;

  const FieldPath* parent_ = nullptr;
  std::string_view text_;
  int64_t index_ = 0;
  Step step_ = Step::kRoot;
};

}  // namespace api
