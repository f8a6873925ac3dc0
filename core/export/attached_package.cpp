#include "core/export/attached_package.h"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>

#include "core/compile/device_code.h"
#include "core/compile/device_statistics.h"
#include "core/device/maker/maker.h"
#include "core/device/run/placed.h"
#include "core/export/archive.h"
#include "core/export/package_failure.h"
#include "core/export/package_set.h"
#include "core/export/runtime/session.h"
#include "core/export/runtime/tensor_view.h"
#include "core/vm/executable_file.h"

namespace rx::exporter {

namespace {

/// The functions of a package's library that a debugger calls, and its session.
class Library {
 public:
  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (session_) close_(session_);
    if (handle_) dlclose(handle_);
  }

  Result<Unit> load(const std::string& path) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) return fail("export.run", dlerror());
    decltype(&rxs_parts) parts = nullptr;
    const bool whole = find("rxs_open", open_) && find("rxs_close", close_) && find("rxs_error", error_);
    if (!whole) return fail("export.run", path + " is no package library");
    if (!find("rxs_parts", parts) || !find("rxs_call_kernel", call_))
      return fail("export.attach", "the package was built before debuggers could attach to one: build it again");
    (void)find("rxs_watch", watch_);
    if (decltype(&rxs_constants_part) constants = nullptr; find("rxs_constants_part", constants)) {
      rxs_part row{};
      constants(&row);
      constants_ = {static_cast<const std::byte*>(row.data), static_cast<size_t>(row.bytes)};
    }
    if (decltype(&rxs_device_part) devices = nullptr; find("rxs_device_part", devices)) {
      rxs_part code{};
      devices(&code);
      devices_ = {static_cast<const char*>(code.data), static_cast<size_t>(code.bytes)};
    }
    rxs_part views[3];
    parts(&views[0], &views[1], &views[2]);
    for (size_t i = 0; i < std::size(views); ++i)
      parts_[i] = {static_cast<const char*>(views[i].data), static_cast<size_t>(views[i].bytes)};
    if (open_(nullptr, &session_) == 0) return Unit{};
    return packageFailure(handle_, session_);
  }
  std::string_view devices() const { return devices_; }
  std::span<const std::byte> constants() const { return constants_; }
  std::string_view program() const { return parts_[0]; }
  std::string_view kernels() const { return parts_[1]; }
  std::string_view weights() const { return parts_[2]; }

  Result<Unit> call(int64_t kernel, vm::KernelArguments& bound, int64_t* result, const std::atomic<bool>* stop) const {
    if (watch_) watch_(session_, stop);
    if (call_(session_, kernel, bound.buffers.data(), bound.ints.data(), bound.reals.data(), result) == 0)
      return Unit{};
    const std::string_view said = error_(session_);
    const size_t colon = said.find(": ");
    if (colon == std::string_view::npos) return fail("vm.kernel", std::string(said));
    return fail(std::string(said.substr(0, colon)), std::string(said.substr(colon + 2)));
  }

 private:
  template <class F>
  bool find(const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    return function != nullptr;
  }

  void* handle_ = nullptr;
  rxs_session* session_ = nullptr;
  decltype(&rxs_open) open_ = nullptr;
  decltype(&rxs_close) close_ = nullptr;
  decltype(&rxs_error) error_ = nullptr;
  decltype(&rxs_call_kernel) call_ = nullptr;
  decltype(&rxs_watch) watch_ = nullptr;  ///< null where the package is older
  std::string_view parts_[3], devices_;
  std::span<const std::byte> constants_;
};

}  // namespace

struct AttachedPackage::Opened {
  explicit Opened(OpenPackage p) : package(std::move(p)) {}
  OpenPackage package;
  Library library;
  rx::package::KernelInfo info;
  rx::package::Weights weights;
};

namespace {

using Opened = AttachedPackage::Opened;

class AttachedKernel final : public vm::Callable {
 public:
  AttachedKernel(std::shared_ptr<const Opened> opened, size_t number) : opened_(std::move(opened)), number_(number) {}
  std::string_view name() const override { return opened_->info.kernels[number_].first; }
  bool mayWrite(size_t argument) const override { return signature().mayWrite(argument); }
  Result<vm::Value> call(vm::CallContext& context, vm::Arguments args) const override {
    vm::KernelArguments bound;
    RX_CHECK(signature().bind(name(), args, bound));
    int64_t result = 0;
    RX_CHECK(opened_->library.call(static_cast<int64_t>(number_), bound, &result, context.around.stop));
    return signature().resultOf(result);
  }

