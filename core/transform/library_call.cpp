#include "core/transform/library_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arith/analyzer.h"
#include "core/op/rules.h"
#include "core/transform/calls.h"
#include "core/transform/composite_functions.h"
#include "core/transform/swapped_axes.h"

namespace rx::transform {

namespace {

using Dims = Array<tir::PrimExpr>;

/// A value taken apart, from its end.
struct Parts {
  Ref<relax::Call> product;  ///< the matrix product or the convolution; null where there is none
  relax::Expr bias;          ///< may be null
  bool relu = false;
};

Ref<relax::Call> productIn(const relax::Expr& expr, const ValueOf& valueOf) {
  const relax::Expr value = valueOf(expr);
  Ref<relax::Call> call = callOf(value, "relax.matmul");
  return call ? call : callOf(value, "relax.nn.conv2d");
}

Parts partsOf(const relax::Expr& value, const ValueOf& valueOf) {
  Parts parts;
  relax::Expr now = valueOf(value);
  if (const auto relu = callOf(now, "relax.nn.relu")) {
    parts.relu = true;
    now = valueOf(relu->args[0]);
  }
  if (const auto sum = callOf(now, "relax.add")) {
    for (size_t side = 0; side < 2 && !parts.product; ++side) {
      parts.product = productIn(sum->args[side], valueOf);
      parts.bias = sum->args[1 - side];
    }
    return parts;
  }
  parts.product = productIn(now, valueOf);
  return parts;
}

/// Dimensions of a tensor in host memory, of the element type of `dtype`; null of any other.
const Dims* dimsOf(const relax::Expr& expr, DataType dtype) {
  const auto* tensor = as<relax::TensorStructInfo>(expr->sinfo);
  return tensor && tensor->dtype == dtype && !tensor->vdevice ? op::dimsOf(*tensor) : nullptr;
}

bool same(const tir::PrimExpr& a, const tir::PrimExpr& b) { return arith::Analyzer().canProveEqual(a, b); }

/// Whether a bias has one element for each step along an axis of a result.
bool isBias(const relax::Expr& bias, const Dims& result, size_t axis, DataType dtype) {
  const Dims* dims = dimsOf(bias, dtype);
  const size_t behind = result.size() - axis;  // dimensions from the axis on
  if (!dims || dims->size() < behind || dims->size() > result.size()) return false;
  for (size_t i = 0; i < dims->size(); ++i) {
    const bool own = dims->size() - i == behind;
    if (own ? !same((*dims)[i], result[axis]) : !op::isConstInt((*dims)[i], 1)) return false;
  }
  return true;
}

relax::Expr shapeOf(const std::vector<int64_t>& sizes) {
  std::vector<tir::PrimExpr> dims;
  for (const int64_t size : sizes) dims.push_back(op::int64(size));
  return make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(dims)));
}

/// Whether both sides have as many matrices, or the right is one, and the sum has a term.
bool isProduct(const Dims& a, const Dims& b) {
  if (a.size() < 2 || b.size() < 2 || (b.size() != 2 && b.size() != a.size())) return false;
  for (size_t i = 0; b.size() != 2 && i + 2 < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return !op::isConstInt(a.back(), 0);
}

/// The tensors and numbers of a product, without what is done with its result; nothing where it is none for libraries.
std::optional<std::vector<relax::Expr>> productNumbers(const relax::Call& call, DataType dtype, const ValueOf& valueOf,
                                                       std::vector<relax::Expr>& tensors) {
  relax::Expr right = call.args[1];
  const auto permute = callOf(valueOf(right), "relax.permute_dims");
  const bool turned = permute && swapsLastTwo(*permute);
  const Dims *a = dimsOf(call.args[0], dtype), *b = dimsOf(right, dtype);
  if (!a || !b || !isProduct(*a, *b)) return std::nullopt;
  tensors = {call.args[0], turned ? permute->args[0] : right};
  return std::vector<relax::Expr>{primInt(turned)};
}

std::optional<std::vector<relax::Expr>> convolutionNumbers(const relax::Call& call, DataType dtype,
                                                           std::vector<relax::Expr>& tensors) {
  const bool plain = op::strAttr(call, "data_layout") == "NCHW" && op::strAttr(call, "kernel_layout") == "OIHW";
  const std::string_view out = ir::strAttrOf(call.attrs, "out_layout");
  if (!plain || (!out.empty() && out != "NCHW") || !dimsOf(call.args[0], dtype) || !dimsOf(call.args[1], dtype))
    return std::nullopt;
  tensors = {call.args[0], call.args[1]};
  return std::vector<relax::Expr>{shapeOf(op::ints(call, "strides")), shapeOf(op::ints(call, "padding")),
                                  shapeOf(op::ints(call, "dilation")), primInt(op::intAttr(call, "groups"))};
}

}  // namespace

