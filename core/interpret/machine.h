// The machine that runs a Program: its registers, pointers and buffers, and the loop over its instructions. In a
// header, since all of it is part of that loop: a call for each instruction is a third of the time.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/arith/fold.h"
#include "core/interpret/numbers.h"
#include "core/interpret/product_sums.h"
#include "core/interpret/program.h"
#include "core/interpret/tile_products.h"
#include "core/interpret/view.h"
#include "core/runtime/kernel_arithmetic.h"
#include "core/runtime/kernel_fault.h"

namespace rx::interpret {

struct Pointer {
  Ref<Storage> storage;
  int64_t offset = 0;                   ///< bytes
  int64_t bytes = 0;                    ///< that lie behind it
  bool own = false;                     ///< the kernel allocated it
  std::optional<uint32_t> buffer = {};  ///< whose elements lie there, where one was defined
};

/// Beyond every buffer.
constexpr int64_t kOutside = INT64_MIN;

/// Told of the accesses to memory, by their instructions; what one writes is not there yet.
class AccessWatch {
 public:
  virtual ~AccessWatch() = default;
  virtual void touched(const Instr& in, uint32_t buffer, const View& view, const std::byte* at) = 0;
};

class Machine {
 public:
  /// Why it stands still: at its end, at an instruction of threads that wait for each other (behind it), or before the
  /// next statement.
  enum class Halt : uint8_t { Done, Waits, Statement };

  /// `program`, `args` and `options` (completed) stay alive. `watch` may be null.
  Machine(const Program& program, std::span<const Value> args, const Options& options, AccessWatch* watch = nullptr)
      : program_(program), args_(args), options_(options), watch_(watch) {}

  /// Binds the arguments. Fails with what the signature refuses.
  Result<Unit> begin() {
    RX_CHECK(program_.signature.bind(program_.name, vm::ArgumentsOf(args_), bound_));
    regs_.resize(program_.registers);
    for (const auto& [reg, value] : program_.constants) regs_[reg] = value;
    pointers_.resize(program_.pointers);
    views_.resize(program_.bufferNames.size());
    left_ = options_.maxSteps;
    untilPoll_ = std::min(kPoll, left_);
    return Unit{};
  }

  /// Goes on to its end, where it waits too, or before the next statement as well; Done is for programs that wait for
  /// nobody, and tells the watch nothing. Fails with what the program does wrong: then place() is where.
  template <Halt kUntil>
  Result<Halt> resume() {
    if (pc_ == program_.code.size()) return Halt::Done;
    const uint32_t statement = this->statement();
    // Copies: what instructions write might else be these, and they would be read again for each.
    const Instr* const code = program_.code.data();
    Reg* const regs = regs_.data();
    const Instr* next = code + pc_;
    int64_t untilPoll = untilPoll_;
    for (;;) {  // a program ends with a Return
      if constexpr (kUntil == Halt::Statement) {
        if (program_.statements[static_cast<size_t>(next - code)] != statement)
          return leave(next, untilPoll, Halt::Statement);
      }
      if (--untilPoll <= 0) {
        left_ -= kPoll;
        if (left_ <= 0) return refuse(next, {"interpret.budget", "the run takes more steps than allowed"});
        if (options_.around.cancelled()) return refuse(next, cancelled());
        untilPoll = std::min(kPoll, left_);
      }
      const Instr& in = *next++;
      if (step<kUntil != Halt::Done>(in, regs, code, next)) continue;
      if (fault_) return refuse(&in, std::move(*fault_));
      if (in.code != Code::Return) return leave(next, untilPoll, Halt::Waits);
      if (in.b) value_ = result(in);
      return leave(code + program_.code.size(), untilPoll, Halt::Done);
    }
  }

  /// What the program returned.
  const Value& value() const { return value_; }
  /// The next instruction; of one that waits it is the one before.
  size_t place() const { return pc_; }
  /// The statement of the next instruction, in Program::spans; of the last one at the end.
  uint32_t statement() const {
    return program_.statements.empty() ? 0 : program_.statements[std::min(pc_, program_.statements.size() - 1)];
  }
  Reg& reg(uint32_t number) { return regs_[number]; }
  /// What a pointer that the program leaves open points at.
  void share(uint32_t pointer, const Ref<Storage>& memory) { pointers_[pointer] = {memory, 0, memory->bytes()}; }
  const View& view(uint32_t buffer) const { return views_[buffer]; }

