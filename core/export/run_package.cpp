#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/export/package.h"
#include "core/export/runtime/rxs_package.h"
#include "core/support/file.h"
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

rxs_dtype typeOf(DataType dtype) { return {dtype.dlpackCode(), dtype.bits, 1}; }
Result<DataType> typeFrom(rxs_dtype type) {
  const auto code = DataType::codeOfDlpack(type.code);
  if (!code) return fail("export.run", fmt::format("a result has the unknown element type {}", type.code));
  return DataType{*code, type.bits, 1};
}

Result<rxs_tensor> viewOf(const HostTensor& tensor) {
  rxs_tensor view{};
  if (tensor.rank() > RXS_MAX_RANK) return fail("export.run", "a tensor has too many dimensions");
  view.data = const_cast<std::byte*>(tensor.data());
  view.rank = static_cast<int32_t>(tensor.rank());
  view.dtype = typeOf(tensor.dtype());
  std::copy(tensor.shape().begin(), tensor.shape().end(), view.shape);
  return view;
}

int64_t bytesOf(const rxs_tensor& t) {
  int64_t total = (t.dtype.bits + 7) / 8;
  for (int32_t i = 0; i < t.rank; ++i) total *= t.shape[i];
  return total;
}

Result<std::vector<Ref<HostTensor>>> collect(const rxs_tensor* outputs, int32_t count) {
  std::vector<Ref<HostTensor>> results;
  for (int32_t i = 0; i < count; ++i) {
    const rxs_tensor& t = outputs[i];
    RX_TRY(dtype, typeFrom(t.dtype));
    RX_TRY(tensor, HostTensor::fromBytes({t.shape, t.shape + t.rank}, dtype,
                                         {static_cast<const std::byte*>(t.data), static_cast<size_t>(bytesOf(t))}));
    results.push_back(std::move(tensor));
  }
  return results;
}

/// What the loader would only call a missing file.
Result<Unit> madeForThisArchitecture(const nlohmann::json& manifest) {
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
  std::filesystem::path base(folder);
  RX_TRY(manifest, readFile((base / "manifest.json").string()));
  auto json = nlohmann::json::parse(manifest, nullptr, false);
  if (!json.is_object() || !json.contains("library") || !json["library"].is_string()) {
    return fail("export.run", "the manifest of the package names no library");
  }
  RX_CHECK(madeForThisArchitecture(json));
  // Only a library inside of the package is loaded.
  std::string path =
      std::filesystem::absolute(base / std::filesystem::path(json["library"].get<std::string>()).filename()).string();
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return fail("export.run", dlerror());
  Library library{};
  bool whole = find(handle, "rxs_open", library.open) && find(handle, "rxs_close", library.close) &&
               find(handle, "rxs_error", library.error) && find(handle, "rxs_run", library.run);
  if (!whole) return fail("export.run", path + " is no package library");
  std::vector<rxs_tensor> views;
  for (const Ref<HostTensor>& input : inputs) {
    RX_TRY(view, viewOf(*input));
    views.push_back(view);
  }
  rxs_session* session = nullptr;
  const rxs_tensor* outputs = nullptr;
  int32_t count = 0;
  int failed = library.open((base / "params.safetensors").string().c_str(), &session);
  if (!failed)
    failed = library.run(session, function.c_str(), views.data(), static_cast<int32_t>(views.size()), &outputs, &count);
  Result<std::vector<Ref<HostTensor>>> results =
      failed ? Result<std::vector<Ref<HostTensor>>>(fail("export.run", library.error(session)))
             : collect(outputs, count);
  library.close(session);
  dlclose(handle);
  return results;
}

}  // namespace rx::exporter
