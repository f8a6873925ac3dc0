// Programs of PTX.
#include "core/device/cuda.h"

namespace rx::device {

class CudaProgram final : public Program {
 public:
  CudaProgram(std::shared_ptr<CudaDevice> device, void* module, std::vector<std::string> names)
      : Program(device, std::move(names)), device_(std::move(device)), module_(module) {}
  ~CudaProgram() override {
    if (device_->use()) device_->cuda_->unloadModule(module_);
  }

  Result<Unit> findKernels() {
    for (const std::string& name : kernels()) {
      void* function = nullptr;
      RX_CHECK(
          Cuda::check(device_->cuda_->findFunction(&function, module_, name.c_str()), "cuModuleGetFunction", name));
      kernels_.push_back({function, kFreeShared});
    }
    return Unit();
  }

 private:
  /// What a kernel may share without being asked for.
  static constexpr int64_t kFreeShared = 48 * 1024;
  struct Kernel {
    void* function;
    int64_t sharedBytes;  ///< that it may have
  };

  Result<Unit> start(size_t number, const LaunchSizes& sizes, std::span<const LaunchArgument> arguments) override {
    RX_CHECK(device_->use());
    Kernel& kernel = kernels_[number];
    if (sizes.sharedBytes > kernel.sharedBytes) {
      constexpr int kMaxDynamicShared = 8;
      RX_CHECK(Cuda::check(
          device_->cuda_->setFunctionAttribute(kernel.function, kMaxDynamicShared, static_cast<int>(sizes.sharedBytes)),
          "cuFuncSetAttribute", kernels()[number]));
      kernel.sharedBytes = sizes.sharedBytes;
    }
    places_.clear();
    for (const LaunchArgument& argument : arguments) places_.push_back(const_cast<uint64_t*>(&argument.bits));
    const auto size = [](int64_t n) { return static_cast<unsigned>(n); };
    const int code = device_->cuda_->launch(
        kernel.function, size(sizes.grid[0]), size(sizes.grid[1]), size(sizes.grid[2]), size(sizes.group[0]),
        size(sizes.group[1]), size(sizes.group[2]), size(sizes.sharedBytes), nullptr, places_.data(), nullptr);
    return device_->checkWork(code, "cuLaunchKernel", kernels()[number]);
  }

  std::shared_ptr<CudaDevice> device_;
  void* module_;
  std::vector<Kernel> kernels_;
  std::vector<void*> places_;  ///< of the arguments of the launch
};

Result<std::shared_ptr<Program>> CudaDevice::program(const std::string& text, std::vector<std::string> kernels) {
  RX_CHECK(use());
  enum Option : int { ErrorLog = 5, ErrorLogBytes = 6 };
  std::string log(8192, '\0');
  int options[] = {ErrorLog, ErrorLogBytes};
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size() - 1)};
  void* module = nullptr;
  const int code = cuda_->loadModule(&module, text.c_str(), 2, options, values);
  if (code != 0) return Cuda::check(code, "cuModuleLoadDataEx", log.substr(0, log.find('\0'))).failure();
  auto program = std::make_shared<CudaProgram>(std::static_pointer_cast<CudaDevice>(shared_from_this()), module,
                                               std::move(kernels));
  RX_CHECK(program->findKernels());
  return std::shared_ptr<Program>(std::move(program));
}

}  // namespace rx::device
