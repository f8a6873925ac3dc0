// Work that the CUDA driver keeps as a graph.
#include "core/device/cuda.h"

namespace rx::device {

class CudaWork final : public Work {
 public:
  CudaWork(std::shared_ptr<CudaDevice> device, void* graph, Device::Capture capture)
      : device_(std::move(device)), graph_(graph), capture_(std::move(capture)) {}
  ~CudaWork() override {
    if (device_->hangs_ || !device_->use()) return;
    if (work_) device_->cuda_->destroyWork(work_);
    device_->cuda_->destroyGraph(graph_);
  }

  Result<Unit> prepare() {
    return Cuda::check(device_->cuda_->instantiate(&work_, graph_, nullptr, nullptr, 0), "cuGraphInstantiate",
                       device_->name());
  }

  Result<Unit> run() override {
    RX_CHECK(device_->use());
    device_->started_ = true;
    RX_CHECK(device_->timed([&] {
      return device_->checkWork(device_->cuda_->launchGraph(work_, nullptr), "cuGraphLaunch", device_->name());
    }));
    for (const auto& check : capture_.checks) RX_CHECK(check());
    return Unit{};
  }

 private:
  const std::shared_ptr<CudaDevice> device_;
  void* const graph_;
  void* work_ = nullptr;
  const Device::Capture capture_;
};

Result<Unit> CudaDevice::beginCapture() {
  constexpr unsigned kBesideOthers = 1;
  constexpr int kAllowAll = 2;
  RX_CHECK(outsideCapture("other work that is captured"));
  RX_CHECK(use());
  if (!stream_) RX_CHECK(Cuda::check(cuda_->createStream(&stream_, kBesideOthers), "cuStreamCreate", name()));
  RX_CHECK(checkWork(cuda_->beginCapture(stream_, kAllowAll), "cuStreamBeginCapture", name()));
  capture_.emplace();
  return Unit{};
}

Result<std::shared_ptr<Work>> CudaDevice::endCapture() {
  Capture capture = std::move(*capture_);
  capture_.reset();
  RX_CHECK(use());
  void* graph = nullptr;
  RX_CHECK(checkWork(cuda_->endCapture(stream_, &graph), "cuStreamEndCapture", name()));
  auto work =
      std::make_shared<CudaWork>(std::static_pointer_cast<CudaDevice>(shared_from_this()), graph, std::move(capture));
  RX_CHECK(work->prepare());
  return std::shared_ptr<Work>(std::move(work));
}

void CudaDevice::dropCapture() {
  capture_.reset();
  void* graph = nullptr;
  if (use() && cuda_->endCapture(stream_, &graph) == 0 && graph) cuda_->destroyGraph(graph);
}

}  // namespace rx::device
