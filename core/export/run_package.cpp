#include <dlfcn.h>

#include <algorithm>

#include "core/export/package.h"
#include "core/export/package_failure.h"
#include "core/export/package_set.h"
#include "core/export/runtime/tensor_view.h"
#include "core/support/memory_limit.h"

namespace rx::exporter {

namespace {

/// The functions of a package's library.
struct Library {
  decltype(&rxs_open) open;
  decltype(&rxs_open_within) openWithin;
  decltype(&rxs_close) close;
  decltype(&rxs_error) error;
  decltype(&rxs_run) run;
  decltype(&rxs_cancel) cancel;
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
    RX_TRY(lent, rx::package::lentBy(outputs[i]));
    RX_TRY(tensor, lent->copy());
    results.push_back(std::move(tensor));
  }
  return results;
}

Result<Tensors> run(const OpenPackage& package, const std::string& function, const Tensors& inputs,
                    const Running& running) {
  RX_CHECK(madeForThisMachine(package));
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
  // As with every run of a program: what the machine has is named, and not run out of. An older package has no budget.
  const auto budget = static_cast<int64_t>(std::min<uint64_t>(memoryLimit().bytes, INT64_MAX));
  int failed = find(handle, "rxs_open_within", library.openWithin)
                   ? library.openWithin(package.weights.c_str(), budget, &session)
                   : library.open(package.weights.c_str(), &session);
  // An older package has no function that cancels.
  const bool cancels = running && !failed && find(handle, "rxs_cancel", library.cancel);
  if (cancels) running([&] { library.cancel(session); });
  if (!failed)
    failed = library.run(session, function.c_str(), views.data(), static_cast<int32_t>(views.size()), &outputs, &count);
  if (cancels) running(nullptr);
  Result<Tensors> results = failed ? Result<Tensors>(packageFailure(handle, session)) : collect(outputs, count);
  library.close(session);
  dlclose(handle);
  return results;
}

}  // namespace

Result<Tensors> runPackage(const std::string& path, const std::string& function, const Tensors& inputs,
                           const Running& running) {
  RX_TRY(package, openPackage(path));
  return run(package, function, inputs, running);
}

Result<Tensors> runPackage(const std::string& path, const std::string& function, const std::vector<NamedTensor>& inputs,
                           const Running& running) {
  RX_TRY(package, openPackage(path));
  RX_TRY(ordered, inputsInOrder(package, function, inputs, {}));
  return run(package, function, ordered, running);
}

Result<size_t> verifyPackage(const std::string& path) {
  RX_TRY(package, openPackage(path));
  const std::vector<std::string> members = package.set.members();
  for (const std::string& member : members) RX_CHECK(package.set.checkContent(member));
  return members.size();
}

}  // namespace rx::exporter
