// The families of legalizations, one file each, and what they share.
#pragma once

#include "core/legalize/legalize.h"
#include "core/legalize/lowering.h"

namespace rx::legalize {

std::span<const LegalizeRow> elementwiseRows();
std::span<const LegalizeRow> reduceRows();
std::span<const LegalizeRow> manipulateRows();
std::span<const LegalizeRow> createRows();
std::span<const LegalizeRow> indexRows();
std::span<const LegalizeRow> nnRows();
std::span<const LegalizeRow> convRows();
std::span<const LegalizeRow> attentionRows();
std::span<const LegalizeRow> scatterRows();
std::span<const LegalizeRow> gradRows();
std::span<const LegalizeRow> dynamicRows();
std::span<const LegalizeRow> imageRows();
std::span<const LegalizeRow> productRows();
std::span<const LegalizeRow> tensorIndexRows();
std::span<const LegalizeRow> medianRows();
std::span<const LegalizeRow> samplingRows();
std::span<const LegalizeRow> detectionRows();
std::span<const LegalizeRow> nmsRows();
std::span<const LegalizeRow> layoutRows();
std::span<const LegalizeRow> allClassRows();
/// Not among those of LegalizeOps: DispatchSortScan writes these.
std::span<const LegalizeRow> sortScanRows();
/// The same with threads, for devices, and sampling, which DispatchSampling writes.
std::span<const LegalizeRow> deviceSortRows();
std::span<const LegalizeRow> deviceScanRows();
std::span<const LegalizeRow> deviceSamplingRows();
/// What FastMathTransform writes in the place of functions that are exact.
std::span<const LegalizeRow> fastMathRows();
/// Not among those of TVM at all.
std::span<const LegalizeRow> ownRows();

using Binary = PrimExpr (*)(PrimExpr, PrimExpr);

/// The broadcast shape of two, or nothing where they do not fit.
std::optional<Shape> broadcastShape(arith::Analyzer& analyzer, const Shape& a, const Shape& b);
/// The element of `t` that stands at these indices of a broadcast shape.
PrimExpr broadcastRead(arith::Analyzer& analyzer, const Tensor& t, const Shape& out, const Indices& indices);
PrimExpr broadcastRead(arith::Analyzer& analyzer, const Operand& t, const Shape& out, const Indices& indices);

// Stages that many operators use.
Tensor unaryStage(Lowering& l, const Tensor& x, const std::function<PrimExpr(PrimExpr)>& f,
                  std::string name = "compute");
/// Elementwise with broadcasting; the shapes must fit.
Tensor binaryStage(Lowering& l, const Operand& a, const Operand& b, Binary f, std::string name);
inline Operand operandOf(const Tensor& t) { return {t, nullptr}; }
inline Operand operandOf(PrimExpr e) { return {{}, std::move(e)}; }

/// The axes of a reduction, sorted, non-negative, without duplicates; all where none are given.
std::optional<std::vector<size_t>> reduceAxes(const std::optional<std::vector<int64_t>>& axes, size_t rank);
using Reducer = PrimExpr (*)(PrimExpr, const std::vector<te::IterRef>&);
Tensor reduceStage(Lowering& l, const Tensor& x, const std::vector<size_t>& axes, bool keepdims, Reducer reducer,
                   std::string name = {});
/// Number of elements over these axes, of this type.
PrimExpr elementsOver(const Tensor& x, const std::vector<size_t>& axes, DataType dtype);
Tensor meanStage(Lowering& l, const Tensor& x, const std::vector<size_t>& axes, bool keepdims);

Tensor reshapeStage(Lowering& l, const Tensor& x, Shape shape, std::string name = "T_reshape");
Tensor transposeStage(Lowering& l, const Tensor& x, std::vector<size_t> axes);
Tensor squeezeStage(Lowering& l, const Tensor& x, const std::vector<size_t>& axes);
Tensor castStage(Lowering& l, const Tensor& x, DataType dtype, std::string name = "T_cast");
/// `approximate`: with the exponential of the FastMath passes.
Tensor softmaxStage(Lowering& l, const Tensor& x, size_t axis, bool approximate = false);
Tensor fastExpStage(Lowering& l, const Tensor& x);
PrimExpr ravel(const Indices& indices, const Shape& shape);
Indices unravel(PrimExpr flat, const Shape& shape);
/// Padding with a value: per dimension how much before and after.
Tensor padStage(Lowering& l, const Tensor& x, const Shape& before, const Shape& after, PrimExpr value,
                std::string name = "pad_temp", std::vector<std::string> axes = {"i"});

// Blocks of statements.
/// Indices of an element by its row-major position; the first is not reduced, as positions are inside.
Array<PrimExpr> placeOf(PrimExpr flat, const Tensor& t);
PrimExpr readAt(const Tensor& t, const PrimExpr& flat);
tir::Stmt writeAt(const Tensor& t, const PrimExpr& flat, PrimExpr value);
tir::Stmt store(const Tensor& t, Indices at, PrimExpr value);
tir::Stmt when(PrimExpr condition, tir::Stmt yes, tir::Stmt no = nullptr);
tir::Stmt loopOver(const PrimExpr& extent, tir::ForKind kind, const std::function<tir::Stmt(PrimExpr)>& body);
inline tir::Stmt serial(const PrimExpr& extent, const std::function<tir::Stmt(PrimExpr)>& body) {
  return loopOver(extent, tir::ForKind::Serial, body);
}
/// As int64.
inline PrimExpr wide(PrimExpr x) { return arith::cast(DataType::Int(64), std::move(x)); }
/// The product of the dimensions.
PrimExpr extentOf(std::span<const PrimExpr> dims);
inline tir::Stmt steps(const std::vector<tir::Stmt>& statements) { return tir::seq(statements); }
/// The statements run in their order: later updates of one place win.
tir::Stmt inOrder(std::vector<tir::Stmt> statements);

/// Packed sort functions take tensors whose start is known to be aligned to this many bytes.
constexpr int64_t kSortAlignment = 8;
/// The places of the elements in the order of their values along an axis.
Tensor argsortStage(Lowering& l, const Tensor& x, int64_t axis, bool ascending, DataType type);
/// The same along the second of two dimensions, largest first; of each line only the first `counts` take part.
Tensor argsortValidStage(Lowering& l, const Tensor& x, const Tensor& counts);

bool isConstOne(const PrimExpr& e);

}  // namespace rx::legalize
