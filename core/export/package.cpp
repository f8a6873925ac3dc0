#include "core/export/package.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "core/codegen/kernels.h"
#include "core/compile/device_code.h"
#include "core/export/archive.h"
#include "core/export/data_object.h"
#include "core/export/embedded.h"
#include "core/export/kernel_info.h"
#include "core/export/link.h"
#include "core/export/package_machine.h"
#include "core/export/package_set.h"
#include "core/ir/reflect.h"
#include "core/ir/symbols.h"
#include "core/library/library.h"
#include "core/runtime/registry.h"
#include "core/support/bytes.h"
#include "core/support/chunk_hash.h"
#include "core/support/file.h"
#include "core/support/file_set.h"
#include "core/support/temporary_folder.h"
#include "core/support/thread_pool.h"
#include "core/tensor/safetensors.h"
#include "core/vm/executable_file.h"

namespace rx::exporter {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string word(int64_t value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); }

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

/// The libraries whose functions the program calls, which the machine that runs the package has to have.
Json librariesJson(const vm::Executable& executable) {
  std::set<std::string_view> names;
  for (const vm::FunctionInfo& function : executable.functions())
    if (const library::LibraryRow* row = library::libraryOf(function.name)) names.insert(row->name);
  return names;
}

/// What a package is made of, beside its weights.
struct Parts {
  compile::Program onHost;  ///< the program with the kernels of the host alone, for that host
  PackageMachine machine;
  std::optional<device::ProgramCode> devices;
};

Result<Parts> partsOf(const compile::Program& program, const PackageOptions& options) {
  Parts parts;
  parts.onHost = program;
  RX_TRY(host, compile::hostOf(program.request.target));
  RX_TRY(machine, packageMachine(host, program.module));
  parts.machine = std::move(machine);
  if (sameTarget(host, program.request.target)) return parts;
  parts.onHost.request.target = host;
  compile::Control control;
  control.onHost = options.onHost;
  const auto targets = options.targets.empty() ? std::vector{program.request.target} : options.targets;
  RX_TRY(code, compile::deviceCodeOf(program, targets, control));
  std::vector<ir::IRModule::Entry> kept;
  for (const auto& entry : program.module->entries()) {
    const bool kernel = isa<tir::PrimFunc>(entry.second);
    if (!kernel || code.onHost.contains(ir::symbolOf(*entry.first, *entry.second))) kept.push_back(entry);
  }
  parts.onHost.module = program.module->with(std::move(kept));
  parts.devices = std::move(code.code);
  return parts;
}

/// What the package has for devices: of which kind, how many, for which architectures.
Json devicesJson(const Parts& parts) {
  Json list = Json::array();
  if (!parts.devices) return list;
  const device::ProgramCode& code = *parts.devices;
  Json architectures = Json::array();
  for (const device::ModuleCode& module : code.code) {
    if (!module.architecture.empty()) architectures.push_back(module.architecture);
  }
  for (const int64_t number : code.rows) {
    if (number == device::ProgramCode::kHostRow) continue;
    list.push_back({{"kind", code.kind},
                    {"number", number},
                    {"architectures", architectures},
                    {"kernels", code.code.front().symbols.size()}});
  }
  return list;
}

