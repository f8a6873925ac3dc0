// Programs of OpenCL C.
#include "core/device/opencl.h"

namespace rx::device {

class OpenClProgram final : public Program {
 public:
  OpenClProgram(std::shared_ptr<OpenClDevice> device, cl_program program, std::vector<std::string> names)
      : Program(device, std::move(names)), device_(std::move(device)), program_(program) {}
  ~OpenClProgram() override {
    if (device_->hangs_) return;
    for (cl_kernel kernel : kernels_) device_->cl_->clReleaseKernel(kernel);
    device_->cl_->clReleaseProgram(program_);
  }

  Result<std::string> image() const override {
    const OpenCl& cl = *device_->cl_;
    size_t size = 0;
    RX_CHECK(OpenCl::check(cl.clGetProgramInfo(program_, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr),
                           "clGetProgramInfo"));
    std::string bytes(size, '\0');
    char* place = bytes.data();
    RX_CHECK(OpenCl::check(cl.clGetProgramInfo(program_, CL_PROGRAM_BINARIES, sizeof place, &place, nullptr),
                           "clGetProgramInfo"));
    return bytes;
  }

  Result<Unit> findKernels() {
    for (const std::string& name : kernels()) {
      cl_int code = CL_SUCCESS;
      cl_kernel kernel = device_->cl_->clCreateKernel(program_, name.c_str(), &code);
      RX_CHECK(OpenCl::check(code, "clCreateKernel", name));
      kernels_.push_back(kernel);
      cl_ulong shared = 0;
      RX_CHECK(OpenCl::check(device_->cl_->clGetKernelWorkGroupInfo(kernel, device_->device_, CL_KERNEL_LOCAL_MEM_SIZE,
                                                                    sizeof shared, &shared, nullptr),
                             "clGetKernelWorkGroupInfo", name));
      declared_.push_back(static_cast<int64_t>(shared));
    }
    return Unit();
  }

 private:
  int64_t declaredShared(size_t kernel) const override { return declared_[kernel]; }
  Result<Unit> start(size_t number, const LaunchSizes& sizes, std::span<const LaunchArgument> arguments) override {
    std::vector<cl_mem> views;
    auto started = bindAndStart(number, sizes, arguments, views);
    // The queue keeps what a kernel that was started uses.
    for (cl_mem view : views) device_->cl_->clReleaseMemObject(view);
    return started;
  }

  Result<Unit> bindAndStart(size_t number, const LaunchSizes& sizes, std::span<const LaunchArgument> arguments,
                            std::vector<cl_mem>& views) {
    const OpenCl& cl = *device_->cl_;
    cl_kernel kernel = kernels_[number];
    for (size_t i = 0; i < arguments.size(); ++i) RX_CHECK(bind(number, i, arguments[i], views));
    if (sizes.sharedBytes > 0) {
      const auto at = static_cast<cl_uint>(arguments.size());
      RX_CHECK(OpenCl::check(cl.clSetKernelArg(kernel, at, static_cast<size_t>(sizes.sharedBytes), nullptr),
                             "clSetKernelArg", "the memory that a group shares"));
    }
    std::array<size_t, 3> threads{}, group{};
    for (size_t axis = 0; axis < 3; ++axis) {
      group[axis] = static_cast<size_t>(sizes.group[axis]);
      threads[axis] = group[axis] * static_cast<size_t>(sizes.grid[axis]);
    }
    cl_event event = nullptr;
    const cl_int code = cl.clEnqueueNDRangeKernel(device_->queue_, kernel, 3, nullptr, threads.data(), group.data(), 0,
                                                  nullptr, device_->timing() ? &event : nullptr);
    if (event) device_->noteKernel(event);
    return device_->checkWork(code, "clEnqueueNDRangeKernel", kernels()[number]);
  }

  Result<Unit> bind(size_t number, size_t i, const LaunchArgument& argument, std::vector<cl_mem>& views) {
    const OpenCl& cl = *device_->cl_;
    const auto what = [&] { return fmt::format("argument {} of {}", i, kernels()[number]); };
    const auto at = static_cast<cl_uint>(i);
    if (argument.bytes > 0)
      return OpenCl::check(cl.clSetKernelArg(kernels_[number], at, argument.bytes, &argument.bits), "clSetKernelArg",
                           what());
    RX_TRY(block, device_->memory_.at(argument.bits, what()));
    cl_mem memory = block.memory;
    if (argument.bits != block.base) {
      const cl_buffer_region part{argument.bits - block.base, block.bytes - (argument.bits - block.base)};
      cl_int code = CL_SUCCESS;
      memory = cl.clCreateSubBuffer(memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &part, &code);
      RX_CHECK(OpenCl::check(code, "clCreateSubBuffer", fmt::format("{}, at byte {}", what(), part.origin)));
      views.push_back(memory);
    }
    return OpenCl::check(cl.clSetKernelArg(kernels_[number], at, sizeof memory, &memory), "clSetKernelArg", what());
  }

  std::shared_ptr<OpenClDevice> device_;
  cl_program program_;
  std::vector<cl_kernel> kernels_;
  std::vector<int64_t> declared_;  ///< bytes that a group shares, of each kernel
};

std::string OpenClDevice::buildLog(cl_program program) const {
  size_t size = 0;
  cl_->clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  cl_->clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(std::min(log.find('\0'), log.size()));
  return log;
}

Result<std::shared_ptr<Program>> OpenClDevice::program(const std::string& text, std::vector<std::string> kernels) {
  const char* lines = text.c_str();
  const size_t length = text.size();
  cl_int code = CL_SUCCESS;
  cl_program made = cl_->clCreateProgramWithSource(context_, 1, &lines, &length, &code);
  return built(made, code, "clCreateProgramWithSource", std::move(kernels));
}

Result<std::shared_ptr<Program>> OpenClDevice::loaded(const std::string& image, std::vector<std::string> kernels) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(image.data());
  const size_t length = image.size();
  cl_int code = CL_SUCCESS;
  cl_program made = cl_->clCreateProgramWithBinary(context_, 1, &device_, &length, &bytes, nullptr, &code);
  return built(made, code, "clCreateProgramWithBinary", std::move(kernels));
}

Result<std::shared_ptr<Program>> OpenClDevice::built(cl_program made, cl_int code, std::string_view call,
                                                     std::vector<std::string> kernels) {
  RX_CHECK(OpenCl::check(code, call));
  auto program = std::make_shared<OpenClProgram>(std::static_pointer_cast<OpenClDevice>(shared_from_this()), made,
                                                 std::move(kernels));
  code = cl_->clBuildProgram(made, 1, &device_, "", nullptr, nullptr);
  if (code != CL_SUCCESS) return OpenCl::check(code, "clBuildProgram", buildLog(made)).failure();
  RX_CHECK(program->findKernels());
  return std::shared_ptr<Program>(std::move(program));
}

}  // namespace rx::device
