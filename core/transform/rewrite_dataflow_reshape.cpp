// RewriteDataflowReshape: a kernel that copies its input in order only gives the same bytes another shape. In a
// dataflow block nobody writes into them, so a view (reshape) does, without a kernel and without a copy.
#include "core/arith/analyzer.h"
#include "core/arith/fold.h"
#include "core/ir/reflect.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using tir::PrimExpr;

PrimExpr flattened(const Array<PrimExpr>& indices, const Array<PrimExpr>& shape) {
  PrimExpr flat = tir::intImm(0);
  for (size_t i = 0; i < indices.size(); ++i) {
    flat = arith::add(arith::mul(flat, arith::cast(DataType::Int(64), shape[i])),
                      arith::cast(DataType::Int(64), indices[i]));
  }
  return flat;
}

PrimExpr elementCount(const Array<PrimExpr>& shape) {
  PrimExpr count = tir::intImm(1);
  for (const PrimExpr& dim : shape) count = arith::mul(count, arith::cast(DataType::Int(64), dim));
  return count;
}

/// True when the indices are those at which a tensor of this shape has its element number `flat`. Says yes where the
/// sum of all of them is too much for the analyzer, as with several symbolic dimensions.
bool areIndicesOf(PrimExpr flat, const Array<PrimExpr>& indices, const Array<PrimExpr>& shape,
                  arith::Analyzer& analyzer) {
  for (size_t i = shape.size(); i-- > 0;) {
    const PrimExpr dim = arith::cast(DataType::Int(64), shape[i]);
    flat = analyzer.simplify(flat);
    const PrimExpr index = arith::cast(DataType::Int(64), indices[i]);
    if (!analyzer.canProveEqual(index, arith::floorMod(flat, dim)) && !(i == 0 && analyzer.canProveEqual(index, flat)))
      return false;
    flat = arith::floorDiv(flat, dim);
  }
  return true;
}

/// The loops around and the copy inside of a function that is one loop nest around one store of one load.
struct Copy {
  const tir::Block* block = nullptr;
  const tir::BufferStore* store = nullptr;
  const tir::BufferLoad* load = nullptr;
};

std::optional<Copy> copyOf(const tir::PrimFunc& function) {
  const tir::StmtNode* at = function.body.get();
  Copy copy;
  // The root block and loops, one statement inside the other.
  while (at) {
    if (const auto* loop = as<tir::For>(at)) {
      at = loop->body.get();
    } else if (const auto* realize = as<tir::BlockRealize>(at)) {
      if (realize->block->init || !realize->block->allocBuffers.empty()) return std::nullopt;
      copy.block = realize->block.get();
      at = copy.block->body.get();
    } else {
      break;
    }
  }
  copy.store = as<tir::BufferStore>(at);
  copy.load = copy.store ? as<tir::BufferLoad>(copy.store->value) : nullptr;
  if (!copy.block || !copy.load) return std::nullopt;
  return copy;
}

/// Index of the parameter that a buffer belongs to, or -1.
int paramOf(const tir::PrimFunc& function, const tir::BufferRef& buffer) {
  for (size_t i = 0; i < function.buffers.size(); ++i) {
    if (function.buffers[i] == buffer) return static_cast<int>(i);
  }
  return -1;
}

/// Index of the last parameter that is a tensor: what a kernel writes. Behind it come the numbers that shapes name.
int outputOf(const tir::PrimFunc& function) {
  auto last = static_cast<int>(function.buffers.size()) - 1;
  while (last >= 0 && !function.buffers[static_cast<size_t>(last)]) --last;
  return last;
}

/// The parameter whose bytes the function copies in order to its last tensor, or -1.
int reshapedParam(const tir::PrimFunc& function) {
  std::optional<Copy> copy = copyOf(function);
  if (!copy) return -1;
  const tir::BufferRef& from = copy->load->buffer;
  const tir::BufferRef& to = copy->store->buffer;
  int source = paramOf(function, from);
  if (source < 0 || source == outputOf(function) || paramOf(function, to) != outputOf(function) ||
      from->dtype != to->dtype)
    return -1;
  if (!from->strides.empty() || !to->strides.empty()) return -1;
  arith::Analyzer analyzer;
  for (const Ref<tir::IterVar>& iter : copy->block->iterVars) {
    if (iter->iterType != tir::IterType::DataPar) return -1;
    if (iter->dom) analyzer.bind(iter->var, *iter->dom);
  }
  const PrimExpr flat = flattened(copy->store->indices, to->shape);
  bool inOrder = analyzer.canProveEqual(flattened(copy->load->indices, from->shape), flat) ||
                 areIndicesOf(flat, copy->load->indices, from->shape, analyzer);
  return inOrder && analyzer.canProveEqual(elementCount(from->shape), elementCount(to->shape)) ? source : -1;
}

class ReshapeRewriter : public build::Mutator {
 public:
  explicit ReshapeRewriter(build::ModuleContext& module)
      : Mutator("RewriteDataflowReshape", &module), module_(module) {}

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    auto call = callOf(binding->value, "relax.call_tir");
    if (!call || !isa<relax::DataflowVar>(binding->var)) return Mutator::visitVarBinding(binding);
    relax::Expr reshape = asReshape(*call);
    if (!reshape) return Mutator::visitVarBinding(binding);
    rebind(binding, reshape);
  }

 private:
  relax::Expr asReshape(const relax::Call& call) {
    const auto* var = as<relax::GlobalVar>(call.args[0]);
    auto function = var ? refAs<tir::PrimFunc>(module_.functionOf(var)) : nullptr;
    const auto* out = call.sinfoArgs.size() == 1 ? as<relax::TensorStructInfo>(call.sinfoArgs[0]) : nullptr;
    if (!function || !out || !out->shape || call.args.size() < 2) return nullptr;
    int param = reshapedParam(*function);
    std::vector<relax::Expr> args = fieldsOf(call.args[1]);
    if (param < 0 || param >= static_cast<int>(args.size())) return nullptr;
    relax::Expr source = visit(args[static_cast<size_t>(param)]);
    const auto* in = as<relax::TensorStructInfo>(source->sinfo);
    if (!in || in->dtype != out->dtype) return nullptr;
    return op::makeCall("relax.reshape", {source, out->shape});
  }

  build::ModuleContext& module_;
};

}  // namespace

Result<ir::Module> rewriteDataflowReshape(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  return build::mutateFunctions(
      module, pass.cancel, [](build::ModuleContext& context) { return std::make_unique<ReshapeRewriter>(context); });
}

}  // namespace rx::transform
