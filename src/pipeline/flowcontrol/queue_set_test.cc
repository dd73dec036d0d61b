#include "pipeline/flowcontrol/queue_set.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pipeline/flowcontrol/concurrency_allocation.h"
#include "pipeline/flowcontrol/flow_dump.h"

namespace pipeline {
namespace {

using Response = QueueSet::Response;

class FakeClock final : public base::Clock {
 public:
  std::chrono::system_clock::time_point Now() const override { return std::chrono::system_clock::time_point(now_); }
  std::chrono::steady_clock::time_point Monotonic() const override {
    return std::chrono::steady_clock::time_point(now_);
  }
  void Pass(std::chrono::milliseconds time) { now_ += time; }

 private:
  std::chrono::nanoseconds now_ = std::chrono::hours(1);
};

class QueueSetTest : public testing::Test {
 protected:
  // A request of a flow; what is decided of it is noted in `order` as its name, or "-name" where it does not run.
  QueueSet::RequestRef Ask(std::string name, uint64_t flow, int seats = 1) {
    auto request = set_.Start({.flow_schema = "s", .distinguisher = name, .flow_hash = flow, .seats = seats});
    if (request == nullptr) {
      order_.push_back("x" + name);
      return nullptr;
    }
    set_.WhenDecided(*request, [this, name](bool runs) { order_.push_back(runs ? name : "-" + name); });
    return request;
  }
  std::vector<std::string> TakeOrder() { return std::exchange(order_, {}); }