/// What was built: by what, from what, for what.
Json manifestJson(const compile::Program& program, const Parts& parts, const PackageOptions& options,
                  const std::string& library) {
  const PackageMachine& machine = parts.machine;
  const vm::Executable& executable = *program.executable;
  const compile::Request& request = program.request;
  Json params = Json::array(), passes = Json::array();
  for (const auto& [name, tensor] : options.params) {
    params.push_back({{"name", name}, {"dtype", tensor->dtype().str()}, {"shape", tensor->shape()}});
  }
  for (const pass::StepRecord& step : program.history.steps) passes.push_back(step.call);
  const codegen::KernelOptions kernels = compile::kernelOptionsOf(request);
  std::string mode;
  for (const compile::ModeRow& row : compile::modes()) {
    if (row.mode == request.mode) mode = row.name;
  }
  return {{"format", kPackageFormat},
          {"version", kPackageVersion},
          {"source", options.source},
          {"target", Json::parse(request.target->json())},
          {"triple", machine.machine.triple},
          {"processor", machine.name},
          {"needs", machine.needs},
          {"devices", devicesJson(parts)},
          {"mode", mode},
          {"checks", kernels.checkAccess ? "accesses that are not proven" : "none"},
          {"opt_level", request.optLevel},
          {"passes", passes},
          {"compiler", "LLVM " + codegen::compilerVersion()},
          {"library", library},
          {"weights", kWeights},
          {"functions", functionsJson(executable)},
          {"parameters", params},
          {"calls", externalsJson(executable)},
          {"libraries", librariesJson(executable)}};
}

Failure notHeld(std::string_view caller, std::string_view name) {
  return fail("export.unsupported", fmt::format("{} calls \"{}\", which packages do not hold", caller, name));
}

/// Every packed function that the program or a kernel calls has to be in the package.
Result<Unit> checkCalls(const ir::Module& lowered, const vm::Executable& executable) {
  const vm::PackedRegistry known = library::registryWithLibraries();
  auto held = [&](std::string_view name) { return known.find(name) != nullptr; };
  std::set<std::string, std::less<>> kernels;
  for (size_t i = 0; i < lowered->size(); ++i) {
    const auto* function = as<tir::PrimFunc>(lowered->functions[i]);
    if (!function) continue;
    const std::string name = ir::symbolOf(*lowered->vars[i], *function);
    kernels.insert(name);
    std::string_view missing;
    walk(*function->body, Into::Parts, [&](const Node& node) {
      const auto* call = as<tir::Call>(&node);
      const auto* op = call ? as<relax::Op>(call->op) : nullptr;
      const auto* callee = op && !call->args.empty() ? as<tir::StringImm>(call->args[0]) : nullptr;
      const bool packed = callee && op->name.view().ends_with("packed");
      if (packed && missing.empty() && !held(callee->value.view())) missing = callee->value.view();
      return missing.empty();
    });
    if (!missing.empty()) return notHeld(fmt::format("the kernel {}", name), missing);
  }
  for (const vm::FunctionInfo& function : executable.functions()) {
    if (function.kind == vm::FunctionKind::Bytecode || kernels.contains(function.name) || held(function.name)) continue;
    return notHeld("the program", function.name);
  }
  return Unit{};
}

/// What the runtime checks the weights by: the length of the file, and the hash of each chunk. Zero of a package
/// without weights, which takes any.
Result<std::string> weightsInfo(const std::string& path, bool any) {
  ByteWriter out;
  if (any) {
    RX_TRY(file, MappedFile::open(path));
    out.put<uint64_t>(file->bytes().size());
    for (const uint64_t hash : chunkHashes(file->bytes())) out.put<uint64_t>(hash);
  } else {
    out.put<uint64_t>(0);
  }
  return out.take();
}

