// Authorizer: may this user do this? Asked by the Authorization stage for every request, by impersonation and by access
// reviews. Shared by all threads. Must not wait.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/request.h"

namespace pipeline {

// What is to be done, by whom. Borrows everything.
struct Attributes {
  const api::User& user;
  std::string_view verb;
  bool is_resource_request = true;
  std::string_view namespace_name, group, version, resource, subresource, name;
  std::string_view path;  // of what is no resource
};
Attributes AttributesOf(const api::User& user, const api::RequestInfo& info);

struct Decision {
  enum class Outcome { kAllow, kDeny, kNoOpinion };
  Outcome outcome = Outcome::kNoOpinion;
  std::string reason;  // told in refusals; of an allowance only if it was asked for

  bool allowed() const { return outcome == Outcome::kAllow; }
};

struct PolicyRule;

// Everything that a user may do, as far as it can be listed.
struct UserRules {
  std::vector<PolicyRule> rules;
  std::vector<std::string> errors;  // why some rules are not here
};

class Authorizer {
 public:
  virtual ~Authorizer() = default;
  // `explain`: the reason of an allowance is wanted too.
  virtual Decision Authorize(const Attributes& attributes, bool explain = false) const = 0;
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
  void CollectRules(const api::User& user, std::string_view namespace_name, UserRules& out) const override;

 private:
  const std::vector<std::unique_ptr<Authorizer>> authorizers_;
};

// What a refusal says: `User "u" cannot VERB resource "R" in API group "G" in the namespace "N"`.
std::string RefusalText(const Attributes& attributes);

}  // namespace pipeline
