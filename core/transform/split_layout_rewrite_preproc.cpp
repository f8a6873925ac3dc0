// SplitLayoutRewritePreproc: kernels that first copy a weight to another layout become two, one that only copies and
// one that computes, so that the copy can be made once for all runs.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/fresh.h"
#include "core/transform/call_sites.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;

constexpr std::string_view kMark = "meta_schedule.layout_rewrite_preproc";
constexpr std::string_view kCopySuffix = "_weight_prepack", kComputeSuffix = "_prepacked";

/// A weight that a kernel copies.
struct Copied {
  size_t param;
  tir::BufferRef before, after;
};
struct Halves {
  tir::PrimFuncRef copy, compute;
  std::vector<Copied> weights;
  bool keepsName = false;  ///< what computes takes the place of the whole kernel
};

bool isCopy(const tir::Block& block) { return ir::intAttrOf(block.annotations, kMark, 0) == 1; }

class KernelSplitter {
 public:
  KernelSplitter(const tir::PrimFunc& kernel, bool keepsName) : kernel_(kernel), keepsName_(keepsName) {}

  /// Without weights where the kernel copies none.
  Result<Halves> split() {
    const auto* root = as<tir::BlockRealize>(kernel_.body);
    const auto* all = root ? as<tir::SeqStmt>(root->block->body) : nullptr;
    if (!all) return Halves{};
    std::vector<tir::Stmt> copies, others;
    for (const tir::Stmt& statement : all->seq) {
      RX_TRY(copy, copiesWeights(statement));
      (copy ? copies : others).push_back(copy ? withoutMarks(statement) : statement);
    }
    if (copies.empty()) return Halves{};
    return Halves{copyKernel(copies), computeKernel(*root->block, others), weights_};
  }

 private:
  /// Whether the blocks of a statement copy weights: all of them, or none.
  Result<bool> copiesWeights(const tir::Stmt& statement) {
    std::vector<const tir::Block*> copies;
    size_t blocks = 0;
    walk(*statement, Into::Parts, [&](const Node& node) {
      const auto* block = as<tir::Block>(&node);
      if (block) ++blocks;
      if (block && isCopy(*block)) copies.push_back(block);
      return true;
    });
    if (!copies.empty() && copies.size() != blocks) return refuse("copies a weight and computes in one statement");
    for (const tir::Block* block : copies) RX_CHECK(note(*block));
    return !copies.empty();
  }
  Result<Unit> note(const tir::Block& block) {
    if (block.reads.size() != 1 || block.writes.size() != 1 || !block.allocBuffers.empty() ||
        !block.matchBuffers.empty()) {
      return refuse("copies a weight by more than one read and one write");
    }
    const tir::BufferRef& before = block.reads[0]->buffer;
    const tir::BufferRef& after = block.writes[0]->buffer;
    const auto param = std::find(kernel_.buffers.begin(), kernel_.buffers.end(), before);
    if (param == kernel_.buffers.end()) return refuse("copies what is none of its parameters");
    if (!allConstant(after->shape)) return refuse("copies a weight to a layout whose size depends on a symbol");
    weights_.push_back({static_cast<size_t>(param - kernel_.buffers.begin()), before, after});
    return Unit{};
  }
  static Failure refuse(std::string_view what) { return fail("pass.layout", fmt::format("a kernel {}", what)); }

  static tir::Stmt withoutMarks(const tir::Stmt& statement) {
    return cast<tir::StmtNode>(rewriteNodes(statement, Into::Parts, nullptr, [](const NodeRef& node) -> NodeRef {
      const auto* block = as<tir::Block>(node);
      if (!block || !isCopy(*block)) return node;
      auto* plain = new tir::Block(*block);
      plain->annotations = ir::withoutAttr(block->annotations, kMark);
      return NodeRef(plain);
    }));
  }

  tir::PrimFuncRef made(std::vector<tir::VarRef> params, std::vector<tir::BufferRef> buffers, tir::Block root,
                        std::string_view suffix) const {
    ir::Attrs attrs = ir::withoutAttr(kernel_.attrs, "layout_free_buffers");
    const std::string symbol(ir::strAttrOf(attrs, "global_symbol"));
    if (!symbol.empty())
      attrs = ir::withAttr(attrs, "global_symbol", ir::strAttr(Str(fmt::format("{}{}", symbol, suffix))));
    tir::Stmt body = make<tir::BlockRealize>(Array<tir::PrimExpr>(), tir::boolImm(true), make<tir::Block>(root));
    return lower::freshCopy(make<tir::PrimFunc>(Array<tir::VarRef>(std::move(params)),
                                                Array<tir::BufferRef>(std::move(buffers)), body, nullptr, attrs));
  }
  static tir::VarRef handleOf(const tir::BufferRef& buffer) {
    return make<tir::Var>(Str("var_" + buffer->name.string()), DataType::Handle(), nullptr);
  }