 private:
  const vm::KernelSignature& signature() const { return opened_->info.kernels[number_].second; }
  std::shared_ptr<const Opened> opened_;
  size_t number_;
};

class AttachedKernels final : public vm::KernelProvider {
 public:
  explicit AttachedKernels(std::shared_ptr<const Opened> opened) : opened_(std::move(opened)) {}
  Result<Ref<vm::Callable>> find(std::string_view name) override {
    const auto& kernels = opened_->info.kernels;
    const auto at = std::find_if(kernels.begin(), kernels.end(), [&](const auto& row) { return row.first == name; });
    if (at == kernels.end()) return Ref<vm::Callable>();
    return Ref<vm::Callable>(make<AttachedKernel>(opened_, static_cast<size_t>(at - kernels.begin())));
  }

 private:
  std::shared_ptr<const Opened> opened_;
};

/// What tells statistics of tensors on the devices of a package: kernels of this process, which the package has none
/// of.
Result<Unit> addStatistics(device::PlacedFunctions& placed, const compile::Control& control) {
  for (size_t i = 0; i < placed.programs().size(); ++i) {
    const auto& program = placed.programs()[i];
    if (!program) continue;
    RX_TRY(kind, target::parseTarget(program->device().properties().kind));
    const std::string& architecture = program->code().architecture;
    RX_TRY(targets,
           compile::targetsFor(kind, architecture.empty() ? std::vector<std::string>() : std::vector{architecture}));
    placed.setStatistics(i,
                         compile::statisticsOn(program->device().shared_from_this(), targets.front(), control, true));
  }
  return Unit{};
}

}  // namespace

bool AttachedPackage::isAt(const std::string& path) {
  std::error_code ignored;
  if (isArchiveName(path)) return std::filesystem::is_regular_file(path, ignored);
  return std::filesystem::is_directory(path, ignored) && FileSet::isThere(path, kManifest);
}

Result<AttachedPackage> AttachedPackage::open(const std::string& path, const compile::Control& control) {
  RX_TRY(package, openPackage(path));
  RX_CHECK(madeForThisMachine(package));
  AttachedPackage attached;
  attached.opened_ = std::make_shared<Opened>(std::move(package));
  Opened& opened = *attached.opened_;
  RX_CHECK(opened.library.load(opened.package.library));
  RX_TRY(program, vm::parseExecutable(opened.library.program(), {opened.library.constants(), attached.opened_}));
  attached.executable_ = std::move(program);
  RX_TRY(info, rx::package::readKernelInfo(opened.library.kernels()));
  opened.info = std::move(info);
  RX_TRY(weights, rx::package::Weights::open(opened.package.weights.c_str(), opened.library.weights()));
  opened.weights = std::move(weights);
  attached.kernels_ = std::make_shared<AttachedKernels>(attached.opened_);
  if (opened.library.devices().empty()) return attached;
  RX_TRY(code, device::ProgramCode::read(opened.library.devices()));
  const auto onHost = [own = attached.kernels_](std::string_view name) { return own->find(name); };
  RX_TRY(placed, device::placeCode(std::move(code), device::programSources(true), onHost));
  RX_CHECK(addStatistics(*placed, control));
  attached.kernels_ = std::move(placed);
  return attached;
}

Result<std::vector<vm::Value>> AttachedPackage::arguments(const std::string& function,
                                                          const std::vector<NamedTensor>& named,
                                                          const std::vector<Ref<HostTensor>>& others) const {
  const auto index = executable_->findFunction(function);
  if (!index || executable_->function(*index).kind != vm::FunctionKind::Bytecode)
    return fail("run.no-function", fmt::format("the package has no function \"{}\"", escapedForDisplay(function)));
  RX_TRY(inputs, inputsInOrder(opened_->package, function, named, others));
  std::vector<rxs_tensor> views;
  for (const Ref<HostTensor>& input : inputs) {
    RX_TRY(view, rx::package::viewOf(*input));
    views.push_back(view);
  }
  const auto& forms = opened_->info.forms;
  const auto known = std::find_if(forms.begin(), forms.end(), [&](const auto& row) { return row.name == function; });
  RX_TRY(given, rx::package::argumentsOf(executable_->function(*index), known == forms.end() ? nullptr : &*known, views,
                                         opened_->weights));
  // What a debugger runs with lives longer than what it was read from.
  const auto memory = std::make_shared<StorageArena>(INT64_MAX, /*filled=*/false);
  for (const Ref<Storage>& storage : given.lent) RX_CHECK(storage->makeWritable(memory));
  return std::move(given.args);
}

}  // namespace rx::exporter
