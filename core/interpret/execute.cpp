// The loop that runs a Program.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/arith/fold.h"
#include "core/interpret/program.h"
#include "core/interpret/values.h"

namespace rx::interpret {

namespace {

struct Pointer {
  Ref<Storage> storage;
  int64_t offset = 0;  ///< bytes
};

struct View {
  std::byte* data = nullptr;
  int64_t bytes = 0;  ///< readable from data
  int64_t offset = 0;
  int64_t elementBytes = 1;
  DataType type;
  bool writable = true;
  std::vector<int64_t> dims, strides;
  Ref<Storage> storage;
};

bool isUnsigned64(DataType type) { return type.isUInt() && type.bits == 64; }

struct Fault {
  std::string rule, message;
};

class Machine {
 public:
  Machine(const Program& program, std::span<const Value> args, const Options& options)
      : program_(program), args_(args), options_(options) {}

  Result<Value> run() {
    regs_.resize(program_.registers);
    pointers_.resize(program_.pointers);
    views_.resize(program_.bufferNames.size());
    budget_ = std::make_shared<MemoryBudget>(options_.maxBytes);
    int64_t left = options_.maxSteps;
    size_t pc = 0;
    constexpr int64_t kPoll = 1 << 14;
    while (pc < program_.code.size()) {
      if (--left <= 0) return rx::fail("interpret.budget", "the run takes more steps than allowed");
      if (left % kPoll == 0 && options_.cancel.cancelled())
        return rx::fail("interpret.cancelled", "the run was cancelled");
      const Instr& in = program_.code[pc++];
      if (in.code == Code::Return) return in.b ? result(in) : Value();
      if (in.code == Code::Jump) {
        pc = static_cast<size_t>(in.imm);
      } else if (in.code == Code::JumpIf) {
        if (regs_[in.a].i) pc = static_cast<size_t>(in.imm);
      } else if (in.code == Code::JumpIfNot) {
        if (!regs_[in.a].i) pc = static_cast<size_t>(in.imm);
      } else {
        step(in);
        if (fault_) return rx::fail(std::move(fault_->rule), std::move(fault_->message));
      }
    }
    return Value();
  }

 private:
  Value result(const Instr& in) {
    if (in.type.isFloat()) return Value::of(regs_[in.a].f);
    return in.type.isBool() ? Value::of(regs_[in.a].i != 0) : Value::of(regs_[in.a].i);
  }

  void fail(std::string rule, std::string message) { fault_ = Fault{std::move(rule), std::move(message)}; }

  void step(const Instr& in) {
    Reg& dst = regs_[in.dst];
    switch (in.code) {
      case Code::ConstI:
        dst.i = in.imm;
        return;
      case Code::ConstF:
        dst.f = in.immF;
        return;
      case Code::Move:
        dst = regs_[in.a];
        return;
      case Code::IntBinary:
        dst.i = lowBits(in.type, intBinary(in, regs_[in.a].i, regs_[in.b].i));
        return;
      case Code::FloatBinary:
        dst.f = floatBinary(in, regs_[in.a].f, regs_[in.b].f);
        return;
      case Code::IntCompare:
        dst.i = intCompare(in, regs_[in.a].i, regs_[in.b].i);
        return;
      case Code::FloatCompare:
        dst.i = compare(in.kind, regs_[in.a].f, regs_[in.b].f);
        return;
      case Code::Not:
        dst.i = !regs_[in.a].i;
        return;
      case Code::CastIntToInt:
        dst.i = wrapTo(in.type, regs_[in.a].i);
        return;
      case Code::CastIntToFloat:
        dst.f = toFloat(in, regs_[in.a].i);
        return;
      case Code::CastFloatToInt:
        dst.i = toInt(in.type, regs_[in.a].f);
        return;
      case Code::CastFloatToFloat:
        dst.f = roundTo(in.type, regs_[in.a].f);
        return;
      case Code::Unary:
        dst.f = roundTo(in.type, unaryTable()[static_cast<size_t>(in.imm)].run(regs_[in.a].f));
        return;
      case Code::FloatPair:
        dst.f = roundTo(in.type, pairTable()[static_cast<size_t>(in.imm)].run(regs_[in.a].f, regs_[in.b].f));
        return;
      case Code::IntUnary:
        dst.i = lowBits(in.type, intUnaryTable()[static_cast<size_t>(in.imm)].run(regs_[in.a].i, in.type2));
        return;
      case Code::FloatTest:
        dst.i = testTable()[static_cast<size_t>(in.imm)].run(regs_[in.a].f);
        return;
      case Code::Reinterpret:
        return reinterpret(in);
      case Code::Load:
        return load(in);
      case Code::Store:
        return store(in);
      default:
        return rare(in);
    }
  }

