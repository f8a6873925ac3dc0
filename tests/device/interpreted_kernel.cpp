#include "tests/device/interpreted_kernel.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/codegen/tile_copies.h"
#include "core/ir/all_nodes.h"
#include "core/ir/symbols.h"
#include "core/launch/launch.h"
#include "core/launch/thread_program.h"
#include "core/lower/device_lowering.h"
#include "core/lower/intrinsics.h"
#include "core/lower/new_buffer.h"
#include "core/lower/rewriter.h"
#include "core/lower/statements.h"
#include "tests/device/interpreted_tensor_core.h"
#include "tests/device/late_copies.h"

namespace rx::cuda_double {

using namespace tir;
using lower::int32;

namespace {

/// The kernel with what its warps do on tensor cores, and what comes while they go on, as statements of one thread.
class WithoutTensorCores : public lower::Rewriter {
 public:
  explicit WithoutTensorCores(const Stmt& body) : body_(body), late_(body) {}
  Stmt made() {
    std::vector<Stmt> made;
    const Stmt rewritten = late_.around(rewrite(body_));
    for (const BufferRef& buffer : shared_) made.push_back(make<AllocBuffer>(buffer));
    made.push_back(rewritten);
    return lower::inOrder(made);
  }

 protected:
  Stmt visit(const Stmt& statement) override {
    const auto* attribute = as<AttrStmt>(statement);
    if (const auto* axis = attribute ? as<IterVar>(attribute->node) : nullptr)
      axes_.push_back({axis->threadTag.string(), axis->var, asInt(attribute->value).value_or(-1)});
    const auto* effect = as<Evaluate>(statement);
    if (const auto* call = effect ? as<tir::Call>(effect->value) : nullptr) {
      const WarpTools tools{
          number(),
          [&](const char* name, DataType type, int64_t elements) {
            for (const BufferRef& known : shared_)
              if (known->name == name) return known;
            return shared_.emplace_back(lower::newBuffer(Str(name), type, {int32(elements)}, "shared"));
          },
          [] {
            return make<Evaluate>(
                lower::intrinsic(DataType::Int(32), "tvm_storage_sync", {make<StringImm>(Str("warp"))}));
          }};
      const auto copied = [&](const tir::Call& copy) { return *asOneThread(copy, tools); };
      if (const auto made = late_.of(*call, copied)) return *made;
      if (const auto made = asOneThread(*call, tools)) return *made;
    }
    return parts(statement);
  }

 private:
  struct Axis {
    std::string tag;
    VarRef var;
    int64_t extent;
  };

  /// Of the thread in its group.
  PrimExpr number() const {
    PrimExpr sum = int32(0);
    for (const char* tag : {"threadIdx.z", "threadIdx.y", "threadIdx.x"}) {
      for (const Axis& axis : axes_) {
        if (axis.tag == tag)
          sum = make<Add>(make<Mul>(sum, int32(axis.extent)), make<Cast>(DataType::Int(32), axis.var));
      }
    }
    return sum;
  }

