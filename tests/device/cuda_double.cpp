#include "tests/device/cuda_double.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

namespace rx::cuda_double {
namespace {

enum Code : int {
  kDone = 0,
  kInvalidValue = 1,
  kNoMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kInvalidPtx = 218,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kNotFound = 500,
  kIllegalAddress = 700,
  kCaptureUnsupported = 900,
  kCaptureInvalidated = 901,
};

/// The option of a call that is a place for what the compiler says, and what it says.
constexpr int kErrorLog = 5;
constexpr const char* kNobodys = "ptxas: nobody registered this text";

struct Function {
  std::string name;
  size_t parameters;
  Kernel kernel;
  size_t maps = 0;
  int dynamicShared = 48 * 1024;
};
struct Module {
  std::map<std::string, std::unique_ptr<Function>> functions;
};
/// A program that is being compiled.
struct Link {
  char* log = nullptr;
  std::string text, image;
};
struct Event {
  float milliseconds = -1;
};
/// What was captured; each part gives an error code.
struct Graph {
  std::vector<std::function<int()>> parts;
};
struct Stream {
  std::unique_ptr<Graph> captured;  ///< while it captures
  bool whole = true;
};

/// The whole driver. A kernel's fault stays: every later call that waits gives it, as that of a real context.
class Driver final : public Control {
 public:
  Driver() {
    const char* said = std::getenv(kEveryText);
    const char* code = said ? std::strchr(said, '=') : nullptr;
    takesAll_ = code != nullptr;
    if (!takesAll_) return;
    wrong_ = std::string(said, code);
    wrongCode_ = std::atoi(code + 1);
  }
  void reset() override { *this = Driver(); }
  void setVersion(int version) override { version_ = version; }
  void setDevices(int count) override { devices_ = count; }
  void setMemory(size_t bytes) override { memory_ = bytes; }
  void setArchitecture(int number) override { architecture_ = number; }
  std::string loaded() const override { return loaded_; }
  void add(const std::string& text, const std::string& name, size_t parameters, Kernel kernel, size_t maps) override {
    texts_[text].push_back({name, parameters, std::move(kernel), maps});
  }
  void failNext(const std::string& symbol, int code) override { failures_[symbol] = code; }
  std::vector<std::string> calls() const override { return calls_; }
  size_t blocks() const override { return blocks_.size(); }
  size_t kept() const override { return kept_; }

  /// Notes a call; what it fails with whatever it is asked for.
  int enter(const char* symbol, bool needsContext) {
    calls_.emplace_back(symbol);
    const auto planned = failures_.find(symbol);
    if (planned != failures_.end()) {
      const int code = planned->second;
      failures_.erase(planned);
      return code;
    }
    if (!initialised_ && std::strcmp(symbol, "cuInit") != 0 && std::strcmp(symbol, "cuDriverGetVersion") != 0)
      return kNotInitialized;
    return needsContext && !context_ ? kInvalidContext : kDone;
  }
  int wait() {
    if (fault_ == kHangs) ++kept_;
    return fault_;
  }
  /// What a call gives that does not wait.
  int soFar() const { return fault_ == kHangs ? kDone : fault_; }

