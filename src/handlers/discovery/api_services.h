// ApiServices: which versions of which groups API services speak of, as discovery tells them: an immutable snapshot of
// those objects. Groups that no API service speaks of are not in it. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "value/value.h"

namespace handlers {

class ApiServices {
 public:
  struct Version {
    std::string name;        // "v1"
    bool elsewhere = false;  // another server has it
  };
  struct Group {
    std::string name;
    std::vector<Version> versions;  // the preferred one first
    int64_t priority = 0;           // the highest of its versions', and of those that are elsewhere
    int64_t priority_elsewhere = 0;
  };

  class Builder {
   public:
    // An APIService as it is stored.
    void Add(const value::Value& api_service);
    ApiServices Build() &&;

   private:
    struct Entry {
      std::string object, group, version;
      int64_t group_priority, version_priority;
      bool elsewhere;
    };
    std::vector<Entry> entries_;
  };

  // In the order in which they are listed. The core group is not among them.
  const std::vector<Group>& groups() const { return groups_; }
  const Group* FindGroup(std::string_view name) const;
  // Whether `path` ("/apis/g/v1", "/apis/g/v1/things/x") is another server's.
  bool IsElsewhere(std::string_view path) const;

 private:
  std::vector<Group> groups_;
  std::vector<std::string> prefixes_;  // "/apis/g/v1/" of what is elsewhere
};

}  // namespace handlers
