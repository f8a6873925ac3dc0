#include "core/export/package_set.h"

#include <algorithm>
#include <filesystem>

namespace rx::exporter {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostName = 200;

Failure notOpened(const std::string& folder, const std::string& what) {
  return fail("export.run", fmt::format("{}: {}", escapedForDisplay(folder), what));
}

std::string textOf(const FileSet::Json& manifest, const char* key) {
  const auto found = manifest.find(key);
  return found != manifest.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<Unit> checkPackageName(const std::string& name) {
  const bool plain = !name.empty() && name.size() <= kMostName && name.find('/') == std::string::npos;
  if (plain && escapedForDisplay(name) == name) return Unit{};
  return fail("export.name",
              fmt::format("\"{}\" is no name of a library: it is empty, longer than {} bytes, no UTF-8, or "
                          "has a slash or a character that nobody sees in it",
                          escapedForDisplay(name), kMostName));
}

Result<OpenPackage> openPackage(const std::string& folder) {
  RX_TRY(set, FileSet::open(folder, kManifest));
  const FileSet::Json& manifest = set.index();
  if (textOf(manifest, "format") != kPackageFormat) return notOpened(folder, "its manifest is not one of a package");
  const auto version = manifest.find("version");
  if (version == manifest.end() || *version != kPackageVersion)
    return notOpened(folder, fmt::format("its manifest is of version {}, this program reads {}: build it again",
                                         version == manifest.end()
                                             ? std::string("none")
                                             : version->dump(-1, ' ', true, FileSet::Json::error_handler_t::replace),
                                         kPackageVersion));
  RX_CHECK(set.check());
  const std::string library = textOf(manifest, "library"), weights = textOf(manifest, "weights");
  const std::vector<std::string> members = set.members();
  for (const std::string& name : {library, weights})
    if (std::find(members.begin(), members.end(), name) == members.end())
      return notOpened(folder, "its manifest names a library or weights that are no members of it");
  std::error_code error;
  const fs::path inside = fs::canonical(folder, error), real = fs::canonical(set.path(library), error);
  if (error || real.parent_path() != inside) return notOpened(folder, "its library is a link to elsewhere");
  RX_CHECK(set.checkContent(library));
  std::string weightsPath = set.path(weights);
  return OpenPackage{std::move(set), real.string(), std::move(weightsPath)};
}

}  // namespace rx::exporter
