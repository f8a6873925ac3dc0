#include "core/compile/kernel_store.h"

#include <fmt/format.h>

#include "core/compile/build_id.h"
#include "core/script/print.h"
#include "core/support/cache_folder.h"
#include "core/support/kept_files.h"

namespace rx::compile {

namespace {

class DiskStore final : public codegen::ObjectStore {
 public:
  explicit DiskStore(std::shared_ptr<const KeptFiles> files) : files_(std::move(files)) {
    maker_ = fmt::format("build {}\nLLVM {}\nprocessor {}\n", buildId(), codegen::compilerVersion(),
                         codegen::processorName());
    for (const std::string& feature : codegen::processorFeatures()) maker_ += feature + ' ';
  }

  Result<codegen::StoredObject> objectFor(const tir::PrimFuncRef& function, const codegen::KernelOptions& options,
                                          const std::function<Result<std::string>()>& make) override {
    const std::string key = keyOf(function, options);
    if (auto kept = files_->find(key)) return codegen::StoredObject{std::move(*kept), true};
    RX_TRY(object, make());
    files_->keep(key, object);
    return codegen::StoredObject{std::move(object), false};
  }

 private:
  std::string keyOf(const tir::PrimFuncRef& function, const codegen::KernelOptions& options) const {
    const codegen::Machine& machine = options.machine;
    return fmt::format("{}\nlevel {} checks {} for {} {} {} as {}\n{}", maker_, options.optLevel, options.checkAccess,
                       machine.triple, machine.processor, machine.features, options.symbol,
                       script::print(function).text);
  }

  const std::shared_ptr<const KeptFiles> files_;
  std::string maker_;
};

}  // namespace

std::string kernelStoreFolder() { return cacheFolder("kernels"); }

std::shared_ptr<codegen::ObjectStore> openKernelStore(const std::string& folder, uint64_t maxBytes) {
  if (buildId().empty()) return nullptr;
  auto files = KeptFiles::open(folder, ".kernel", maxBytes);
  return files ? std::make_shared<DiskStore>(std::move(files)) : nullptr;
}

}  // namespace rx::compile
