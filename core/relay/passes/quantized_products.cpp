// Canonical forms of quantized products of matrices. With a = QA - za and b = QB - zb each is four sums: of QA * QB, of
// zb * QA, of za * QB and of za * zb.
#include "core/relay/passes/legalize.h"
#include "core/relay/passes/quantized.h"

namespace rx::relay::legalize {

namespace {

constexpr DataType kInt32 = DataType::Int(32);

Expr total(const Expr& data, int64_t axis, bool keep) {
  const int64_t axes[] = {axis};
  return callOp("sum", {cast(data, kInt32)}, {{"axis", ir::intArrayAttr(axes)}, {"keepdims", ir::boolAttr(keep)}});
}

/// The sums together; zero points of zero leave some out.
Expr combined(const Legalized& call, const Expr& products, const Expr& ofData, const Expr& ofKernel, int64_t length) {
  const Expr &dataZero = call.arg(2), &kernelZero = call.arg(3);
  Expr constant;
  if (isScalarConstant(dataZero) && isScalarConstant(kernelZero)) {
    const int64_t a = constantData(dataZero)->intAt(0), b = constantData(kernelZero)->intAt(0);
    if (a == 0 && b == 0) return products;
    if (a == 0) return callOp("subtract", {products, ofData});
    if (b == 0) return callOp("subtract", {products, ofKernel});
    constant = int32(static_cast<int32_t>(a * b * length));
  } else {
    constant = callOp("multiply", {callOp("multiply", {dataZero, kernelZero}), int32(length)});
  }
  return callOp("add", {callOp("subtract", {products, ofData}), callOp("subtract", {constant, ofKernel})});
}

}  // namespace

Expr quantizedDense(const Legalized& call) {
  const auto data = extentsOf(call.before.args[0]), kernel = extentsOf(call.before.args[1]);
  if (!data || !kernel || data->size() != 2 || kernel->size() != 2) return nullptr;
  const Expr products = callOp("nn.dense", {call.arg(0), call.arg(1)}, call.now.attrs);
  Expr ofData = total(call.arg(0), 1, true);
  if (!isScalarConstant(call.arg(3))) {
    ofData = callOp("repeat", {ofData}, {{"repeats", ir::intAttr((*kernel)[0])}, {"axis", ir::intAttr(1)}});
  }
  ofData = callOp("multiply", {call.arg(3), ofData});
  const Expr ofKernel = callOp("multiply", {call.arg(2), total(call.arg(1), 1, false)});
  return combined(call, products, ofData, ofKernel, (*data)[1]);
}

Expr quantizedBatchMatmul(const Legalized& call) {
  const auto data = extentsOf(call.before.args[0]), kernel = extentsOf(call.before.args[1]);
  const TensorType *dataZero = call.type(2), *kernelZero = call.type(3);
  const bool isPlain = intAttrOf(call.now, "transpose_a") == 0 && intAttrOf(call.now, "transpose_b") != 0;
  if (!data || !kernel || data->size() != 3 || kernel->size() != 3 || !isPlain || !dataZero || !kernelZero ||
      !dataZero->shape.empty() || !kernelZero->shape.empty()) {
    return nullptr;
  }
  const Expr products = callOp("nn.batch_matmul", {call.arg(0), call.arg(1)}, call.now.attrs);
  const Expr ofData = callOp("multiply", {call.arg(3), total(call.arg(0), 2, true)});
  const Expr ofKernel = reshape(callOp("multiply", {call.arg(2), total(call.arg(1), 2, true)}), {0, 1, (*kernel)[1]});
  return combined(call, products, ofData, ofKernel, (*data)[2]);
}

}  // namespace rx::relay::legalize