  using Order = std::vector<std::string>;
  FakeClock clock_;
  QueueSet set_{clock_};
  std::vector<std::string> order_;
};

TEST_F(QueueSetTest, ServesFlowsInTurn) {
  set_.Configure({.response = Response::kQueue, .queues = 4, .hand_size = 1, .queue_length = 10, .seats = 1});
  auto running = Ask("first", 3);
  std::vector<QueueSet::RequestRef> flood;
  for (int i = 0; i < 5; ++i) flood.push_back(Ask("flood" + std::to_string(i), 0));
  auto polite = Ask("polite", 1);
  auto other = Ask("other", 2);
  EXPECT_EQ(TakeOrder(), Order{"first"});
  clock_.Pass(std::chrono::milliseconds(3));
  set_.Finish(running);
  Order order = TakeOrder();
  for (int round = 0; round < 6; ++round) {
    clock_.Pass(std::chrono::milliseconds(3));
    const std::string last = order.back();
    if (last == "polite") {
      set_.Finish(polite);
    } else if (last == "other") {
      set_.Finish(other);
    } else {
      set_.Finish(flood[static_cast<size_t>(last.back() - '0')]);
    }
    for (const std::string& next : TakeOrder()) order.push_back(next);
  }
  // The flood does not keep the others waiting: each comes after one of its requests at most.
  EXPECT_EQ(order, (Order{"flood0", "polite", "other", "flood1", "flood2", "flood3", "flood4"}));
}

TEST_F(QueueSetTest, BoundsItsQueues) {
  set_.Configure({.response = Response::kQueue, .queues = 1, .hand_size = 1, .queue_length = 2, .seats = 1});
  auto first = Ask("a", 0);
  Ask("b", 0);
  auto third = Ask("c", 0);
  EXPECT_EQ(Ask("d", 0), nullptr);
  EXPECT_EQ(TakeOrder(), (Order{"a", "xd"}));
  set_.Cancel(third);
  EXPECT_EQ(TakeOrder(), Order{"-c"});
  set_.Finish(first);
  EXPECT_EQ(TakeOrder(), Order{"b"});
  const QueueSet::Dump dump = set_.MakeDump(true);
  EXPECT_EQ(dump.rejected, 2u);
  EXPECT_EQ(dump.cancelled, 1u);
  EXPECT_EQ(dump.dispatched, 2u);
  EXPECT_EQ(dump.running, 1);
  EXPECT_EQ(dump.queues[0].running[0].distinguisher, "b");
}

TEST_F(QueueSetTest, WithoutSeatsNothingRunsThatWaits) {
  set_.Configure({.response = Response::kQueue, .queues = 1, .hand_size = 1, .queue_length = 1, .seats = 0});
  auto request = Ask("a", 0);
  EXPECT_TRUE(TakeOrder().empty());
  set_.Configure({.response = Response::kQueue, .queues = 1, .hand_size = 1, .queue_length = 1, .seats = 1});
  EXPECT_EQ(TakeOrder(), Order{"a"});
  set_.Finish(request);
  EXPECT_TRUE(set_.idle());
}

TEST_F(QueueSetTest, RejectsAtOnceWithoutQueues) {
  set_.Configure({.response = Response::kReject, .seats = 0});
  auto alone = Ask("a", 0);  // one may always run
  EXPECT_EQ(Ask("b", 0), nullptr);
  EXPECT_EQ(TakeOrder(), (Order{"a", "xb"}));
  set_.Finish(alone);
  set_.Configure({.response = Response::kReject, .seats = 3});
  auto wide = Ask("c", 0, 2);
  EXPECT_EQ(Ask("d", 0, 2), nullptr);
  EXPECT_NE(Ask("e", 0, 1), nullptr);
  set_.Configure({.response = Response::kExempt});
  EXPECT_NE(Ask("f", 0, 100), nullptr);
}

TEST_F(QueueSetTest, MeasuresDemand) {
  set_.Configure({.response = Response::kReject, .seats = 10});
  set_.TakeDemand();
  clock_.Pass(std::chrono::seconds(1));
  auto request = Ask("a", 0, 4);
  clock_.Pass(std::chrono::seconds(1));
  set_.Finish(request);
  const QueueSet::Demand demand = set_.TakeDemand();
  EXPECT_DOUBLE_EQ(demand.seconds, 2);
  EXPECT_DOUBLE_EQ(demand.average, 2);
  EXPECT_DOUBLE_EQ(demand.deviation, 2);
  EXPECT_DOUBLE_EQ(demand.most, 4);
  EXPECT_DOUBLE_EQ(set_.TakeDemand().most, 0);
}

TEST(DealHand, DealsDifferentCards) {
  EXPECT_EQ(DealHand(0, 8, 3), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(DealHand(7 + 8 * (6 + 7 * 5), 8, 3), (std::vector<int>{7, 6, 5}));
  for (uint64_t hash = 1; hash != 0; hash *= 2) {
    std::vector<int> hand = DealHand(hash * 0x9E3779B97F4A7C15, 64, 6);
    std::ranges::sort(hand);
    EXPECT_EQ(std::ranges::adjacent_find(hand), hand.end());
    EXPECT_TRUE(hand.front() >= 0 && hand.back() < 64);
  }
}

TEST(AllocateSeats, KeepsProportionsWithinBounds) {
  using Shares = std::vector<double>;
  const auto allocate = [](double sum, std::vector<SeatRange> ranges) { return AllocateSeats(sum, ranges).value(); };
  EXPECT_EQ(allocate(30, {{0, 100, 1}, {0, 100, 2}}), (Shares{10, 20}));
  EXPECT_EQ(allocate(30, {{15, 100, 15}, {0, 100, 45}}), (Shares{15, 15}));
  EXPECT_EQ(allocate(30, {{0, 5, 10}, {0, 100, 10}}), (Shares{5, 25}));
  EXPECT_EQ(allocate(10, {{4, 9, 4}, {6, 9, 6}}), (Shares{4, 6}));
  EXPECT_FALSE(AllocateSeats(5, std::vector<SeatRange>{{6, 9, 6}}).has_value());
  EXPECT_FALSE(AllocateSeats(10, std::vector<SeatRange>{{6, 9, 6}}).has_value());
}

TEST(RetryAfter, GrowsWhileManyAreRefused) {
  RetryAfter retry;
  int64_t wait = 0;
  for (int64_t second = 100; second < 110; ++second) {
    for (int i = 0; i < 10; ++i) wait = retry.Refused(second);
  }
  EXPECT_EQ(wait, 8);
  EXPECT_EQ(retry.Refused(200), 7);
  EXPECT_EQ(RetryAfter().Refused(5), 1);
}

}  // namespace
}  // namespace pipeline
