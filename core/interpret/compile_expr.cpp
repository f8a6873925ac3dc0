#include <fmt/format.h>

#include <bit>

#include "core/interpret/compile.h"
#include "core/ir/all_nodes.h"
#include "core/lower/zero_division.h"
#include "core/runtime/kernel_fault.h"
#include "core/support/stack.h"

namespace rx::interpret {

using namespace tir;

namespace {

std::string_view shortName(const Call& call) {
  const auto* op = as<relax::Op>(call.op);
  if (!op) return {};
  std::string_view name = op->name.view();
  for (std::string_view prefix : {"tirx.", "tir."}) {
    if (name.starts_with(prefix)) return name.substr(prefix.size());
  }
  return name;
}

template <class Row>
int64_t indexOf(std::span<const Row> table, std::string_view name) {
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].name == name) return static_cast<int64_t>(i);
  }
  return -1;
}

struct BitOp {
  std::string_view name;
  Kind kind;  ///< stands for the operation in IntBinary
};
// Bit operations have no node kind of their own; the kinds of the logic nodes are free in IntBinary.
constexpr Kind kBitAnd = Kind::tir_And, kBitXor = Kind::tir_NE, kShiftLeft = Kind::tir_LT, kShiftRight = Kind::tir_GT;
constexpr BitOp kBitOps[] = {
    {"bitwise_and", kBitAnd},   {"bitwise_or", Kind::tir_Or}, {"bitwise_xor", kBitXor},
    {"shift_left", kShiftLeft}, {"shift_right", kShiftRight}, {"pow", Kind::tir_Not},
};

}  // namespace

uint32_t Compiler::expr(const PrimExpr& e, int lane) {
  return withStack([&] { return exprHere(e, lane); });
}

uint32_t Compiler::constant(int64_t value) { return constantRegister({.i = value}); }
uint32_t Compiler::constantReal(double value) { return constantRegister({.f = value}); }

uint32_t Compiler::constantRegister(Reg value) {
  const auto [known, isNew] = constants_.emplace(std::bit_cast<int64_t>(value), 0);
  if (isNew) {
    program_.constants.emplace_back(known->second = fresh(), value);
    depthOf_.back() = 0;
  }
  return known->second;
}

uint32_t Compiler::exprHere(const PrimExpr& e, int lane) {
  DataType type = e->dtype.element();
  if (const auto* imm = as<IntImm>(e)) return constant(wrapTo(type, imm->value));
  if (const auto* imm = as<FloatImm>(e)) return constantReal(roundTo(type, imm->value));
  if (const auto* var = as<Var>(e)) return variable(var, lane);
  if (const auto* node = as<BinaryNode>(e)) return binary(*node, lane);
  if (const auto* node = as<tir::Cast>(e)) return castTo(expr(node->value, lane), node->value->dtype.element(), type);
  if (const auto* node = as<BufferLoad>(e)) return load(*node, lane);
  if (const auto* node = as<Call>(e)) return call(*node, lane);
  if (const auto* node = as<Select>(e)) {
    return choose(node->condition, node->trueValue, node->falseValue, lane);
  }
  if (const auto* node = as<Not>(e)) return give({.code = Code::Not, .a = expr(node->a, lane)});
  if (const auto* node = as<Broadcast>(e)) return expr(node->value, 0);
  if (const auto* node = as<Ramp>(e)) {
    const uint32_t base = expr(node->base), stride = expr(node->stride), index = constant(lane);
    const uint32_t far = give({.code = Code::IntBinary, .kind = Kind::tir_Mul, .type = type, .a = stride, .b = index});
    return give({.code = Code::IntBinary, .kind = Kind::tir_Add, .type = type, .a = base, .b = far});
  }
  if (const auto* node = as<Let>(e)) {
    bind(node->var, node->value);
    return expr(node->body, lane);
  }
  if (const auto* node = as<Shuffle>(e)) {
    auto at = static_cast<size_t>(lane) < node->indices.size() ? asInt(node->indices[static_cast<size_t>(lane)])
                                                               : std::nullopt;
    int64_t rest = at.value_or(-1);
    for (const PrimExpr& vector : node->vectors) {
      int64_t lanes = std::max<int>(vector->dtype.lanes, 1);
      if (rest >= 0 && rest < lanes) return expr(vector, static_cast<int>(rest));
      rest -= lanes;
    }
    fail("interpret.unavailable", "a shuffle picks a lane that does not exist", e->span);
    return 0;
  }
  fail("interpret.unavailable", fmt::format("an expression of kind {} can not be run", kindName(e->kind())), e->span);
  return 0;
}

