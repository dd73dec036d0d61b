#include "store/window.h"

#include <gtest/gtest.h>

namespace store {
namespace {

using engine::Revision;
using std::chrono::seconds;

TEST(Window, ForgetsWhatIsOlderThanItsAge) {
  Window window(seconds(300), 1 << 30);
  const Window::Time start{seconds(1000)};
  EXPECT_EQ(window.Next(0, 0), Window::Time::max()) << "nothing to do for an empty store";
  int64_t revision = 1;
  for (int second = 0; second < 600; ++second) {
    window.Advance(start + seconds(second), Revision(++revision), 0);
    const Revision due = window.Due(start + seconds(second), 0, 0);
    if (due != Revision()) EXPECT_LE(due.value(), revision - 300) << "too young";
    if (second >= 310) EXPECT_LT(window.Next(0, 0) - (start + seconds(second)), seconds(6));
  }
  // Time goes on without writes: all of it goes, with the last one, which had no mark of its own.
  Revision last;
  for (int second = 600; second < 920; ++second) {
    if (Revision due = window.Due(start + seconds(second), 0, 0); due != Revision()) last = due;
  }
  EXPECT_EQ(last, Revision(revision));
  EXPECT_EQ(window.Next(0, 0), Window::Time::max());
}

TEST(Window, ForgetsWhatIsMoreThanItsBytes) {
  Window window(seconds(300), 1000);
  const Window::Time now{seconds(1000)};
  uint64_t added = 0, dropped = 0;
  int64_t revision = 1;
  for (int i = 0; i < 1000; ++i) {
    added += 10;
    window.Advance(now, Revision(++revision), added);
    if (Revision due = window.Due(now, added, dropped); due != Revision()) {
      dropped = static_cast<uint64_t>(due.value() - 1) * 10;
      EXPECT_LE(added - dropped, 1000u);
      EXPECT_GE(added - dropped, 900u) << "no more than a step too much";
    }
  }
  EXPECT_GT(dropped, 8000u);
}

TEST(Window, AsksAtOnceWhereItHoldsTooMuch) {
  Window window(seconds(300), 1000);
  const Window::Time now{seconds(1000)};
  EXPECT_EQ(window.Due(now, 0, 0), Revision());
  window.Advance(now, Revision(2), 900);
  EXPECT_GT(window.Next(900, 0), now);
  window.Advance(now, Revision(3), 1100);
  EXPECT_LE(window.Next(1100, 0), now);
  EXPECT_EQ(window.Due(now, 1100, 0), Revision(2));
  EXPECT_GT(window.Next(1100, 900), now);
}

TEST(Window, MarksWhatCameAfterTheLastMarkThatWent) {
  Window window(seconds(300), 1000);
  const Window::Time now{seconds(1000)};
  window.Advance(now, Revision(2), 1001);
  window.Advance(now, Revision(3), 1002);  // too close for a mark of its own
  EXPECT_EQ(window.Due(now, 1002, 0), Revision(2));
  EXPECT_EQ(window.Due(now, 1002, 1001), Revision()) << "it stays until it is old";
  EXPECT_EQ(window.Due(now + seconds(301), 1002, 1001), Revision(3));
}

}  // namespace
}  // namespace store