  const Stmt body_;
  const LateCopies late_;
  std::vector<Axis> axes_;
  std::vector<BufferRef> shared_;  ///< what warps work with
};

struct Ready {
  std::shared_ptr<const launch::ThreadProgram> program;
  std::vector<DataType> given;  ///< types of the launch's arguments
  struct Tile {
    size_t argument;  ///< that is the memory
    device::TileMap map;
  };
  std::vector<Tile> tiles;  ///< that its launches are given maps of, behind these
};

Result<std::shared_ptr<const Ready>> prepared(const lower::DeviceKernel& kernel) {
  const PrimFunc& from = *kernel.function;
  const auto function =
      make<PrimFunc>(from.params, from.buffers, WithoutTensorCores(from.body).made(), Type(), nullptr);
  RX_TRY(program, launch::compileThread(function, kernel.symbol));
  auto ready = std::make_shared<Ready>();
  ready->program = std::make_shared<const launch::ThreadProgram>(std::move(program));
  for (const VarRef& param : kernel.function->params) ready->given.push_back(param->dtype);
  for (const codegen::TileOf& tile : codegen::tilesOf(from)) {
    const auto at = std::ranges::find_if(from.params, [&](const VarRef& param) { return param.get() == tile.memory; });
    ready->tiles.push_back({static_cast<size_t>(at - from.params.begin()), tile.map});
  }
  return std::shared_ptr<const Ready>(std::move(ready));
}

/// The driver keeps the memory.
vm::Value memoryAt(std::span<std::byte> bytes) {
  static const std::shared_ptr<const void> kept = std::make_shared<int>(0);
  const auto size = static_cast<int64_t>(bytes.size());
  const auto storage = make<Storage>(bytes.data(), size, kept, true);
  return vm::Value::of(*HostTensor::view(storage, 0, {size}, DataType::UInt(8)));
}

template <class T>
T read(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

vm::Value argument(const Launch& launch, const void* from, DataType type) {
  if (type.isHandle()) return memoryAt(launch.block(read<uint64_t>(from)));
  if (type.isFloat()) return vm::Value::of(type.bits == 64 ? read<double>(from) : double{read<float>(from)});
  if (type.isBool()) return vm::Value::of(int64_t{read<int32_t>(from) != 0});
  uint64_t bits = 0;
  std::memcpy(&bits, from, static_cast<size_t>(type.bits) / 8);
  const int shift = 64 - type.bits;
  return vm::Value::of(type.isInt() ? static_cast<int64_t>(bits << shift) >> shift : static_cast<int64_t>(bits));
}

/// Whether an argument is a map that the driver made of this, of memory at an address. What copies of it read is the
/// same then as what the kernel's text says.
bool isMapOf(const void* argument, const device::TileMap& map, uint64_t address) {
  const auto given = read<Map>(argument);
  constexpr int kHalf = 6, kBfloat = 9;
  const bool type = given.element == (map.element == DataType::BFloat16() ? kBfloat : kHalf) && map.element.bits == 16;
  bool same = given.made == Map::kMade && given.address == address && type && given.line == 3 && map.line == 128 &&
              static_cast<size_t>(given.rank) == map.extents.size();
  for (size_t i = 0; same && i < map.extents.size(); ++i) {
    same = given.extents[i] == map.extents[i] && given.box[i] == map.box[i] &&
           (i == 0 || given.strides[i - 1] == static_cast<uint64_t>(map.strides[i - 1]));
  }
  return same;
}

int run(const Ready& ready, const Launch& launch) {
  constexpr int kInvalidValue = 1, kIllegalAddress = 700, kAssertion = 710;
  for (const launch::ThreadAxis& axis : ready.program->axes) {
    const auto along = static_cast<size_t>(axis.tag.back() - 'x');
    const unsigned given = axis.tag.starts_with("block") ? launch.grid[along] : launch.group[along];
    if (axis.extent && given != *axis.extent) return kInvalidValue;
  }
  for (size_t i = 0; i < ready.tiles.size(); ++i) {
    const auto& [argument, map] = ready.tiles[i];
    if (!isMapOf(launch.arguments[ready.given.size() + i], map, read<uint64_t>(launch.arguments[argument])))
      return kInvalidValue;
  }
  launch::Launch made;
  made.program = ready.program;
  for (size_t i = 0; i < ready.given.size(); ++i)
    made.args.push_back(argument(launch, launch.arguments[i], ready.given[i]));
  for (size_t axis = 0; axis < 3; ++axis) {
    made.grid[axis] = launch.grid[axis];
    made.group[axis] = launch.group[axis];
  }
  const auto ran = launch::runLaunch(made, nullptr, {});
  if (ran) return 0;
  return ran.diagnostics()[0].rule == vm::ruleOf(vm::KernelFault::Assertion) ? kAssertion : kIllegalAddress;
}

}  // namespace

Result<Unit> addModule(Control& control, const ir::Module& module, const codegen::DeviceOptions& options) {
  const codegen::ModuleText made = codegen::deviceText(module, options);
  for (const auto& [name, function] : ir::primFuncsBySymbol(*module)) {
    const bool left = std::any_of(made.left.begin(), made.left.end(),
                                  [&](const Diagnostic& why) { return why.context == "PrimFunc " + name; });
    if (left) continue;
    RX_TRY(form, lower::loweredForDevice(name, function, options.cancel, options.target));
    for (const lower::DeviceKernel& kernel : form.kernels) {
      RX_TRY(ready, prepared(kernel));
      control.add(
          made.code.text, kernel.symbol, ready->given.size() + ready->tiles.size() + 1,
          [ready = ready](const Launch& launch) { return run(*ready, launch); }, ready->tiles.size());
    }
  }
  return Unit{};
}

}  // namespace rx::cuda_double
