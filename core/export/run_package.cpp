#include <dlfcn.h>

#include <nlohmann/json.hpp>

#include "core/export/package.h"
#include "core/export/package_set.h"
#include "core/export/runtime/tensor_view.h"
#include "core/target/processor.h"

namespace rx::exporter {

namespace {

/// The functions of a package's library.
struct Library {
  decltype(&rxs_open) open;
  decltype(&rxs_close) close;
  decltype(&rxs_error) error;
  decltype(&rxs_run) run;
};

template <class F>
bool find(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

Result<std::vector<Ref<HostTensor>>> collect(const rxs_tensor* outputs, int32_t count) {
  std::vector<Ref<HostTensor>> results;
  for (int32_t i = 0; i < count; ++i) {
    RX_TRY(tensor, rx::package::copyOf(outputs[i]));
    results.push_back(std::move(tensor));
  }
  return results;
}

/// What the loader would only call a missing file.
Result<Unit> madeForThisArchitecture(const FileSet::Json& manifest) {
  if (!manifest.contains("triple") || !manifest["triple"].is_string()) return Unit{};
  const auto triple = manifest["triple"].get<std::string>();
#if defined(__aarch64__)
  constexpr auto kHere = target::Architecture::Aarch64;
#else
  constexpr auto kHere = target::Architecture::X86_64;
#endif
  if (target::architectureOf(triple) == kHere) return Unit{};
  return fail("export.run",
              fmt::format("not available: the package is made for {}, which this machine is not", triple));
}

}  // namespace

Result<std::vector<Ref<HostTensor>>> runPackage(const std::string& folder, const std::string& function,
                                                const std::vector<Ref<HostTensor>>& inputs) {
  RX_TRY(package, openPackage(folder));
  RX_CHECK(madeForThisArchitecture(package.set.index()));
  void* handle = dlopen(package.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return fail("export.run", dlerror());
  Library library{};
  bool whole = find(handle, "rxs_open", library.open) && find(handle, "rxs_close", library.close) &&
               find(handle, "rxs_error", library.error) && find(handle, "rxs_run", library.run);
  if (!whole) return fail("export.run", package.library + " is no package library");
  std::vector<rxs_tensor> views;
  for (const Ref<HostTensor>& input : inputs) {
    RX_TRY(view, rx::package::viewOf(*input));
    views.push_back(view);
  }
  rxs_session* session = nullptr;
  const rxs_tensor* outputs = nullptr;
  int32_t count = 0;
  int failed = library.open(package.weights.c_str(), &session);
  if (!failed)
    failed = library.run(session, function.c_str(), views.data(), static_cast<int32_t>(views.size()), &outputs, &count);
  Result<std::vector<Ref<HostTensor>>> results =
      failed ? Result<std::vector<Ref<HostTensor>>>(fail("export.run", library.error(session)))
             : collect(outputs, count);
  library.close(session);
  dlclose(handle);
  return results;
}

Result<size_t> verifyPackage(const std::string& folder) {
  RX_TRY(package, openPackage(folder));
  const std::vector<std::string> members = package.set.members();
  for (const std::string& member : members) RX_CHECK(package.set.checkContent(member));
  return members.size();
}

}  // namespace rx::exporter