uint32_t Compiler::binary(const BinaryNode& node, int lane) {
  const Kind kind = node.kind();
  // The right side is evaluated only where it decides: it may load what the left side guards.
  if (kind == Kind::tir_And) return choose(node.a, node.b, boolImm(false), lane);
  if (kind == Kind::tir_Or) return choose(node.a, boolImm(true), node.b, lane);
  const DataType type = node.a->dtype.element();
  const bool compare = kind >= Kind::tir_EQ;
  const Code code = type.isFloat() ? (compare ? Code::FloatCompare : Code::FloatBinary)
                                   : (compare ? Code::IntCompare : Code::IntBinary);
  const uint32_t a = expr(node.a, lane), b = expr(node.b, lane);
  const int64_t why = lower::mayDivideByZero(node) ? divisionMessage(lower::zeroDivisionText(node)) : kCanNotFail;
  return give({.code = code, .kind = kind, .type = type, .a = a, .b = b, .imm = why});
}

template <class Yes, class No>
uint32_t Compiler::chosen(uint32_t test, uint32_t dst, Code move, Yes yes, No no) {
  const size_t toElse = emit({.code = Code::JumpIfNot, .a = test});
  emit({.code = move, .dst = dst, .a = yes()});
  const size_t toEnd = emit({.code = Code::Jump});
  patch(toElse);
  emit({.code = move, .dst = dst, .a = no()});
  patch(toEnd);
  return dst;
}

uint32_t Compiler::choose(const PrimExpr& c, const PrimExpr& yes, const PrimExpr& no, int lane) {
  const uint32_t test = expr(c, c->dtype.lanes > 1 ? lane : 0);
  return chosen(
      test, fresh(), Code::Move, [&] { return expr(yes, lane); }, [&] { return expr(no, lane); });
}

uint32_t Compiler::castTo(uint32_t value, DataType from, DataType to) {
  if (from == to) return value;
  const Code code = from.isFloat() ? (to.isFloat() ? Code::CastFloatToFloat : Code::CastFloatToInt)
                                   : (to.isFloat() ? Code::CastIntToFloat : Code::CastIntToInt);
  return give({.code = code, .type = to, .type2 = from, .a = value});
}

int64_t Compiler::access(const BufferRef& buffer, const Array<PrimExpr>& indices, int lane) {
  const int parts = std::max<int>(buffer->dtype.lanes, 1);
  Access access{bufferSlot(buffer), {}, lane % parts};
  for (const PrimExpr& index : indices)
    access.indices.push_back(expr(index, index->dtype.lanes > 1 ? lane / parts : 0));
  // Loop by loop from the outermost in which the buffer is known: each adds the indices that it changes.
  for (uint32_t level = viewDepthOf_[access.buffer]; level <= depth(); ++level) {
    for (uint32_t axis = 0; axis < access.indices.size(); ++axis) {
      const uint32_t changes = depthOf_[access.indices[axis]];
      const bool isFirst = level == viewDepthOf_[access.buffer];
      if (changes == level || (isFirst && changes < level)) access.axes.push_back(axis);
    }
    if (level == depth() || access.axes.empty()) continue;
    const uint32_t dst = fresh();
    depthOf_[dst] = level;
    before_[level].push_back({.code = Code::Place, .dst = dst, .imm = numberOf(program_.accesses, access)});
    access.axes.clear();
    access.base = dst;
  }
  return numberOf(program_.accesses, std::move(access));
}

