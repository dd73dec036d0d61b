// Cors: answers browsers whose page comes from an allowed origin (--cors-allowed-origins): what they may do, and to
// their questions in advance (OPTIONS) nothing more. Everybody else passes untouched. Before authentication.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "pipeline/stage.h"

namespace pipeline {

// Origins by regular expressions, any of which may match anywhere in it. Immutable; linear in the origin.
class AllowedOrigins {
 public:
  // Fails on what is no regular expression.
  static base::Result<AllowedOrigins> Parse(const std::vector<std::string>& patterns);
  AllowedOrigins();
  ~AllowedOrigins();
  AllowedOrigins(AllowedOrigins&&) noexcept;
  AllowedOrigins& operator=(AllowedOrigins&&) noexcept;

  bool empty() const;
  bool Allow(std::string_view origin) const;

 private:
  struct Patterns;
  std::unique_ptr<Patterns> patterns_;
};

class Cors final : public Stage {
 public:
  Cors(AllowedOrigins origins, exchange::Handler& next) : Stage(next), origins_(std::move(origins)) {}
  base::Task<exchange::Response> Handle(exchange::Exchange& exchange) override;

 private:
  const AllowedOrigins origins_;
};

}  // namespace pipeline
