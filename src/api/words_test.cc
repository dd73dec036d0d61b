// Quantities, selectors, request facts and names against what the real server's libraries answer
// (tests/data/api/README.md).
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "api/group_version.h"
#include "api/names.h"
#include "api/quantity.h"
#include "api/quote.h"
#include "api/request.h"
#include "api/selector.h"
#include "base/text.h"

namespace api {
namespace {

std::string_view Word(bool b) { return b ? "true" : "false"; }

std::string QuantityFacts(const std::string& input) {
  const auto quantity = Quantity::Parse(input);
  if (!quantity) return base::Cat("E ", quantity.error());
  const auto whole = quantity->AsInt64();
  return base::Cat(Quote(quantity->text()), " ", whole.value_or(0), " ", Word(whole.has_value()), " ",
                   quantity->Value(), " ", quantity->MilliValue(), " ", quantity->Sign());
}

std::string Sum(const std::string& input, void (Quantity::*operation)(const Quantity&)) {
  const size_t space = input.find(' ');
  auto left = Quantity::Parse(input.substr(0, space));
  const auto right = Quantity::Parse(input.substr(space + 1));
  if (!left || !right) return "E";
  const int order = left->Compare(*right);
  ((*left).*operation)(*right);
  return base::Cat(Quote(left->text()), " ", order);
}

std::string Labels(const std::string& input) {
  const auto selector = LabelSelector::Parse(input);
  return selector ? Quote(selector->text()) : base::Cat("E ", Quote(selector.error().message));
}

std::string Fields(const std::string& input) {
  const auto selector = FieldSelector::Parse(input);
  if (!selector) return base::Cat("E ", Quote(selector.error().message));
  std::string text;
  for (const FieldTerm& term : selector->terms()) {
    if (!text.empty()) text += ',';
    text += term.field + (term.equal ? "=" : "!=");
    for (char c : term.value) {
      if (std::string_view("\\,=").contains(c)) text += '\\';
      text += c;
    }
  }
  const std::string* name = selector->RequiresExact("metadata.name");
  return base::Cat(Quote(text), " ", Quote(name ? *name : ""), " ", Word(name != nullptr));
}

std::string Facts(const std::string& input) {
  const size_t space = input.find(' '), question = input.find('?');
  std::string path;
  if (!UnescapePath(
          std::string_view(input).substr(space + 1, question == std::string::npos ? question : question - space - 1),
          path)) {
    return "E bad";
  }
  const Query query = Query::Parse(question == std::string::npos ? "" : input.substr(question + 1));
  bool failed = false;
  const RequestInfo info = ParseRequestInfo(input.substr(0, space), path, query, &failed);
  std::string text(Word(info.is_resource_request));
  for (const std::string* fact : {&info.path, &info.verb, &info.api_prefix, &info.group, &info.version,
                                  &info.namespace_name, &info.resource, &info.subresource, &info.name}) {
    base::Append(text, " ", Quote(*fact));
  }
  return base::Cat(text, " ", info.parts.size(), " ", Word(failed));
}

std::string AllComplaints(const std::string& input) {
  std::string text = "[";
  for (auto check :
       {CheckDns1123Label, CheckDns1123Subdomain, CheckDns1035Label, CheckQualifiedName, CheckLabelValue,
        CheckConfigMapKey, CheckEnvVarName, CheckRelaxedEnvVarName, CheckPortName, CheckCIdentifier,
        CheckWildcardDns1123Subdomain, CheckHttpHeaderName, CheckPercent, CheckDns1123SubdomainWithUnderscore}) {
    if (text.size() > 1) text += ' ';
    text += Quote(JoinComplaints(check(input)));
  }
  return text + "]";
}

// Undoes the quoting of the data file.
std::string Unquote(std::string_view quoted) {
  std::string text;
  for (size_t i = 1; i + 1 < quoted.size(); ++i) {
    if (quoted[i] != '\\') {
      text += quoted[i];
    } else if (quoted[++i] == 'x') {
      text += static_cast<char>(std::stoi(std::string(quoted.substr(i + 1, 2)), nullptr, 16));
      i += 2;
    } else {
      text += quoted[i] == 'n' ? '\n' : quoted[i] == 't' ? '\t' : quoted[i];
    }
  }
  return text;
}

TEST(GroupVersion, IsReadAsTheRealServerReadsIt) {
  const std::pair<std::string_view, std::optional<GroupVersion>> cases[] = {
      {"", GroupVersion{"", ""}},          {"/", GroupVersion{"", ""}},
      {"v1", GroupVersion{"", "v1"}},      {"apps/v1", GroupVersion{"apps", "v1"}},
      {"apps/", GroupVersion{"apps", ""}}, {"/v1", GroupVersion{"", "v1"}},
      {"apps/v1/x", std::nullopt},         {"//", std::nullopt},
  };
  for (const auto& [text, want] : cases) EXPECT_EQ(GroupVersion::Parse(text), want) << text;
  EXPECT_EQ((GroupVersion{"apps", "v1"}.text()), "apps/v1");
  EXPECT_EQ((GroupVersion{"", "v1"}.text()), "v1");
}

TEST(Words, AreReadAsTheRealServerReadsThem) {
  const std::map<std::string, std::function<std::string(const std::string&)>> kinds = {
      {"Q", QuantityFacts},
      {"QA", [](const std::string& input) { return Sum(input, &Quantity::Add); }},
      {"QS", [](const std::string& input) { return Sum(input, &Quantity::Sub); }},
      {"L", Labels},
      {"F", Fields},
      {"U", Facts},
      {"N", AllComplaints},
  };
  std::ifstream file(FAIRLEAD_SOURCE_DIR "/tests/data/api/words.tsv");
  std::string line;
  int count = 0;
  while (std::getline(file, line)) {
    const size_t first = line.find('\t'), second = line.find('\t', first + 1);
    const std::string input = line.substr(first + 1, second - first - 1);
    EXPECT_EQ(kinds.at(line.substr(0, first))(Unquote(input)), line.substr(second + 1)) << line.substr(0, second);
    ++count;
  }
  EXPECT_GT(count, 300);
}

}  // namespace
}  // namespace api