  std::span<std::byte> behind(uint64_t address) {
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin()) return {};
    auto& [base, block] = *std::prev(after);
    if (address - base > block.size()) return {};
    return std::span(block).subspan(address - base);
  }
  std::byte* at(uint64_t address, size_t bytes) {
    const std::span<std::byte> rest = behind(address);
    return rest.data() && bytes <= rest.size() ? rest.data() : nullptr;
  }
  int allocate(uint64_t* address, size_t bytes) {
    if (!address || bytes == 0) return kInvalidValue;
    if (bytes + used_ > memory_) return kNoMemory;
    used_ += bytes;
    *address = next_;
    blocks_[next_].resize(bytes);
    next_ += (bytes + 511) / 512 * 512 + 512;
    return kDone;
  }
  int release(uint64_t address) {
    const auto block = blocks_.find(address);
    if (block == blocks_.end()) return kInvalidValue;
    used_ -= block->second.size();
    blocks_.erase(block);
    return kDone;
  }
  /// What the driver's compiler makes of a text, which is all that a test gave it.
  static constexpr std::string_view kCompiled = "\x7f compiled:";
  bool knows(const std::string& text) const { return takesAll_ || texts_.contains(text); }
  int load(void** module, std::string text) {
    if (text.starts_with(kCompiled)) text.erase(0, kCompiled.size());
    if (takesAll_) texts_[text];
    const auto known = texts_.find(text);
    if (known == texts_.end()) return kInvalidPtx;
    loaded_ = known->first;
    auto made = std::make_unique<Module>();
    for (const Function& row : known->second) made->functions[row.name] = std::make_unique<Function>(row);
    *module = made.get();
    modules_.push_back(std::move(made));
    return kDone;
  }
  /// Null where the module has none of this name.
  Function* find(Module& module, const std::string& name) const {
    std::unique_ptr<Function>& found = module.functions[name];
    if (!found && takesAll_) {
      const int code = name.find(wrong_) == std::string::npos ? kDone : wrongCode_;
      found = std::make_unique<Function>(Function{name, 0, [code](const Launch&) { return code; }});
    }
    return found.get();
  }
  /// Does it, or makes it a part of what the stream captures.
  int ask(void* stream, std::function<int()> work) {
    if (!stream) return work();
    auto& own = *static_cast<Stream*>(stream);
    if (!own.captured) return work();
    own.captured->parts.push_back(std::move(work));
    return kDone;
  }
  int beginCapture(Stream* stream) {
    if (!stream || capturing_) return stream ? kIllegalState : kInvalidValue;
    stream->captured = std::make_unique<Graph>();
    stream->whole = true;
    capturing_ = stream;
    return kDone;
  }
  int endCapture(Stream* stream, void** graph) {
    if (!stream || stream != capturing_) return kIllegalState;
    capturing_ = nullptr;
    std::unique_ptr<Graph> made = std::move(stream->captured);
    *graph = nullptr;
    if (!stream->whole) return kCaptureInvalidated;
    *graph = made.release();
    return kDone;
  }
  /// What waits for the device breaks a capture.
  int waitOutside() {
    if (!capturing_) return wait();
    capturing_->whole = false;
    return kCaptureUnsupported;
  }
  /// What arguments are, the first bytes of each.
  using Values = std::vector<std::array<std::byte, kMapBytes>>;
  /// Scalars and maps are read when the launch is asked for.
  int launch(Function& function, Launch launch, void** arguments, void* stream) {
    for (int axis = 0; axis < 3; ++axis)
      if (launch.grid[axis] == 0 || launch.group[axis] == 0) return kInvalidValue;
    if (static_cast<int>(launch.sharedBytes) > function.dynamicShared) return kInvalidValue;
    Values values;
    for (size_t i = 0; i < function.parameters; ++i) {
      const bool map = i + 1 < function.parameters && i + 1 + function.maps >= function.parameters;
      std::memcpy(values.emplace_back().data(), arguments[i], map ? kMapBytes : sizeof(uint64_t));
    }
    return ask(stream, [this, &function, launch, values] { return run(function, launch, values); });
  }
  int run(Function& function, Launch launch, const Values& values) {
    for (const auto& value : values) launch.arguments.push_back(value.data());
    bool outside = false;
    launch.memory = [&](uint64_t address, size_t bytes) {
      std::byte* found = at(address, bytes);
      outside = outside || !found;
      return found;
    };
    launch.block = [this](uint64_t address) { return behind(address); };
    const int code = function.kernel(launch);
    if (fault_ == kDone) fault_ = outside ? kIllegalAddress : code;
    clock_ += 1;
    return kDone;
  }

  Stream* capturing_ = nullptr;
  bool initialised_ = false;
  void* context_ = nullptr;
  int version_ = 12040, devices_ = 1, architecture_ = 90, fault_ = kDone;
  float clock_ = 0;

 private:
  size_t memory_ = size_t{1} << 30, used_ = 0, kept_ = 0;
  uint64_t next_ = uint64_t{0x7f} << 40;
  std::map<uint64_t, std::vector<std::byte>> blocks_;
  std::map<std::string, std::vector<Function>> texts_;
  std::vector<std::unique_ptr<Module>> modules_;
  bool takesAll_ = false;  ///< texts that nobody registered, too
  std::string wrong_;      ///< kernels of which this is a part of the name give the code
  int wrongCode_ = kDone;
  std::map<std::string, int> failures_;
  std::vector<std::string> calls_;
  std::string loaded_;
};

Driver& driver() {
  static Driver whole;
  return whole;
}

struct AttributeRow {
  int which, value;
};
constexpr AttributeRow kAttributes[] = {
    {1, 1024},    {2, 1024},     {3, 1024},  {4, 64},  // threads of a group: in all, along each axis
    {5, 1 << 30}, {6, 65535},    {7, 65535},           // groups along each axis
    {10, 32},     {13, 1980000}, {16, 132},            // warp, kilohertz, units
    {97, 232448},                                      // bytes that a group may share
};

/// Bytes of an element by the number that maps have for its type, and of a line by that of its pattern.
constexpr uint64_t kElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2}, kLineBytes[] = {0, 32, 64, 128};

