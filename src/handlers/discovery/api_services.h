// ApiServices: which versions of which groups API services speak of, as discovery tells them: an immutable snapshot of
// those objects. Groups that no API service speaks of are not in it. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

  struct GroupVersion {
    std::string_view group, version;
  };
  class Builder;

  // As they are once the registration of custom resources (controllers/api_service_registration.h) has followed: with
  // one for each of `custom` that none speaks of, and without those that it keeps for versions which are gone.
  // Discovery knows a definition's versions in the answer of its write, and does not wait for the objects.
  ApiServices WithRegistered(std::span<const GroupVersion> custom) const;

  // In the order in which they are listed. The core group is not among them.
  const std::vector<Group>& groups() const { return groups_; }
  const Group* FindGroup(std::string_view name) const;
  // Whether `path` ("/apis/g/v1", "/apis/g/v1/things/x") is another server's.
  bool IsElsewhere(std::string_view path) const;

 private:
  struct Entry {
    std::string object, group, version;
    int64_t group_priority, version_priority;
    bool elsewhere;
    bool registered;  // made by the registration of custom resources
  };
  static ApiServices Of(std::vector<Entry> entries);

  std::vector<Entry> entries_;  // as they are listed
  std::vector<Group> groups_;
  std::vector<std::string> prefixes_;  // "/apis/g/v1/" of what is elsewhere
};

class ApiServices::Builder {
 public:
  // An APIService as it is stored.
  void Add(const value::Value& api_service);
  ApiServices Build() && { return Of(std::move(entries_)); }

 private:
  std::vector<Entry> entries_;
};

}  // namespace handlers