uint32_t Compiler::load(const BufferLoad& node, int lane) {
  uint32_t dst = fresh();
  size_t skip = 0;
  int64_t at = access(node.buffer, node.indices, lane);
  if (node.predicate) {
    uint32_t test = expr(node.predicate, lane / std::max<int>(node.buffer->dtype.lanes, 1));
    emit({.code = Code::ConstI, .dst = dst, .imm = 0});
    skip = emit({.code = Code::JumpIfNot, .a = test});
  }
  emit({.code = Code::Load, .type = node.buffer->dtype.element(), .dst = dst, .imm = at});
  if (node.predicate) patch(skip);
  return dst;
}

uint32_t Compiler::mathCall(std::string_view name, const Call& node, int lane) {
  constexpr DataType kReal = DataType::Float(64);
  const DataType type = node.dtype.element(), argType = node.args[0]->dtype.element();
  const uint32_t first = expr(node.args[0], lane);
  if (const int64_t row = indexOf(testTable(), name); row >= 0) {
    return argType.isFloat() ? give({.code = Code::FloatTest, .a = first, .imm = row}) : constant(name == "isfinite");
  }
  if (const int64_t row = indexOf(intUnaryTable(), name); row >= 0 && !argType.isFloat())
    return give({.code = Code::IntUnary, .type = type, .type2 = argType, .a = first, .imm = row});
  const auto real = [&](uint32_t value, DataType from) { return from.isFloat() ? value : castTo(value, from, kReal); };
  const auto result = [&](uint32_t value) { return type.isFloat() ? value : castTo(value, kReal, type); };
  const uint32_t a = real(first, argType);
  if (const int64_t row = indexOf(unaryTable(), name); row >= 0)
    return result(give({.code = Code::Unary, .type = type, .a = a, .imm = row}));
  if (node.args.size() < 2) {
    fail("interpret.unavailable", fmt::format("{} takes no {}", name, argType.str()), node.span);
    return 0;
  }
  const uint32_t b = real(expr(node.args[1], lane), node.args[1]->dtype.element());
  return result(give({.code = Code::FloatPair, .type = type, .a = a, .b = b, .imm = indexOf(pairTable(), name)}));
}

/// (index, extent, buffer, dimension)
uint32_t Compiler::checkedIndex(const Call& node, int lane) {
  const auto* buffer = as<tir::StringImm>(node.args[2]);
  const uint32_t index = expr(node.args[0], lane), extent = expr(node.args[1]);
  IndexCheck check{buffer ? buffer->value : Str(), asInt(node.args[3]).value_or(0)};
  emit({.code = Code::CheckIndex, .a = index, .b = extent, .imm = numberOf(program_.checks, std::move(check))});
  return index;
}

/// The first argument. A remainder by it, which nobody looks at, ends the run at zero.
uint32_t Compiler::divisor(const Call& node, int lane) {
  const auto* text = as<tir::StringImm>(node.args[1]);
  const DataType type = node.dtype.element();
  const uint32_t value = expr(node.args[0], lane);
  const int64_t why = divisionMessage(text ? text->value.string() : std::string());
  give({.code = Code::IntBinary, .kind = Kind::tir_Mod, .type = type, .a = value, .b = value, .imm = why});
  return value;
}

uint32_t Compiler::wordOp(Kind kind, uint32_t a, uint32_t b) {
  return give({.code = Code::IntBinary, .kind = kind, .type = DataType::Int(32), .a = a, .b = b});
}

