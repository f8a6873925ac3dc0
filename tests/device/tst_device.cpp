#include <QTest>
#include <cstring>

#include "core/device/device.h"
#include "core/tensor/host_tensor.h"
#include "tests/device/loaded_double.h"

using namespace rx;
using device::addressArgument;
using device::Device;
using device::intArgument;

namespace {

const std::string kDouble = RX_BINARY_DIR "/tests/cuda_double.so";

/// The double's controls, as it is when it is loaded.
cuda_double::Control& fresh() {
  cuda_double::control().reset();
  return cuda_double::control();
}

std::vector<std::shared_ptr<Device>> cudaDevices() {
  auto found = device::devicesOf(*device::findKind("cuda"), kDouble);
  return found ? *found : std::vector<std::shared_ptr<Device>>();
}

std::string ruleOf(const std::vector<Diagnostic>& diagnostics) {
  return diagnostics.empty() ? "" : diagnostics.front().rule;
}
template <class T>
std::string ruleOf(const Result<T>& result) {
  return result ? "ok" : ruleOf(result.diagnostics());
}

constexpr const char* kAdd = R"(
__kernel void add(__global const float* a, __global float* b, int n) {
  int i = get_global_id(0);
  if (i < n) b[i] = a[i] + 1.0f;
}
__kernel void sums(__global float* b, __local float* shared) {
  int i = get_local_id(0);
  shared[i] = b[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  float sum = 0;
  for (int k = 0; k < (int)get_local_size(0); ++k) sum += shared[k];
  b[get_global_id(0)] = sum;
}
)";

std::span<const std::byte> bytesOf(const std::vector<float>& numbers) { return std::as_bytes(std::span(numbers)); }

}  // namespace

class DeviceTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase();
  void listsDevices();
  void runsKernels();
  void viewsAreTaken();
  void measuresTime();
  void copiesMemory();
  void twoDevicesAreApart();
  void refusesPrograms();
  void refusesLaunches();
  void refusesMemory();
  void missingDriver();
  void storageOnADevice();
  void arenaKeepsBlocks();
  void cudaRunsKernels();
  void cudaReportsFaults();
  void cudaKernelThatHangs();
  void cudaKernelThatIsLeft();
  void cudaReportsRefusals();
  void errorsSayWhatNext();
  void cudaDeviceGoesAway();
  void cudaTimesKernels();
  void cudaDriverTooOld();

 private:
  std::vector<std::shared_ptr<Device>> devices_;
};

/// PoCL offers two devices where it is asked for them.
void DeviceTest::initTestCase() {
  qputenv("POCL_DEVICES", "pthread pthread");
  auto found = device::devicesOf(*device::findKind("opencl"));
  QVERIFY2(found.ok(), found ? "" : found.diagnostics()[0].message.c_str());
  devices_ = *found;
}

void DeviceTest::listsDevices() {
  QCOMPARE(devices_.size(), size_t{2});
  QCOMPARE(devices_[1]->name(), std::string("opencl:1"));
  const device::Properties& is = devices_[0]->properties();
  QVERIFY(is.memory > 0 && is.largestBlock > 0 && is.largestBlock <= is.memory);
  QVERIFY(is.groupThreads >= 64 && is.sharedBytes >= 16384 && is.units > 0 && is.doubles);
  QVERIFY(is.code.starts_with("OpenCL C"));
  QCOMPARE(ruleOf(device::openDevice("opencl", 2)), std::string("device.none"));
  QCOMPARE(ruleOf(device::openDevice("opencl", -1)), std::string("device.none"));
  QCOMPARE(ruleOf(device::openDevice("vulkan", 0)), std::string("device.kind"));
}

