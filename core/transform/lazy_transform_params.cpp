// LazyTransformParams: functions that transform weights ask for each weight when they need it, give each result away
// when it is there, and let go of what nobody needs any more.
#include <fmt/format.h>

#include <algorithm>

#include "core/build/mutator.h"
#include "core/ir/reflect.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::FunctionRef;
using relax::VarRef;

/// What a function says of its results and weights.
struct WeightUses {
  Expr result;                                                      ///< what the function returns
  std::vector<std::pair<Expr, std::vector<int64_t>>> outputs;       ///< which results a value is
  std::unordered_set<const relax::Var*> taken;                      ///< fields of the tuple of weights
  std::unordered_map<const relax::Var*, std::vector<VarRef>> last;  ///< by binding, what nobody needs behind it

  std::unordered_map<const relax::ExprNode*, size_t> outputAt;  ///< where a value stands in `outputs`

  const std::vector<int64_t>* indicesOf(const VarRef& var) const {
    auto at = outputAt.find(var.get());
    return at == outputAt.end() ? nullptr : &outputs[at->second].second;
  }
};

class UseCollector {
 public:
  UseCollector(const relax::Function& function, const VarRef& weights) : weights_(weights) {
    uses_.result = function.body->body;
    for (const relax::BlockRef& block : function.body->blocks) {
      const auto& bindings = block->bindings;
      for (const relax::Binding& binding : bindings) noteBinding(binding);
      // From the end, so that the first use that is seen is the last.
      for (size_t i = bindings.size(); i-- > 0;) noteLast(bindings[i]);
    }
  }
  Result<WeightUses> take() {
    if (!problems_.empty()) return fail(std::move(problems_));
    return std::move(uses_);
  }

 private:
  void noteBinding(const relax::Binding& binding) {
    const auto* plain = as<relax::VarBinding>(binding);
    if (!plain) return;
    if (binding->var == uses_.result) {
      const auto* tuple = as<relax::Tuple>(plain->value);
      if (!tuple) {
        problems_.push_back(errorAt(binding->span, "pass.lazy-params", "the result is no tuple of what was computed"));
        return;
      }
      for (size_t i = 0; i < tuple->items.size(); ++i) noteOutput(tuple->items[i], static_cast<int64_t>(i));
      return;
    }
    const auto* item = as<relax::TupleGetItem>(plain->value);
    if (item && item->tuple == weights_) uses_.taken.insert(binding->var.get());
  }
  void noteOutput(const Expr& value, int64_t index) {
    auto [at, fresh] = uses_.outputAt.try_emplace(value.get(), uses_.outputs.size());
    if (fresh) uses_.outputs.push_back({value, {}});
    uses_.outputs[at->second].second.push_back(index);
  }
  void noteLast(const relax::Binding& binding) {
    const auto* plain = as<relax::VarBinding>(binding);
    if (!plain || binding->var == uses_.result) return;
    std::vector<VarRef>& last = uses_.last[binding->var.get()];
    auto note = [&](const relax::Var* var) {
      if (ended_.insert(var).second) last.emplace_back(var);
    };
    walk(*plain->value, Into::Parts, [&](const Node& node) {
      if (const auto* var = as<relax::Var>(&node)) note(var);
      return !isa<tir::ExprNode>(&node);
    });
    note(binding->var.get());
  }

  VarRef weights_;
  WeightUses uses_;
  std::unordered_set<const relax::Var*> ended_;
  std::vector<Diagnostic> problems_;
};

class WeightAsker : public build::Mutator {
 public:
  WeightAsker(build::ModuleContext& context, std::span<const VarRef> weights, std::string_view getItem)
      : Mutator("LazyTransformParams", &context), getItem_(getItem) {
    if (weights.size() == 1 && isa<relax::TupleStructInfo>(weights[0]->sinfo)) {
      tuple_ = weights[0];
    } else {
      for (size_t i = 0; i < weights.size(); ++i) index_[weights[i].get()] = static_cast<int64_t>(i);
    }
  }

 protected:
  Expr visitVar(const VarRef& var) override {
    auto index = index_.find(var.get());
    if (index != index_.end()) {
      const Expr value = asked(index->second);
      index_.erase(index);
      builder.emitBinding(make<relax::MatchCast>(var, value, var->sinfo));
    }
    return Mutator::visitVar(var);
  }
  Expr visitTupleGetItem(const Ref<relax::TupleGetItem>& item) override {
    if (!tuple_ || item->tuple != tuple_) return Mutator::visitTupleGetItem(item);
    return builder.emitMatchCast(asked(item->index), item->sinfo);
  }

 private:
  Expr asked(int64_t index) { return builder.emit(callPacked(getItem_, {primInt(index)}, {relax::objectSinfo()})); }

  std::string_view getItem_;
  VarRef tuple_;
  std::unordered_map<const relax::Var*, int64_t> index_;
};

class ResultGiver : public build::Mutator {
 public:
  ResultGiver(build::ModuleContext& context, const WeightUses& uses, std::string_view setItem)
      : Mutator("LazyTransformParams", &context), uses_(uses), setItem_(setItem) {}