uint32_t Compiler::dotOfBytes(const Call& node, int lane) {
  uint32_t sum = expr(node.args[0], lane);
  const uint32_t a = expr(node.args[1], lane), b = expr(node.args[2], lane);
  for (int64_t byte = 0; byte < 4; ++byte) {
    const uint32_t plain = wordOp(kBitAnd, wordOp(kShiftRight, a, constant(8 * byte)), constant(255));
    const uint32_t isSigned = wordOp(kShiftRight, wordOp(kShiftLeft, b, constant(24 - 8 * byte)), constant(24));
    sum = wordOp(Kind::tir_Add, sum, wordOp(Kind::tir_Mul, plain, isSigned));
  }
  return sum;
}

uint32_t Compiler::dotOfHalves(const Call& node, int lane) {
  constexpr int64_t kExponent = 0x7f800000, kNoSign = 0x7fffffff;
  const DataType single = DataType::Float(32), word = DataType::Int(32);
  const auto reinterpreted = [&](DataType to, DataType from, uint32_t a) {
    return give({.code = Code::Reinterpret, .type = to, .type2 = from, .a = a});
  };
  // Without an exponent only the sign is left.
  const auto flushed = [&](uint32_t bits) {
    const uint32_t exponent = wordOp(kBitAnd, bits, constant(kExponent));
    const uint32_t small = wordOp(kShiftRight, wordOp(Kind::tir_Sub, exponent, constant(1)), constant(31));
    return wordOp(kBitAnd, bits, wordOp(kBitXor, wordOp(kBitAnd, small, constant(kNoSign)), constant(-1)));
  };
  uint32_t sum = flushed(reinterpreted(word, single, expr(node.args[0], lane)));
  const uint32_t a = expr(node.args[1], lane), b = expr(node.args[2], lane);
  for (const bool upper : {true, false}) {
    const auto half = [&](uint32_t bits) {
      bits = upper ? wordOp(kBitAnd, bits, constant(-65536)) : wordOp(kShiftLeft, bits, constant(16));
      return reinterpreted(single, word, flushed(bits));
    };
    const uint32_t x = half(a), y = half(b), before = reinterpreted(single, word, sum);
    const uint32_t after = give({.code = Code::FloatFma, .type = single, .a = x, .b = y, .imm = before});
    sum = flushed(reinterpreted(word, single, after));
  }
  return reinterpreted(single, word, sum);
}

uint32_t Compiler::scaled(const Call& node, int lane) {
  constexpr int64_t kBias = 127, kMantissa = 23;
  const uint32_t power = expr(node.args[1], lane);
  const uint32_t half = wordOp(kShiftRight, power, constant(1));
  uint32_t made = expr(node.args[0], lane);
  // In two factors: together they may be too large or too small for a float.
  for (const uint32_t exponent : {half, wordOp(Kind::tir_Sub, power, half)}) {
    const uint32_t bits = wordOp(kShiftLeft, wordOp(Kind::tir_Add, exponent, constant(kBias)), constant(kMantissa));
    const DataType single = DataType::Float(32);
    const uint32_t factor = give({.code = Code::Reinterpret, .type = single, .type2 = DataType::Int(32), .a = bits});
    made = give({.code = Code::FloatBinary, .kind = Kind::tir_Mul, .type = single, .a = made, .b = factor});
  }
  return made;
}

uint32_t Compiler::tileProducts(const Call& node) {
  using tir::TileProducts;
  const auto products = tir::tileProductsOf(node);
  if (!products) {
    failAtRun("interpret.unavailable", tir::kNoTileProducts);
    return constant(0);
  }
  TileSite site{*products};
  site.sums = pointer(node.args[TileProducts::kSums]);
  site.rows = pointer(node.args[TileProducts::kRows]);
  site.across = pointer(node.args[TileProducts::kAcross]);
  return give({.code = Code::TileProducts, .type = node.dtype, .imm = numberOf(program_.tileProducts, site)});
}

