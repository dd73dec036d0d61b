#include "resources/go/edit_script.h"

#include <algorithm>

namespace resources::text {
namespace {

// A way through the table of both lists, from its beginning (`step` 1) or backwards from its end (-1).
struct Path {
  int step;
  int x, y;
  std::vector<Edit> edits;

  void Append(Edit edit) {
    edits.push_back(edit);
    if (edit != Edit::kInserted) x += step;
    if (edit != Edit::kRemoved) y += step;
  }

  // Goes on to (to_x, to_y), which lies ahead.
  void Connect(int to_x, int to_y, Compare compare) {
    const int back = step > 0 ? 0 : 1;
    const auto left_x = [&] { return (to_x - x) * step; };
    const auto left_y = [&] { return (to_y - y) * step; };
    while (left_x() > 0 && left_y() > 0) {
      const Likeness likeness = compare(x - back, y - back);
      if (likeness.equal()) {
        Append(Edit::kSame);
      } else if (likeness.similar()) {
        Append(Edit::kModified);
      } else if (step > 0 ? left_x() >= left_y() : left_y() < left_x()) {
        Append(Edit::kRemoved);
      } else {
        Append(Edit::kInserted);
      }
    }
    while (left_x() > 0) Append(Edit::kRemoved);
    while (left_y() > 0) Append(Edit::kInserted);
  }
};

// 0, -1, 1, -2, 2, ...
int Zigzag(int i) { return (i & 1) != 0 ? -(i >> 1) - 1 : i >> 1; }

class Search {
 public:
  Search(int size_x, int size_y, Compare compare)
      : forward_{1, 0, 0, {}},
        backward_{-1, size_x, size_y, {}},
        back_x_(size_x),
        back_y_(size_y),
        budget_(4 * (size_x + size_y)),
        compare_(compare) {}

  // From both ends in turn, until the two meet or the budget is spent.
  std::vector<Edit> Run() {
    while (!Done()) {
      Forward();
      if (Done()) break;
      Backward();
    }
    forward_.Connect(backward_.x, backward_.y, compare_);
    forward_.edits.insert(forward_.edits.end(), backward_.edits.rbegin(), backward_.edits.rend());
    return std::move(forward_.edits);
  }

 private:
  bool Done() const { return front_x_ >= back_x_ || front_y_ >= back_y_ || budget_ == 0; }

  // Looks along the diagonal before the frontier for equal items.
  void Forward() {
    bool right = false, left = false;  // ends of the diagonal that are reached
    for (int i = 0; !(right && left) && budget_ > 0; ++i) {
      const int x = front_x_ + Zigzag(i), y = front_y_ - Zigzag(i);
      if (x >= backward_.x || y < forward_.y) {
        right = true;
      } else if (y >= backward_.y || x < forward_.x) {
        left = true;
      } else if (compare_(x, y).equal()) {
        forward_.Connect(x, y, compare_);
        forward_.Append(Edit::kSame);
        while (forward_.x < backward_.x && forward_.y < backward_.y && compare_(forward_.x, forward_.y).equal()) {
          forward_.Append(Edit::kSame);
        }
        front_x_ = forward_.x;
        front_y_ = forward_.y;
        break;
      } else {
        --budget_;
      }
    }
    ++(backward_.x - front_x_ >= backward_.y - front_y_ ? front_x_ : front_y_);
  }

  void Backward() {
    bool left = false, right = false;
    for (int i = 0; !(left && right) && budget_ > 0; ++i) {
      const int x = back_x_ - Zigzag(i), y = back_y_ + Zigzag(i);
      if (forward_.x >= x || backward_.y < y) {
        left = true;
      } else if (forward_.y >= y || backward_.x < x) {
        right = true;
      } else if (compare_(x - 1, y - 1).equal()) {
        backward_.Connect(x, y, compare_);
        backward_.Append(Edit::kSame);
        while (forward_.x < backward_.x && forward_.y < backward_.y &&
               compare_(backward_.x - 1, backward_.y - 1).equal()) {
          backward_.Append(Edit::kSame);
        }
        back_x_ = backward_.x;
        back_y_ = backward_.y;
        break;
      } else {
        --budget_;
      }
    }
    --(back_x_ - forward_.x >= back_y_ - forward_.y ? back_x_ : back_y_);
  }

  Path forward_, backward_;
  int front_x_ = 0, front_y_ = 0, back_x_, back_y_;
  int budget_;
  Compare compare_;
};

}  // namespace

std::vector<Edit> EditScript(int size_x, int size_y, Compare compare) { return Search(size_x, size_y, compare).Run(); }

}  // namespace resources::text