 private:
  static constexpr int64_t kPoll = 1 << 14;

  Halt leave(const Instr* next, int64_t untilPoll, Halt halt) {
    pc_ = static_cast<size_t>(next - program_.code.data());
    untilPoll_ = untilPoll;
    return halt;
  }
  Message cancelled() const {
    return {std::string(vm::ruleOf(vm::KernelFault::Cancelled)), program_.name + ": " + vm::kCancelledText};
  }
  [[gnu::noinline]] Failure refuse(const Instr* at, Message fault) {
    leave(at, 0, Halt::Done);
    return rx::fail(std::move(fault.rule), std::move(fault.text));
  }
  Value result(const Instr& in) {
    if (in.type.isFloat()) return Value::of(regs_[in.a].f);
    return in.type.isBool() ? Value::of(regs_[in.a].i != 0) : Value::of(regs_[in.a].i);
  }

  void fail(std::string rule, std::string message) { fault_ = Message{std::move(rule), std::move(message)}; }
  void fail(const std::vector<Diagnostic>& why) { fail(why.front().rule, why.front().message); }
  /// What the kernel itself did, in the words that compiled ones use.
  void fail(vm::KernelFault fault, const std::string& message) {
    fail(std::string(vm::ruleOf(fault)), fmt::format("{}: {}", program_.name, message));
  }
  void fail(const Message& message) {
    const bool own = message.rule.starts_with("kernel.");
    fail(message.rule, own ? fmt::format("{}: {}", program_.name, message.text) : message.text);
  }

  /// Runs an instruction; `next` becomes where a jump leads. False at a Return, where threads wait, and where a fault
  /// is kept. Part of the loop: a call for each instruction is a third of the time.
  template <bool kWatched>
  [[gnu::always_inline]] bool step(const Instr& in, Reg* const regs, const Instr* const code, const Instr*& next) {
    Reg& dst = regs[in.dst];
    switch (in.code) {
      case Code::Return:
      case Code::Wait:
      case Code::Exchange:
        return false;
      case Code::Jump:
        next = code + in.imm;
        return true;
      case Code::JumpIf:
        if (regs[in.a].i) next = code + in.imm;
        return true;
      case Code::JumpIfNot:
        if (!regs[in.a].i) next = code + in.imm;
        return true;
      case Code::Next:
        dst.i = lowBits(in, static_cast<int64_t>(static_cast<uint64_t>(dst.i) + 1));
        if (dst.i != regs[in.a].i) next = code + in.imm;
        return true;
      case Code::ConstI:
        dst.i = in.imm;
        return true;
      case Code::Move:
        dst = regs[in.a];
        return true;
      case Code::IntBinary:
        dst.i = lowBits(in, intBinary(in, regs[in.a].i, regs[in.b].i));
        return in.imm == kCanNotFail || !fault_;
      case Code::FloatBinary:
        dst.f = rounded(in, floatBinary(in.kind, regs[in.a].f, regs[in.b].f));
        return true;
      case Code::IntCompare:
        dst.i = intCompare(in, regs[in.a].i, regs[in.b].i);
        return true;
      case Code::FloatCompare:
        dst.i = compare(in.kind, regs[in.a].f, regs[in.b].f);
        return true;
      case Code::Not:
        dst.i = !regs[in.a].i;
        return true;
      case Code::CastIntToInt:
        dst.i = wrapTo(in.type, regs[in.a].i);
        return true;
      case Code::CastIntToFloat:
        dst.f = toFloat(in, regs[in.a].i);
        return true;
      case Code::CastFloatToInt:
        dst.i = toInt(in.type, regs[in.a].f);
        return true;
      case Code::CastFloatToFloat:
        dst.f = rounded(in, regs[in.a].f);
        return true;
      case Code::Unary:
        dst.f = rounded(in, unaryTable()[static_cast<size_t>(in.imm)].run(regs[in.a].f));
        return true;
      case Code::FloatPair:
        dst.f = rounded(in, pairTable()[static_cast<size_t>(in.imm)].run(regs[in.a].f, regs[in.b].f));
        return true;
      case Code::FloatFma:
        dst.f = fusedMultiplyAdd(in.type, regs[in.a].f, regs[in.b].f, regs[static_cast<size_t>(in.imm)].f);
        return true;
      case Code::IntUnary:
        dst.i = lowBits(in, intUnaryTable()[static_cast<size_t>(in.imm)].run(regs[in.a].i, in.type2));
        return true;
      case Code::FloatTest:
        dst.i = testTable()[static_cast<size_t>(in.imm)].run(regs[in.a].f);
        return true;
      case Code::Reinterpret:
        reinterpret(in);
        return true;
      case Code::Place: {
        const Access& access = program_.accesses[static_cast<size_t>(in.imm)];
        dst.i = element(access, views_[access.buffer], regs);
        return true;
      }
      case Code::Load:
        return load<kWatched>(in, regs);
      case Code::Store:
        return store<kWatched>(in, regs);
      default:
        rare(in);
        return !fault_;
    }
  }

