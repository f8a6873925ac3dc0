// OpenClEmitter: one kernel of a device to OpenCL C. Only the opencl_*.cpp files include this header.
//
// A vector is emitted by its elements: the threads of a device are its vectors, and what vectors gain there, loads and
// stores of several elements at once, vloadn and vstoren keep.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include "core/codegen/opencl.h"
#include "core/ir/all_nodes.h"

namespace rx::codegen {

/// How strongly the outermost operator of a text binds, strongest first, as in C.
enum class Binds : uint8_t { Atom, Unary, Product, Sum, Shift, Order, Equality, Bits, Both, Either, Choice };

struct Operand {
  std::string text;
  Binds binds = Binds::Atom;
};
/// One operand an element; empty after a refusal, which has been noted.
using Lanes = std::vector<Operand>;

/// The helper functions that a text needs, by name.
using HelperTexts = std::map<std::string, std::string, std::less<>>;

/// Of types (opencl_types.cpp). `memory` is what an element is in memory, `held` what it is computed as.
struct ClType {
  std::string memory, held;
  /// Suffix of the functions that convert between the two, where they differ.
  std::string small;
};
/// Nothing for a type that OpenCL C has no words for.
std::optional<ClType> clTypeOf(DataType dtype);
/// Name of the helper for this type, noted with all that it needs. `key` is that of a row of opencl_helpers.def.
std::string helperFor(HelperTexts& helpers, std::string_view key, std::string_view type = {},
                      std::string_view unsignedType = {});
/// A constant of a type that is computed with.
std::string clNumber(DataType dtype, double value);
std::string clNumber(DataType dtype, int64_t value);

/// Lines of a text, each with the place of the statement that it was made for.
struct ClLine {
  std::string text;
  Span of;
};
using ClLines = std::vector<ClLine>;

class OpenClEmitter {
 public:
  OpenClEmitter(const lower::DeviceKernel& kernel, bool exact, bool checks, HelperTexts& helpers,
                std::vector<FaultSite>& sites);
  Result<ClLines> run();

 private:
  friend struct ClIntrinsics;
  // Expressions (opencl_expr.cpp).
  Lanes expr(const tir::PrimExpr& node);
  Lanes exprHere(const tir::PrimExpr& node);
  Lanes eachLane(size_t lanes, const std::function<Operand(size_t)>& make);
  Lanes binary(const tir::BinaryNode& node);
  Operand combine(Kind kind, DataType dtype, const Operand& a, const Operand& b);
  Operand divided(Kind kind, DataType dtype, const Operand& a, const Operand& b);
  Operand converted(const Operand& value, DataType from, DataType to);
  /// Rounded to a type that is computed as float.
  Operand rounded(Operand value, DataType dtype);
  /// Only the chosen side runs.
  Lanes choose(const tir::PrimExpr& condition, const tir::PrimExpr& yes, const tir::PrimExpr& no);
  Operand chosen(const Operand& condition, DataType dtype, const std::function<Operand()>& yes,
                 const std::function<Operand()>& no);
  Lanes let(const tir::Let& node);
  Lanes shuffle(const tir::Shuffle& node);
  Lanes call(const tir::Call& node);
  /// The operand under a name of its own, computed here.
  Operand named(const Operand& value, DataType dtype, std::string_view hint);
  /// The same where it is long: depth of an input is no depth of the text.
  Operand shortened(Operand value, DataType dtype);

  // Accesses (opencl_access.cpp).
  struct Memory {
    std::string pointer, space, element;  ///< element: its type in the text
  };
  std::optional<Memory> memoryOf(const tir::Buffer& buffer);
  /// Offsets of the elements of an access, in elements of the memory.
  Lanes offsets(const tir::Buffer& buffer, const Array<tir::PrimExpr>& indices);
  static bool contiguous(const tir::Buffer& buffer, const Array<tir::PrimExpr>& indices, size_t lanes);
  std::string element(const tir::Buffer& buffer, const Memory& memory, const Operand& offset) const;
  Operand fromMemory(std::string raw, DataType dtype);
  std::string toMemory(const Operand& value, DataType dtype);
  Lanes load(const tir::BufferLoad& node);
  void store(const tir::BufferStore& node);
  void allocate(const tir::Buffer& buffer);
  /// Of one element of a buffer; what was there is named, as it is computed where it stands.
  Lanes atomicAdd(const tir::Call& node);
  Operand checkedIndex(const Operand& index, DataType dtype, const Operand& extent, const tir::Call& call);

  // Statements (opencl_stmt.cpp).
  void signature();
  void stmt(const tir::Stmt& node);
  void stmtHere(const tir::Stmt& node);
  void bind(const tir::VarRef& var, const Lanes& value);
  void attr(const tir::AttrStmt& node);
  void branch(const tir::IfThenElse& node);
  void forLoop(const tir::For& node);
  void whileLoop(const tir::While& node);
  void assertion(const tir::AssertStmt& node);
  void evaluate(const tir::Evaluate& node);
  void block(const std::function<void()>& body);
  void line(const std::string& text);
  /// What `body` writes, instead of in its place.
  ClLines captured(const std::function<void()>& body);

  std::string name(std::string_view hint);
  int site(vm::KernelFault fault, std::string text, int64_t dimension = 0);
  std::string told(int site);
  Lanes refuse(Span span, std::string what);
  std::optional<ClType> type(DataType dtype, Span span = {});
  std::string held(DataType dtype);
  std::string helper(std::string_view key, DataType dtype);

  const lower::DeviceKernel& kernel_;
  const bool exact_, checks_;
  HelperTexts& helpers_;
  std::vector<FaultSite>& sites_;
  std::vector<std::string> head_;
  ClLines shared_, lines_;
  Span here_;  ///< of the statement that is emitted
  int depth_ = 1;
  bool waits_ = false;  ///< threads wait for each other: none may leave early
  std::set<std::string, std::less<>> names_;
  std::unordered_map<const tir::Var*, Lanes> vars_;
  std::unordered_map<const tir::Var*, Memory> memory_;
  std::unordered_map<const tir::Var*, const tir::Buffer*> elements_;  ///< a buffer of each pointer
  std::vector<Diagnostic> errors_;
};

/// `operand` as an operand of an operator that binds so.
std::string inside(const Operand& operand, Binds binds);

}  // namespace rx::codegen
