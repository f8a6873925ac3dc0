// One call of an operator on its way to a call_tir: its attributes, its arguments as tensors, the result.
#pragma once

#include <optional>
#include <variant>

#include "core/build/block_builder.h"
#include "core/legalize/te.h"

namespace rx::legalize {

using te::Indices;
using te::Shape;
using te::Tensor;
using tir::PrimExpr;
using Outcome = Result<relax::Expr>;

/// A tensor, or a scalar that the function takes as a constant or a parameter.
struct Operand {
  Tensor tensor;
  PrimExpr scalar;
  bool isScalar() const { return static_cast<bool>(scalar); }
  DataType dtype() const { return scalar ? scalar->dtype : tensor.dtype(); }
  Shape dims() const { return scalar ? Shape{} : tensor.dims(); }
};

class Lowering {
 public:
  Lowering(const relax::Call& call, build::BlockBuilder& builder) : call(call), builder(builder) {}

  const relax::Call& call;
  build::BlockBuilder& builder;
  te::Graph graph;
  arith::Analyzer analyzer;
  bool launches = false;  ///< the function says itself which threads run it, so that no schedule deals it out

  // Attributes, by name. A missing or null attribute is the fallback.
  int64_t intAttr(std::string_view key, int64_t fallback = 0) const { return ir::intAttrOf(call.attrs, key, fallback); }
  bool boolAttr(std::string_view key, bool fallback = false) const { return ir::boolAttrOf(call.attrs, key, fallback); }
  double floatAttr(std::string_view key, double fallback = 0) const;
  std::string_view strAttr(std::string_view key) const { return ir::strAttrOf(call.attrs, key); }
  std::optional<int64_t> optionalInt(std::string_view key) const;
  /// Nothing when the attribute is null; integers of a list (constants only).
  std::optional<std::vector<int64_t>> ints(std::string_view key) const;
  /// Void when it is null or absent.
  DataType dtypeAttr(std::string_view key) const;

  // Arguments. Each call makes a new parameter of the function, in this order.
  size_t argCount() const { return call.args.size(); }
  Tensor arg(size_t i) { return tensor(call.args[i]); }
  /// `offset`: the parameter may start anywhere in its memory (blocks of statements take it so).
  /// `alignment`: bytes to which its memory is known to be aligned; 0 = what a buffer has.
  Tensor tensor(const relax::Expr& expr, bool offset = false, int64_t alignment = 0);
  /// Fields of a tuple argument, each a parameter.
  std::vector<Tensor> tensors(const relax::Expr& tuple);
  /// A tensor, or a scalar where the argument is a number (or, with `constants`, a constant without dimensions).
  Operand operand(size_t i, bool constants = false);
  /// A shape argument, in the symbols of the function.
  Shape shapeArg(const relax::Expr& expr);
  /// A tuple of numbers (or a shape).
  Shape primArgs(const relax::Expr& expr);
  PrimExpr primArg(const relax::Expr& expr);
  /// An expression over the symbols of the caller, over those of the function.
  PrimExpr inside(const PrimExpr& expr);
  Shape inside(std::span<const PrimExpr> shape);
  /// Shape and type of the result as deduced, in the symbols of the function; null shape when not known.
  std::optional<Shape> resultShape();
  DataType resultType() const;

  /// The constant without dimensions behind an expression as a number, or null.
  static PrimExpr scalarConstant(const relax::Expr& expr);
  static const relax::TensorStructInfo* tensorInfo(const relax::Expr& expr);

  /// Makes the function, adds it to the module as `name`, and gives the call of it.
  Outcome finish(std::string_view name, const std::vector<Tensor>& outputs);
  Outcome finish(std::string_view name, const Tensor& output) { return finish(name, std::vector<Tensor>{output}); }

 private:
  std::vector<std::variant<Tensor, tir::VarRef>> params_;
  std::vector<relax::Expr> args_;
  std::vector<PrimExpr> extras_;  ///< expressions of scalar arguments, whose symbols the function needs
  std::unordered_map<const tir::Var*, PrimExpr> toFunction_;
  std::unordered_map<const tir::Var*, PrimExpr> toCaller_;
};

Failure refuse(const relax::Call& call, std::string message);
/// The non-negative axis; nothing when it is out of range.
std::optional<size_t> normalAxis(int64_t axis, size_t rank);

}  // namespace rx::legalize
