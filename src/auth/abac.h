// Abac (--authorization-mode=ABAC): a file of policies, a JSON object a line, each of which allows something to
// somebody. Read once at start, immutable; any thread. A decision looks at every line.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "auth/authorizer.h"
#include "base/result.h"

namespace auth {

class Abac final : public Authorizer {
 public:
  // Lines are Policies of abac.authorization.kubernetes.io/v1beta1, or without a version those of v0; empty ones and
  // such as begin with # are skipped. `path` is for error texts, which name the first bad line.
  static base::Result<std::unique_ptr<Abac>> Parse(std::string_view content, std::string_view path);
  static base::Result<std::unique_ptr<Abac>> Load(const std::string& path);

  Decision Authorize(const Attributes& attributes, bool explain) const override;
  void CollectRules(const api::User& user, std::string_view namespace_name, UserRules& out) const override;

 private:
  struct Policy {
    std::string user, group, api_group, resource, namespace_name, path;
    bool read_only = false;

    bool AppliesTo(const api::User& who) const;
    bool Allows(const Attributes& attributes) const;
  };
  static base::Result<Policy> ParsePolicy(std::string_view line);

  std::vector<Policy> policies_;
};

}  // namespace auth
