// OpenCL 1.2 and later, through the loader that the system has; private to core/device.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <array>
#include <vector>

#include "core/device/driver.h"

namespace rx::device {

/// The loader's entry points.
struct OpenCl {
#define RX_CL(name) decltype(&::name) name = nullptr;
#include "core/device/opencl_functions.def"

  static Result<std::shared_ptr<const OpenCl>> load(const std::string& library);
  /// Fails where a call did, which was asked for `what`.
  static Result<Unit> check(cl_int code, std::string_view call, std::string_view what = {});

  /// What a device or platform says of itself.
  template <class T>
  T number(cl_device_id device, cl_device_info which) const {
    T value{};
    clGetDeviceInfo(device, which, sizeof value, &value, nullptr);
    return value;
  }
  std::string text(cl_device_id device, cl_device_info which) const;
};

/// The memory of a context by addresses, which OpenCL has none of: each block has a range of them, no two devices the
/// same. Packages hold it, so it is a list in the order of the addresses: the C++ library has the code of trees.
class OpenClMemory {
 public:
  struct Block {
    cl_mem memory = nullptr;
    uint64_t base = 0;
    uint64_t bytes = 0;
  };
  explicit OpenClMemory(int64_t device) : next_(static_cast<uint64_t>(device + 1) << 48) {}
  uint64_t add(cl_mem memory, uint64_t bytes);
  /// Takes a block out.
  Block remove(uint64_t base);
  /// The block in which an address lies. Fails with device.fault.
  Result<Block> at(uint64_t address, std::string_view what) const;
  const std::vector<Block>& blocks() const { return blocks_; }

 private:
  std::vector<Block> blocks_;
  uint64_t next_;
};

class OpenClDevice final : public Device {
 public:
  static Result<std::shared_ptr<Device>> open(std::shared_ptr<const OpenCl> cl, cl_device_id device, int64_t number);
  OpenClDevice(std::shared_ptr<const OpenCl> cl, int64_t number) : cl_(std::move(cl)), memory_(number) {}
  ~OpenClDevice() override;

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

 private:
  friend class OpenClProgram;
  void describe(cl_device_id device, int64_t number);
  /// Builds a program that was created with this code.
  Result<std::shared_ptr<Program>> built(cl_program made, cl_int code, std::string_view call,
                                         std::vector<std::string> kernels);
  std::string buildLog(cl_program program) const;
  /// Keeps the event of a kernel, whose time is wanted.
  void noteKernel(cl_event event);
  /// As OpenCl::check, of what may report a kernel that was started before.
  Result<Unit> checkWork(cl_int code, std::string_view call, std::string_view what) const;

  std::shared_ptr<const OpenCl> cl_;
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
  OpenClMemory memory_;
};

}  // namespace rx::device
