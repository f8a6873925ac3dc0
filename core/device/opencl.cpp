#include "core/device/opencl.h"

#include <algorithm>

namespace rx::device {
namespace {

using namespace next;

constexpr DriverError kErrors[] = {
#define RX_DEVICE_ERROR(code, name, rule, meaning, next) {code, name, rule, meaning, next},
#include "core/device/opencl_errors.def"
};

/// Keeps what the driver gave for an event.
struct OpenClMark final : Mark {
  OpenClMark(std::shared_ptr<const OpenCl> c, cl_event e, cl_profiling_info m = CL_PROFILING_COMMAND_END)
      : cl(std::move(c)), event(e), moment(m) {}
  ~OpenClMark() override { cl->clReleaseEvent(event); }
  std::shared_ptr<const OpenCl> cl;
  cl_event event;
  cl_profiling_info moment;  ///< of what the event is of
};

}  // namespace

Result<std::shared_ptr<const OpenCl>> OpenCl::load(const std::string& name) {
  RX_TRY(library, Library::open(name));
  auto cl = std::make_shared<OpenCl>();
#define RX_CL(name) RX_CHECK(library.find(#name, cl->name));
#include "core/device/opencl_functions.def"
  return std::shared_ptr<const OpenCl>(std::move(cl));
}

Result<Unit> OpenCl::check(cl_int code, std::string_view call, std::string_view what) {
  return checkDriver(kErrors, code, call, what);
}

std::string OpenCl::text(cl_device_id device, cl_device_info which) const {
  size_t size = 0;
  if (clGetDeviceInfo(device, which, 0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  clGetDeviceInfo(device, which, size, text.data(), nullptr);
  text.resize(text.find('\0'));
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

uint64_t OpenClMemory::add(cl_mem memory, uint64_t bytes) {
  // Blocks are apart, so that an address behind one is none of the next.
  constexpr uint64_t kApart = 4096;
  const uint64_t base = next_;
  next_ += (bytes + 2 * kApart - 1) / kApart * kApart;
  blocks_.push_back({memory, base, bytes});  // behind all that there are
  return base;
}

OpenClMemory::Block OpenClMemory::remove(uint64_t base) {
  const auto found = std::lower_bound(blocks_.begin(), blocks_.end(), base,
                                      [](const Block& block, uint64_t address) { return block.base < address; });
  if (found == blocks_.end() || found->base != base) return {};
  const Block removed = *found;
  blocks_.erase(found);
  return removed;
}

Result<OpenClMemory::Block> OpenClMemory::at(uint64_t address, std::string_view what) const {
  const auto after = std::upper_bound(blocks_.begin(), blocks_.end(), address,
                                      [](uint64_t wanted, const Block& block) { return wanted < block.base; });
  if (after != blocks_.begin()) {
    const Block& block = *std::prev(after);
    if (address - block.base < block.bytes) return block;
  }
  return fail("device.fault", fmt::format("{}: {:#x} is no address of the device", what, address));
}

Result<std::shared_ptr<Device>> OpenClDevice::open(std::shared_ptr<const OpenCl> cl, cl_device_id id, int64_t number) {
  auto device = std::make_shared<OpenClDevice>(std::move(cl), number);
  device->device_ = id;
  device->describe(id, number);
  cl_int code = CL_SUCCESS;
  device->context_ = device->cl_->clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code);
  RX_CHECK(OpenCl::check(code, "clCreateContext", device->properties_.name));
  device->queue_ = device->cl_->clCreateCommandQueue(device->context_, id, CL_QUEUE_PROFILING_ENABLE, &code);
  RX_CHECK(OpenCl::check(code, "clCreateCommandQueue", device->properties_.name));
  return std::shared_ptr<Device>(std::move(device));
}

void OpenClDevice::describe(cl_device_id id, int64_t number) {
  Properties& is = properties_;
  is.kind = "opencl";
  is.number = number;
  is.name = cl_->text(id, CL_DEVICE_NAME);
  is.driver = fmt::format("{}, {}", cl_->text(id, CL_DEVICE_VERSION), cl_->text(id, CL_DRIVER_VERSION));
  is.code = cl_->text(id, CL_DEVICE_OPENCL_C_VERSION);
  is.memory = static_cast<int64_t>(cl_->number<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE));
  is.largestBlock = static_cast<int64_t>(cl_->number<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE));
  is.units = cl_->number<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS);
  is.megahertz = cl_->number<cl_uint>(id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  is.groupThreads = static_cast<int64_t>(cl_->number<size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE));
  const auto sizes = cl_->number<std::array<size_t, 3>>(id, CL_DEVICE_MAX_WORK_ITEM_SIZES);
  for (size_t axis = 0; axis < 3; ++axis) {
    is.group[axis] = static_cast<int64_t>(sizes[axis]);
    is.grid[axis] = INT32_MAX;  // what the numbers of groups are counted in by kernels
  }
  is.sharedBytes = static_cast<int64_t>(cl_->number<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE));
  const std::string extensions = ' ' + cl_->text(id, CL_DEVICE_EXTENSIONS) + ' ';
  is.halves = extensions.find(" cl_khr_fp16 ") != std::string::npos;
  is.doubles = extensions.find(" cl_khr_fp64 ") != std::string::npos;
}

