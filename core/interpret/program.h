// What a PrimFunc is compiled to: instructions over registers, buffers and pointers that are known by number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/interpret/interpret.h"
#include "core/ir/stmt.h"
#include "core/ir/tile_products.h"
#include "core/runtime/kernel_signature.h"

namespace rx::interpret {

union Reg {
  int64_t i;
  double f;
};

enum class Code : uint8_t {
  ConstI,       ///< dst = imm
  Move,         ///< dst = a
  IntBinary,    ///< dst = a (kind) b, wrapped to type; a division by zero ends with messages[imm], if not kCanNotFail
  FloatBinary,  ///< dst = a (kind) b, rounded to type
  IntCompare,
  FloatCompare,
  Not,
  CastIntToInt,
  CastIntToFloat,
  CastFloatToInt,
  CastFloatToFloat,
  Unary,         ///< dst = table[imm](a), floating point
  FloatPair,     ///< dst = table[imm](a, b), floating point
  FloatFma,      ///< dst = a * b + register imm, rounded once
  IntUnary,      ///< dst = table[imm](a)
  FloatTest,     ///< dst = table[imm](a), bool of a float
  Reinterpret,   ///< dst = bits of a (type2) as type
  Place,         ///< dst = what the axes of accesses[imm] add to its place, behind that of its base
  Load,          ///< dst = accesses[imm]
  Store,         ///< accesses[imm] = a
  SumProducts,   ///< does the loops of productSums[imm] at once and dst = 1; where they are not as they have to be: 0
  TileProducts,  ///< tileProducts[imm]
  AtomicAdd,     ///< dst = what stands at pointer b, to which a is added
  Jump,          ///< to imm
  JumpIf,        ///< when a is true
  JumpIfNot,     ///< when a is false
  Next,          ///< adds 1 to dst, and jumps to imm where it is not a then
  ParamInt,      ///< dst = bound integer imm as type
  ParamReal,     ///< dst = bound real imm as type
  ParamTensor,   ///< pointer dst = argument imm
  DefineBuffer,  ///< buffers[definitions[imm]]
  Allocate,      ///< pointer of allocations[imm]
  AddressOf,     ///< pointer dst = accesses[imm]
  PointerMove,   ///< pointer dst = pointer a
  AccessPtr,     ///< pointer dst = b elements of type, a elements into pointer imm
  Packed,        ///< calls[imm]
  CheckIndex,    ///< a is an index below b, else checks[imm] fails
  Wait,          ///< stands still, for what who runs the program knows by imm
  Exchange,      ///< the same; dst then holds what somebody else has in a
  Assert,        ///< a holds, else messages[imm]
  Return,        ///< ends; a is the value when b is 1
  Fail,          ///< ends with messages[imm]
};

/// In the place of a message.
constexpr int64_t kCanNotFail = -1;

/// The types that most kernels compute and count in, which the loop tells apart by one look.
enum class Common : uint8_t { None, Float32, Int64 };

struct Instr {
  Code code;
  Common common = Common::None;  ///< what `type` is
  Kind kind = Kind::kCount;      ///< of a binary operation
  DataType type = DataType::Int(64);
  DataType type2 = DataType::Int(64);
  uint32_t dst = 0, a = 0, b = 0;
  int64_t imm = 0;
};

/// Element of a buffer at indices in registers; `part` of it, where it is a vector. What indices add to its place that
/// do not change in a loop is added before the loop begins, and is the value of the register `base` in it.
struct Access {
  uint32_t buffer;
  std::vector<uint32_t> indices;
  int part = 0;
  std::vector<uint32_t> axes = {};  ///< whose indices are still to be added
  std::optional<uint32_t> base = {};
};
/// What lower::ProductLoops are in a run.
struct ProductSum {
  struct Operand {
    uint32_t buffer;
    std::vector<uint32_t> first;              ///< registers: the indices in the first step of all loops
    std::vector<std::vector<int64_t>> steps;  ///< by axis, by loop: what a step adds to the index
  };
  std::vector<uint32_t> extents;  ///< registers, of the outermost loop first
  std::vector<bool> moves;        ///< by loop: whether a step goes to another element of the result
  Operand out, left, right;
  std::optional<float> begin;  ///< what an element is before its first product; what it holds, where that is nothing
};
struct BufferDefinition {
  uint32_t buffer, pointer;
  std::vector<uint32_t> dims, strides;  ///< registers; no strides = row-major
  bool hasOffset = false;
  uint32_t offset = 0;
};
struct Allocation {
  uint32_t pointer;
  DataType type;
  std::vector<uint32_t> extents;
  Str name;
};
/// An index of one dimension of a buffer that is looked at where it is computed.
struct IndexCheck {
  Str buffer;
  int64_t dimension = 0;
};
/// Argument of a packed call: a register, a text, or a tensor: memory of a pointer from an element on.
struct PackedArg {
  enum class What { Int, Float, Bool, Text, Memory, Tensor } what = What::Int;  ///< Memory: all of it, as bytes
  uint32_t reg = 0;                                                             ///< of a tensor: its offset
  Str text;
  uint32_t pointer = 0;
  DataType type = DataType::UInt(8);
  std::vector<uint32_t> shape;
};
/// A call of rx_tile_products, and its pointers.
struct TileSite {
  tir::TileProducts products;
  uint32_t sums = 0, rows = 0, across = 0;
};
struct PackedSite {
  std::string name;
  std::vector<PackedArg> args;
};
struct Message {
  std::string rule, text;
};

/// A variable, while it has a value: instructions [begin, end).
struct NamedValue {
  Str name;
  DataType type;
  std::vector<uint32_t> lanes;  ///< registers
  size_t begin = 0, end = SIZE_MAX;
};
struct Program {
  std::vector<Instr> code;
  std::vector<uint32_t> statements;  ///< of each instruction: which of `spans` it belongs to
  std::vector<Span> spans;           ///< of statements; the first is that of the whole
  std::vector<IndexCheck> checks;
  std::vector<NamedValue> variables;
  std::vector<Access> accesses;
  std::vector<ProductSum> productSums;
  std::vector<BufferDefinition> definitions;
  std::vector<Allocation> allocations;
  std::vector<PackedSite> calls;
  std::vector<TileSite> tileProducts;
  std::vector<Message> messages;
  std::vector<std::pair<uint32_t, Reg>> constants;  ///< registers that nothing writes, and what they hold
  std::vector<Str> bufferNames;
  std::vector<DataType> bufferTypes;
  std::vector<Str> bufferScopes;  ///< "global", "shared", "local"
  vm::KernelSignature signature;  ///< what the arguments are held against
  std::string name;               ///< of the kernel
  uint32_t registers = 0, pointers = 0;
};

/// Lowered to loops first where it holds blocks. Fails with what lowering refuses, or interpret.unavailable. Faults of
/// a run name the kernel by `name`.
Result<Program> compile(const tir::PrimFuncRef& function, std::string_view name);
Result<Value> execute(const Program& program, std::span<const Value> args, const Options& options);

/// With all that a run needs around it.
Options completed(Options options);
/// Fails with vm.missing-function where there is none of that name.
Result<Value> callPacked(std::string_view name, std::span<const Value> args, const vm::Surroundings& around);

// Tables of intrinsics (intrinsics.cpp).
template <class Run>
struct IntrinsicRow {
  std::string_view name;
  Run run;
};
using UnaryRow = IntrinsicRow<double (*)(double)>;
using PairRow = IntrinsicRow<double (*)(double, double)>;
using IntUnaryRow = IntrinsicRow<int64_t (*)(int64_t value, DataType type)>;
using TestRow = IntrinsicRow<bool (*)(double)>;
std::span<const UnaryRow> unaryTable();
std::span<const PairRow> pairTable();
std::span<const IntUnaryRow> intUnaryTable();
std::span<const TestRow> testTable();

/// A value rounded to a floating-point type; wrapped to an integer type.
double roundTo(DataType type, double value);
/// a * b + c in the type, rounded once.
double fusedMultiplyAdd(DataType type, double a, double b, double c);
int64_t wrapTo(DataType type, int64_t value);

}  // namespace rx::interpret