  void rare(const Instr& in) {
    switch (in.code) {
      case Code::ParamScalar:
        return paramScalar(in);
      case Code::ParamTensor:
        return paramTensor(in);
      case Code::ParamDim:
        return paramDim(in);
      case Code::CheckDim:
        return checkDim(in);
      case Code::DefineBuffer:
        return define(program_.definitions[static_cast<size_t>(in.imm)]);
      case Code::Allocate:
        return allocate(program_.allocations[static_cast<size_t>(in.imm)]);
      case Code::AddressOf:
        return addressOf(in);
      case Code::PointerMove:
        pointers_[in.dst] = pointers_[in.a];
        return;
      case Code::Packed:
        return packed(in);
      case Code::Assert:
        if (regs_[in.a].i) return;
        [[fallthrough]];
      default: {
        const Message& message = program_.messages[static_cast<size_t>(in.imm)];
        return fail(message.rule, message.text);
      }
    }
  }

  // Arithmetic.
  /// A result as its type holds it; a boolean is a number of one bit, as in machine code.
  static int64_t lowBits(DataType type, int64_t value) { return type.isBool() ? value & 1 : wrapTo(type, value); }
  int64_t intBinary(const Instr& in, int64_t a, int64_t b) {
    auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    bool big = isUnsigned64(in.type);
    switch (in.kind) {
      case Kind::tir_Add:
        return static_cast<int64_t>(x + y);
      case Kind::tir_Sub:
        return static_cast<int64_t>(x - y);
      case Kind::tir_Mul:
        return static_cast<int64_t>(x * y);
      case Kind::tir_Min:
        return big ? static_cast<int64_t>(std::min(x, y)) : std::min(a, b);
      case Kind::tir_Max:
        return big ? static_cast<int64_t>(std::max(x, y)) : std::max(a, b);
      case Kind::tir_And:
        return a & b;
      case Kind::tir_Or:
        return a | b;
      case Kind::tir_NE:
        return a ^ b;
      case Kind::tir_LT:
        return b < 0 || b >= 64 ? 0 : static_cast<int64_t>(x << y);
      case Kind::tir_GT:
        if (b < 0 || b >= 64) return a < 0 && !big ? -1 : 0;
        return big ? static_cast<int64_t>(x >> y) : a >> b;
      case Kind::tir_Not:
        return power(a, b);
      default:
        return divide(in, a, b);
    }
  }
  static int64_t power(int64_t a, int64_t b) {
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    uint64_t result = 1, base = static_cast<uint64_t>(a);
    for (; b; b >>= 1, base *= base) {
      if (b & 1) result *= base;
    }
    return static_cast<int64_t>(result);
  }
  int64_t divide(const Instr& in, int64_t a, int64_t b) {
    if (b == 0) {
      const Message& message = program_.messages[static_cast<size_t>(in.imm)];
      fail(message.rule, message.text);
      return 0;
    }
    bool rest = in.kind == Kind::tir_Mod || in.kind == Kind::tir_FloorMod;
    if (isUnsigned64(in.type)) {
      auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
      return static_cast<int64_t>(rest ? x % y : x / y);
    }
    if (b == -1) return rest ? 0 : static_cast<int64_t>(-static_cast<uint64_t>(a));
    if (in.kind == Kind::tir_Div) return a / b;
    if (in.kind == Kind::tir_Mod) return a % b;
    return rest ? arith::floorModInt(a, b) : arith::floorDivInt(a, b);
  }
  static double floatBinary(const Instr& in, double a, double b) {
    double r = 0;
    switch (in.kind) {
      case Kind::tir_Add:
        r = a + b;
        break;
      case Kind::tir_Sub:
        r = a - b;
        break;
      case Kind::tir_Mul:
        r = a * b;
        break;
      case Kind::tir_Div:
        r = a / b;
        break;
      case Kind::tir_Mod:
        r = std::fmod(a, b);
        break;
      case Kind::tir_FloorDiv:
        r = std::floor(a / b);
        break;
      case Kind::tir_FloorMod:
        r = a - std::floor(a / b) * b;
        break;
      // As select(a < b, a, b) does it: a NaN on either side gives the right operand.
      case Kind::tir_Min:
        r = a < b ? a : b;
        break;
      default:
        r = a > b ? a : b;
        break;
    }
    return roundTo(in.type, r);
  }
  template <class T>
  static bool compare(Kind kind, T a, T b) {
    switch (kind) {
      case Kind::tir_EQ:
        return a == b;
      case Kind::tir_NE:
        return a != b;
      case Kind::tir_LT:
        return a < b;
      case Kind::tir_LE:
        return a <= b;
      case Kind::tir_GT:
        return a > b;
      default:
        return a >= b;
    }
  }
  static bool intCompare(const Instr& in, int64_t a, int64_t b) {
    if (isUnsigned64(in.type)) return compare(in.kind, static_cast<uint64_t>(a), static_cast<uint64_t>(b));
    return compare(in.kind, a, b);
  }
  static double toFloat(const Instr& in, int64_t v) {
    return roundTo(in.type,
                   isUnsigned64(in.type2) ? static_cast<double>(static_cast<uint64_t>(v)) : static_cast<double>(v));
  }
  static int64_t toInt(DataType type, double v) {
    if (type.isBool()) return v != 0;
    if (isUnsigned64(type) && v >= 0x1p63) return v >= 0x1p64 ? -1 : static_cast<int64_t>(static_cast<uint64_t>(v));
    // What does not fit is the nearest that does, as in machine code.
    const int magnitude = type.isInt() ? type.bits - 1 : type.bits;
    const double least = type.isInt() ? -std::ldexp(1.0, magnitude) : 0;
    if (magnitude < 63) v = std::min(v, std::ldexp(1.0, magnitude) - 1);
    return v < least ? wrapTo(type, toInt64(least)) : wrapTo(type, toInt64(v));
  }
  void reinterpret(const Instr& in) {
    std::byte bits[8] = {};
    in.type2.isFloat() ? writeElement(in.type2, bits, regs_[in.a].f) : writeInt(in.type2, bits, regs_[in.a].i);
    if (in.type.isFloat()) {
      regs_[in.dst].f = readElement(in.type, bits);
    } else {
      regs_[in.dst].i = readInt(in.type, bits);
    }
  }

