#include "customresources/review_converter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "api/group_version.h"
#include "api/quote.h"
#include "apply/go_print.h"
#include "base/random.h"
#include "base/text.h"
#include "customresources/instance_rules.h"
#include "registry/metadata_rules.h"
#include "registry/object_meta.h"
#include "schema/structural_decode.h"
#include "schema/text_forms.h"
#include "value/json_reader.h"
#include "value/json_writer.h"
#include "value/yaml_reader.h"

namespace customresources {
namespace {

using base::Cat;
using value::Arena;
using value::Value;

constexpr std::string_view kGroup = "apiextensions.k8s.io";
constexpr std::string_view kReview = "ConversionReview";

std::unexpected<api::Error> Fail(std::string message) { return api::Fail(api::Generic(500, std::move(message))); }

std::string VersionOf(const ResourceType& type) {
  const schema::GroupVersionKind& gvk = type.type().gvk;
  return Cat(gvk.group, "/", gvk.version);
}

std::string KindText(const Value& object) {
  const auto version = api::GroupVersion::Parse(object.GetString("apiVersion")).value_or(api::GroupVersion{});
  return Cat(version.group, "/", version.version, ", Kind=", object.GetString("kind"));
}

// The answer as a tree of the review's kind. The error is why it is none.
std::expected<Value, std::string> ReadReview(std::string_view answer, std::string_view version, Arena& arena) {
  if (answer.empty()) return std::unexpected("0-length response with status code: 200 and content type: ");
  constexpr std::string_view kParse = "couldn't get version/kind; json parse error: ";
  auto read = value::ReadJson(answer, arena);
  // What is no JSON is read as YAML, which any text is.
  if (!read) read = value::ReadYaml(answer, arena);
  if (!read) return std::unexpected(std::string(read.error().message));
  if (!read->is_object() && !read->is_null()) {
    const std::string_view word = read->is_string()   ? "string"
                                  : read->is_bool()   ? "bool"
                                  : read->is_number() ? "number"
                                                      : "array";
    return std::unexpected(
        Cat(kParse, "json: cannot unmarshal ", word,
            " into Go value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; "
            "Kind string \"json:\\\"kind,omitempty\\\"\" }"));
  }
  const std::string_view api_version = read->GetString("apiVersion"), kind = read->GetString("kind");
  const auto named = api::GroupVersion::Parse(api_version);
  if (!named) return std::unexpected(Cat("unexpected GroupVersion string: ", api_version));
  const bool is_review = (kind.empty() || kind == kReview) && (api_version.empty() || named->group == kGroup);
  if (!is_review || (!api_version.empty() && named->version != "v1" && named->version != "v1beta1")) {
    return std::unexpected(Cat("no kind ", api::Quote(kind), " is registered for version ", api::Quote(api_version),
                               " in scheme \"pkg/runtime/scheme.go:100\""));
  }
  if (!api_version.empty() && named->version != version) {
    return std::unexpected(
        Cat("converting (", named->version, ".", kReview, ") to (", version, ".", kReview, "): unknown conversion"));
  }
  return *read;
}

// What the webhook says of the labels or annotations of an object, in `metadata`, which is the original's.
api::Result<> TakeTexts(std::string_view field, const Value& said, Value metadata, Arena& arena) {
  if (said.is_null()) {
    metadata.Remove(field);
    return {};
  }
  if (!said.is_object()) {
    return Fail(Cat("invalid metadata.", field, " of type ", apply::GoTypeName(said), " in converted object"));
  }
  for (const value::Member& member : said.members()) {
    if (member.value.is_string()) continue;
    return Fail(Cat("metadata.", field, "[", member.key, "] must be a string, but is ", apply::GoTypeName(member.value),
                    " in converted object"));
  }
  const Value original = metadata.Get(field);
  metadata.Set(arena, field, value::DeepCopy(arena, said));
  if (value::Equal(original, said)) return {};
  const Value object = Value::Object(arena, 1), checked = Value::Object(arena, 2);
  checked.Add(arena, "name", Value::String("a"));
  checked.Add(arena, field, said);
  object.Add(arena, "metadata", checked);
  api::FieldErrors errors;
  registry::CheckMetadata(registry::ObjectMeta(object), false, nullptr, errors);
  if (!errors.empty()) return Fail(api::JoinTexts(errors));
  return {};
}

// What the webhook may not change is as it was.
api::Result<> RestoreMetadata(const Value& original, Value converted, Arena& arena) {
  const Value* said = converted.Find("metadata");
  if (said == nullptr) return Fail("missing metadata in converted object");
  if (!said->is_object()) {
    return Fail(Cat("invalid metadata of type ", apply::GoTypeName(*said), " in converted object"));
  }
  const Value answered = *said;
  const Value metadata = value::DeepCopy(arena, original.Get("metadata"));
  converted.Set(arena, "metadata", metadata);
  for (std::string_view field : {"labels", "annotations"}) {
    if (auto taken = TakeTexts(field, answered.Get(field), metadata, arena); !taken) return taken;
  }
  return {};
}

std::string ChangedIdentity(const Value& original, const Value& converted) {
  const registry::ObjectMeta before(original), after(converted);
  const auto differs = [](std::string_view what, std::string_view was, std::string_view is) {
    return was == is ? std::string() : Cat("must have the same ", what, ": ", was, " != ", is);
  };
  for (std::string text : {differs("name", before.name(), after.name()),
                           differs("namespace", before.namespace_name(), after.namespace_name()),
                           differs("UID", before.uid(), after.uid())}) {
    if (!text.empty()) return text;
  }
  return {};
}

}  // namespace

// Objects that have to be converted, on their way.
struct ReviewConverter::Batch {
  std::string uid;
  std::string target;  // "group/version"
  const ResourceType* target_type;
  std::vector<Value*> objects;
  std::string kind_text() const { return KindText(*objects.front()); }
};

ReviewConverter::ReviewConverter(exchange::WebhookClient& client, const Value& conversion, TypeRef served,
                                 TypeRef stored)
    : client_(client), served_(std::move(served)), stored_(std::move(stored)) {
  const Value webhook = conversion.Get("webhook"), config = webhook.Get("clientConfig");
  address_.url = config.GetString("url");
  if (const Value* service = config.Find("service")) {
    exchange::WebhookAddress::Service place;
    place.namespace_name = service->GetString("namespace");
    place.name = service->GetString("name");
    place.path = service->GetString("path");
    if (const Value port = service->Get("port"); port.is_int()) place.port = static_cast<uint16_t>(port.AsInt());
    address_.service = std::move(place);
  }
  (void)schema::DecodeBase64(config.GetString("caBundle"), address_.authorities_pem);
  for (const Value& version : webhook.Get("conversionReviewVersions").items()) {
    if (!review_version_.empty()) break;
    if (version.AsString() == "v1" || version.AsString() == "v1beta1") review_version_ = version.AsString();
  }
}

base::Task<api::Result<>> ReviewConverter::Convert(To to, Request request, std::span<Value> objects,
                                                   Arena& arena) const {
  const ResourceType& target = to == To::kServed ? *served_ : *stored_;
  Batch batch{.uid = base::NewUuid(base::SystemRandom()), .target = VersionOf(target), .target_type = &target};
  std::vector<Value> before(objects.begin(), objects.end());
  for (Value& object : objects) {
    if (to == To::kServed) {
      auto made = schema::DecodeStructural(stored_->root(), object, arena, nullptr, {.drop_malformed_metadata = true});
      if (made) object = *made;
      FillDefaults(arena, object, stored_->root());
    }
    if (object.GetString("apiVersion") != batch.target) batch.objects.push_back(&object);
  }
  if (batch.objects.empty()) co_return api::Result<>();
  auto converted = co_await Call(request, batch, arena);
  if (!converted) std::ranges::copy(before, objects.begin());
  co_return converted;
}

base::Task<api::Result<>> ReviewConverter::Call(Request request, Batch& batch, Arena& arena) const {
  if (review_version_.empty()) co_return Fail("no supported conversion review versions");
  auto deadline = std::chrono::steady_clock::now() + kPatience;
  const auto asked = request.context.deadline;
  if (asked != decltype(asked)() && asked < deadline) deadline = asked;
  auto answer = co_await client_.Post(request.executor, {.address = address_,
                                                         .body = ReviewOf(batch),
                                                         .deadline = deadline,
                                                         .told_timeout = kPatience,
                                                         .most_answer_bytes = kMostAnswerBytes});
  if (!answer) co_return Fail(Cat("conversion webhook for ", batch.kind_text(), " failed: ", answer.error().message));
  auto converted = ConvertedObjects(batch, *answer, arena);
  if (!converted) co_return std::unexpected(std::move(converted.error()));
  co_return Put(batch, *converted, arena);
}

std::string ReviewConverter::ReviewOf(const Batch& batch) const {
  std::string text = Cat(R"({"kind":"ConversionReview","apiVersion":")", kGroup, "/", review_version_,
                         R"(","request":{"uid":")", batch.uid, R"(","desiredAPIVersion":)");
  value::AppendJsonString(text, batch.target);
  text += R"(,"objects":)";
  char before = '[';
  for (const Value* object : batch.objects) {
    text += std::exchange(before, ',');
    Arena arena;
    const Value copy = Value::Object(arena, object->size());
    for (const value::Member& member : object->members()) {
      if (member.key != "metadata" || !member.value.is_object()) {
        copy.Add(arena, member.key, member.value);
        continue;
      }
      const Value metadata = Value::Object(arena, member.value.size());
      for (const value::Member& field : member.value.members()) {
        if (field.key != "resourceVersion") metadata.Add(arena, field.key, field.value);
      }
      copy.Add(arena, member.key, metadata);
    }
    value::WriteJson(copy, text, value::KeyOrder::kSorted);
  }
  text += R"(]},"response":{"uid":"","convertedObjects":null,"result":{"metadata":{}}}})";
  return text;
}

api::Result<Value> ReviewConverter::ConvertedObjects(const Batch& batch, std::string_view answer, Arena& arena) const {
  const auto fail = [&](std::string_view why) {
    return Fail(Cat("conversion webhook for ", batch.kind_text(), " failed: ", why));
  };
  const auto review = ReadReview(arena.CopyString(answer), review_version_, arena);
  if (!review) return fail(review.error());
  const bool is_v1 = review_version_ == "v1";
  if (is_v1 && (review->GetString("kind") != kReview || review->GetString("apiVersion") != Cat(kGroup, "/v1"))) {
    return fail(Cat("expected webhook response of ", kGroup, "/v1, Kind=", kReview, ", got ", KindText(*review)));
  }
  const Value response = review->Get("response");
  if (!response.is_object()) return fail("no response provided");
  const std::string_view uid = response.GetString("uid");
  if (is_v1 && uid != batch.uid) {
    return fail(Cat("expected response.uid=", api::Quote(batch.uid), ", got ", api::Quote(uid)));
  }
  const Value result = response.Get("result");
  if (const std::string_view status = result.GetString("status"); status != "Success") {
    const std::string_view message = result.GetString("message");
    return fail(message.empty() ? Cat("response.result.status was '", status, "', not 'Success'")
                                : std::string(message));
  }
  const Value converted = response.Get("convertedObjects");
  const size_t count = converted.is_array() ? converted.size() : 0;
  if (count != batch.objects.size()) {
    return Fail(Cat("conversion webhook for ", batch.kind_text(), " returned ", count, " objects, expected ",
                    batch.objects.size()));
  }
  return converted;
}

api::Result<> ReviewConverter::Put(Batch& batch, const Value& converted, Arena& arena) const {
  const bool is_list = batch.objects.size() > 1;
  std::vector<Value> made;
  for (uint32_t i = 0; i < converted.size(); ++i) {
    const Value& original = *batch.objects[i];
    Value object = converted[i];
    const std::string head = Cat("conversion webhook for ", KindText(original), " returned invalid ");
    const std::string at = Cat(is_list ? "converted " : "", "object at index ", i, ": ");
    if (!object.is_object() || object.GetString("kind").empty()) {
      return Fail(Cat(head, at, "Object 'Kind' is missing in '", value::ToJson(object), "'"));
    }
    if (object.GetString("apiVersion") != batch.target) {
      return Fail(Cat(head, at, "invalid groupVersion (expected ", batch.target, ", received ",
                      object.GetString("apiVersion"), ")"));
    }
    if (object.GetString("kind") != original.GetString("kind")) {
      return Fail(Cat(head, at, "invalid kind (expected ", original.GetString("kind"), ", received ",
                      object.GetString("kind"), ")"));
    }
    if (const std::string changed = ChangedIdentity(original, object); !changed.empty()) {
      return Fail(Cat(head, is_list ? at : "object: ", changed));
    }
    if (auto restored = RestoreMetadata(original, object, arena); !restored) {
      const std::string where = is_list ? Cat("metadata in object at index ", i, ": ") : "metadata: ";
      return Fail(Cat(head, where, restored.error().message));
    }
    auto pruned =
        schema::DecodeStructural(batch.target_type->root(), object, arena, nullptr, {.drop_malformed_metadata = true});
    if (!pruned) return std::unexpected(std::move(pruned.error()));
    made.push_back(*pruned);
  }
  for (size_t i = 0; i < made.size(); ++i) *batch.objects[i] = made[i];
  return {};
}

}  // namespace customresources
