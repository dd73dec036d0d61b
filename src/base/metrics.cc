#include "base/metrics.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "base/text.h"

namespace base {
namespace {

constexpr char kSeparator = '\xff';  // in no label value: that is UTF-8

void AppendDouble(std::string& out, double value) {
  if (std::isinf(value)) {
    out += value > 0 ? "+Inf" : "-Inf";
    return;
  }
  if (std::isnan(value)) {
    out += "NaN";
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  out.append(buffer, end);
}

void AppendEscaped(std::string& out, std::string_view text, bool quotes) {
  for (char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
}

// {a="x",b="y",le="0.1"}; nothing for no labels.
void AppendLabels(std::string& out, const std::vector<std::string>& names, const std::vector<std::string>& values,
                  std::string_view bound) {
  if (names.empty() && bound.empty()) return;
  char separator = '{';
  for (size_t i = 0; i < names.size(); ++i) {
    out += separator;
    separator = ',';
    Append(out, names[i], "=\"");
    AppendEscaped(out, values[i], true);
    out += '"';
  }
  if (!bound.empty()) Append(out, std::string_view(&separator, 1), "le=\"", bound, "\"");
  out += '}';
}

}  // namespace

namespace metrics_internal {
size_t ThisShard() {
  const int cpu = sched_getcpu();
  return cpu < 0 ? 0 : static_cast<size_t>(cpu) % kShards;
}
}  // namespace metrics_internal

uint64_t Counter::value() const {
  uint64_t sum = 0;
  for (const Shard& shard : shards_) sum += shard.value.load(std::memory_order_relaxed);
  return sum;
}

void Histogram::Observe(double value) {
  const size_t bucket = static_cast<size_t>(std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin());
  Shard& shard = shards_[metrics_internal::ThisShard()];
  shard.buckets[bucket].fetch_add(1, std::memory_order_relaxed);
  shard.sum.fetch_add(value, std::memory_order_relaxed);
}

uint64_t Histogram::count() const {
  uint64_t sum = 0;
  for (size_t i = 0; i <= bounds_.size(); ++i) sum += bucket(i);
  return sum;
}

double Histogram::sum() const {
  double total = 0;
  for (const Shard& shard : shards_) total += shard.sum.load(std::memory_order_relaxed);
  return total;
}

uint64_t Histogram::bucket(size_t index) const {
  uint64_t total = 0;
  for (const Shard& shard : shards_) total += shard.buckets[index].load(std::memory_order_relaxed);
  return total;
}

MetricFamily::MetricFamily(Kind kind, std::string name, std::string help, std::vector<std::string> labels,
                           std::vector<double> bounds)
    : kind_(kind),
      name_(std::move(name)),
      help_(std::move(help)),
      labels_(std::move(labels)),
      bounds_(std::move(bounds)),
      overflow_(MakeSeries()) {}

std::unique_ptr<MetricFamily::Series> MetricFamily::MakeSeries() const {
  auto series = std::make_unique<Series>();
  switch (kind_) {
    case Kind::kCounter:
      series->counter = std::make_unique<Counter>();
      break;
    case Kind::kGauge:
    case Kind::kTotal:
      series->gauge = std::make_unique<Gauge>();
      break;
    case Kind::kHistogram:
      series->histogram = std::make_unique<Histogram>(bounds_);
      break;
  }
  return series;
}

MetricFamily::Series& MetricFamily::Find(std::initializer_list<std::string_view> values) {
  // The key is put together without an allocation: this runs for every request.
  char buffer[512];
  size_t size = 0;
  for (std::string_view value : values) {
    if (size + value.size() + 1 > sizeof(buffer)) return *overflow_;
    size += value.copy(buffer + size, value.size());
    buffer[size++] = kSeparator;
  }
  const std::string_view key(buffer, size);
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = series_.find(key); found != series_.end()) return *found->second;
  }
  return Insert(key, values);
}

MetricFamily::Series& MetricFamily::Insert(std::string_view key, std::initializer_list<std::string_view> values) {
  const std::unique_lock lock(mutex_);
  if (series_.size() >= kMaxSeries || values.size() != labels_.size()) return *overflow_;
  std::unique_ptr<Series>& series = series_[std::string(key)];
  if (!series) {
    series = MakeSeries();
    series->values.assign(values.begin(), values.end());
  }
  return *series;
}

void MetricFamily::Expose(std::string& out) const {
  const std::shared_lock lock(mutex_);
  if (series_.empty()) return;
  Append(out, "# HELP ", name_, " ");
  AppendEscaped(out, help_, false);
  const std::string_view kind = kind_ == Kind::kGauge ? "gauge" : kind_ == Kind::kHistogram ? "histogram" : "counter";
  Append(out, "\n# TYPE ", name_, " ", kind, "\n");
  std::vector<const Series*> sorted;
  sorted.reserve(series_.size());
  for (const auto& [key, series] : series_) sorted.push_back(series.get());
  std::sort(sorted.begin(), sorted.end(), [](const Series* a, const Series* b) { return a->values < b->values; });
  for (const Series* series : sorted) ExposeSeries(*series, out);
}

void MetricFamily::ExposeSeries(const Series& series, std::string& out) const {
  const auto line = [&](std::string_view suffix, std::string_view bound, auto value) {
    Append(out, name_, suffix);
    AppendLabels(out, labels_, series.values, bound);
    out += ' ';
    if constexpr (std::is_same_v<decltype(value), double>) {
      AppendDouble(out, value);
    } else {
      Append(out, value);
    }
    out += '\n';
  };
  if (series.counter) return line("", "", series.counter->value());
  if (series.gauge) return line("", "", series.gauge->value());
  uint64_t below = 0;
  std::string bound;
  for (size_t i = 0; i < bounds_.size(); ++i) {
    below += series.histogram->bucket(i);
    bound.clear();
    AppendDouble(bound, bounds_[i]);
    line("_bucket", bound, below);
  }
  below += series.histogram->bucket(bounds_.size());
  line("_bucket", "+Inf", below);
  line("_sum", "", series.histogram->sum());
  line("_count", "", below);
}

template <class F>
F& Metrics::Family(MetricFamily::Kind kind, std::string_view name, std::string_view help,
                   std::vector<std::string> labels, std::vector<double> bounds) {
  const std::unique_lock lock(mutex_);
  for (const auto& family : families_) {
    if (family->name() == name) return static_cast<F&>(*family);
  }
  auto family = std::make_unique<F>(kind, std::string(name), std::string(help), std::move(labels), std::move(bounds));
  F& made = *family;
  families_.push_back(std::move(family));
  return made;
}

CounterFamily& Metrics::Counters(std::string_view name, std::string_view help, std::vector<std::string> labels) {
  return Family<CounterFamily>(MetricFamily::Kind::kCounter, name, help, std::move(labels), {});
}
GaugeFamily& Metrics::Gauges(std::string_view name, std::string_view help, std::vector<std::string> labels) {
  return Family<GaugeFamily>(MetricFamily::Kind::kGauge, name, help, std::move(labels), {});
}
GaugeFamily& Metrics::Totals(std::string_view name, std::string_view help, std::vector<std::string> labels) {
  return Family<GaugeFamily>(MetricFamily::Kind::kTotal, name, help, std::move(labels), {});
}
HistogramFamily& Metrics::Histograms(std::string_view name, std::string_view help, std::vector<std::string> labels,
                                     std::vector<double> bounds) {
  if (bounds.size() > Histogram::kMaxBuckets) bounds.resize(Histogram::kMaxBuckets);
  return Family<HistogramFamily>(MetricFamily::Kind::kHistogram, name, help, std::move(labels), std::move(bounds));
}

void Metrics::OnCollect(std::function<void()> collect) {
  const std::unique_lock lock(mutex_);
  collectors_.push_back(std::move(collect));
}

std::string Metrics::Expose() const {
  std::vector<std::function<void()>> collectors;
  std::vector<const MetricFamily*> families;
  {
    const std::shared_lock lock(mutex_);
    collectors = collectors_;
    for (const auto& family : families_) families.push_back(family.get());
  }
  for (const auto& collect : collectors) collect();
  std::sort(families.begin(), families.end(),
            [](const MetricFamily* a, const MetricFamily* b) { return a->name() < b->name(); });
  std::string out;
  for (const MetricFamily* family : families) family->Expose(out);
  return out;
}

}  // namespace base
