// The legalization of operators: a table by operator name.
#pragma once

#include <span>

#include "core/build/block_builder.h"

namespace rx::legalize {

class Lowering;
using LegalizeFn = Result<relax::Expr> (*)(Lowering&);

/// One operator and its function.
struct LegalizeRow {
  std::string_view op;  ///< "relax.add"
  LegalizeFn run;
  bool anyShape = false;  ///< written even where shapes are not known
};
std::span<const LegalizeRow> allLegalizations();
/// The row of an operator, or null where it has none.
const LegalizeRow* findLegalization(std::string_view op);

/// Whether the shapes that a legalization needs are known: of all arguments and of the result, as the operator's row
/// asks for.
bool shapesKnown(const relax::Call& call);

/// The call as a call_tir of a PrimFunc that is added to the builder's module (functions that are equal are added
/// once), or as simpler operators. The call and its arguments have StructInfo; arguments are leaves. Further bindings
/// are emitted through the builder. Null (not a failure) when the operator has no legalization or its shapes are not
/// known: the call then stays as it is. Fails with legalize.refused where the operator can not be written this way.
Result<relax::Expr> legalizeCall(const relax::Call& call, build::BlockBuilder& builder);

/// The same for the operators that DispatchSortScan writes (sort, argsort, topk, cumsum, cumprod), and for those that
/// no pass of TVM writes and that the default pipeline runs all the same.
Result<relax::Expr> legalizeSortScan(const relax::Call& call, build::BlockBuilder& builder);
/// What DispatchSortScan and DispatchSampling write for a device: kernels that say which threads run them.
Result<relax::Expr> legalizeSortScanOnDevice(const relax::Call& call, build::BlockBuilder& builder);
Result<relax::Expr> legalizeSamplingOnDevice(const relax::Call& call, build::BlockBuilder& builder);
Result<relax::Expr> legalizeOwn(const relax::Call& call, build::BlockBuilder& builder);
/// The same for those that FastMathTransform writes: approximations of exp, erf, tanh and softmax.
Result<relax::Expr> legalizeFastMath(const relax::Call& call, build::BlockBuilder& builder);

/// The product of the first argument and of the second with its last two dimensions swapped, in one kernel. The call
/// has the StructInfo of that product.
Result<relax::Expr> legalizeTransposedMatmul(const relax::Call& matmul, build::BlockBuilder& builder);

/// Whether one of the three writes calls of this operator.
bool canBeWritten(std::string_view op);

}  // namespace rx::legalize
