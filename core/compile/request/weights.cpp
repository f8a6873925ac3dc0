#include "core/compile/request/weights.h"

#include "core/compile/request/passes.h"

namespace rx::compile {

Result<ir::Module> withWeights(const ir::Module& module, std::string_view function,
                               const std::vector<NamedTensor>& weights) {
  if (weights.empty()) return module;
  ir::Attrs params;
  for (const auto& [name, tensor] : weights) {
    std::vector<tir::PrimExpr> dims;
    for (const int64_t dim : tensor->shape()) dims.push_back(tir::intImm(dim));
    const auto shape = make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(dims)));
    const auto info = make<relax::TensorStructInfo>(shape, tensor->dtype());
    params = ir::withAttr(params, Str(name), make<relax::Constant>(tensor, info));
  }
  const ir::Attrs named = ir::withAttr(nullptr, Str("func_name"), ir::strAttr(Str(function)));
  pass::PassContext context;
  RX_TRY(bound, passTable().find("BindParams")->run(module, ir::withAttr(named, Str("params"), params), context));
  if (!context.messages.empty()) return fail(std::move(context.messages));
  return bound;
}

}  // namespace rx::compile
