// DataflowUseInplaceCalls: in dataflow blocks, element-wise operators write into an argument that nothing needs any
// more.
#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/aliases.h"
#include "core/analysis/live_ranges.h"
#include "core/arith/fold.h"
#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/legalize/legalize.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using analysis::LiveRange;
using analysis::Places;
using relax::Expr;

/// Operators that read an element of their arguments before they write the same element of their result.
constexpr std::string_view kElementwise[] = {"relax.add",    "relax.subtract", "relax.multiply",
                                             "relax.divide", "relax.nn.silu",  "relax.nn.relu"};

/// Which argument each call of a block can write into.
class InplaceFinder {
 public:
  InplaceFinder(const relax::BindingBlock& block, arith::Analyzer& analyzer)
      : block_(block), analyzer_(analyzer), ranges_(analysis::liveRanges(block)), aliases_(block) {
    findItems();
  }

  /// As far as it comes before somebody cancels.
  std::unordered_map<const relax::BindingNode*, size_t> run(const CancelToken& cancel) {
    std::unordered_map<const relax::BindingNode*, size_t> found;
    for (size_t i = 0; i < block_.bindings.size() && !cancel.cancelled(); ++i) {
      at_ = static_cast<int64_t>(i);
      const relax::Binding& binding = block_.bindings[i];
      const auto* plain = as<relax::VarBinding>(binding);
      const auto* call = plain ? as<relax::Call>(plain->value) : nullptr;
      const auto* op = call ? as<relax::Op>(call->op) : nullptr;
      if (op && std::ranges::find(kElementwise, op->name.view()) != std::end(kElementwise)) {
        // Of several the last, as TVM chooses.
        for (size_t j = call->args.size(); j-- > 0;) {
          if (!sameShape(binding->var->sinfo, call->args[j]->sinfo) || !canOverwrite(*call, j)) continue;
          found[binding.get()] = j;
          break;
        }
      }
      hold(binding->var.get());
    }
    return found;
  }

 private:
  /// An item that a binding takes out of a tuple.
  struct Item {
    int64_t tuple;  ///< number of the binding of the tuple
    int64_t at;     ///< and of the item
  };

  void findItems() {
    for (size_t i = 0; i < block_.bindings.size(); ++i) {
      const auto* plain = as<relax::VarBinding>(block_.bindings[i]);
      const auto* item = plain ? as<relax::TupleGetItem>(plain->value) : nullptr;
      const Places* places = item ? aliases_.of(plain->var.get()) : nullptr;
      const auto tuple = item ? ranges_.find(as<relax::Var>(item->tuple)) : ranges_.end();
      if (!places || tuple == ranges_.end()) continue;
      for (int64_t place : *places) items_[place].push_back({tuple->second.from, static_cast<int64_t>(i)});
    }
  }

  /// Notes where the value may lie, and the fields of a tuple.
  void hold(const relax::Var* var) {
    const Places* places = aliases_.of(var);
    if (!places) return;
    if (!isa<relax::TupleStructInfo>(var->sinfo)) {
      for (const int64_t place : *places) holders_[place].push_back(var);
      return;
    }
    Places all = *places;
    (void)aliases_.addFields(all);
    for (const int64_t place : all) holders_[place].push_back(var);
  }

  bool sameShape(const relax::StructInfo& result, const relax::StructInfo& arg) const {
    const auto* to = as<relax::TensorStructInfo>(result);
    const auto* from = as<relax::TensorStructInfo>(arg);
    const auto* wanted = to ? as<relax::ShapeExpr>(to->shape) : nullptr;
    const auto* given = from ? as<relax::ShapeExpr>(from->shape) : nullptr;
    if (!wanted || !given || to->dtype.isVoid() || !(to->dtype == from->dtype)) return false;
    return std::ranges::equal(wanted->values, given->values, [&](const tir::PrimExpr& a, const tir::PrimExpr& b) {
      return analyzer_.canProveEqual(a, b);
    });
  }

  bool canOverwrite(const relax::Call& call, size_t index) {
    const auto* var = as<relax::Var>(call.args[index]);
    const Places* own = var ? aliases_.of(var) : nullptr;
    if (!own || own->contains(analysis::kUnknownPlace) || ranges_.at(var).to > at_) return false;
    for (size_t j = 0; j < call.args.size(); ++j) {
      const Places* other = call.args[j].get() == var ? nullptr : aliases_.of(as<relax::Var>(call.args[j]));
      if (other && std::ranges::any_of(*other, [&](int64_t place) { return own->contains(place); })) return false;
    }
    Places all = *own;
    if (!aliases_.addFields(all)) return false;
    return std::ranges::none_of(all, [&](int64_t place) { return neededBySomeOther(place, var); });
  }
  /// The ranges of tuples do not count that an item is taken, so that a tuple of results can be overwritten: what is
  /// taken later counts by itself.
  bool neededBySomeOther(int64_t place, const relax::Var* var) {
    const auto items = items_.find(place);
    const auto isTakenLater = [&](const Item& item) { return item.tuple < at_ && item.at > at_; };
    if (items != items_.end() && std::ranges::any_of(items->second, isTakenLater)) return true;
    auto holders = holders_.find(place);
    if (holders == holders_.end()) return false;
    std::erase_if(holders->second, [&](const relax::Var* holder) { return ranges_.at(holder).to <= at_; });
    return std::ranges::any_of(holders->second, [&](const relax::Var* holder) { return holder != var; });
  }

