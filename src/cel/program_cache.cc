#include "cel/program_cache.h"

#include <algorithm>

namespace cel {

std::shared_ptr<const CompiledExpression> Compile(const std::shared_ptr<const Environment>& environment,
                                                  std::string_view text) {
  auto compiled = std::make_shared<CompiledExpression>();
  auto checked = Check(environment, text);
  if (!checked) {
    compiled->check_error = std::move(checked.error());
    return compiled;
  }
  compiled->output_type = FormatFull(checked->type());
  compiled->estimate = checked->EstimateCost();
  auto program = MakeProgram(*checked);
  if (program) {
    compiled->program = std::move(*program);
  } else {
    compiled->program_error = std::move(program.error());
  }
  return compiled;
}

std::shared_ptr<const CompiledExpression> ProgramCache::Get(const std::shared_ptr<const Environment>& environment,
                                                            std::string_view text) {
  Key key(environment.get(), text);
  {
    std::lock_guard lock(mutex_);
    auto found = entries_.find(key);
    if (found != entries_.end() && found->second.environment.lock() == environment) {
      if (auto compiled = found->second.compiled.lock()) return compiled;
    }
  }
  auto made = Compile(environment, text);
  std::lock_guard lock(mutex_);
  Entry& entry = entries_[std::move(key)];
  if (entry.environment.lock() == environment) {
    if (auto compiled = entry.compiled.lock()) return compiled;
  }
  entry = {made, environment};
  SweepIfGrown();
  return made;
}

void ProgramCache::SweepIfGrown() {
  if (entries_.size() < sweep_at_) return;
  absl::erase_if(entries_, [](const auto& entry) { return entry.second.compiled.expired(); });
  sweep_at_ = std::max<size_t>(256, entries_.size() * 2);
}

size_t ProgramCache::size() const {
  std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace cel