OpenClDevice::~OpenClDevice() {
  if (!settled()) return;
  if (queue_) {
    cl_->clFinish(queue_);
    cl_->clReleaseCommandQueue(queue_);
  }
  for (const OpenClMemory::Block& block : memory_.blocks()) cl_->clReleaseMemObject(block.memory);
  if (context_) cl_->clReleaseContext(context_);
}

Result<uint64_t> OpenClDevice::allocate(int64_t bytes) {
  const std::string what = fmt::format("{} bytes on {}", bytes, name());
  if (bytes > properties_.largestBlock) {
    Diagnostic large = errorAt({}, "device.memory",
                               fmt::format("{}: a block has at most {} bytes there, of {} in all", what,
                                           properties_.largestBlock, properties_.memory));
    large.fix = kSmaller;
    return fail(std::move(large));
  }
  cl_int code = CL_SUCCESS;
  cl_mem memory = cl_->clCreateBuffer(context_, CL_MEM_READ_WRITE, static_cast<size_t>(bytes), nullptr, &code);
  RX_CHECK(OpenCl::check(code, "clCreateBuffer", what));
  return memory_.add(memory, static_cast<uint64_t>(bytes));
}

void OpenClDevice::release(uint64_t address) {
  if (const auto block = memory_.remove(address); block.memory && !hangs_) cl_->clReleaseMemObject(block.memory);
}

Result<Unit> OpenClDevice::read(uint64_t from, std::span<std::byte> to) {
  const std::string what = bytesText(from, to.size());
  RX_TRY(block, memory_.at(from, what));
  RX_CHECK(awaitKernels());
  return checkWork(cl_->clEnqueueReadBuffer(queue_, block.memory, CL_TRUE, from - block.base, to.size(), to.data(), 0,
                                            nullptr, nullptr),
                   "clEnqueueReadBuffer", what);
}

Result<Unit> OpenClDevice::write(uint64_t to, std::span<const std::byte> from) {
  const std::string what = bytesText(to, from.size());
  RX_TRY(block, memory_.at(to, what));
  RX_CHECK(awaitKernels());
  return checkWork(cl_->clEnqueueWriteBuffer(queue_, block.memory, CL_TRUE, to - block.base, from.size(), from.data(),
                                             0, nullptr, nullptr),
                   "clEnqueueWriteBuffer", what);
}

Result<Unit> OpenClDevice::copy(uint64_t to, uint64_t from, int64_t bytes) {
  const std::string what = fmt::format("{} to {:#x}", bytesText(from, static_cast<size_t>(bytes)), to);
  RX_TRY(source, memory_.at(from, what));
  RX_TRY(target, memory_.at(to, what));
  return checkWork(cl_->clEnqueueCopyBuffer(queue_, source.memory, target.memory, from - source.base, to - target.base,
                                            static_cast<size_t>(bytes), 0, nullptr, nullptr),
                   "clEnqueueCopyBuffer", what);
}

