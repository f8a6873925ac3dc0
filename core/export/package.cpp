#include "core/export/package.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/codegen/kernels.h"
#include "core/export/embedded.h"
#include "core/export/kernel_info.h"
#include "core/export/link.h"
#include "core/support/file.h"
#include "core/tensor/safetensors.h"
#include "core/vm/executable_file.h"

namespace rx::exporter {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string word(int64_t value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); }

/// Removed when the object goes out of scope.
struct TemporaryFile {
  explicit TemporaryFile(fs::path p) : path(std::move(p)) {}
  ~TemporaryFile() {
    std::error_code error;
    fs::remove(path, error);
  }
  fs::path path;
};

Json functionsJson(const vm::Executable& executable) {
  Json list = Json::array();
  for (const vm::FunctionInfo& function : executable.functions()) {
    if (function.kind == vm::FunctionKind::Bytecode)
      list.push_back({{"name", function.name}, {"parameters", function.paramNames}});
  }
  return list;
}

Json externalsJson(const vm::Executable& executable) {
  Json list = Json::array();
  for (const vm::FunctionInfo& function : executable.functions()) {
    if (function.kind != vm::FunctionKind::Bytecode) list.push_back(function.name);
  }
  return list;
}

Json manifestJson(const vm::Executable& executable, const PackageOptions& options, const std::string& library) {
  Json params = Json::array();
  for (const auto& [name, tensor] : options.params) {
    params.push_back({{"name", name}, {"dtype", tensor->dtype().str()}, {"shape", tensor->shape()}});
  }
  return {{"format", "relaxscope package"},
          {"version", 1},
          {"source", options.source},
          {"target", "x86_64-linux (the processor it was compiled on)"},
          {"pipeline", options.pipeline},
          {"library", library},
          {"weights", "params.safetensors"},
          {"functions", functionsJson(executable)},
          {"parameters", params},
          {"calls", externalsJson(executable)}};
}

Result<std::string> objectOf(const ir::Module& lowered, const vm::Executable& executable, int optLevel) {
  RX_TRY(program, vm::executableBytes(executable));
  RX_TRY(info, kernelInfo(lowered));
  codegen::KernelOptions kernels;
  kernels.optLevel = optLevel;
  kernels.checkAccess = false;
  return codegen::packageObject(lowered, "rxs_kernels",
                                {{"rxs_program_bytes", program},
                                 {"rxs_program_size", word(static_cast<int64_t>(program.size()))},
                                 {"rxs_kernel_info", info},
                                 {"rxs_kernel_info_size", word(static_cast<int64_t>(info.size()))}},
                                kernels);
}

}  // namespace

Result<Package> writePackage(const ir::Module& lowered, const vm::Executable& executable, const PackageOptions& options,
                             const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail("file.write", fmt::format("{}: {}", folder, error.message()));
  fs::path base(folder);
  std::string library = "lib" + options.name + ".so";
  RX_TRY(object, objectOf(lowered, executable, options.optLevel));
  TemporaryFile code(base / ".code.o"), runtime(base / ".runtime.o"), linked(base / (".new-" + library));
  RX_CHECK(writeFile(code.path.string(), object));
  RX_CHECK(writeFile(runtime.path.string(), runtimeObject()));
  RX_CHECK(linkLibrary({code.path.string(), runtime.path.string()}, linked.path.string()));
  RX_CHECK(writeSafetensors((base / "params.safetensors").string(), options.params));
  RX_CHECK(writeFile((base / "rxs_package.h").string(), packageHeader()));
  RX_CHECK(writeFile((base / "rxs_runner.c").string(), packageRunner()));
  fs::rename(linked.path, base / library, error);
  if (error) return fail("file.write", fmt::format("{}: {}", library, error.message()));
  Package package{folder, (base / library).string(), (base / "params.safetensors").string(),
                  (base / "manifest.json").string()};
  RX_CHECK(writeFile(package.manifest, manifestJson(executable, options, library).dump(1) + "\n"));
  return package;
}

}  // namespace rx::exporter
