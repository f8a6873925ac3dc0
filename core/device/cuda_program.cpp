// Programs of PTX.
#include <algorithm>

#include "core/device/cuda.h"

namespace rx::device {

class CudaProgram final : public Program {
 public:
  CudaProgram(std::shared_ptr<CudaDevice> device, void* module, std::string image, std::vector<std::string> names)
      : Program(device, std::move(names)), device_(std::move(device)), module_(module), image_(std::move(image)) {}
  ~CudaProgram() override {
    if (!device_->hangs_ && device_->use()) device_->cuda_->unloadModule(module_);
  }

  Result<std::string> image() const override { return image_; }

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
    RX_CHECK(place(arguments));
    const auto size = [](int64_t n) { return static_cast<unsigned>(n); };
    return device_->timed([&] {
      const int code = device_->cuda_->launch(
          kernel.function, size(sizes.grid[0]), size(sizes.grid[1]), size(sizes.grid[2]), size(sizes.group[0]),
          size(sizes.group[1]), size(sizes.group[2]), size(sizes.sharedBytes),
          device_->capturing() ? device_->stream_ : nullptr, places_.data(), nullptr);
      return device_->checkWork(code, "cuLaunchKernel", kernels()[number]);
    });
  }

  Result<Unit> place(std::span<const LaunchArgument> arguments) {
    const auto maps = static_cast<size_t>(std::ranges::count_if(arguments, [](const auto& each) { return each.map; }));
    maps_.resize(maps ? (maps + 1) * kMapBytes : 0);
    std::byte* next = maps_.data() + (kMapAlign - reinterpret_cast<uintptr_t>(maps_.data()) % kMapAlign);
    places_.clear();
    for (const LaunchArgument& argument : arguments) {
      places_.push_back(argument.map ? static_cast<void*>(next) : const_cast<uint64_t*>(&argument.bits));
      if (!argument.map) continue;
      RX_CHECK(encodeMap(*device_->cuda_, *argument.map, argument.bits, next));
      next += kMapBytes;
    }
    return Unit{};
  }

  std::shared_ptr<CudaDevice> device_;
  void* module_;
  const std::string image_;
  std::vector<Kernel> kernels_;
  std::vector<std::byte> maps_;  ///< among the arguments of the launch
  std::vector<void*> places_;    ///< of its arguments
};

namespace {

/// Where the driver's compiler says what it has against a program.
class Log {
 public:
  unsigned count() const { return 2; }
  int* options() { return options_; }
  void** values() { return values_; }
  std::string_view text() const { return std::string_view(text_).substr(0, text_.find('\0')); }

 private:
  enum Option : int { Errors = 5, ErrorBytes = 6 };
  std::string text_ = std::string(8192, '\0');
  int options_[2] = {Errors, ErrorBytes};
  void* values_[2] = {text_.data(), reinterpret_cast<void*>(text_.size() - 1)};
};

}  // namespace

Result<std::shared_ptr<Program>> CudaDevice::program(const std::string& text, std::vector<std::string> kernels) {
  RX_CHECK(use());
  constexpr int kPtx = 1;
  Log log;
  void *link = nullptr, *image = nullptr;
  size_t bytes = 0;
  RX_CHECK(Cuda::check(cuda_->beginLink(log.count(), log.options(), log.values(), &link), "cuLinkCreate", name()));
  auto done = Cuda::check(
      cuda_->addToLink(link, kPtx, const_cast<char*>(text.c_str()), text.size() + 1, "kernels", 0, nullptr, nullptr),
      "cuLinkAddData", log.text());
  if (done) done = Cuda::check(cuda_->completeLink(link, &image, &bytes), "cuLinkComplete", log.text());
  // The image is the link's, and goes with it.
  const std::string made = done ? std::string(static_cast<const char*>(image), bytes) : std::string();
  cuda_->endLink(link);
  RX_CHECK(done);
  return loaded(made, std::move(kernels));
}

Result<std::shared_ptr<Program>> CudaDevice::loaded(const std::string& image, std::vector<std::string> kernels) {
  RX_CHECK(awaitKernels());
  RX_CHECK(use());
  Log log;
  void* module = nullptr;
  RX_CHECK(Cuda::check(cuda_->loadModule(&module, image.c_str(), log.count(), log.options(), log.values()),
                       "cuModuleLoadDataEx", log.text()));
  auto program = std::make_shared<CudaProgram>(std::static_pointer_cast<CudaDevice>(shared_from_this()), module, image,
                                               std::move(kernels));
  RX_CHECK(program->findKernels());
  return std::shared_ptr<Program>(std::move(program));
}

}  // namespace rx::device