void DeviceTest::runsKernels() {
  Device& device = *devices_[0];
  auto program = device.program(kAdd, {"add", "sums"});
  QVERIFY2(program.ok(), program ? "" : program.diagnostics()[0].message.c_str());
  const std::vector<float> input{1, 2, 3, 4};
  auto a = device.allocate(16), b = device.allocate(16);
  QVERIFY(a.ok() && b.ok());
  QVERIFY(device.write(*a, bytesOf(input)).ok());
  const std::vector<device::LaunchArgument> arguments{addressArgument(*a), addressArgument(*b), intArgument(4, 32)};
  QVERIFY((*program)->launch(0, {{2, 1, 1}, {2, 1, 1}, 0}, arguments).ok());
  std::vector<float> output(4);
  QVERIFY(device.read(*b, std::as_writable_bytes(std::span(output))).ok());
  QCOMPARE(output, (std::vector<float>{2, 3, 4, 5}));
  const std::vector<device::LaunchArgument> shared{addressArgument(*b)};
  QVERIFY((*program)->launch(1, {{2, 1, 1}, {2, 1, 1}, 8}, shared).ok());
  QVERIFY(device.read(*b, std::as_writable_bytes(std::span(output))).ok());
  QCOMPARE(output, (std::vector<float>{5, 5, 9, 9}));
  device.release(*a);
  device.release(*b);
}

void DeviceTest::viewsAreTaken() {
  Device& device = *devices_[0];
  auto program = device.program(kAdd, {"add"});
  QVERIFY(program.ok());
  auto a = device.allocate(4096);
  QVERIFY(a.ok());
  QVERIFY(device.fill(*a, std::byte{0}, 4096).ok());
  const std::vector<device::LaunchArgument> arguments{addressArgument(*a), addressArgument(*a + 1024),
                                                      intArgument(2, 32)};
  QVERIFY((*program)->launch(0, {{1, 1, 1}, {2, 1, 1}, 0}, arguments).ok());
  std::vector<float> output(3);
  QVERIFY(device.read(*a + 1024, std::as_writable_bytes(std::span(output))).ok());
  QCOMPARE(output, (std::vector<float>{1, 1, 0}));
  const std::vector<device::LaunchArgument> odd{addressArgument(*a), addressArgument(*a + 1028), intArgument(2, 32)};
  QCOMPARE(ruleOf((*program)->launch(0, {{1, 1, 1}, {2, 1, 1}, 0}, odd)), std::string("device.alignment"));
  device.release(*a);
}

void DeviceTest::measuresTime() {
  Device& device = *devices_[0];
  auto program = device.program(kAdd, {"add"});
  auto a = device.allocate(4 << 20);
  QVERIFY(program.ok() && a.ok());
  auto before = device.mark();
  const std::vector<device::LaunchArgument> arguments{addressArgument(*a), addressArgument(*a),
                                                      intArgument(1 << 20, 32)};
  QVERIFY((*program)->launch(0, {{1 << 14, 1, 1}, {64, 1, 1}, 0}, arguments).ok());
  auto after = device.mark();
  QVERIFY(before.ok() && after.ok());
  auto time = device.nanoseconds(**before, **after);
  QVERIFY(time.ok());
  QVERIFY2(*time > 1000 && *time < 60e9, std::to_string(*time).c_str());
  device.release(*a);
}

void DeviceTest::copiesMemory() {
  Device& device = *devices_[0];
  auto a = device.allocate(64);
  QVERIFY(a.ok());
  QVERIFY(device.fill(*a, std::byte{7}, 32).ok());
  QVERIFY(device.copy(*a + 32, *a, 32).ok());
  std::vector<std::byte> all(64);
  QVERIFY(device.read(*a, all).ok());
  QCOMPARE(all, std::vector<std::byte>(64, std::byte{7}));
  QVERIFY(device.synchronise().ok());
  device.release(*a);
  QCOMPARE(ruleOf(device.read(*a, all)), std::string("device.fault"));
  QCOMPARE(ruleOf(device.write(12345, all)), std::string("device.fault"));
}

void DeviceTest::twoDevicesAreApart() {
  auto there = devices_[1]->allocate(16);
  auto program = devices_[0]->program(kAdd, {"add"});
  QVERIFY(there.ok() && program.ok());
  const std::vector<device::LaunchArgument> arguments{addressArgument(*there), addressArgument(*there),
                                                      intArgument(4, 32)};
  QCOMPARE(ruleOf((*program)->launch(0, {{1, 1, 1}, {4, 1, 1}, 0}, arguments)), std::string("device.fault"));
  QVERIFY(devices_[1]->fill(*there, std::byte{1}, 16).ok());
  QCOMPARE(ruleOf(devices_[0]->fill(*there, std::byte{1}, 16)), std::string("device.fault"));
  devices_[1]->release(*there);
}

