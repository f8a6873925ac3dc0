// The CUDA driver; private to core/device.
#pragma once

#include "core/device/driver.h"

namespace rx::device {

/// The driver's entry points; each gives 0 or an error.
struct Cuda {
#define RX_CUDA(name, symbol, parameters) int(*name) parameters = nullptr;
#include "core/device/cuda_functions.def"

  static Result<std::shared_ptr<const Cuda>> load(const std::string& library);
  /// Fails where a call did, which was asked for `what`.
  static Result<Unit> check(int code, std::string_view call, std::string_view what = {});
};

/// Bytes of a map as kernels take it, and what its address is a multiple of.
constexpr size_t kMapBytes = 128, kMapAlign = 64;
/// Makes the map of what lies at an address. Fails with device.driver where the driver makes none, and with what it has
/// against this one.
Result<Unit> encodeMap(const Cuda& cuda, const TileMap& map, uint64_t address, void* to);

class CudaDevice final : public Device {
 public:
  static Result<std::shared_ptr<Device>> open(std::shared_ptr<const Cuda> cuda, int number);
  explicit CudaDevice(std::shared_ptr<const Cuda> cuda) : cuda_(std::move(cuda)) {}
  ~CudaDevice() override;

  Result<uint64_t> allocate(int64_t bytes) override;
  void release(uint64_t address) override;
  Result<Unit> read(uint64_t from, std::span<std::byte> to) override;
  Result<Unit> write(uint64_t to, std::span<const std::byte> from) override;
  Result<Unit> copy(uint64_t to, uint64_t from, int64_t bytes) override;
  Result<Unit> fill(uint64_t to, std::byte value, int64_t bytes) override;
  Result<std::shared_ptr<Program>> program(const std::string& text, std::vector<std::string> kernels) override;
  Result<std::shared_ptr<Program>> loaded(const std::string& image, std::vector<std::string> kernels) override;
  Result<Unit> synchronise() override;
  Result<std::unique_ptr<Mark>> mark() override;
  Result<bool> reached(const Mark& mark) override;
  Result<double> nanoseconds(const Mark& from, const Mark& to) override;
  bool captures() const override { return true; }
  Result<Unit> beginCapture() override;
  Result<std::shared_ptr<Work>> endCapture() override;
  void dropCapture() override;

 private:
  friend class CudaProgram;
  friend class CudaWork;
  Result<Unit> describe(int number);
  /// Makes the device the one that the calls of this thread are about.
  Result<Unit> use() const;
  /// Between marks, where times are wanted.
  Result<Unit> timed(const std::function<Result<Unit>()>& start);
  /// As Cuda::check, of what may report a kernel that was started before.
  Result<Unit> checkWork(int code, std::string_view call, std::string_view what) const;

  std::shared_ptr<const Cuda> cuda_;
  int device_ = 0;
  void* context_ = nullptr;
  void* stream_ = nullptr;  ///< that work is captured from, once some was; all else goes to the device's own
};

}  // namespace rx::device
