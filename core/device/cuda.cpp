#include "core/device/cuda.h"

namespace rx::device {
namespace {

constexpr std::string_view kHolder = "see whether another program holds the device";
constexpr std::string_view kArch = "name the device's architecture in the target";
constexpr std::string_view kHang =
    "see whether a loop of the kernel ends; a device that shows a screen has a time limit";

using namespace next;

constexpr DriverError kErrors[] = {
#define RX_DEVICE_ERROR(code, name, rule, meaning, next) {code, name, rule, meaning, next},
#include "core/device/cuda_errors.def"
};

/// The oldest driver whose compiler takes what is generated.
constexpr int kOldestDriver = 11000;

/// Architectures whose devices have what no later one promises, and the first driver whose compiler knows of it.
struct OwnRow {
  std::string_view architecture, own;
  int driver;
};
constexpr OwnRow kOwn[] = {{"sm_90", "sm_90a", 12000}};

/// The numbers of cuDeviceGetAttribute.
enum Attribute : int {
  GroupThreads = 1,
  GroupX = 2,
  GridX = 5,
  Warp = 10,
  Kilohertz = 13,
  Units = 16,
  Major = 75,
  Minor = 76,
  SharedOptIn = 97,
};

struct CudaMark final : Mark {
  CudaMark(std::shared_ptr<const Cuda> c, void* e) : cuda(std::move(c)), event(e) {}
  ~CudaMark() override { cuda->destroyEvent(event); }
  std::shared_ptr<const Cuda> cuda;
  void* event;
};

std::string versionText(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

}  // namespace

Result<std::shared_ptr<const Cuda>> Cuda::load(const std::string& name) {
  RX_TRY(library, Library::open(name));
  auto cuda = std::make_shared<Cuda>();
#define RX_CUDA(name, symbol, parameters) RX_CHECK(library.find(#symbol, cuda->name));
#define RX_CUDA_LATER(name, symbol, parameters) static_cast<void>(library.find(#symbol, cuda->name));
#include "core/device/cuda_functions.def"
  return std::shared_ptr<const Cuda>(std::move(cuda));
}

Result<Unit> Cuda::check(int code, std::string_view call, std::string_view what) {
  return checkDriver(kErrors, code, call, what);
}

Result<std::shared_ptr<Device>> CudaDevice::open(std::shared_ptr<const Cuda> cuda, int number) {
  auto device = std::make_shared<CudaDevice>(std::move(cuda));
  RX_CHECK(device->describe(number));
  RX_CHECK(Cuda::check(device->cuda_->retainContext(&device->context_, device->device_), "cuDevicePrimaryCtxRetain",
                       device->name()));
  return std::shared_ptr<Device>(std::move(device));
}

Result<Unit> CudaDevice::describe(int number) {
  Properties& is = properties_;
  is.kind = "cuda";
  is.number = number;
  RX_CHECK(Cuda::check(cuda_->deviceAt(&device_, number), "cuDeviceGet", name()));
  char text[256] = {};
  RX_CHECK(Cuda::check(cuda_->deviceName(text, sizeof text - 1, device_), "cuDeviceGetName", name()));
  is.name = text;
  size_t memory = 0;
  RX_CHECK(Cuda::check(cuda_->deviceMemory(&memory, device_), "cuDeviceTotalMem", name()));
  is.memory = is.largestBlock = static_cast<int64_t>(memory);
  int version = 0;
  RX_CHECK(Cuda::check(cuda_->version(&version), "cuDriverGetVersion"));
  is.driver = "CUDA " + versionText(version);
  Result<Unit> asked = Unit();
  const auto attribute = [&](int which) {
    int value = 0;
    if (asked) asked = Cuda::check(cuda_->deviceAttribute(&value, which, device_), "cuDeviceGetAttribute", name());
    return int64_t{value};
  };
  is.architecture = fmt::format("sm_{}{}", attribute(Major), attribute(Minor));
  for (const OwnRow& row : kOwn)
    if (row.architecture == is.architecture && version >= row.driver) is.architecture = row.own;
  is.code = "PTX for " + is.architecture;
  is.units = attribute(Units);
  is.megahertz = attribute(Kilohertz) / 1000;
  is.groupThreads = attribute(GroupThreads);
  for (int axis = 0; axis < 3; ++axis) {
    is.group[static_cast<size_t>(axis)] = attribute(GroupX + axis);
    is.grid[static_cast<size_t>(axis)] = attribute(GridX + axis);
  }
  is.sharedBytes = attribute(SharedOptIn);
  is.warp = attribute(Warp);
  is.halves = is.doubles = true;
  return asked;
}

CudaDevice::~CudaDevice() {
  if (!settled()) return;
  if (stream_ && use()) cuda_->destroyStream(stream_);
  if (context_) cuda_->releaseContext(device_);
}

Result<Unit> CudaDevice::use() const { return Cuda::check(cuda_->useContext(context_), "cuCtxSetCurrent", name()); }

Result<Unit> CudaDevice::checkWork(int code, std::string_view call, std::string_view what) const {
  return afterLaunch(Cuda::check(code, call, what));
}

Result<uint64_t> CudaDevice::allocate(int64_t bytes) {
  RX_CHECK(awaitKernels());
  RX_CHECK(use());
  uint64_t address = 0;
  RX_CHECK(checkWork(cuda_->allocate(&address, static_cast<size_t>(bytes)), "cuMemAlloc",
                     fmt::format("{} bytes on {}, which has {}", bytes, name(), properties_.memory)));
  return address;
}

void CudaDevice::release(uint64_t address) {
  if (settled() && use()) cuda_->release(address);
}

Result<Unit> CudaDevice::read(uint64_t from, std::span<std::byte> to) {
  RX_CHECK(outsideCapture("a copy to this process"));
  RX_CHECK(awaitKernels());
  RX_CHECK(use());
  return checkWork(cuda_->copyOut(to.data(), from, to.size()), "cuMemcpyDtoH", bytesText(from, to.size()));
}

Result<Unit> CudaDevice::write(uint64_t to, std::span<const std::byte> from) {
  RX_CHECK(outsideCapture("a copy from this process"));
  RX_CHECK(awaitKernels());
  RX_CHECK(use());
  return checkWork(cuda_->copyIn(to, from.data(), from.size()), "cuMemcpyHtoD", bytesText(to, from.size()));
}

Result<Unit> CudaDevice::copy(uint64_t to, uint64_t from, int64_t bytes) {
  RX_CHECK(use());
  const auto size = static_cast<size_t>(bytes);
  const std::string what = fmt::format("{} to {:#x}", bytesText(from, size), to);
  if (capturing()) return checkWork(cuda_->copyLater(to, from, size, stream_), "cuMemcpyDtoDAsync", what);
  return checkWork(cuda_->copyWithin(to, from, size), "cuMemcpyDtoD", what);
}

Result<Unit> CudaDevice::fill(uint64_t to, std::byte value, int64_t bytes) {
  RX_CHECK(use());
  const auto size = static_cast<size_t>(bytes);
  const auto byte = static_cast<unsigned char>(value);
  if (capturing()) return checkWork(cuda_->fillLater(to, byte, size, stream_), "cuMemsetD8Async", bytesText(to, size));
  return checkWork(cuda_->fill(to, byte, size), "cuMemsetD8", bytesText(to, size));
}

Result<Unit> CudaDevice::synchronise() {
  RX_CHECK(outsideCapture("waiting for it"));
  RX_CHECK(awaitKernels());
  RX_CHECK(use());
  return checkWork(cuda_->synchronise(), "cuCtxSynchronize", name());
}

Result<std::unique_ptr<Mark>> CudaDevice::mark() {
  RX_CHECK(use());
  void* event = nullptr;
  RX_CHECK(Cuda::check(cuda_->createEvent(&event, 0), "cuEventCreate", name()));
  auto mark = std::make_unique<CudaMark>(cuda_, event);
  RX_CHECK(checkWork(cuda_->recordEvent(event, nullptr), "cuEventRecord", name()));
  return std::unique_ptr<Mark>(std::move(mark));
}

Result<Unit> CudaDevice::timed(const std::function<Result<Unit>()>& start) {
  if (!timing() || capturing()) return start();
  RX_TRY(from, mark());
  RX_CHECK(start());
  RX_TRY(to, mark());
  noteTime(std::move(from), std::move(to));
  return Unit{};
}

Result<bool> CudaDevice::reached(const Mark& mark) {
  constexpr int kNotReady = 600;
  const int code = cuda_->askEvent(static_cast<const CudaMark&>(mark).event);
  if (code == kNotReady) return false;
  RX_CHECK(Cuda::check(code, "cuEventQuery", name()));
  return true;
}

Result<double> CudaDevice::nanoseconds(const Mark& from, const Mark& to) {
  RX_CHECK(awaitKernels());
  RX_CHECK(use());
  void* begin = static_cast<const CudaMark&>(from).event;
  void* end = static_cast<const CudaMark&>(to).event;
  RX_CHECK(checkWork(cuda_->awaitEvent(end), "cuEventSynchronize", name()));
  float milliseconds = 0;
  RX_CHECK(checkWork(cuda_->elapsed(&milliseconds, begin, end), "cuEventElapsedTime", name()));
  return static_cast<double>(milliseconds) * 1e6;
}

Result<std::vector<std::shared_ptr<Device>>> openCuda(const std::string& library) {
  RX_TRY(cuda, Cuda::load(library));
  RX_CHECK(Cuda::check(cuda->initialise(0), "cuInit"));
  int version = 0;
  RX_CHECK(Cuda::check(cuda->version(&version), "cuDriverGetVersion"));
  if (version < kOldestDriver) {
    Diagnostic old = errorAt(
        {}, "device.driver",
        fmt::format("the driver {} is too old: it is for CUDA {}, and {} is the first that takes what is generated",
                    library, versionText(version), versionText(kOldestDriver)));
    old.fix = kDriver;
    return fail(std::move(old));
  }
  int count = 0;
  RX_CHECK(Cuda::check(cuda->deviceCount(&count), "cuDeviceGetCount"));
  std::vector<std::shared_ptr<Device>> devices;
  for (int number = 0; number < count; ++number) {
    RX_TRY(device, CudaDevice::open(cuda, number));
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace rx::device