void DeviceTest::refusesPrograms() {
  auto bad = devices_[0]->program("__kernel void f() { nonsense; }", {"f"});
  QCOMPARE(ruleOf(bad), std::string("device.program"));
  QVERIFY2(bad.diagnostics()[0].message.find("nonsense") != std::string::npos, bad.diagnostics()[0].message.c_str());
  QCOMPARE(ruleOf(devices_[0]->program(kAdd, {"missing"})), std::string("device.program"));
}

void DeviceTest::refusesLaunches() {
  Device& device = *devices_[0];
  auto program = device.program(kAdd, {"add"});
  QVERIFY(program.ok());
  const std::vector<device::LaunchArgument> arguments{intArgument(0, 32)};
  const auto rule = [&](device::LaunchSizes sizes) { return ruleOf((*program)->launch(0, sizes, arguments)); };
  const device::Properties& is = device.properties();
  QCOMPARE(rule({{0, 1, 1}, {1, 1, 1}, 0}), std::string("device.launch"));
  QCOMPARE(rule({{1, 1, 1}, {is.group[0] + 1, 1, 1}, 0}), std::string("device.launch"));
  QCOMPARE(rule({{1, 1, 1}, {is.groupThreads, 2, 1}, 0}), std::string("device.launch"));
  QCOMPARE(rule({{1, 1, 1}, {1, 1, 1}, is.sharedBytes + 1}), std::string("device.launch"));
  auto many = (*program)->launch(0, {{1, int64_t{1} << 40, 1}, {1, 1, 1}, 0}, arguments);
  QVERIFY(many.diagnostics()[0].message.find("add(0 (4 bytes)), groups (1, 1099511627776, 1)") != std::string::npos);
  QVERIFY(!many.diagnostics()[0].fix.empty());
  // Of the arguments one is no address, others are missing.
  QCOMPARE(rule({{1, 1, 1}, {1, 1, 1}, 0}), std::string("device.arguments"));
}

void DeviceTest::refusesMemory() {
  const int64_t most = devices_[0]->properties().largestBlock;
  auto large = devices_[0]->allocate(most + 1);
  QCOMPARE(ruleOf(large), std::string("device.memory"));
  QVERIFY(large.diagnostics()[0].message.find(std::to_string(most + 1)) != std::string::npos);
}

void DeviceTest::missingDriver() {
  auto none = device::devicesOf(*device::findKind("cuda"), "libno-such-driver.so.1");
  QCOMPARE(ruleOf(none), std::string("device.driver"));
  QVERIFY(!none.diagnostics()[0].fix.empty());
  // A library that is no driver.
  QCOMPARE(ruleOf(device::devicesOf(*device::findKind("cuda"), "libc.so.6")), std::string("device.driver"));
  const auto found = device::findDevices();
  QCOMPARE(found.size(), device::kinds().size());
  for (const device::Found& row : found) QCOMPARE(row.devices.empty(), !row.missing.empty());
}

void DeviceTest::storageOnADevice() {
  auto arena = std::make_shared<DeviceArena>(devices_[0], 1000, true);
  auto storage = Storage::allocate(24, arena);
  QVERIFY(storage.ok());
  QVERIFY((*storage)->fresh() && (*storage)->writable());
  auto tensor = HostTensor::view(*storage, 8, {4}, DataType::Float(32));
  QVERIFY(tensor.ok());
  QCOMPARE((*tensor)->handle(), (*storage)->handle() + 8);
  const std::vector<float> input{1, 2, 3, 4};
  QVERIFY((*storage)->write(8, bytesOf(input)).ok());
  auto part = (*tensor)->slice(1, 2);
  QVERIFY(part.ok());
  QCOMPARE((*part)->at(0), 2.0);
  QCOMPARE((*part)->at(1), 3.0);
  auto host = (*tensor)->onHost();
  QVERIFY(host.ok() && !(*host)->device());
  QCOMPARE((*host)->at(3), 4.0);
  auto whole = HostTensor::view(*storage, 0, {6}, DataType::UInt(32));
  auto fresh = (*whole)->slice(0, 1);
  QCOMPARE((*fresh)->intAt(0), int64_t{0xcdcdcdcd});
}

