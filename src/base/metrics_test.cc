#include "base/metrics.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/process_metrics.h"

namespace base {
namespace {

TEST(Metrics, AreWrittenInPrometheusForm) {
  Metrics metrics;
  auto& requests = metrics.Counters("requests_total", "Requests by \\ and\nline.", {"verb", "code"});
  requests.With({"LIST", "200"}).Add(2);
  requests.With({"GET", "200"}).Add();
  requests.With({"GET", "\"x\"\n"}).Add();
  metrics.Gauges("alive", "Alive.").With({}).Set(1.5);
  auto& latency = metrics.Histograms("latency_seconds", "Latency.", {"verb"}, {0.1, 1});
  for (double seconds : {0.05, 0.1, 0.5, 7.0}) latency.With({"GET"}).Observe(seconds);
  metrics.Counters("unused_total", "Nothing counted.", {"x"});
  EXPECT_EQ(metrics.Expose(),
            "# HELP alive Alive.\n"
            "# TYPE alive gauge\n"
            "alive 1.5\n"
            "# HELP latency_seconds Latency.\n"
            "# TYPE latency_seconds histogram\n"
            "latency_seconds_bucket{verb=\"GET\",le=\"0.1\"} 2\n"
            "latency_seconds_bucket{verb=\"GET\",le=\"1\"} 3\n"
            "latency_seconds_bucket{verb=\"GET\",le=\"+Inf\"} 4\n"
            "latency_seconds_sum{verb=\"GET\"} 7.65\n"
            "latency_seconds_count{verb=\"GET\"} 4\n"
            "# HELP requests_total Requests by \\\\ and\\nline.\n"
            "# TYPE requests_total counter\n"
            "requests_total{verb=\"GET\",code=\"\\\"x\\\"\\n\"} 1\n"
            "requests_total{verb=\"GET\",code=\"200\"} 1\n"
            "requests_total{verb=\"LIST\",code=\"200\"} 2\n");
}

TEST(Metrics, AFamilyIsFoundAgainByItsName) {
  Metrics metrics;
  metrics.Counters("a_total", "A.").With({}).Add();
  metrics.Counters("a_total", "A.").With({}).Add();
  EXPECT_EQ(metrics.Counters("a_total", "A.").With({}).value(), 2u);
}

TEST(Metrics, CollectorsRunBeforeAnExposition) {
  Metrics metrics;
  Gauge& gauge = metrics.Gauges("g", "G.").With({});
  metrics.OnCollect([&gauge] { gauge.Add(1); });
  EXPECT_NE(metrics.Expose().find("\ng 1\n"), std::string::npos);
  EXPECT_NE(metrics.Expose().find("\ng 2\n"), std::string::npos);
}

TEST(Metrics, NothingIsLostWhenThreadsCount) {
  Metrics metrics;
  auto& family = metrics.Counters("c_total", "C.", {"label"});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&family] {
      for (int i = 0; i < 1000; ++i) family.With({i % 2 == 0 ? "even" : "odd"}).Add();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(family.With({"even"}).value(), 2000u);
  EXPECT_EQ(family.With({"odd"}).value(), 2000u);
}

TEST(Metrics, SeriesAreBounded) {
  Metrics metrics;
  auto& family = metrics.Gauges("many", "Many.", {"n"});
  for (size_t i = 0; i <= MetricFamily::kMaxSeries; ++i) family.With({std::to_string(i)}).Set(1);
  EXPECT_EQ(&family.With({"one more"}), &family.With({"and another"}));
  EXPECT_EQ(&family.With({std::string(600, 'x')}), &family.With({"and another"}));
  EXPECT_NE(&family.With({"0"}), &family.With({"1"}));
}

TEST(ProcessMetrics, TellOfThisProcess) {
  Metrics metrics;
  AddProcessMetrics(metrics);
  const std::string text = metrics.Expose();
  const auto value = [&text](const std::string& name) {
    const size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  };
  EXPECT_GT(value("process_resident_memory_bytes"), 1e6);
  EXPECT_GT(value("process_virtual_memory_bytes"), value("process_resident_memory_bytes"));
  EXPECT_GE(value("process_open_fds"), 3);
  EXPECT_GE(value("process_max_fds"), value("process_open_fds"));
  EXPECT_GT(value("process_start_time_seconds"), 1.6e9);
  EXPECT_GE(value("process_cpu_seconds_total"), 0);
  EXPECT_NE(text.find("# TYPE process_cpu_seconds_total counter\n"), std::string::npos);
  EXPECT_NE(text.find("# TYPE process_open_fds gauge\n"), std::string::npos);
}

}  // namespace
}  // namespace base