uint32_t Compiler::call(const Call& node, int lane) {
  std::string_view name = shortName(node);
  size_t count = node.args.size();
  DataType type = node.dtype.element();
  if (name == "if_then_else" && count == 3) return choose(node.args[0], node.args[1], node.args[2], lane);
  if ((name == "likely" || name == "tvm_thread_invariant") && count == 1) return expr(node.args[0], lane);
  if ((name == "assume" || name == "ignore_loop_partition") && count == 1) {
    return name == "assume" ? constant(0) : expr(node.args[0], lane);
  }
  if (name == "rx_index" && count == 4) return checkedIndex(node, lane);
  if (const auto made = ownCall(name, node, lane)) return *made;
  if (name == "rx_divisor" && count == 2) return divisor(node, lane);
  if (name == "rx_dot_bytes" && count == 3) return dotOfBytes(node, lane);
  if (name == "rx_dot_halves" && count == 3) return dotOfHalves(node, lane);
  if (name == "rx_scaled" && count == 2) return scaled(node, lane);
  if (name == "rx_tile_products") return tileProducts(node);
  if (name == "isnullptr" && count == 1) {
    pointer(node.args[0]);
    return constant(0);
  }
  if (name == "prefetch" && count == 4) {
    const auto* address = as<Call>(node.args[0]);
    if (address && shortName(*address) == "address_of") pointer(node.args[0]);
    return constant(0);
  }
  if (name == "atomic_add" && count == 2) {
    const uint32_t at = pointer(node.args[0]), by = expr(node.args[1], lane);
    return give({.code = Code::AtomicAdd, .type = node.args[1]->dtype.element(), .a = by, .b = at});
  }
  if (name == "large_uint_imm" && count == 2) {
    auto low = asInt(node.args[0]), high = asInt(node.args[1]);
    if (low && high)
      return constant(static_cast<int64_t>(static_cast<uint64_t>(*high) << 32 | static_cast<uint64_t>(*low)));
  }
  for (const BitOp& op : kBitOps) {
    if (name != op.name || count != 2) continue;
    const bool bits = op.kind != Kind::tir_Not;
    if (node.args[0]->dtype.isFloat() && !bits) continue;
    if (node.args[0]->dtype.isFloat())
      fail("interpret.unavailable", fmt::format("{} takes no {}", name, node.args[0]->dtype.str()), node.span);
    const uint32_t a = expr(node.args[0], lane), b = expr(node.args[1], lane);
    return give({.code = Code::IntBinary, .kind = op.kind, .type = type, .a = a, .b = b});
  }
  if (name == "fma" && count == 3 && type.isFloat()) {
    const uint32_t a = expr(node.args[0], lane), b = expr(node.args[1], lane), c = expr(node.args[2], lane);
    return give({.code = Code::FloatFma, .type = type, .a = a, .b = b, .imm = c});
  }
  if (name == "reinterpret" && count == 1) {
    const uint32_t a = expr(node.args[0], lane);
    return give({.code = Code::Reinterpret, .type = type, .type2 = node.args[0]->dtype.element(), .a = a});
  }
  bool unary = count == 1 && (indexOf(unaryTable(), name) >= 0 || indexOf(intUnaryTable(), name) >= 0 ||
                              indexOf(testTable(), name) >= 0);
  if (unary || (count == 2 && indexOf(pairTable(), name) >= 0)) return mathCall(name, node, lane);
  if (name == "ret" && count <= 1) {
    uint32_t value = count == 1 ? expr(node.args[0]) : 0;
    emit({.code = Code::Return, .type = count ? node.args[0]->dtype : type, .a = value, .b = count == 1});
    return value;
  }
  if (name == "thread_return") {
    emit({.code = Code::Return});
    return 0;
  }
  if ((name == "break_loop" || name == "continue_loop") && !loops_.empty()) {
    size_t at = emit({.code = Code::Jump});
    (name == "break_loop" ? loops_.back().breaks : loops_.back().continues).push_back(at);
    return 0;
  }
  if (name == "tvm_call_packed" || name == "tvm_call_cpacked" || name == "call_packed") return packedCall(node);
  if (name.empty()) {
    failAtRun("interpret.unavailable", "calls of other functions of the module from TIR can not be run here");
  } else {
    failAtRun("interpret.unavailable", fmt::format("the intrinsic {} has no meaning on a host", name));
  }
  return constant(0);
}