void DeviceTest::arenaKeepsBlocks() {
  auto arena = std::make_shared<DeviceArena>(devices_[0], 1000, false);
  auto first = Storage::allocate(600, arena);
  QVERIFY(first.ok());
  QCOMPARE(ruleOf(Storage::allocate(401, arena)), std::string("vm.memory-budget"));
  QCOMPARE(ruleOf(Storage::allocate(-1, arena)), std::string("tensor.memory"));
  const uint64_t address = (*first)->handle();
  *first = nullptr;
  QCOMPARE(arena->live(), int64_t{0});
  auto again = Storage::allocate(610, arena);
  QCOMPARE((*again)->handle(), address);
}

void DeviceTest::cudaRunsKernels() {
  auto& control = fresh();
  control.add("ptx", "add", 3, [](const cuda_double::Launch& launch) {
    uint64_t a, b;
    int32_t n;
    std::memcpy(&a, launch.arguments[0], 8);
    std::memcpy(&b, launch.arguments[1], 8);
    std::memcpy(&n, launch.arguments[2], 4);
    auto* from = reinterpret_cast<float*>(launch.memory(a, 4 * static_cast<size_t>(n)));
    auto* to = reinterpret_cast<float*>(launch.memory(b, 4 * static_cast<size_t>(n)));
    for (int i = 0; from && to && i < n; ++i) to[i] = from[i] + 1;
    return 0;
  });
  auto devices = cudaDevices();
  QCOMPARE(devices.size(), size_t{1});
  QCOMPARE(devices[0]->properties().code, std::string("PTX for sm_90a"));
  auto program = devices[0]->program("ptx", {"add"});
  QVERIFY(program.ok());
  auto a = devices[0]->allocate(16), b = devices[0]->allocate(16);
  const std::vector<float> input{1, 2, 3, 4};
  QVERIFY(devices[0]->write(*a, bytesOf(input)).ok());
  auto begin = devices[0]->mark();
  const std::vector<device::LaunchArgument> arguments{addressArgument(*a), addressArgument(*b), intArgument(4, 32)};
  QVERIFY((*program)->launch(0, {{1, 1, 1}, {4, 1, 1}, 100000}, arguments).ok());
  auto end = devices[0]->mark();
  QCOMPARE(*devices[0]->nanoseconds(**begin, **end), 1e6);
  std::vector<float> output(4);
  QVERIFY(devices[0]->read(*b, std::as_writable_bytes(std::span(output))).ok());
  QCOMPARE(output, (std::vector<float>{2, 3, 4, 5}));
  QVERIFY(devices[0]->copy(*a, *b, 16).ok() && devices[0]->fill(*a, std::byte{1}, 16).ok());
  devices[0]->release(*a);
  devices[0]->release(*b);
  QCOMPARE(control.blocks(), size_t{0});
}