  // Memory.
  /// The element's place in its view's bytes, or null with a fault.
  std::byte* place(const Access& access, const View& view) {
    int64_t at = view.offset;
    size_t rank = access.indices.size();
    if (rank != view.dims.size()) {
      fail("interpret.bounds", fmt::format("{} has {} dimensions and is read with {} indices", name(access.buffer),
                                           view.dims.size(), rank));
      return nullptr;
    }
    for (size_t i = 0; i < rank; ++i) {
      int64_t index = regs_[access.indices[i]].i;
      if (index < 0 || index >= view.dims[i]) {
        fail("interpret.bounds", fmt::format("index {} of dimension {} of {} is outside of 0..{}", index, i,
                                             name(access.buffer), view.dims[i] - 1));
        return nullptr;
      }
      at += index * view.strides[i];
    }
    int64_t byte = at * view.elementBytes;
    if (at < 0 || byte + view.elementBytes > view.bytes) {
      fail("interpret.bounds",
           fmt::format("an access to {} leaves its memory of {} bytes", name(access.buffer), view.bytes));
      return nullptr;
    }
    return view.data + byte;
  }
  std::string_view name(uint32_t buffer) const { return program_.bufferNames[buffer].view(); }

  void load(const Instr& in) {
    const Access& access = program_.accesses[static_cast<size_t>(in.imm)];
    const View& view = views_[access.buffer];
    const std::byte* at = place(access, view);
    if (!at) return;
    Reg& dst = regs_[in.dst];
    if (in.type == DataType::Float(32)) {
      float value;
      std::memcpy(&value, at, sizeof value);
      dst.f = value;
    } else if (in.type.isFloat()) {
      dst.f = readElement(in.type, at);
    } else {
      dst.i = readInt(in.type, at);
    }
  }