int64_t Compiler::divisionMessage(std::string text) {
  return message(std::string(vm::ruleOf(vm::KernelFault::Division)), std::move(text));
}

uint32_t Compiler::pointer(const PrimExpr& e) {
  return withStack([&] { return pointerHere(e); });
}

uint32_t Compiler::pointerHere(const PrimExpr& e) {
  if (const auto* var = as<Var>(e)) {
    if (auto found = pointers_.find(var); found != pointers_.end()) return found->second;
  }
  if (const auto* node = as<Select>(e)) return choosePointer(node->condition, node->trueValue, node->falseValue);
  if (const auto* node = as<Let>(e)) {
    bind(node->var, node->value);
    return pointer(node->body);
  }
  const auto* node = as<Call>(e);
  const std::string_view name = node ? shortName(*node) : std::string_view();
  const size_t count = node ? node->args.size() : 0;
  if (name == "if_then_else" && count == 3) return choosePointer(node->args[0], node->args[1], node->args[2]);
  if (const auto* element = name == "address_of" && count == 1 ? as<BufferLoad>(node->args[0]) : nullptr) {
    int64_t at = access(element->buffer, element->indices, 0);
    uint32_t slot = program_.pointers++;
    emit({.code = Code::AddressOf, .dst = slot, .imm = at});
    return slot;
  }
  if (name == "tvm_access_ptr" && count == 5) {
    const uint32_t data = pointer(node->args[1]), offset = expr(node->args[2]), extent = expr(node->args[3]);
    const uint32_t slot = program_.pointers++;
    emit({.code = Code::AccessPtr, .type = node->args[0]->dtype, .dst = slot, .a = offset, .b = extent, .imm = data});
    return slot;
  }
  fail("interpret.unavailable", "this pointer has no memory here", e->span);
  return 0;
}

uint32_t Compiler::choosePointer(const PrimExpr& c, const PrimExpr& yes, const PrimExpr& no) {
  const uint32_t slot = program_.pointers++;
  return chosen(
      expr(c), slot, Code::PointerMove, [&] { return pointer(yes); }, [&] { return pointer(no); });
}

PackedArg Compiler::packedArg(const PrimExpr& e) {
  PackedArg arg;
  if (const auto* text = as<tir::StringImm>(e)) {
    arg.what = PackedArg::What::Text;
    arg.text = text->value;
    return arg;
  }
  const auto* node = as<Call>(e);
  if (node && shortName(*node) == "tvm_stack_make_array" && node->args.size() == 6) {
    arg.what = PackedArg::What::Tensor;
    arg.pointer = pointer(node->args[0]);
    const auto* shape = as<Call>(node->args[1]);
    if (shape) {
      for (const PrimExpr& dim : shape->args) arg.shape.push_back(expr(dim));
    }
    arg.type = node->args[4]->dtype;
    arg.reg = expr(node->args[5]);
    return arg;
  }
  if (e->dtype.isHandle()) {
    arg.what = PackedArg::What::Memory;
    arg.pointer = pointer(e);
    return arg;
  }
  arg.what = e->dtype.isFloat()  ? PackedArg::What::Float
             : e->dtype.isBool() ? PackedArg::What::Bool
                                 : PackedArg::What::Int;
  arg.reg = expr(e);
  return arg;
}

uint32_t Compiler::packedCall(const Call& node) {
  PackedSite site;
  const auto* name = node.args.empty() ? nullptr : as<tir::StringImm>(node.args[0]);
  if (!name) {
    failAtRun("interpret.unavailable", "a packed call without a name");
    return constant(0);
  }
  site.name = name->value.string();
  for (size_t i = 1; i < node.args.size(); ++i) site.args.push_back(packedArg(node.args[i]));
  return give({.code = Code::Packed, .type = node.dtype, .imm = numberOf(program_.calls, std::move(site))});
}

}  // namespace rx::interpret