/// Whether the driver makes such a map, whose tensor lies in one block; what was asked for, as the map.
bool isMap(const Map& map, const unsigned* steps) {
  if (map.rank < 1 || map.rank > 5 || map.element < 0 || map.element > 9 || map.line < 0 || map.line > 3) return false;
  const uint64_t element = kElementBytes[map.element], inner = map.box[0] * element;
  if (map.address % 16 != 0 || inner % 16 != 0 || (map.line && inner > kLineBytes[map.line])) return false;
  uint64_t last = element;
  for (int i = 0; i < map.rank; ++i) {
    if (map.extents[i] == 0 || map.box[i] == 0 || map.box[i] > 256 || steps[i] != 1) return false;
    const uint64_t stride = i == 0 ? element : map.strides[i - 1];
    if (i > 0 && (stride % 16 != 0 || stride >= uint64_t{1} << 40)) return false;
    last += (map.extents[i] - uint64_t{1}) * stride;
  }
  return driver().at(map.address, last) != nullptr;
}

int attributeOf(int which) {
  constexpr int kMajor = 75, kMinor = 76;
  if (which == kMajor) return driver().architecture_ / 10;
  if (which == kMinor) return driver().architecture_ % 10;
  for (const AttributeRow& row : kAttributes)
    if (row.which == which) return row.value;
  return 0;
}

}  // namespace
}  // namespace rx::cuda_double

using namespace rx::cuda_double;

