// Authorizer: may this user do this? Asked by the Authorization stage for every request, by impersonation, access
// reviews and admission. Shared by all threads.
//
// Authorize() answers at once and never waits: what a remote authorizer has to be asked for is answered with
// Outcome::kMustWait, and AuthorizeAsync() then finds it out. Whoever cannot wait refuses.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/error.h"
#include "api/request.h"
#include "base/executor.h"
#include "base/task.h"

namespace auth {

// What is to be done, by whom. Borrows everything.
struct Attributes {
  const api::User& user;
  std::string_view verb;
  bool is_resource_request = true;
  std::string_view namespace_name, group, version, resource, subresource, name;
  std::string_view path;  // of what is no resource
  // Of lists, watches and deletions of collections: what they are limited to, as text; "" is no limit. One that cannot
  // be parsed limits nothing.
  std::string_view field_selector, label_selector;
};
Attributes AttributesOf(const api::RequestContext& context);

struct Decision {
  enum class Outcome {
    kAllow,
    kDeny,       // nobody else is asked
    kNoOpinion,  // a refusal unless another authorizer allows it
    kMustWait,   // AuthorizeAsync() has to be asked
  };
  Outcome outcome = Outcome::kNoOpinion;
  std::string reason;  // told in refusals; of an allowance only if it was asked for

  bool allowed() const { return outcome == Outcome::kAllow; }
  bool must_wait() const { return outcome == Outcome::kMustWait; }
};

struct PolicyRule;

// Everything that a user may do, as far as it can be listed.
struct UserRules {
  std::vector<PolicyRule> rules;
  std::vector<std::string> errors;  // why some rules are not here
  bool incomplete = false;          // there are rules that cannot be listed
};

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // `explain`: the reason of an allowance is wanted too.
  virtual Decision Authorize(const Attributes& attributes, bool explain = false) const = 0;
  // The same, waiting where it has to: never kMustWait. `attributes` outlive the task, which goes on on `executor`.
  virtual base::Task<Decision> AuthorizeAsync(const Attributes& attributes, bool explain,
                                              base::Executor& executor) const {
    static_cast<void>(executor);
    co_return Authorize(attributes, explain);
  }
  // Adds what `user` may do in `namespace_name` ("": in no namespace). Who cannot list rules adds none.
  virtual void CollectRules(const api::User& user, std::string_view namespace_name, UserRules& out) const;
};

// Says yes to everybody (--authorization-mode=AlwaysAllow), or no.
class AlwaysAllow final : public Authorizer {
 public:
  Decision Authorize(const Attributes&, bool) const override { return {Decision::Outcome::kAllow, ""}; }
  void CollectRules(const api::User&, std::string_view, UserRules& out) const override;
};
class AlwaysDeny final : public Authorizer {
 public:
  Decision Authorize(const Attributes&, bool) const override {
    return {Decision::Outcome::kNoOpinion, "Everything is forbidden."};
  }
};

// Members of a group (system:masters) may do anything.
class PrivilegedGroup final : public Authorizer {
 public:
  explicit PrivilegedGroup(std::string group) : group_(std::move(group)) {}
  Decision Authorize(const Attributes& attributes, bool explain) const override;

 private:
  const std::string group_;
};

// Asks several in order: the first who has an opinion decides; else their reasons, a line each.
class AuthorizerChain final : public Authorizer {
 public:
  explicit AuthorizerChain(std::vector<std::unique_ptr<Authorizer>> authorizers)
      : authorizers_(std::move(authorizers)) {}
  Decision Authorize(const Attributes& attributes, bool explain) const override;
  base::Task<Decision> AuthorizeAsync(const Attributes& attributes, bool explain,
                                      base::Executor& executor) const override;
  void CollectRules(const api::User& user, std::string_view namespace_name, UserRules& out) const override;

 private:
  const std::vector<std::unique_ptr<Authorizer>> authorizers_;
};

// What `authorizer` decides, found out without a task where it can be.
base::Task<Decision> Decide(const Authorizer& authorizer, const Attributes& attributes, bool explain,
                            base::Executor& executor);

// What a refusal says: `User "u" cannot VERB resource "R" in API group "G" in the namespace "N"`.
std::string RefusalText(const Attributes& attributes);

// The 403 to who may not do what `attributes` say, with `reason` behind it unless that is empty.
api::Error Refusal(const Attributes& attributes, std::string_view reason);

// & < > as HTML entities: what the server does with client text inside plain answers and refusals.
std::string EscapeHtml(std::string_view text);

}  // namespace auth