void DeviceTest::cudaReportsFaults() {
  struct Row {
    int code;
    const char* rule;
    const char* text;
  };
  constexpr Row kRows[] = {{700, "device.fault", "CUDA_ERROR_ILLEGAL_ADDRESS"},
                           {702, "device.timeout", "CUDA_ERROR_LAUNCH_TIMEOUT"},
                           {46, "device.lost", "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                           {12345, "device.fault", "12345"}};
  for (const Row& row : kRows) {
    auto& control = fresh();
    control.add("ptx", "hurt", 1, [&](const cuda_double::Launch&) { return row.code; });
    auto devices = cudaDevices();
    auto program = devices[0]->program("ptx", {"hurt"});
    auto memory = devices[0]->allocate(16);
    QVERIFY(program.ok() && memory.ok());
    const std::vector<device::LaunchArgument> arguments{intArgument(5, 64)};
    QVERIFY((*program)->launch(0, {{3, 1, 1}, {32, 1, 1}, 0}, arguments).ok());
    std::byte one{};
    auto read = devices[0]->read(*memory, {&one, 1});
    QCOMPARE(ruleOf(read), std::string(row.rule));
    QVERIFY(read.diagnostics()[0].message.find(row.text) != std::string::npos);
    QCOMPARE(read.diagnostics()[0].notes.at(0).message,
             std::string("the kernel that was started last on cuda:0: hurt(5 (8 bytes)), groups (3, 1, 1), threads of "
                         "each (32, 1, 1), 0 bytes shared"));
    QVERIFY(!devices[0]->synchronise().ok());
  }
}

/// Nothing that would wait for the kernel is asked of the driver, and each answer says which kernel it is.
void DeviceTest::cudaKernelThatHangs() {
  auto& control = fresh();
  control.add("ptx", "turns", 1, [](const cuda_double::Launch&) { return cuda_double::kHangs; });
  qputenv("RXS_KERNEL_SECONDS", "1");
  {
    auto devices = cudaDevices();
    auto program = devices[0]->program("ptx", {"turns"});
    auto memory = devices[0]->allocate(16);
    QVERIFY(program.ok() && memory.ok());
    const std::vector<device::LaunchArgument> arguments{intArgument(5, 64)};
    QVERIFY((*program)->launch(0, {{3, 1, 1}, {32, 1, 1}, 0}, arguments).ok());
    std::byte one{};
    const auto read = devices[0]->read(*memory, {&one, 1});
    QCOMPARE(ruleOf(read), std::string("device.timeout"));
    QVERIFY(read.diagnostics()[0].message.find("after 1 seconds") != std::string::npos);
    QVERIFY(read.diagnostics()[0].fix.find("RXS_KERNEL_SECONDS") != std::string::npos);
    QVERIFY(read.diagnostics()[0].notes.at(0).message.find("turns(5 (8 bytes)), groups (3, 1, 1)") !=
            std::string::npos);
    const auto later = devices[0]->allocate(16);
    QCOMPARE(ruleOf(later), std::string("device.timeout"));
    QCOMPARE(later.diagnostics()[0].notes.size(), size_t{1});
    QCOMPARE(ruleOf(devices[0]->synchronise()), std::string("device.timeout"));
    devices[0]->release(*memory);
  }
  qunsetenv("RXS_KERNEL_SECONDS");
  QCOMPARE(control.kept(), size_t{0});
  QCOMPARE(control.blocks(), size_t{1});
}

/// Who no longer waits for a kernel asks nothing of the driver that would; the next wait is for it as well.
void DeviceTest::cudaKernelThatIsLeft() {
  for (const bool waitsAgain : {false, true}) {
    auto& control = fresh();
    control.add("ptx", "turns", 1, [](const cuda_double::Launch&) { return cuda_double::kHangs; });
    auto devices = cudaDevices();
    auto program = devices[0]->program("ptx", {"turns"});
    auto memory = devices[0]->allocate(16);
    QVERIFY(program.ok() && memory.ok());
    const std::vector<device::LaunchArgument> arguments{intArgument(5, 64)};
    QVERIFY((*program)->launch(0, {{3, 1, 1}, {32, 1, 1}, 0}, arguments).ok());
    devices[0]->endWaits([] { return true; });
    const auto left = devices[0]->synchronise();
    QCOMPARE(ruleOf(left), std::string("vm.cancelled"));
    QVERIFY(left.diagnostics()[0].notes.at(0).message.find("turns(5 (8 bytes))") != std::string::npos);
    devices[0]->endWaits(nullptr);
    devices[0]->release(*memory);
    if (waitsAgain) {
      qputenv("RXS_KERNEL_SECONDS", "1");
      QCOMPARE(ruleOf(devices[0]->synchronise()), std::string("device.timeout"));
      qunsetenv("RXS_KERNEL_SECONDS");
    }
    program->reset();
    devices.clear();
    QCOMPARE(control.kept(), size_t{0});
  }
}

void DeviceTest::cudaReportsRefusals() {
  auto& control = fresh();
  control.setMemory(1000);
  auto devices = cudaDevices();
  auto all = devices[0]->allocate(1000);
  QVERIFY(all.ok());
  QCOMPARE(ruleOf(devices[0]->allocate(1)), std::string("device.memory"));
  // What is kept for later is given up for what is needed now.
  devices[0]->release(*all);
  auto arena = std::make_shared<DeviceArena>(devices[0], 1 << 20, false);
  QVERIFY(Storage::allocate(700, arena).ok());
  QVERIFY(Storage::allocate(200, arena).ok());
  QCOMPARE(ruleOf(Storage::allocate(1001, arena)), std::string("device.memory"));
  auto unknown = devices[0]->program("other", {"f"});
  QCOMPARE(ruleOf(unknown), std::string("device.program"));
  QVERIFY(unknown.diagnostics()[0].message.find("nobody registered") != std::string::npos);
  control.failNext("cuLinkAddData_v2", 222);
  QCOMPARE(ruleOf(devices[0]->program("other", {"f"})), std::string("device.driver"));
  control.failNext("cuDevicePrimaryCtxRetain", 46);
  QCOMPARE(ruleOf(device::devicesOf(*device::findKind("cuda"), kDouble)), std::string("device.lost"));
}

/// Whatever a driver reports has a rule and says what to do next.
void DeviceTest::errorsSayWhatNext() {
  for (int code = 1; code < 1000; ++code) {
    fresh().failNext("cuInit", code);
    const auto failed = device::devicesOf(*device::findKind("cuda"), kDouble);
    QVERIFY(!failed && ruleOf(failed).starts_with("device."));
    QVERIFY2(!failed.diagnostics()[0].fix.empty(), failed.diagnostics()[0].message.c_str());
  }
}

/// A device that goes away between two calls: what is asked of it fails, and giving back what it held does no harm.
void DeviceTest::cudaDeviceGoesAway() {
  auto& control = fresh();
  auto devices = cudaDevices();
  auto memory = devices[0]->allocate(16);
  QVERIFY(memory.ok());
  std::vector<std::byte> bytes(16);
  for (const auto& [call, code] : {std::pair("cuMemcpyHtoD_v2", 46), std::pair("cuCtxSetCurrent", 201)}) {
    control.failNext(call, code);
    const auto lost = devices[0]->write(*memory, bytes);
    QCOMPARE(ruleOf(lost), std::string("device.lost"));
    QVERIFY(!lost.diagnostics()[0].fix.empty());
  }
  control.failNext("cuCtxSetCurrent", 4);
  devices[0]->release(*memory);
}

void DeviceTest::cudaTimesKernels() {
  auto& control = fresh();
  control.add("ptx", "ticks", 1, [](const cuda_double::Launch&) { return 0; });
  auto devices = cudaDevices();
  auto program = devices[0]->program("ptx", {"ticks"});
  QVERIFY(program.ok());
  const std::vector<device::LaunchArgument> arguments{intArgument(5, 64)};
  const auto launch = [&] { return (*program)->launch(0, {{1, 1, 1}, {32, 1, 1}, 0}, arguments).ok(); };
  QVERIFY(launch());
  QCOMPARE(*devices[0]->kernelNanoseconds(), 0.0);
  devices[0]->timeKernels(true);
  QVERIFY(launch() && launch());
  QCOMPARE(*devices[0]->kernelNanoseconds(), 2e6);
  QCOMPARE(*devices[0]->kernelNanoseconds(), 0.0);
  QVERIFY(launch());
  devices[0]->timeKernels(false);
  QVERIFY(launch());
  QCOMPARE(*devices[0]->kernelNanoseconds(), 0.0);
}

void DeviceTest::cudaDriverTooOld() {
  fresh().setVersion(10020);
  auto old = device::devicesOf(*device::findKind("cuda"), kDouble);
  QCOMPARE(ruleOf(old), std::string("device.driver"));
  QVERIFY(old.diagnostics()[0].message.find("10.2") != std::string::npos);
  fresh().setDevices(0);
  QCOMPARE(ruleOf(device::devicesOf(*device::findKind("cuda"), kDouble)), std::string("device.none"));
}

QTEST_GUILESS_MAIN(DeviceTest)
#include "tst_device.moc"
