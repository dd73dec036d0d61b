#include "engine/logged_engine.h"

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace engine {
namespace {

class LoggedEngine final : public Engine {
 public:
  LoggedEngine(std::unique_ptr<Engine> engine, base::Logger& logger, const base::Clock& clock)
      : logger_(logger), clock_(clock), engine_(std::move(engine)) {}

  base::Result<Loaded> Start(Feed& feed) override { return engine_->Start(feed); }
  void Commit(std::span<const Transaction> batch, CommitDone done) override {
    engine_->Commit(batch, [this, done = std::move(done)](std::span<const base::Result<Revision>> results) mutable {
      for (const base::Result<Revision>& result : results) {
        if (!result && IsOfTheEngine(result.error())) Failed(result.error());
      }
      done(results);
    });
  }
  bool sole_writer() const override { return engine_->sole_writer(); }
  void ReadRevision(ReadDone done) override { engine_->ReadRevision(std::move(done)); }
  base::Result<> Compact(Revision revision, std::span<const Superseded> superseded) override {
    return Told(engine_->Compact(revision, superseded), /*mended=*/false);
  }
  base::Result<> Health() override { return Told(engine_->Health(), /*mended=*/true); }

 private:
  // Else it is of one transaction, or the server stops.
  static bool IsOfTheEngine(const base::Error& error) {
    return error.code == base::Code::kIo || error.code == base::Code::kExhausted ||
           error.code == base::Code::kCorrupt || error.code == base::Code::kUnavailable;
  }

  base::Result<> Told(base::Result<> result, bool mended) {
    if (!result) {
      Failed(result.error());
    } else if (mended) {
      Works();
    }
    return result;
  }
  void Failed(const base::Error& error) {
    std::lock_guard lock(mutex_);
    ++failures_;
    const auto now = clock_.Monotonic();
    if (told_at_ && now - *told_at_ < kFailureLines) return;
    logger_.Error("The store cannot write", {{"err", error.message}, {"failures", std::to_string(failures_)}});
    told_at_ = now;
    told_ = true;
    failures_ = 0;
  }
  void Works() {
    std::lock_guard lock(mutex_);
    if (std::exchange(told_, false)) logger_.Info("The store can write again");
  }

  base::Logger& logger_;
  const base::Clock& clock_;
  std::mutex mutex_;  // guards these
  std::optional<std::chrono::steady_clock::time_point> told_at_;
  bool told_ = false;                     // that it fails, and not since that it works again
  uint64_t failures_ = 0;                 // since that line
  const std::unique_ptr<Engine> engine_;  // last: its callbacks use everything above
};

}  // namespace

std::unique_ptr<Engine> MakeLoggedEngine(std::unique_ptr<Engine> engine, base::Logger& logger,
                                         const base::Clock& clock) {
  return std::make_unique<LoggedEngine>(std::move(engine), logger, clock);
}

}  // namespace engine