/// The constants go to `constants`.
Result<std::vector<std::string>> objectsOf(const Parts& parts, const std::string& weights, TensorBlocks& constants,
                                           const std::shared_ptr<codegen::ObjectStore>& store) {
  const compile::Program& program = parts.onHost;
  const PackageMachine& machine = parts.machine;
  RX_TRY(bytes, vm::executableBytes(*program.executable, &constants));
  RX_TRY(info, kernelInfo(program.module));
  codegen::KernelOptions kernels = compile::kernelOptionsOf(program.request);
  kernels.machine = machine.machine;
  const std::string devices = parts.devices ? parts.devices->bytes() : std::string();
  const std::string needs = fmt::format("{}", fmt::join(machine.needs, " "));
  auto size = [](const std::string& data) { return word(static_cast<int64_t>(data.size())); };
  ThreadPool pool;
  return codegen::packageObjects(program.module, "rxs_kernels",
                                 {{"rxs_program_bytes", bytes},
                                  {"rxs_program_size", size(bytes)},
                                  {"rxs_constants_size", word(static_cast<int64_t>(constants.bytes()))},
                                  {"rxs_kernel_info", info},
                                  {"rxs_kernel_info_size", size(info)},
                                  {"rxs_needed_features", needs},
                                  {"rxs_needed_features_size", size(needs)},
                                  {"rxs_device_code", devices},
                                  {"rxs_device_code_size", size(devices)},
                                  {"rxs_weights_info", weights},
                                  {"rxs_weights_info_size", size(weights)}},
                                 {std::move(kernels), compile::loweringOf(program, {}), store}, pool);
}

Result<std::vector<std::string>> writeFolder(const compile::Program& program, const PackageOptions& options,
                                             const std::string& folder) {
  RX_CHECK(checkPackageName(options.name));
  RX_TRY(parts, partsOf(program, options));
  const target::Architecture architecture = parts.machine.architecture;
  RX_CHECK(checkCalls(program.module, *program.executable));
  const std::string library = "lib" + options.name + ".so";
  RX_TRY(set, FileSetWriter::begin(folder, kManifest));
  RX_TRY(linked, set.place(library));
  RX_TRY(params, set.place(kWeights));
  RX_TRY(header, set.place("rxs_package.h"));
  RX_TRY(runner, set.place("rxs_runner.c"));
  RX_CHECK(writeSafetensors(params, options.params));
  RX_CHECK(writeFile(header, packageHeader()));
  RX_CHECK(writeFile(runner, packageRunner()));
  RX_TRY(weights, weightsInfo(params, !options.params.empty()));
  TensorBlocks constants;
  RX_TRY(compiled, objectsOf(parts, weights, constants, options.store));
  RX_TRY(scratch, TemporaryFolder::make(".rxs-link", folder));
  std::vector<std::string> objects{scratch.file("runtime.o")};
  RX_CHECK(writeFile(objects.back(), runtimeObject(architecture)));
  for (size_t i = 0; i < compiled.size(); ++i) {
    objects.push_back(scratch.file(fmt::format("code{}.o", i)));
    RX_CHECK(writeFile(objects.back(), compiled[i]));
  }
  objects.push_back(scratch.file("constants.o"));
  RX_CHECK(writeDataObject(architecture, "rxs_constants", constants, objects.back()));
  if (parts.devices) {
    objects.push_back(scratch.file("devices.o"));
    RX_CHECK(writeFile(objects.back(), devicesObject(architecture)));
  }
  RX_CHECK(linkLibrary(architecture, objects, scratch.file("linked.so")));
  std::error_code error;
  fs::rename(scratch.file("linked.so"), linked, error);
  if (error) return fail("file.write", fmt::format("{}: {}", library, error.message()));
  RX_CHECK(set.commit(manifestJson(program, parts, options, library)));
  const fs::path base(folder);
  return std::vector{(base / library).string(), (base / kWeights).string(), (base / kManifest).string()};
}

}  // namespace

Result<std::vector<std::string>> writePackage(const compile::Program& program, const PackageOptions& options,
                                              const std::string& path) {
  if (!isArchiveName(path)) return writeFolder(program, options, path);
  RX_TRY(scratch, TemporaryFolder::make("rxs-package"));
  const std::string folder = scratch.file("package");  // the scratch folder is locked by its owner
  RX_CHECK(writeFolder(program, options, folder));
  RX_TRY(set, FileSet::open(folder, kManifest));
  std::vector<std::string> names = set.members();
  names.insert(names.begin(), kManifest);
  RX_CHECK(writeArchive(folder, names, path));
  return std::vector{path};
}

}  // namespace rx::exporter
