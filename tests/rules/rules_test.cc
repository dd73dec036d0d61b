// Plays every write of tests/data/rules: the answer is the real server's, to the letter.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apply/merge_patch.h"
#include "base/text.h"
#include "rule_player.h"
#include "value/json_reader.h"
#include "value/json_writer.h"

namespace rules {
namespace {

using value::Arena;
using value::Value;

const std::filesystem::path kFolder = FAIRLEAD_SOURCE_DIR "/tests/data/rules";

std::vector<std::string> Lines(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// An answer in the form of the files.
std::string Text(const Answer& answer) {
  std::string text = base::Cat(answer.code, " ", answer.reason, "\n");
  if (answer.causes.empty()) base::Append(text, answer.message, "\n");
  for (const api::Cause& cause : answer.causes)
    base::Append(text, cause.field, " (", cause.reason, "): ", cause.message, "\n");
  for (const std::string& warning : answer.warnings) base::Append(text, "warning: ", warning, "\n");
  return text;
}

Answer Recorded(const Value& line) {
  const Value wanted = line.Get("answer");
  Answer answer{static_cast<int>(wanted.Get("code").AsInt()), std::string(wanted.GetString("reason")),
                std::string(wanted.GetString("message"))};
  for (const Value& cause : wanted.Get("causes").items()) {
    answer.causes.push_back({std::string(cause.GetString("reason")), std::string(cause.GetString("message")),
                             std::string(cause.GetString("field"))});
  }
  for (const Value& warning : wanted.Get("warnings").items()) answer.warnings.emplace_back(warning.AsString());
  return answer;
}

// Of a difference between two Go values, which of equal lines is told as the new one is Go's choice of the day: its
// lines in order.
std::string WithoutChance(const std::string& text) {
  if (!text.contains("\n  core.")) return text;
  std::vector<std::string> lines;
  for (size_t begin = 0, end = 0; end != text.npos; begin = end + 1) {
    end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end == text.npos ? end : end - begin));
  }
  std::ranges::sort(lines);
  return base::Join(lines, "\n");
}

// Whether `text` is `pattern`, where "<value>" is any structure.
bool Fits(std::string_view pattern, std::string_view text) {
  constexpr std::string_view kAny = "<value>";
  const size_t first = pattern.find(kAny);
  if (first == pattern.npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, first))) return false;
  text.remove_prefix(first);
  pattern.remove_prefix(first + kAny.size());
  for (;;) {
    const size_t next = pattern.find(kAny);
    const std::string_view piece = pattern.substr(0, next);
    if (next == pattern.npos) return text.ends_with(piece);
    const size_t at = text.find(piece);
    if (at == text.npos) return false;
    text.remove_prefix(at + piece.size());
    pattern.remove_prefix(next + kAny.size());
  }
}

class File {
 public:
  explicit File(const std::filesystem::path& path) : lines_(Lines(path)) {
    const std::string name = path.stem();  // group.resource, of the core group resource alone
    const size_t dot = name.rfind('.');
    group_ = dot == name.npos ? "" : name.substr(0, dot);
    resource_ = dot == name.npos ? name : name.substr(dot + 1);
  }

  // Plays the writes that the real server accepted, or those that it refused.
  void Play(RulePlayer& player, bool accepted) {
    for (size_t number = 1; number <= lines_.size(); ++number) {
      SCOPED_TRACE(base::Cat(group_, "/", resource_, " line ", number));
      PlayLine(player, value::ReadJson(lines_[number - 1], arena_).value(), accepted);
    }
  }

 private:
  // A line is an object that is stored, under a name that others call it by, or a write.
  void PlayLine(RulePlayer& player, const Value& line, bool accepted) {
    if (const Value* stored = line.Find("stored")) {
      stored_[std::string(line.GetString("name"))] = *stored;
      return;
    }
    if ((line.Get({"answer", "code"}).AsInt() < 300) != accepted) return;
    Write write{group_, std::string(line.GetString("version")), resource_, std::string(line.GetString("subresource")),
                line.Get("object")};
    if (const auto old = stored_.find(std::string(line.GetString("update"))); old != stored_.end()) {
      write.old = &old->second;
      if (line.Find("change") != nullptr)
        write.object = apply::ApplyMergePatch(arena_, old->second, line.Get("change"));
    }
    const std::string ours = WithoutChance(Text(player.Play(write))), theirs = WithoutChance(Text(Recorded(line)));
    if (!Fits(theirs, ours)) EXPECT_EQ(ours, theirs) << value::ToJson(write.object);
  }

  std::vector<std::string> lines_;
  std::string group_, resource_;
  Arena arena_;
  std::map<std::string, Value> stored_;
};

void PlayAll(bool accepted) {
  RulePlayer player;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".jsonl") File(entry.path()).Play(player, accepted);
  }
}

// tools/rule_coverage.py runs this one alone: what it calls keeps its rule.
TEST(Rules, TakeWhatTheRealServerTakes) { PlayAll(true); }
TEST(Rules, RefuseWhatTheRealServerRefuses) { PlayAll(false); }

}  // namespace
}  // namespace rules
