#include "core/export/package_set.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/export/archive.h"
#include "core/target/processor.h"

namespace rx::exporter {

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostName = 200;

Failure notOpened(const std::string& folder, const std::string& what) {
  return fail("export.run", fmt::format("{}: {}", escapedForDisplay(folder), what));
}

std::string textOf(const FileSet::Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The list under a key, empty where there is none.
FileSet::Json rowsOf(const FileSet::Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : FileSet::Json::array();
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

Result<OpenPackage> openPackage(const std::string& path) {
  std::optional<TemporaryFolder> unpacked;
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) {
    RX_TRY(scratch, TemporaryFolder::make("rxs-package"));
    unpacked.emplace(std::move(scratch));
    RX_CHECK(unpackArchive(path, unpacked->file("package")));
    if (!FileSet::isThere(unpacked->file("package"), kManifest))
      return fail("file.set",
                  fmt::format("{}: an archive without {} is no package", escapedForDisplay(path), kManifest));
  }
  const std::string folder = unpacked ? unpacked->file("package") : path;
  RX_TRY(set, FileSet::open(folder, kManifest, path));
  const FileSet::Json& manifest = set.index();
  if (textOf(manifest, "format") != kPackageFormat) return notOpened(path, "its manifest is not one of a package");
  const auto version = manifest.find("version");
  if (version == manifest.end() || *version != kPackageVersion)
    return notOpened(path, fmt::format("its manifest is of version {}, this program reads {}: build it again",
                                       version == manifest.end()
                                           ? std::string("none")
                                           : version->dump(-1, ' ', true, FileSet::Json::error_handler_t::replace),
                                       kPackageVersion));
  RX_CHECK(set.check());
  const std::string library = textOf(manifest, "library"), weights = textOf(manifest, "weights");
  const std::vector<std::string> members = set.members();
  for (const std::string& name : {library, weights})
    if (std::find(members.begin(), members.end(), name) == members.end())
      return notOpened(path, "its manifest names a library or weights that are no members of it");
  std::error_code error;
  const fs::path inside = fs::canonical(folder, error), real = fs::canonical(set.path(library), error);
  if (error || real.parent_path() != inside) return notOpened(path, "its library is a link to elsewhere");
  RX_CHECK(set.checkContent(library));
  std::string weightsPath = set.path(weights);
  return OpenPackage{std::move(unpacked), std::move(set), real.string(), std::move(weightsPath)};
}

Result<std::vector<std::string>> inputsOf(const OpenPackage& package, const std::string& function) {
  const FileSet::Json functions = rowsOf(package.set.index(), "functions");
  std::set<std::string> weights, known;
  for (const FileSet::Json& row : rowsOf(package.set.index(), "parameters")) weights.insert(textOf(row, "name"));
  for (const FileSet::Json& row : functions) {
    known.insert(textOf(row, "name"));
    if (textOf(row, "name") != function) continue;
    std::vector<std::string> names;
    for (const FileSet::Json& name : rowsOf(row, "parameters"))
      if (name.is_string() && !weights.contains(name.get<std::string>())) names.push_back(name.get<std::string>());
    return names;
  }
  return fail("export.run", fmt::format("the package has no function \"{}\"; it has {}", escapedForDisplay(function),
                                        escapedForDisplay(fmt::format("{}", fmt::join(known, ", ")))));
}

Result<std::vector<Ref<HostTensor>>> inputsInOrder(const OpenPackage& package, const std::string& function,
                                                   const std::vector<NamedTensor>& named,
                                                   const std::vector<Ref<HostTensor>>& others) {
  // A tuple takes a tensor for each of its items, which have no names.
  if (named.empty() && !others.empty()) return others;
  RX_TRY(names, inputsOf(package, function));
  for (const auto& [name, tensor] : named)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return fail("export.run", fmt::format("{} has no input \"{}\"; its inputs are {}", escapedForDisplay(function),
                                            escapedForDisplay(name), fmt::join(names, ", ")));
  std::vector<Ref<HostTensor>> ordered;
  size_t next = 0;
  for (const std::string& name : names) {
    const auto found = std::find_if(named.begin(), named.end(), [&](const auto& input) { return input.first == name; });
    if (found == named.end() && next == others.size())
      return fail("export.run", fmt::format("no array is named \"{}\", which {} takes", escapedForDisplay(name),
                                            escapedForDisplay(function)));
    ordered.push_back(found != named.end() ? found->second : others[next++]);
  }
  ordered.insert(ordered.end(), others.begin() + static_cast<ptrdiff_t>(next), others.end());
  return ordered;
}

Result<Unit> madeForThisMachine(const OpenPackage& package) {
  const std::string triple = textOf(package.set.index(), "triple");
#if defined(__aarch64__)
  constexpr auto kHere = target::Architecture::Aarch64;
#else
  constexpr auto kHere = target::Architecture::X86_64;
#endif
  if (triple.empty() || target::architectureOf(triple) == kHere) return Unit{};
  return fail("export.run",
              fmt::format("not available: the package is made for {}, which this machine is not", triple));
}

}  // namespace rx::exporter