Result<Unit> OpenClDevice::fill(uint64_t to, std::byte value, int64_t bytes) {
  const std::string what = bytesText(to, static_cast<size_t>(bytes));
  RX_TRY(block, memory_.at(to, what));
  return checkWork(cl_->clEnqueueFillBuffer(queue_, block.memory, &value, 1, to - block.base,
                                            static_cast<size_t>(bytes), 0, nullptr, nullptr),
                   "clEnqueueFillBuffer", what);
}

Result<Unit> OpenClDevice::synchronise() {
  RX_CHECK(awaitKernels());
  return checkWork(cl_->clFinish(queue_), "clFinish", name());
}

Result<Unit> OpenClDevice::checkWork(cl_int code, std::string_view call, std::string_view what) const {
  return afterLaunch(OpenCl::check(code, call, what));
}

Result<std::unique_ptr<Mark>> OpenClDevice::mark() {
  cl_event event = nullptr;
  RX_CHECK(OpenCl::check(cl_->clEnqueueMarkerWithWaitList(queue_, 0, nullptr, &event), "clEnqueueMarkerWithWaitList"));
  auto mark = std::make_unique<OpenClMark>(cl_, event);
  RX_CHECK(OpenCl::check(cl_->clFlush(queue_), "clFlush"));
  return std::unique_ptr<Mark>(std::move(mark));
}

void OpenClDevice::noteKernel(cl_event event) {
  cl_->clRetainEvent(event);
  auto begin = std::make_unique<OpenClMark>(cl_, event, CL_PROFILING_COMMAND_START);
  noteTime(std::move(begin), std::make_unique<OpenClMark>(cl_, event));
}

Result<bool> OpenClDevice::reached(const Mark& mark) {
  cl_int state = CL_QUEUED;
  RX_CHECK(OpenCl::check(cl_->clGetEventInfo(static_cast<const OpenClMark&>(mark).event,
                                             CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
                         "clGetEventInfo"));
  if (state < 0) RX_CHECK(OpenCl::check(state, "clGetEventInfo", name()));
  return state == CL_COMPLETE;
}

Result<double> OpenClDevice::nanoseconds(const Mark& from, const Mark& to) {
  RX_CHECK(awaitKernels());
  RX_CHECK(checkWork(cl_->clWaitForEvents(1, &static_cast<const OpenClMark&>(to).event), "clWaitForEvents", name()));
  const auto at = [&](const Mark& mark, cl_ulong& time) {
    return OpenCl::check(
        cl_->clGetEventProfilingInfo(static_cast<const OpenClMark&>(mark).event,
                                     static_cast<const OpenClMark&>(mark).moment, sizeof time, &time, nullptr),
        "clGetEventProfilingInfo");
  };
  cl_ulong begin = 0, end = 0;
  RX_CHECK(at(from, begin));
  RX_CHECK(at(to, end));
  return static_cast<double>(end - begin);
}

Result<std::vector<std::shared_ptr<Device>>> openOpenCl(const std::string& library) {
  RX_TRY(cl, OpenCl::load(library));
  constexpr cl_int kNoPlatform = -1001;  // of the loader, where no driver is installed
  cl_uint count = 0;
  const cl_int code = cl->clGetPlatformIDs(0, nullptr, &count);
  if (code != kNoPlatform) RX_CHECK(OpenCl::check(code, "clGetPlatformIDs"));
  std::vector<cl_platform_id> platforms(count);
  if (count > 0) RX_CHECK(OpenCl::check(cl->clGetPlatformIDs(count, platforms.data(), nullptr), "clGetPlatformIDs"));
  std::vector<std::shared_ptr<Device>> devices;
  for (cl_platform_id platform : platforms) {
    cl_uint number = 0;
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &number) != CL_SUCCESS) continue;
    std::vector<cl_device_id> ids(number);
    RX_CHECK(
        OpenCl::check(cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, number, ids.data(), nullptr), "clGetDeviceIDs"));
    for (cl_device_id id : ids) {
      RX_TRY(device, OpenClDevice::open(cl, id, static_cast<int64_t>(devices.size())));
      devices.push_back(std::move(device));
    }
  }
  return devices;
}

}  // namespace rx::device
