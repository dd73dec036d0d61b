#include "auth/token_file.h"

#include <fstream>
#include <iterator>
#include <utility>

#include "auth/authenticator.h"
#include "auth/csv.h"
#include "base/text.h"

namespace auth {

base::Result<std::unique_ptr<TokenFile>> TokenFile::Parse(std::string_view content, std::string_view path) {
  auto records = ParseCsv(content);
  if (!records) return std::unexpected(std::move(records.error()));
  auto file = std::make_unique<TokenFile>();
  for (std::vector<std::string>& record : *records) {
    if (record.size() < 3) {
      return base::Fail(
          base::Code::kInvalid,
          base::Cat("token file '", path, "' must have at least 3 columns (token, user name, user uid), found ",
                    record.size()));
    }
    if (record[0].empty()) continue;
    api::User user{.name = std::move(record[1]), .uid = std::move(record[2])};
    std::string_view groups = record.size() > 3 ? std::string_view(record[3]) : std::string_view();
    for (bool more = record.size() > 3; more;) {
      const size_t comma = groups.find(',');
      user.groups.emplace_back(groups.substr(0, comma));
      more = comma != std::string_view::npos;
      if (more) groups.remove_prefix(comma + 1);
    }
    file->users_[record[0]] = WithAuthenticatedGroup(std::move(user));
  }
  return file;
}

base::Result<std::unique_ptr<TokenFile>> TokenFile::Load(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return base::Fail(base::Code::kIo, base::Cat("open ", path, ": no such file or directory"));
  const std::string content{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  return Parse(content, path);
}

Identity TokenFile::AuthenticateToken(std::string_view token) const {
  const auto found = users_.find(token);
  return found == users_.end() ? Identity::Absent() : Identity::Of(found->second);
}

}  // namespace auth