  [[gnu::noinline]] void rare(const Instr& in) {
    switch (in.code) {
      case Code::ParamInt:
        regs_[in.dst].i = wrapTo(in.type, bound_.ints.data()[in.imm]);
        return;
      case Code::ParamReal:
        regs_[in.dst].f = roundTo(in.type, bound_.reals.data()[in.imm]);
        return;
      case Code::ParamTensor:
        return paramTensor(in);
      case Code::DefineBuffer:
        return define(program_.definitions[static_cast<size_t>(in.imm)]);
      case Code::Allocate:
        return allocate(program_.allocations[static_cast<size_t>(in.imm)]);
      case Code::SumProducts:
        regs_[in.dst].i = sumProducts(program_.productSums[static_cast<size_t>(in.imm)]);
        return;
      case Code::TileProducts:
        return tileProducts(in);
      case Code::AtomicAdd:
        return atomicAdd(in);
      case Code::AddressOf:
        return addressOf(in);
      case Code::PointerMove:
        pointers_[in.dst] = pointers_[in.a];
        return;
      case Code::AccessPtr:
        return accessPtr(in);
      case Code::CheckIndex:
        return checkIndex(program_.checks[static_cast<size_t>(in.imm)], regs_[in.a].i, regs_[in.b].i);
      case Code::Packed:
        return packed(in);
      case Code::Assert:
        if (regs_[in.a].i) return;
        [[fallthrough]];
      default:
        return fail(program_.messages[static_cast<size_t>(in.imm)]);
    }
  }