  void store(const Instr& in) {
    const Access& access = program_.accesses[static_cast<size_t>(in.imm)];
    const View& view = views_[access.buffer];
    std::byte* at = place(access, view);
    if (!at) return;
    if (!view.writable) {
      return fail("interpret.argument", fmt::format("{} is written, but its memory is read-only", name(access.buffer)));
    }
    if (in.type == DataType::Float(32)) {
      auto value = static_cast<float>(regs_[in.a].f);
      std::memcpy(at, &value, sizeof value);
    } else if (in.type.isFloat()) {
      writeElement(in.type, at, regs_[in.a].f);
    } else {
      writeInt(in.type, at, regs_[in.a].i);
    }
  }

  void attach(View& view, const Pointer& pointer) {
    view.storage = pointer.storage;
    view.writable = pointer.storage && pointer.storage->writable();
    // Reads go through the same pointer as writes; writes are guarded by `writable`.
    view.data = pointer.storage ? const_cast<std::byte*>(pointer.storage->data()) + pointer.offset : nullptr;
    view.bytes = pointer.storage ? pointer.storage->bytes() - pointer.offset : 0;
  }

  bool rowMajor(View& view) {
    view.strides.assign(view.dims.size(), 1);
    for (size_t i = view.dims.size(); i-- > 1;) {
      int64_t extent = std::max<int64_t>(view.dims[i], 0);
      if (__builtin_mul_overflow(view.strides[i], extent, &view.strides[i - 1])) return false;
    }
    return true;
  }

  void define(const BufferDefinition& definition) {
    View& view = views_[definition.buffer];
    view.type = program_.bufferTypes[definition.buffer];
    view.elementBytes = std::max<int64_t>(view.type.bytes(), 1);
    attach(view, pointers_[definition.pointer]);
    view.dims.clear();
    for (uint32_t reg : definition.dims) view.dims.push_back(regs_[reg].i);
    view.offset = definition.hasOffset ? regs_[definition.offset].i : 0;
    if (definition.strides.size() == definition.dims.size() && !definition.strides.empty()) {
      view.strides.clear();
      for (uint32_t reg : definition.strides) view.strides.push_back(regs_[reg].i);
    } else if (!rowMajor(view)) {
      fail("interpret.memory", fmt::format("the size of {} overflows", name(definition.buffer)));
    }
    for (int64_t stride : view.strides) {
      // Keeps index * stride far from overflow; no memory is that large.
      if (stride > (int64_t{1} << 46) || stride < -(int64_t{1} << 46)) {
        return fail("interpret.memory", fmt::format("a stride of {} is too large", name(definition.buffer)));
      }
    }
  }

  void allocate(const Allocation& allocation) {
    std::vector<int64_t> shape;
    for (uint32_t reg : allocation.extents) shape.push_back(regs_[reg].i);
    auto bytes = tensorBytes(shape, allocation.type);
    if (!bytes) {
      return fail("interpret.memory", fmt::format("{} has no size: {}", allocation.name.view(), shapeText(shape)));
    }
    pointers_[allocation.pointer] = {};
    auto storage = Storage::allocate(*bytes, budget_);
    if (!storage) return fail("interpret.memory", storage.diagnostics().front().message);
    pointers_[allocation.pointer] = {*storage, 0};
  }

  void addressOf(const Instr& in) {
    const Access& access = program_.accesses[static_cast<size_t>(in.imm)];
    const View& view = views_[access.buffer];
    const std::byte* at = place(access, view);
    if (at) pointers_[in.dst] = {view.storage, at - view.storage->data()};
  }

  // Arguments.
  const Value* argument(const Instr& in) {
    auto i = static_cast<size_t>(in.imm);
    if (i < args_.size()) return &args_[i];
    fail("interpret.argument", fmt::format("argument {} ({}) is missing", i, paramName(i)));
    return nullptr;
  }
  std::string_view paramName(size_t i) const { return program_.paramNames[i].view(); }

  void paramScalar(const Instr& in) {
    const Value* value = argument(in);
    if (!value) return;
    double real = 0;
    int64_t whole = 0;
    bool isReal = false;
    if (const auto i = intIn(*value)) {
      whole = *i;
    } else if (const auto b = boolIn(*value)) {
      whole = *b;
    } else if (const auto f = floatIn(*value)) {
      real = *f;
      isReal = true;
    } else {
      return fail("interpret.argument",
                  fmt::format("{} must be a number, not {}", paramName(static_cast<size_t>(in.imm)), value->summary()));
    }
    if (in.type.isFloat()) {
      regs_[in.dst].f = roundTo(in.type, isReal ? real : static_cast<double>(whole));
    } else {
      regs_[in.dst].i = wrapTo(in.type, isReal ? toInt64(real) : whole);
    }
  }