  /// Takes the weights, and then the places for their copies.
  tir::PrimFuncRef copyKernel(const std::vector<tir::Stmt>& statements) const {
    std::vector<tir::VarRef> params;
    std::vector<tir::BufferRef> buffers;
    for (const Copied& weight : weights_) {
      params.push_back(kernel_.params[weight.param]);
      buffers.push_back(weight.before);
    }
    for (const Copied& weight : weights_) {
      params.push_back(handleOf(weight.after));
      buffers.push_back(weight.after);
    }
    tir::Block root;
    root.name = "root";
    root.body = tir::seq(statements);
    return made(std::move(params), std::move(buffers), root, kCopySuffix);
  }
  /// Takes the copies in the place of the weights.
  tir::PrimFuncRef computeKernel(const tir::Block& whole, const std::vector<tir::Stmt>& statements) const {
    std::vector<tir::BufferRef> buffers = kernel_.buffers.vector(), kept = whole.allocBuffers.vector();
    for (const Copied& weight : weights_) {
      buffers[weight.param] = weight.after;
      std::erase(kept, weight.after);
    }
    tir::Block root;
    root.name = "root";
    root.body = tir::seq(statements);
    root.allocBuffers = Array<tir::BufferRef>(std::move(kept));
    return made(kernel_.params.vector(), std::move(buffers), root, keepsName_ ? std::string_view() : kComputeSuffix);
  }

  const tir::PrimFunc& kernel_;
  const bool keepsName_;  ///< what computes has the name of the whole kernel
  std::vector<Copied> weights_;
};

/// The two calls in the place of one: the copies, emitted before, and what computes with them.
Expr splitCall(const relax::Call& call, const Halves& halves, const relax::GlobalVar& kernel,
               build::BlockBuilder& builder) {
  const std::string_view name = kernel.name.view();
  const auto* given = as<relax::Tuple>(call.args[1]);
  if (!given || given->items.size() < halves.weights.size()) return nullptr;
  std::vector<Expr> args = given->items.vector(), weights;
  std::vector<relax::StructInfo> infos;
  for (const Copied& weight : halves.weights) {
    if (weight.param >= args.size()) return nullptr;
    weights.push_back(args[weight.param]);
    std::vector<tir::PrimExpr> sizes;
    for (const tir::PrimExpr& size : weight.after->shape) sizes.push_back(arith::cast(DataType::Int(64), size));
    const Array<tir::PrimExpr> shape(std::move(sizes));
    infos.push_back(make<relax::TensorStructInfo>(make<relax::ShapeExpr>(shape), weight.after->dtype));
  }
  const bool lone = infos.size() == 1;
  const relax::StructInfo info = lone ? infos[0] : relax::tupleSinfo(Array<relax::StructInfo>(infos));
  build::ModuleContext& module = *builder.module();
  const Expr copies = builder.emit(
      op::makeCallTir(module.add(halves.copy, fmt::format("{}{}", name, kCopySuffix)), std::move(weights), info));
  for (size_t i = 0; i < halves.weights.size(); ++i) {
    const Expr field = lone ? copies : make<relax::TupleGetItem>(copies, static_cast<int64_t>(i));
    args[halves.weights[i].param] = builder.normalizeArgument(field);
  }
  std::vector<Expr> changed = call.args.vector();
  if (!halves.keepsName) changed[0] = module.add(halves.compute, fmt::format("{}{}", name, kComputeSuffix));
  changed[1] = make<relax::Tuple>(Array<Expr>(std::move(args)));
  return builder.emit(make<relax::Call>(call.op, Array<Expr>(std::move(changed)), call.attrs, call.sinfoArgs));
}

}  // namespace

Result<ir::Module> splitLayoutRewritePreproc(const ir::Module& module, const ir::Attrs& options_,
                                             pass::PassContext& context) {
  const KernelCalls plain = ir::boolAttrOf(options_, "keep_names", false) ? plainKernelCalls(*module) : KernelCalls();
  std::unordered_map<std::string_view, Halves> split;
  for (size_t i = 0; i < module->size(); ++i) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    const auto* kernel = as<tir::PrimFunc>(module->functions[i]);
    if (!kernel) continue;
    const std::string_view name = module->vars[i]->name.view();
    RX_TRY(halves, KernelSplitter(*kernel, plain.contains(name)).split());
    halves.keepsName = plain.contains(name);
    if (!halves.weights.empty()) split.emplace(name, std::move(halves));
  }
  if (split.empty()) return deadCodeElimination(module, nullptr, context);
  auto update = [&](const relax::Call& call, build::BlockBuilder& builder) -> Expr {
    if (!isOp(Ref<relax::Call>(&call), "relax.call_tir") || call.args.size() < 2) return nullptr;
    const auto* var = as<relax::GlobalVar>(call.args[0]);
    const auto halves = var ? split.find(var->name.view()) : split.end();
    return halves == split.end() ? nullptr : splitCall(call, halves->second, *var, builder);
  };
  auto rewrite = [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
    return rewriteCalls(function, "SplitLayoutRewritePreproc", moduleContext, update);
  };
  RX_TRY(rewritten, rewriteFunctions(module, context, rewrite));
  build::ModuleContext named(rewritten);
  for (const auto& [name, halves] : split)
    if (halves.keepsName) named.update(rewritten->findVar(name), halves.compute);
  // The whole kernels go where nobody calls them any more.
  return deadCodeElimination(named.module(), nullptr, context);
}

}  // namespace rx::transform
