// Any document as DeleteOptions, and any query: options that may be obeyed, or a refusal. What deletes without looking
// comes alone.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "handlers/options.h"
#include "schema/decode.h"
#include "schema/schema.h"
#include "value/json_reader.h"

namespace {

void Check(const api::Result<registry::DeleteOptions>& options) {
  if (!options) {
    if (options.error().code != 400 && options.error().code != 422) std::abort();
    return;
  }
  const std::string_view policy = options->propagation_policy;
  if (!policy.empty() && policy != "Orphan" && policy != "Background" && policy != "Foreground") std::abort();
  if (!policy.empty() && options->orphan_dependents) std::abort();
  const bool looks = options->dry_run || options->grace_period_seconds || options->orphan_dependents ||
                     !policy.empty() || options->preconditions.uid || options->preconditions.resource_version;
  if (options->unreadable && looks) std::abort();
}

}  // namespace

// Input: a query, a newline, a body.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t newline = input.find('\n');
  if (newline == std::string_view::npos) return 0;
  const api::Query query = api::Query::Parse(input.substr(0, newline));
  for (bool unsafe : {false, true}) Check(handlers::ParseDeleteParameters(query, unsafe));

  static const schema::Type* const type = schema::FindType("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  value::Arena arena;
  const auto document = value::ReadJson(input.substr(newline + 1), arena, {.max_depth = 200});
  if (!document) return 0;
  const auto body = schema::Decode(*type, *document, arena, nullptr);
  if (!body) return 0;
  for (bool unsafe : {false, true}) Check(handlers::ReadDeleteOptions(*body, unsafe));
  return 0;
}
