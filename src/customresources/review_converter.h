// ReviewConverter: between versions of a custom resource whose definition names a conversion webhook: objects go to it
// as a ConversionReview (v1 or v1beta1), all of a batch in one call, and what comes back is held to the real server's
// rules: the same kind, name, namespace and uid, metadata restored but for labels and annotations.
//
// Immutable, any thread; never holds one. A call ends with its request, or after kPatience. Cost: the JSON of the
// objects, twice. Bounds: an answer has at most kMostAnswerBytes.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "customresources/resource_type.h"
#include "exchange/webhook_client.h"
#include "registry/converter.h"

namespace customresources {

class ReviewConverter final : public registry::WaitingConverter {
 public:
  static constexpr std::chrono::seconds kPatience{30};
  static constexpr size_t kMostAnswerBytes = 64 << 20;

  using TypeRef = std::shared_ptr<const ResourceType>;
  // `conversion`: spec.conversion of the definition. `client` outlives the converter.
  ReviewConverter(exchange::WebhookClient& client, const value::Value& conversion, TypeRef served, TypeRef stored);

  base::Task<api::Result<>> Convert(To to, Request request, std::span<registry::Value> objects,
                                    registry::Arena& arena) const override;

 private:
  using Value = registry::Value;
  using Arena = registry::Arena;
  struct Batch;

  base::Task<api::Result<>> Call(Request request, Batch& batch, Arena& arena) const;
  std::string ReviewOf(const Batch& batch) const;
  api::Result<Value> ConvertedObjects(const Batch& batch, std::string_view answer, Arena& arena) const;
  api::Result<> Put(Batch& batch, const Value& converted, Arena& arena) const;

  exchange::WebhookClient& client_;
  const TypeRef served_, stored_;
  exchange::WebhookAddress address_;
  std::string review_version_;  // of those that the webhook takes, the first that is known; "" none
};

}  // namespace customresources