  const HostTensor* tensorArgument(const Instr& in) {
    const Value* value = argument(in);
    if (!value) return nullptr;
    if (const HostTensor* tensor = tensorIn(*value)) return tensor;
    fail("interpret.argument",
         fmt::format("{} must be a tensor, not {}", paramName(static_cast<size_t>(in.imm)), value->summary()));
    return nullptr;
  }

  void paramTensor(const Instr& in) {
    const HostTensor* tensor = tensorArgument(in);
    if (!tensor) return;
    auto i = static_cast<size_t>(in.imm);
    if (in.a) {
      if (tensor->rank() != static_cast<int64_t>(in.b)) {
        return fail("interpret.argument",
                    fmt::format("{} has {} dimensions, the function wants {}", paramName(i), tensor->rank(), in.b));
      }
      if (tensor->dtype() != in.type) {
        return fail("interpret.argument",
                    fmt::format("{} is {}, the function wants {}", paramName(i), tensor->dtype().str(), in.type.str()));
      }
    }
    pointers_[in.dst] = {tensor->storage(), tensor->byteOffset()};
  }
  void paramDim(const Instr& in) {
    if (const HostTensor* tensor = tensorArgument(in)) regs_[in.dst].i = tensor->shape()[in.b];
  }
  void checkDim(const Instr& in) {
    const HostTensor* tensor = tensorArgument(in);
    if (!tensor || tensor->shape()[in.b] == regs_[in.a].i) return;
    fail("interpret.argument",
         fmt::format("dimension {} of {} is {}, the function wants {}", in.b, paramName(static_cast<size_t>(in.imm)),
                     tensor->shape()[in.b], regs_[in.a].i));
  }

  void packed(const Instr& in) {
    const PackedSite& site = program_.calls[static_cast<size_t>(in.imm)];
    if (!options_.packed) {
      return fail("interpret.unavailable", fmt::format("the packed function {} is not known here", site.name));
    }
    std::vector<Value> values;
    for (const PackedArg& arg : site.args) {
      switch (arg.what) {
        case PackedArg::What::Int:
          values.push_back(Value::of(regs_[arg.reg].i));
          break;
        case PackedArg::What::Float:
          values.push_back(Value::of(regs_[arg.reg].f));
          break;
        case PackedArg::What::Bool:
          values.push_back(Value::of(regs_[arg.reg].i != 0));
          break;
        case PackedArg::What::Text:
          values.push_back(Value::of(arg.text.string()));
          break;
        default: {
          const Pointer& pointer = pointers_[arg.pointer];
          std::vector<int64_t> shape;
          for (uint32_t reg : arg.shape) shape.push_back(regs_[reg].i);
          int64_t offset = pointer.offset + (arg.hasOffset ? regs_[arg.offset].i * arg.type.bytes() : 0);
          auto tensor = HostTensor::view(pointer.storage, offset, std::move(shape), arg.type);
          if (!tensor) return fail("interpret.bounds", tensor.diagnostics().front().message);
          values.push_back(Value::of(*tensor));
        }
      }
    }
    auto out = options_.packed(site.name, values);
    if (!out) return fail(out.diagnostics().front().rule, out.diagnostics().front().message);
    if (const auto i = intIn(*out)) regs_[in.dst].i = *i;
    if (const auto b = boolIn(*out)) regs_[in.dst].i = *b;
    if (const auto f = floatIn(*out)) regs_[in.dst].f = *f;
  }

  const Program& program_;
  std::span<const Value> args_;
  const Options& options_;
  std::vector<Reg> regs_;
  std::vector<Pointer> pointers_;
  std::vector<View> views_;
  std::shared_ptr<MemoryBudget> budget_;
  std::optional<Fault> fault_;
};

}  // namespace

Result<Value> execute(const Program& program, std::span<const Value> args, const Options& options) {
  return Machine(program, args, options).run();
}

Result<Value> runPrimFunc(const tir::PrimFuncRef& function, std::span<const Value> args, const Options& options) {
  if (args.size() != function->params.size()) {
    return rx::fail("interpret.argument",
                    fmt::format("the function takes {} arguments and got {}", function->params.size(), args.size()));
  }
  RX_TRY(program, compile(function));
  return execute(program, args, options);
}

}  // namespace rx::interpret