std::optional<LibraryCall> libraryCall(const library::LibraryRow& library, const relax::Expr& value,
                                       const ValueOf& valueOf) {
  const Parts parts = partsOf(value, valueOf);
  if (!parts.product || ((parts.bias || parts.relu) && !library.ends)) return std::nullopt;
  const auto* tensor = as<relax::TensorStructInfo>(parts.product->sinfo);
  const bool typed =
      tensor && (tensor->dtype == DataType::Float(32) || (library.twice && tensor->dtype == DataType::Float(64)));
  const Dims* result = typed ? dimsOf(parts.product, tensor->dtype) : nullptr;
  if (!result) return std::nullopt;
  const bool convolution = isOp(parts.product, "relax.nn.conv2d");
  if (convolution && !library.convolutions) return std::nullopt;
  std::vector<relax::Expr> tensors;
  const auto numbers = convolution ? convolutionNumbers(*parts.product, tensor->dtype, tensors)
                                   : productNumbers(*parts.product, tensor->dtype, valueOf, tensors);
  const size_t axis = convolution ? 1 : result->size() - 1;
  if (!numbers || (parts.bias && !isBias(parts.bias, *result, axis, tensor->dtype))) return std::nullopt;
  LibraryCall call{fmt::format("{}.{}{}", library.name, convolution ? "conv2d" : "matmul", parts.bias ? "_bias" : ""),
                   std::move(tensors)};
  if (parts.bias) call.args.push_back(parts.bias);
  call.args.insert(call.args.end(), numbers->begin(), numbers->end());
  if (library.ends) call.args.push_back(primInt(parts.relu));
  return call;
}

std::vector<LibraryPattern> libraryPatterns(const library::LibraryRow& library) {
  struct Piece {
    std::string_view name, text;
    bool isConvolution = false;
  };
  static constexpr Piece kProducts[] = {
      {"matmul_turned", R"(is_op("relax.matmul")(wildcard(), is_op("relax.permute_dims")(wildcard())))"},
      {"matmul", R"(is_op("relax.matmul")(wildcard(), wildcard()))"},
      {"conv2d", R"(is_op("relax.nn.conv2d")(wildcard(), wildcard()))", true},
  };
  static constexpr Piece kEnds[] = {
      {"_bias_relu", R"(is_op("relax.nn.relu")(is_op("relax.add")({}, wildcard())))"},
      {"_bias", R"(is_op("relax.add")({}, wildcard()))"},
      {"_relu", R"(is_op("relax.nn.relu")({}))"},
      {"", "{}"},
  };
  std::vector<LibraryPattern> patterns;
  for (const Piece& end : kEnds) {
    for (const Piece& product : kProducts) {
      if ((!end.name.empty() && !library.ends) || (product.isConvolution && !library.convolutions)) continue;
      patterns.push_back({Str(fmt::format("{}.{}{}", library.name, product.name, end.name)),
                          fmt::format(fmt::runtime(end.text), product.text)});
    }
  }
  return patterns;
}

namespace {

using Values = std::unordered_map<const relax::Var*, relax::Expr>;

/// What variables of a function are bound to, by one binding each.
Values valuesIn(const relax::Function& function) {
  Values values;
  for (const relax::BlockRef& block : function.body->blocks)
    for (const relax::Binding& binding : block->bindings)
      if (const auto* bound = as<relax::VarBinding>(binding.get())) values[bound->var.get()] = bound->value;
  return values;
}

/// The call of the library in the place of one of a composite function; null where the library has none.
relax::Expr callInPlace(const library::LibraryRow& library, const relax::Function& composite, const relax::Call& call,
                        const relax::StructInfo& result) {
  const Values values = valuesIn(composite);
  const auto valueOf = [&](const relax::Expr& expr) {
    const auto bound = values.find(as<relax::Var>(expr));
    return bound == values.end() ? expr : bound->second;
  };
  auto made = libraryCall(library, valueOf(composite.body->body), valueOf);
  if (!made || composite.params.size() != call.args.size()) return nullptr;
  for (relax::Expr& arg : made->args) {
    const auto* var = as<relax::Var>(arg);
    const auto param = std::find_if(composite.params.begin(), composite.params.end(),
                                    [&](const relax::VarRef& p) { return p.get() == var; });
    if (param != composite.params.end()) {
      arg = call.args[static_cast<size_t>(param - composite.params.begin())];
    } else if (var && !isa<relax::Constant>(valueOf(arg))) {
      return nullptr;  // computed inside, which the call would not do
    } else {
      arg = valueOf(arg);
    }
  }
  return op::makeCall("relax.call_dps_packed",
                      {make<relax::ExternFunc>(Str(made->function)), make<relax::Tuple>(made->args)}, {}, {result});
}

}  // namespace

std::optional<relax::FunctionRef> libraryFunction(const library::LibraryRow& library, const relax::Function& function) {
  const Values values = valuesIn(function);
  std::vector<relax::BlockRef> blocks;
  for (const relax::BlockRef& block : function.body->blocks) {
    std::vector<relax::Binding> bindings;
    for (const relax::Binding& binding : block->bindings) {
      const auto* bound = as<relax::VarBinding>(binding.get());
      if (bound && isa<relax::Function>(bound->value)) continue;
      const auto* call = bound ? as<relax::Call>(bound->value) : nullptr;
      const auto local = call ? values.find(as<relax::Var>(call->op)) : values.end();
      if (local == values.end()) {
        bindings.push_back(binding);
        continue;
      }
      const auto* composite = as<relax::Function>(local->second);
      const relax::Expr made = composite ? callInPlace(library, *composite, *call, bound->var->sinfo) : nullptr;
      if (!made) return std::nullopt;
      bindings.push_back(relax::Binding(make<relax::VarBinding>(bound->var, made)));
    }
    blocks.push_back(make<relax::BindingBlock>(Array<relax::Binding>(std::move(bindings))));
  }
  auto body = make<relax::SeqExpr>(Array<relax::BlockRef>(std::move(blocks)), function.body->body);
  return make<relax::Function>(function.params, body, function.retSinfo, function.isPure, nullptr);
}

}  // namespace rx::transform