 protected:
  Expr visitVar(const VarRef& var) override {
    if (given_.contains(var.get())) {
      builder.report(
          errorAt(var->span, "pass.lazy-params", fmt::format("{} is used after it was given away", var->name.view())));
    }
    return Mutator::visitVar(var);
  }
  Expr visitBody(const relax::SeqRef& body) override {
    for (const relax::BlockRef& block : body->blocks) visitBlock(block);
    for (const auto& [value, indices] : uses_.outputs) {
      if (isa<relax::Var>(value)) continue;
      for (int64_t index : indices) give(index, value);
    }
    return visit(body->body);
  }
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    if (binding->var == uses_.result) {
      return mapVar(binding->var, builder.emit(make<relax::Tuple>(Array<Expr>())));
    }
    Mutator::visitVarBinding(binding);
    auto last = uses_.last.find(binding->var.get());
    if (last == uses_.last.end()) return;
    for (const VarRef& var : last->second) {
      const Expr now = mapped(var);
      if (const std::vector<int64_t>* indices = uses_.indicesOf(var)) {
        given_.insert(var.get());
        for (int64_t index : *indices) give(index, now);
      }
      if (uses_.taken.contains(var.get())) emitVoid(builder, op::makeCall("relax.vm.kill_object", {now}));
    }
  }

 private:
  void give(int64_t index, const Expr& value) {
    emitVoid(builder, callPacked(setItem_, {primInt(index), value}, {relax::objectSinfo()}));
  }

  const WeightUses& uses_;
  std::string_view setItem_;
  std::unordered_set<const relax::Var*> given_;
};

/// Sizes that are weights by themselves stay parameters: nothing else tells them.
void addSizes(const relax::StructInfo& info, std::vector<VarRef>& params) {
  std::vector<relax::StructInfo> open{info};
  while (!open.empty()) {
    const relax::StructInfo now = open.back();
    open.pop_back();
    if (const auto* tuple = as<relax::TupleStructInfo>(now)) {
      for (size_t i = tuple->items.size(); i-- > 0;) open.push_back(tuple->items[i]);
    } else if (isa<relax::PrimStructInfo>(now) || isa<relax::ShapeStructInfo>(now)) {
      params.push_back(make<relax::Var>(Str("symbolic_var_holder"), now));
    }
  }
}

FunctionRef withSignature(const relax::Function& function, std::vector<VarRef> params) {
  auto* made = new relax::Function(Array<VarRef>(std::move(params)), function.body, relax::objectSinfo(), false,
                                   ir::withoutAttr(function.attrs, "relax.force_pure"));
  made->span = function.span;
  return FunctionRef(made);
}

struct AccessNames {
  std::string_view get, set;  ///< no set: results are returned
};

Result<FunctionRef> lazy(const FunctionRef& function, const AccessNames& names, build::ModuleContext& context) {
  const int64_t inputs = ir::intAttrOf(function->attrs, "num_input", 0);
  if (inputs < 0 || inputs >= static_cast<int64_t>(function->params.size())) {
    return fail("pass.num-input", "num_input counts parameters of the function, and one more holds its weights");
  }
  const std::span<const VarRef> weights(function->params.begin() + inputs, function->params.end());
  RX_TRY(uses, UseCollector(*function, weights[0]).take());
  std::vector<VarRef> params(function->params.begin(), function->params.begin() + inputs);
  std::unordered_set<const tir::Var*> defined;
  for (const VarRef& param : function->params) {
    for (const tir::VarRef& symbol : op::definableSymbolsIn(param->sinfo)) defined.insert(symbol.get());
  }
  for (size_t i = 0; !defined.empty() && i < weights.size(); ++i) addSizes(weights[i]->sinfo, params);
  RX_TRY(asking, WeightAsker(context, weights, names.get).rewrite(withSignature(*function, params)));
  if (names.set.empty()) return asking;
  return ResultGiver(context, uses, names.set).rewrite(asking);
}

}  // namespace

Result<ir::Module> lazyTransformParams(const ir::Module& module, const ir::Attrs& options_,
                                       pass::PassContext& context) {
  const NodeRef setItem = ir::attrOf(options_, "fset_item");
  if (setItem && !isa<ir::NullAttr>(setItem) && !isa<ir::StrAttr>(setItem)) {
    return fail("pass.option-value", "fset_item is the name of a packed function, or None");
  }
  const AccessNames names{ir::strAttrOf(options_, "fget_item"), ir::strAttrOf(options_, "fset_item")};
  build::ModuleContext moduleContext(module);
  moduleContext.setCancel(context.cancel);
  for (const auto& [var, function] : module->entries()) {
    auto relaxFunction = refAs<relax::Function>(function);
    if (!relaxFunction || !var->name.view().ends_with("transform_params")) continue;
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    RX_TRY(changed, lazy(relaxFunction, names, moduleContext));
    moduleContext.update(var, changed);
  }
  return moduleContext.module();
}

}  // namespace rx::transform
