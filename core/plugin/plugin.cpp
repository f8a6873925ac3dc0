#include "core/plugin/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "core/library/library.h"
#include "core/plugin/function.h"

namespace rx::plugin {

namespace {

constexpr int32_t kMostFunctions = 1 << 16;

Failure notLoaded(const std::string& path, std::string_view why) {
  return fail("plugin.load", fmt::format("{}: {}", escapedForDisplay(path), why));
}

Result<Unit> addFunctions(const std::string& path, vm::PackedRegistry& registry) {
  std::error_code error;
  // With its folder, so that no other place is searched.
  const std::string file = std::filesystem::absolute(path, error).string();
  const Library library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), [](void* handle) {
    if (handle) dlclose(handle);
  });
  if (!library) return notLoaded(path, escapedForDisplay(dlerror()));
  const auto entry = reinterpret_cast<decltype(&rxs_plugin)>(dlsym(library.get(), "rxs_plugin"));
  if (!entry) return notLoaded(path, "it has no function rxs_plugin, as rxs_plugin.h asks for");
  int32_t count = 0;
  const rxs_plugin_function* rows = entry(RXS_PLUGIN_VERSION, &count);
  if (!rows || count < 0 || count > kMostFunctions)
    return notLoaded(path, fmt::format("it has no functions for version {} of rxs_plugin.h", RXS_PLUGIN_VERSION));
  for (int32_t i = 0; i < count; ++i) {
    const std::string name = rows[i].name ? rows[i].name : "";
    if (name.empty() || !rows[i].call) return notLoaded(path, fmt::format("its function {} has no name or no code", i));
    if (registry.find(name))
      return fail("plugin.name", fmt::format("{}: there is a function \"{}\" already", escapedForDisplay(path),
                                             escapedForDisplay(name)));
    registry.add(name, makeFunction(library, rows[i]));
  }
  return Unit{};
}

}  // namespace

Result<std::shared_ptr<const vm::PackedRegistry>> registryWith(const std::vector<std::string>& libraries) {
  auto registry = std::make_shared<vm::PackedRegistry>(library::registryWithLibraries());
  for (const std::string& path : libraries) RX_CHECK(addFunctions(path, *registry));
  return std::shared_ptr<const vm::PackedRegistry>(std::move(registry));
}

}  // namespace rx::plugin
