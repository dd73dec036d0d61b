// Metrics: counters, gauges and histograms, written in Prometheus' text form. A registry belongs to one server; every
// floor may count in it. Counting is a relaxed atomic addition on a cache line of the running CPU: no lock, no
// allocation.
//
// Threads: any. References that a family gives stay good as long as the registry. Families are made at start.
// Bounds: a family holds at most kMaxSeries label sets; what comes beyond is counted together and not shown.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"

namespace base {

namespace metrics_internal {
inline constexpr size_t kShards = 4;
size_t ThisShard();  // of the CPU that runs the caller
}  // namespace metrics_internal

class Counter {
 public:
  void Add(uint64_t count = 1) {
    shards_[metrics_internal::ThisShard()].value.fetch_add(count, std::memory_order_relaxed);
  }
  uint64_t value() const;

 private:
  struct alignas(64) Shard {
    std::atomic<uint64_t> value{0};
  };
  std::array<Shard, metrics_internal::kShards> shards_;
};

class Gauge {
 public:
  void Set(double value) { value_.store(value, std::memory_order_relaxed); }
  void Add(double change) { value_.fetch_add(change, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class Histogram {
 public:
  static constexpr size_t kMaxBuckets = 30;

  // `bounds`: upper bounds, ascending, at most kMaxBuckets of them; they outlive the histogram.
  explicit Histogram(std::span<const double> bounds) : bounds_(bounds) {}
  void Observe(double value);
  uint64_t count() const;
  double sum() const;
  uint64_t bucket(size_t index) const;  // observations in this bucket alone; bounds().size() is the last, unbounded one
  std::span<const double> bounds() const { return bounds_; }

 private:
  struct alignas(64) Shard {
    std::atomic<double> sum{0};
    std::array<std::atomic<uint64_t>, kMaxBuckets + 1> buckets{};
  };
  std::span<const double> bounds_;
  std::array<Shard, metrics_internal::kShards> shards_;
};

// Everything that has one metric name: one series for each set of label values.
class MetricFamily {
 public:
  static constexpr size_t kMaxSeries = 5000;
  enum class Kind { kCounter, kGauge, kTotal, kHistogram };  // kTotal: a gauge that is shown as a counter

  // Made by Metrics.
  MetricFamily(Kind kind, std::string name, std::string help, std::vector<std::string> labels,
               std::vector<double> bounds);
  virtual ~MetricFamily() = default;
  // Appends the family's lines: HELP, TYPE, then the series by label values.
  void Expose(std::string& out) const;
  std::string_view name() const { return name_; }

 protected:
  struct Series {
    std::vector<std::string> values;
    // One of them, by the family's kind.
    std::unique_ptr<Counter> counter;
    std::unique_ptr<Gauge> gauge;
    std::unique_ptr<Histogram> histogram;
  };
  Series& Find(std::initializer_list<std::string_view> values);
  Series& Insert(std::string_view key, std::initializer_list<std::string_view> values);
  std::unique_ptr<Series> MakeSeries() const;
  void ExposeSeries(const Series& series, std::string& out) const;

  const Kind kind_;
  const std::string name_, help_;
  const std::vector<std::string> labels_;
  const std::vector<double> bounds_;
  const std::unique_ptr<Series> overflow_;
  mutable std::shared_mutex mutex_;
  StringMap<std::unique_ptr<Series>> series_;  // by the values with a separator; guarded by mutex_
};

// `With` takes one value for each label, in the order of the labels.
class CounterFamily : public MetricFamily {
 public:
  using MetricFamily::MetricFamily;
  Counter& With(std::initializer_list<std::string_view> values) { return *Find(values).counter; }
};
class GaugeFamily : public MetricFamily {
 public:
  using MetricFamily::MetricFamily;
  Gauge& With(std::initializer_list<std::string_view> values) { return *Find(values).gauge; }
};
class HistogramFamily : public MetricFamily {
 public:
  using MetricFamily::MetricFamily;
  Histogram& With(std::initializer_list<std::string_view> values) { return *Find(values).histogram; }
};

class Metrics {
 public:
  // A family by its name: the one that is there, or a new one. `labels` may be empty: With({}) is its only series.
  CounterFamily& Counters(std::string_view name, std::string_view help, std::vector<std::string> labels = {});
  GaugeFamily& Gauges(std::string_view name, std::string_view help, std::vector<std::string> labels = {});
  // Counters whose value comes from elsewhere and is set: seconds of CPU, bytes of the kernel's counting.
  GaugeFamily& Totals(std::string_view name, std::string_view help, std::vector<std::string> labels = {});
  HistogramFamily& Histograms(std::string_view name, std::string_view help, std::vector<std::string> labels,
                              std::vector<double> bounds);

  // `collect` runs before each exposition, to set gauges that nobody keeps up to date.
  void OnCollect(std::function<void()> collect);

  // All families by name, as Prometheus' text format 0.0.4.
  std::string Expose() const;

 private:
  template <class F>
  F& Family(MetricFamily::Kind kind, std::string_view name, std::string_view help, std::vector<std::string> labels,
            std::vector<double> bounds);

  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<MetricFamily>> families_;  // guarded by mutex_
  std::vector<std::function<void()>> collectors_;        // guarded by mutex_
};

}  // namespace base