  const relax::BindingBlock& block_;
  arith::Analyzer& analyzer_;
  std::unordered_map<const relax::Var*, LiveRange> ranges_;
  analysis::Aliases aliases_;
  std::unordered_map<int64_t, std::vector<const relax::Var*>> holders_;  ///< who may lie there, of what came so far
  std::unordered_map<int64_t, std::vector<Item>> items_;                 ///< that may lie there
  int64_t at_ = 0;
};

/// The kernel with its result, the last parameter, in the place of another parameter.
tir::PrimFuncRef overwriting(const tir::PrimFunc& kernel, size_t input) {
  const size_t output = kernel.params.size() - 1;
  const tir::BufferRef &from = kernel.buffers[output], &to = kernel.buffers[input];
  auto enter = [&](const NodeRef& node) -> NodeRef {
    if (node == from) return to;
    if (node == from->data) return to->data;
    return node == kernel.params[output] ? NodeRef(kernel.params[input]) : nullptr;
  };
  auto same = [](const NodeRef& node) { return node; };
  auto body = cast<tir::StmtNode>(rewriteNodes(kernel.body, Into::Parts, enter, same));
  std::vector<tir::VarRef> params(kernel.params.begin(), kernel.params.end() - 1);
  std::vector<tir::BufferRef> buffers(kernel.buffers.begin(), kernel.buffers.end() - 1);
  auto* made = new tir::PrimFunc(Array<tir::VarRef>(std::move(params)), Array<tir::BufferRef>(std::move(buffers)), body,
                                 kernel.retType, kernel.attrs);
  made->span = kernel.span;
  return tir::PrimFuncRef(made);
}

class InplaceWriter : public build::Mutator {
 public:
  InplaceWriter(build::ModuleContext& context, std::vector<relax::GlobalVarRef>& kernels)
      : Mutator("DataflowUseInplaceCalls", &context), kernels_(kernels) {}

 protected:
  void visitBlock(const relax::BlockRef& block) override {
    if (!block->isDataflow()) return Mutator::visitBlock(block);
    auto outer =
        std::exchange(chosen_, InplaceFinder(*block, builder.context().analyzer()).run(builder.module()->cancel()));
    Mutator::visitBlock(block);
    chosen_ = std::move(outer);
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    auto choice = chosen_.find(binding.get());
    Expr inplace = choice == chosen_.end() ? nullptr : inplaceCall(visit(binding->value), choice->second);
    if (!inplace) return Mutator::visitVarBinding(binding);
    rebind(binding, inplace);
  }

 private:
  /// Null where the call can not be written as a kernel that takes the argument.
  Expr inplaceCall(const Expr& value, size_t argument) {
    const auto call = callWithInfo(cast<relax::Call>(value), builder);
    auto written = call ? legalize::legalizeCall(*call, builder) : Result<Expr>(Expr());
    const auto kernelCall = written && *written ? callOf(*written, "relax.call_tir") : nullptr;
    const auto name = kernelCall ? refAs<relax::GlobalVar>(kernelCall->args[0]) : nullptr;
    const auto kernel = name ? refAs<tir::PrimFunc>(builder.module()->functionOf(name.get())) : nullptr;
    if (!kernel) return nullptr;
    kernels_.push_back(name);
    // Constants may stand in the kernel, so that its parameters are fewer than the arguments.
    const std::vector<Expr> given = fieldsOf(kernelCall->args[1]);
    const auto last = std::find(given.rbegin(), given.rend(), call->args[argument]);
    if (last == given.rend()) return nullptr;
    const auto index = static_cast<size_t>(given.rend() - last - 1);
    const auto inplace =
        builder.module()->add(overwriting(*kernel, index), fmt::format("{}_inplace", name->name.view()));
    std::vector<Expr> args = kernelCall->args.vector();
    args[0] = inplace;
    const int64_t indices[] = {static_cast<int64_t>(index)};
    return op::makeCall("relax.call_tir_inplace", std::move(args), {{"inplace_indices", ir::intArrayAttr(indices)}},
                        kernelCall->sinfoArgs);
  }

  std::vector<relax::GlobalVarRef>& kernels_;
  std::unordered_map<const relax::BindingNode*, size_t> chosen_;
};

}  // namespace

Result<ir::Module> dataflowUseInplaceCalls(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  build::ModuleContext moduleContext(module);
  moduleContext.setCancel(context.cancel);
  std::vector<relax::GlobalVarRef> kernels;
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    auto relaxFunction = refAs<relax::Function>(function);
    if (!relaxFunction) continue;
    RX_TRY(written, InplaceWriter(moduleContext, kernels).rewrite(relaxFunction));
    moduleContext.update(var, written);
  }
  // The kernels that those were made of.
  for (const relax::GlobalVarRef& kernel : kernels) moduleContext.remove(kernel->name.view());
  return moduleContext.module();
}

}  // namespace rx::transform