  // Arithmetic.
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
        return vm::shiftLeft(a, b);
      case Kind::tir_GT:
        return vm::shiftRight(a, b, big);
      case Kind::tir_Not:
        return vm::power(a, b);
      default:
        return divide(in, a, b);
    }
  }
  int64_t divide(const Instr& in, int64_t a, int64_t b) {
    if (b == 0) {
      fail(program_.messages[static_cast<size_t>(in.imm)]);
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
  void reinterpret(const Instr& in) {
    std::byte bits[8] = {};
    in.type2.isFloat() ? writeElement(in.type2, bits, regs_[in.a].f) : writeInt(in.type2, bits, regs_[in.a].i);
    if (in.type.isFloat()) {
      regs_[in.dst].f = readElement(in.type, bits);
    } else {
      regs_[in.dst].i = readInt(in.type, bits);
    }
  }

  /// Loops at once; false where they have to be done one by one.
  [[gnu::noinline]] bool sumProducts(const ProductSum& sum) {
    const std::optional<SumNest> nest = watch_ ? std::nullopt : nestOf(sum, views_, regs_);
    if (!nest || nest->steps() >= left_ - kPoll) return false;
    left_ -= nest->steps();
    if (!interpret::sumProducts(*nest, [&] { return !options_.around.cancelled(); })) fault_ = cancelled();
    return true;
  }

  // Memory.
  /// The element's place in its view's bytes, or null with a fault. Addresses are sums of what wraps, looked at in the
  /// end.
  [[gnu::always_inline]] std::byte* place(const Access& access, const View& view, const Reg* regs) {
    const int64_t at = element(access, view, regs);
    if (static_cast<uint64_t>(at) >= static_cast<uint64_t>(view.elements)) {
      outside(access, view);
      return nullptr;
    }
    return view.data + at * view.elementBytes + access.part * view.partBytes;
  }
  /// The number of the element, as far as its indices are known; kOutside where one is beyond its axis.
  [[gnu::always_inline]] static int64_t element(const Access& access, const View& view, const Reg* regs) {
    auto at = static_cast<uint64_t>(access.base ? regs[*access.base].i : view.offset);
    bool inside = !access.base || static_cast<int64_t>(at) != kOutside;
    for (const uint32_t axis : access.axes) {
      const auto index = static_cast<uint64_t>(regs[access.indices[axis]].i);
      const View::Axis& along = view.axes[axis];
      inside = inside && index < static_cast<uint64_t>(along.size);
      at += index * static_cast<uint64_t>(along.stride);
    }
    return inside ? static_cast<int64_t>(at) : kOutside;
  }
  template <bool kWatched>
  [[gnu::always_inline]] void tell(const Instr& in, const View& view, const Access& access, const std::byte* at) const {
    if constexpr (kWatched) {
      if (watch_) watch_->touched(in, access.buffer, view, at);
    }
  }
  [[gnu::noinline]] void outside(const Access& access, const View& view) {
    std::vector<int64_t> words;
    for (size_t i = 0; i < access.indices.size(); ++i) {
      words.push_back(regs_[access.indices[i]].i);
      words.push_back(view.axes[i].size);
    }
    fail(vm::KernelFault::Bounds, vm::accessText(name(access.buffer), words, view.bytes));
  }
  void checkIndex(const IndexCheck& check, int64_t index, int64_t extent) {
    if (static_cast<uint64_t>(index) < static_cast<uint64_t>(std::max<int64_t>(extent, 0))) return;
    std::vector<int64_t> words;
    for (int64_t axis = 0; axis < check.dimension; ++axis) words.insert(words.end(), {0, 1});
    words.insert(words.end(), {index, extent});
    fail(vm::KernelFault::Bounds, vm::accessText(check.buffer.view(), words, 0));
  }
  std::string_view name(uint32_t buffer) const { return program_.bufferNames[buffer].view(); }

  template <bool kWatched>
  [[gnu::always_inline]] bool load(const Instr& in, Reg* regs) {
    const Access& access = program_.accesses[static_cast<size_t>(in.imm)];
    const View& view = views_[access.buffer];
    const std::byte* at = place(access, view, regs);
    if (!at) return false;
    tell<kWatched>(in, view, access, at);
    Reg& dst = regs[in.dst];
    if (in.common == Common::Float32) {
      float value;
      std::memcpy(&value, at, sizeof value);
      dst.f = value;
    } else if (in.type.isFloat()) {
      dst.f = readElement(in.type, at);
    } else {
      dst.i = readInt(in.type, at);
    }
    return true;
  }

  template <bool kWatched>
  [[gnu::always_inline]] bool store(const Instr& in, const Reg* regs) {
    const Access& access = program_.accesses[static_cast<size_t>(in.imm)];
    const View& view = views_[access.buffer];
    std::byte* at = place(access, view, regs);
    if (!at) return false;
    if (!view.writable) {
      fail("interpret.argument", fmt::format("{} is written, but its memory is read-only", name(access.buffer)));
      return false;
    }
    tell<kWatched>(in, view, access, at);
    if (in.common == Common::Float32) {
      auto value = static_cast<float>(regs[in.a].f);
      std::memcpy(at, &value, sizeof value);
    } else if (in.type.isFloat()) {
      writeElement(in.type, at, regs[in.a].f);
    } else {
      writeInt(in.type, at, regs[in.a].i);
    }
    return true;
  }

  /// Reads go through the same pointer as writes; writes are guarded by `writable`.
  static std::byte* bytesAt(const Pointer& pointer) {
    return const_cast<std::byte*>(pointer.storage->data()) + pointer.offset;
  }
  void define(const BufferDefinition& definition) {
    View& view = views_[definition.buffer];
    const DataType type = program_.bufferTypes[definition.buffer];
    Pointer& pointer = pointers_[definition.pointer];
    pointer.buffer = definition.buffer;
    view.storage = pointer.storage;
    view.own = pointer.own;
    view.writable = pointer.storage && pointer.storage->writable();
    view.data = pointer.storage ? bytesAt(pointer) : nullptr;
    view.bytes = pointer.storage ? pointer.bytes : 0;
    view.partBytes = std::max<int64_t>(type.element().bytes(), 1);
    view.elementBytes = view.partBytes * std::max<int64_t>(type.lanes, 1);
    view.elements = view.bytes / view.elementBytes;
    view.offset = definition.hasOffset ? regs_[definition.offset].i : 0;
    view.axes.resize(definition.dims.size());
    const bool given = definition.strides.size() == definition.dims.size();
    uint64_t stride = 1;
    for (size_t i = view.axes.size(); i-- > 0;) {
      const int64_t size = std::max<int64_t>(regs_[definition.dims[i]].i, 0);
      view.axes[i] = {size, given ? regs_[definition.strides[i]].i : static_cast<int64_t>(stride)};
      stride *= static_cast<uint64_t>(size);
    }
  }

  void allocate(const Allocation& allocation) {
    std::vector<int64_t> shape;
    for (uint32_t reg : allocation.extents) shape.push_back(regs_[reg].i);
    auto bytes = tensorBytes(shape, allocation.type);
    if (!bytes) return fail(vm::KernelFault::Size, vm::sizeText(allocation.name.view()));
    pointers_[allocation.pointer] = {};
    auto storage = Storage::allocate(*bytes, options_.around.memory);
    if (!storage) return fail(storage.diagnostics());
    pointers_[allocation.pointer] = {*storage, 0, *bytes, true};
  }

  void addressOf(const Instr& in) {
    const Access& access = program_.accesses[static_cast<size_t>(in.imm)];
    const View& view = views_[access.buffer];
    const std::byte* at = place(access, view, regs_.data());
    if (!at) return;
    const int64_t offset = at - view.storage->data(), behind = view.bytes - (at - view.data);
    pointers_[in.dst] = {view.storage, offset, behind, view.own, access.buffer};
  }

  void atomicAdd(const Instr& in) {
    const Pointer& at = pointers_[in.b];
    if (!vm::addsAtomically(in.type)) return fail("interpret.unavailable", "no atomic addition of " + in.type.str());
    if (at.bytes < in.type.bytes()) return fail(vm::KernelFault::Bounds, vm::partText(0, 1, at.bytes));
    if (!at.storage->writable()) return fail("interpret.argument", "an atomic addition to read-only memory");
    std::byte* place = bytesAt(at);
    if (watch_ && at.buffer) watch_->touched(in, *at.buffer, views_[*at.buffer], place);
    if (in.type == DataType::Float(32)) {
      regs_[in.dst].f = addedTo<float>(place, static_cast<float>(regs_[in.a].f));
    } else if (in.type.isFloat()) {
      regs_[in.dst].f = addedTo<double>(place, regs_[in.a].f);
    } else if (in.type.bits == 64) {
      regs_[in.dst].i = addedTo<int64_t>(place, regs_[in.a].i);
    } else {
      regs_[in.dst].i = wrapTo(in.type, addedTo<int32_t>(place, static_cast<int32_t>(regs_[in.a].i)));
    }
  }
  /// Other runs may add to the same memory beside this one.
  template <class T>
  static T addedTo(std::byte* place, T by) {
    return std::atomic_ref<T>(*reinterpret_cast<T*>(place)).fetch_add(by, std::memory_order_relaxed);
  }

  [[gnu::noinline]] void tileProducts(const Instr& in) {
    const TileSite& site = program_.tileProducts[static_cast<size_t>(in.imm)];
    const Pointer &sums = pointers_[site.sums], &rows = pointers_[site.rows], &across = pointers_[site.across];
    const tir::TileProducts& of = site.products;
    for (const auto& [at, bytes] : {std::pair(&sums, of.bytesOfSums()), std::pair(&rows, of.bytesOfRows()),
                                    std::pair(&across, of.bytesOfAcross())}) {
      if (at->bytes < bytes) return fail(vm::KernelFault::Bounds, vm::partText(0, bytes, at->bytes));
    }
    if (!sums.storage->writable()) return fail("interpret.argument", "sums by tiles in read-only memory");
    if (of.products() >= left_ - kPoll) return fail("interpret.budget", "the run takes more steps than allowed");
    left_ -= of.products();
    if (!sumTiles(of, bytesAt(rows), bytesAt(across), bytesAt(sums), [&] { return !options_.around.cancelled(); }))
      fault_ = cancelled();
    regs_[in.dst].i = 0;
  }

  void accessPtr(const Instr& in) {
    const Pointer& data = pointers_[static_cast<size_t>(in.imm)];
    const int64_t offset = regs_[in.a].i, extent = regs_[in.b].i;
    const int64_t size = std::max<int64_t>(in.type.element().bytes(), 1) * std::max<int64_t>(in.type.lanes, 1);
    if (!vm::partFits(offset, extent, size, data.bytes))
      return fail(vm::KernelFault::Bounds, vm::partText(offset, extent, data.bytes));
    pointers_[in.dst] = {data.storage, data.offset + offset * size, extent * size, data.own, data.buffer};
  }

  void paramTensor(const Instr& in) {
    const HostTensor& tensor = args_[static_cast<size_t>(in.imm)].tensor();
    pointers_[in.dst] = {tensor.storage(), tensor.byteOffset(), tensor.bytes()};
  }

  Result<Value> packedArgument(const PackedArg& arg) const {
    using What = PackedArg::What;
    if (arg.what == What::Text) return Value::of(arg.text.string());
    if (arg.what == What::Float) return Value::of(regs_[arg.reg].f);
    if (arg.what == What::Bool) return Value::of(regs_[arg.reg].i != 0);
    if (arg.what == What::Int) return Value::of(regs_[arg.reg].i);
    const Pointer& pointer = pointers_[arg.pointer];
    std::vector<int64_t> shape;
    for (const uint32_t reg : arg.shape) shape.push_back(regs_[reg].i);
    if (arg.what == What::Memory) shape.push_back(pointer.bytes);
    const int64_t offset = arg.what == What::Tensor ? regs_[arg.reg].i : 0;
    RX_CHECK(vm::checkArray(shape, arg.type, offset, pointer.bytes));
    RX_TRY(tensor, HostTensor::view(pointer.storage, pointer.offset + offset * arg.type.bytes(), shape, arg.type));
    return Value::of(std::move(tensor));
  }

  void packed(const Instr& in) {
    const PackedSite& site = program_.calls[static_cast<size_t>(in.imm)];
    std::vector<Value> values;
    for (const PackedArg& arg : site.args) {
      auto value = packedArgument(arg);
      if (!value) return fail(value.diagnostics());
      values.push_back(std::move(*value));
    }
    const auto out = callPacked(site.name, values, options_.around);
    if (!out) return fail(out.diagnostics());
    if (out->is(vm::ValueKind::Int)) regs_[in.dst].i = out->asInt();
    if (out->is(vm::ValueKind::Bool)) regs_[in.dst].i = out->asBool();
    if (out->is(vm::ValueKind::Float)) regs_[in.dst].f = out->asFloat();
  }

  const Program& program_;
  std::span<const Value> args_;
  const Options& options_;
  vm::KernelArguments bound_;
  std::vector<Reg> regs_;
  std::vector<Pointer> pointers_;
  std::vector<View> views_;
  std::optional<Message> fault_;
  AccessWatch* const watch_;
  size_t pc_ = 0;
  int64_t left_ = 0, untilPoll_ = 0;  ///< instructions
  Value value_;
};

}  // namespace rx::interpret
