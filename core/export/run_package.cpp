#include <dlfcn.h>
#include <fmt/ranges.h>

#include <algorithm>
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

using Tensors = std::vector<Ref<HostTensor>>;

Result<Tensors> collect(const rxs_tensor* outputs, int32_t count) {
  Tensors results;
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

Result<Tensors> run(const OpenPackage& package, const std::string& function, const Tensors& inputs) {
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
  Result<Tensors> results =
      failed ? Result<Tensors>(fail("export.run", library.error(session))) : collect(outputs, count);
  library.close(session);
  dlclose(handle);
  return results;
}

/// The inputs in the order of the parameters.
Result<Tensors> inOrder(const OpenPackage& package, const std::string& function,
                        const std::vector<NamedTensor>& inputs) {
  RX_TRY(names, inputsOf(package, function));
  for (const auto& [name, tensor] : inputs)
    if (std::find(names.begin(), names.end(), name) == names.end())
      return fail("export.run", fmt::format("{} has no input \"{}\"; its inputs are {}", escapedForDisplay(function),
                                            escapedForDisplay(name), fmt::join(names, ", ")));
  Tensors ordered;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(inputs.begin(), inputs.end(), [&](const NamedTensor& input) { return input.first == name; });
    if (found == inputs.end())
      return fail("export.run", fmt::format("no array is named \"{}\", which {} takes", escapedForDisplay(name),
                                            escapedForDisplay(function)));
    ordered.push_back(found->second);
  }
  return ordered;
}

}  // namespace

Result<Tensors> runPackage(const std::string& path, const std::string& function, const Tensors& inputs) {
  RX_TRY(package, openPackage(path));
  return run(package, function, inputs);
}

Result<Tensors> runPackage(const std::string& path, const std::string& function,
                           const std::vector<NamedTensor>& inputs) {
  RX_TRY(package, openPackage(path));
  RX_TRY(ordered, inOrder(package, function, inputs));
  return run(package, function, ordered);
}

Result<size_t> verifyPackage(const std::string& path) {
  RX_TRY(package, openPackage(path));
  const std::vector<std::string> members = package.set.members();
  for (const std::string& member : members) RX_CHECK(package.set.checkContent(member));
  return members.size();
}

}  // namespace rx::exporter