#define RX_ENTER(symbol, needsContext) \
  if (const int code = driver().enter(#symbol, needsContext)) return code

extern "C" {
Control* rx_cuda_double() { return &driver(); }

int cuInit(unsigned flags) {
  RX_ENTER(cuInit, false);
  if (flags != 0) return kInvalidValue;
  driver().initialised_ = true;
  return driver().devices_ > 0 ? kDone : kNoDevice;
}
int cuDriverGetVersion(int* version) {
  RX_ENTER(cuDriverGetVersion, false);
  *version = driver().version_;
  return kDone;
}
int cuDeviceGetCount(int* count) {
  RX_ENTER(cuDeviceGetCount, false);
  *count = driver().devices_;
  return kDone;
}
int cuDeviceGet(int* device, int number) {
  RX_ENTER(cuDeviceGet, false);
  *device = number;
  return number < driver().devices_ ? kDone : kInvalidDevice;
}
int cuDeviceGetName(char* name, int length, int) {
  RX_ENTER(cuDeviceGetName, false);
  std::strncpy(name, "double", static_cast<size_t>(length));
  return kDone;
}
int cuDeviceTotalMem_v2(size_t* bytes, int) {
  RX_ENTER(cuDeviceTotalMem_v2, false);
  *bytes = size_t{1} << 30;
  return kDone;
}
int cuDeviceGetAttribute(int* value, int which, int) {
  RX_ENTER(cuDeviceGetAttribute, false);
  *value = attributeOf(which);
  return kDone;
}
int cuDevicePrimaryCtxRetain(void** context, int device) {
  RX_ENTER(cuDevicePrimaryCtxRetain, false);
  *context = reinterpret_cast<void*>(static_cast<uintptr_t>(device) + 1);
  return kDone;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  RX_ENTER(cuDevicePrimaryCtxRelease_v2, false);
  return kDone;
}
int cuCtxSetCurrent(void* context) {
  RX_ENTER(cuCtxSetCurrent, false);
  driver().context_ = context;
  return kDone;
}
int cuCtxSynchronize() {
  RX_ENTER(cuCtxSynchronize, true);
  return driver().waitOutside();
}
int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  RX_ENTER(cuMemAlloc_v2, true);
  if (driver().wait() == kHangs) return kHangs;
  return driver().allocate(address, bytes);
}
int cuMemFree_v2(uint64_t address) {
  RX_ENTER(cuMemFree_v2, true);
  if (driver().wait() == kHangs) return kHangs;
  return driver().release(address);
}
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t bytes) {
  RX_ENTER(cuMemcpyHtoD_v2, true);
  if (const int code = driver().waitOutside()) return code;
  std::byte* place = driver().at(to, bytes);
  if (!place) return kInvalidValue;
  std::memcpy(place, from, bytes);
  return kDone;
}
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t bytes) {
  RX_ENTER(cuMemcpyDtoH_v2, true);
  if (const int code = driver().waitOutside()) return code;
  const std::byte* place = driver().at(from, bytes);
  if (!place) return kInvalidValue;
  std::memcpy(to, place, bytes);
  return kDone;
}
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
  RX_ENTER(cuMemcpyDtoD_v2, true);
  std::byte* target = driver().at(to, bytes);
  const std::byte* source = driver().at(from, bytes);
  if (!target || !source) return kInvalidValue;
  std::memcpy(target, source, bytes);
  return driver().soFar();
}
int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes) {
  RX_ENTER(cuMemsetD8_v2, true);
  std::byte* place = driver().at(to, bytes);
  if (!place) return kInvalidValue;
  std::memset(place, value, bytes);
  return driver().soFar();
}
int cuModuleLoadDataEx(void** module, const void* text, unsigned count, int* options, void** values) {
  RX_ENTER(cuModuleLoadDataEx, true);
  const int code = driver().load(module, static_cast<const char*>(text));
  for (unsigned i = 0; i < count && code != kDone; ++i)
    if (options[i] == kErrorLog) std::strcpy(static_cast<char*>(values[i]), kNobodys);
  return code;
}
int cuLinkCreate_v2(unsigned count, int* options, void** values, void** state) {
  RX_ENTER(cuLinkCreate_v2, true);
  auto link = std::make_unique<Link>();
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == kErrorLog) link->log = static_cast<char*>(values[i]);
  *state = link.release();
  return kDone;
}
int cuLinkAddData_v2(void* state, int type, void* data, size_t bytes, const char*, unsigned, int*, void**) {
  RX_ENTER(cuLinkAddData_v2, true);
  auto& link = *static_cast<Link*>(state);
  constexpr int kPtx = 1;
  const auto* text = static_cast<const char*>(data);
  if (type != kPtx || bytes == 0 || text[bytes - 1] != '\0') return kInvalidValue;
  link.text = text;
  if (driver().knows(link.text)) return kDone;
  if (link.log) std::strcpy(link.log, kNobodys);
  return kInvalidPtx;
}
int cuLinkComplete(void* state, void** image, size_t* bytes) {
  RX_ENTER(cuLinkComplete, true);
  auto& link = *static_cast<Link*>(state);
  if (link.text.empty()) return kInvalidValue;
  link.image = std::string(Driver::kCompiled) + link.text;
  *image = link.image.data();
  *bytes = link.image.size();
  return kDone;
}
int cuLinkDestroy(void* state) {
  RX_ENTER(cuLinkDestroy, true);
  delete static_cast<Link*>(state);
  return kDone;
}
int cuModuleUnload(void*) {
  RX_ENTER(cuModuleUnload, true);
  return driver().wait() == kHangs ? kHangs : kDone;
}
int cuModuleGetFunction(void** function, void* module, const char* name) {
  RX_ENTER(cuModuleGetFunction, true);
  *function = driver().find(*static_cast<Module*>(module), name);
  return *function ? kDone : kNotFound;
}
int cuFuncSetAttribute(void* function, int attribute, int value) {
  RX_ENTER(cuFuncSetAttribute, true);
  constexpr int kMaxDynamicShared = 8;
  if (attribute != kMaxDynamicShared) return kInvalidValue;
  static_cast<Function*>(function)->dynamicShared = value;
  return kDone;
}
int cuLaunchKernel(void* function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned groupX, unsigned groupY,
                   unsigned groupZ, unsigned sharedBytes, void* stream, void** arguments, void**) {
  RX_ENTER(cuLaunchKernel, true);
  if (driver().soFar() != kDone) return driver().soFar();
  return driver().launch(*static_cast<Function*>(function),
                         {{gridX, gridY, gridZ}, {groupX, groupY, groupZ}, sharedBytes, {}, {}, {}}, arguments, stream);
}
int cuTensorMapEncodeTiled(void* to, int element, unsigned rank, void* address, const uint64_t* extents,
                           const uint64_t* strides, const unsigned* box, const unsigned* steps, int interleave,
                           int line, int promotion, int fill) {
  RX_ENTER(cuTensorMapEncodeTiled, false);
  if (reinterpret_cast<uintptr_t>(to) % 64 != 0 || rank < 1 || rank > 5 || interleave != 0 || fill != 0 ||
      promotion < 0 || promotion > 3)
    return kInvalidValue;
  Map map{};
  map.made = Map::kMade;
  map.address = reinterpret_cast<uint64_t>(address);
  map.element = element;
  map.rank = static_cast<int>(rank);
  map.line = line;
  for (unsigned i = 0; i < rank; ++i) {
    if (extents[i] > UINT32_MAX) return kInvalidValue;
    map.extents[i] = static_cast<uint32_t>(extents[i]);
    map.box[i] = box[i];
    if (i > 0) map.strides[i - 1] = strides[i - 1];
  }
  if (!isMap(map, steps)) return kInvalidValue;
  std::memset(to, 0, kMapBytes);
  std::memcpy(to, &map, sizeof map);
  return kDone;
}
int cuStreamCreate(void** stream, unsigned flags) {
  RX_ENTER(cuStreamCreate, true);
  constexpr unsigned kNonBlocking = 1;
  if (flags != kNonBlocking) return kInvalidValue;
  *stream = new Stream;
  return kDone;
}
int cuStreamDestroy_v2(void* stream) {
  RX_ENTER(cuStreamDestroy_v2, true);
  if (stream == driver().capturing_) driver().capturing_ = nullptr;
  delete static_cast<Stream*>(stream);
  return kDone;
}
int cuStreamBeginCapture_v2(void* stream, int mode) {
  RX_ENTER(cuStreamBeginCapture_v2, true);
  constexpr int kRelaxed = 2;
  return mode == kRelaxed ? driver().beginCapture(static_cast<Stream*>(stream)) : kInvalidValue;
}
int cuStreamEndCapture(void* stream, void** graph) {
  // Whatever it says, the stream captures nothing any more.
  const int planned = driver().enter("cuStreamEndCapture", true);
  const int ended = driver().endCapture(static_cast<Stream*>(stream), graph);
  if (planned == kDone) return ended;
  delete static_cast<Graph*>(std::exchange(*graph, nullptr));
  return planned;
}
int cuGraphInstantiate_v2(void** work, void* graph, void**, char*, size_t) {
  RX_ENTER(cuGraphInstantiate_v2, true);
  if (!graph) return kInvalidValue;
  *work = new Graph(*static_cast<Graph*>(graph));
  return kDone;
}
int cuGraphLaunch(void* work, void* stream) {
  RX_ENTER(cuGraphLaunch, true);
  if (!work || stream || driver().capturing_) return kInvalidValue;
  if (driver().soFar() != kDone) return driver().soFar();
  for (const auto& part : static_cast<Graph*>(work)->parts)
    if (const int code = part()) return code;
  return kDone;
}
int cuGraphExecDestroy(void* work) {
  RX_ENTER(cuGraphExecDestroy, true);
  delete static_cast<Graph*>(work);
  return kDone;
}
int cuGraphDestroy(void* graph) {
  RX_ENTER(cuGraphDestroy, true);
  delete static_cast<Graph*>(graph);
  return kDone;
}
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void* stream) {
  RX_ENTER(cuMemsetD8Async, true);
  return driver().ask(stream, [=] {
    std::byte* place = driver().at(to, bytes);
    if (place) std::memset(place, value, bytes);
    return place ? kDone : kInvalidValue;
  });
}
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void* stream) {
  RX_ENTER(cuMemcpyDtoDAsync_v2, true);
  return driver().ask(stream, [=] {
    std::byte *target = driver().at(to, bytes), *source = driver().at(from, bytes);
    if (target && source) std::memcpy(target, source, bytes);
    return target && source ? kDone : kInvalidValue;
  });
}
int cuEventCreate(void** event, unsigned) {
  RX_ENTER(cuEventCreate, true);
  *event = new Event;
  return kDone;
}
int cuEventRecord(void* event, void*) {
  RX_ENTER(cuEventRecord, true);
  static_cast<Event*>(event)->milliseconds = driver().clock_;
  return kDone;
}
int cuEventSynchronize(void* event) {
  RX_ENTER(cuEventSynchronize, true);
  return static_cast<Event*>(event)->milliseconds < 0 ? kInvalidHandle : driver().wait();
}
int cuEventQuery(void* event) {
  RX_ENTER(cuEventQuery, true);
  return static_cast<Event*>(event)->milliseconds < 0 ? kInvalidHandle : driver().fault_;
}
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  RX_ENTER(cuEventElapsedTime, true);
  *milliseconds = static_cast<Event*>(to)->milliseconds - static_cast<Event*>(from)->milliseconds;
  return kDone;
}
int cuEventDestroy_v2(void* event) {
  RX_ENTER(cuEventDestroy_v2, false);
  delete static_cast<Event*>(event);
  return kDone;
}
}
