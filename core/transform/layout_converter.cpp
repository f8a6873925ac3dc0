#include "core/transform/layout_converter.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/build/mutator.h"
#include "core/ir/structural_equal.h"
#include "core/support/stack.h"
#include "core/transform/calls.h"

namespace rx::transform {

namespace {

using analysis::NLayout;
using relax::Expr;

class LayoutConverter : public build::Mutator {
 public:
  LayoutConverter(std::string_view pass, build::ModuleContext& context, const LayoutWishes& wishes,
                  std::vector<pass::Remark>* remarks)
      : Mutator(Str(pass), &context), wishes_(wishes), remarks_(remarks) {}

 protected:
  void visitBlock(const relax::BlockRef& block) override {
    if (!block->isDataflow()) return Mutator::visitBlock(block);
    auto outer = std::exchange(layouts_, {});
    const bool before = std::exchange(inBlock_, true);
    Mutator::visitBlock(block);
    inBlock_ = before;
    layouts_ = std::move(outer);
  }

  void visitBinding(const relax::Binding& binding) override {
    Mutator::visitBinding(binding);
    if (inBlock_) layouts_.try_emplace(binding->var.get(), analysis::initialNLayout(binding->var->sinfo));
  }

  /// A variable where nothing else is known of its use: as it was at first.
  Expr visitVar(const relax::VarRef& var) override {
    return inBlock_ ? converted(var, analysis::initialNLayout(var->sinfo)) : Mutator::visitVar(var);
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    if (!inBlock_) return Mutator::visitVarBinding(binding);
    if (const auto call = refAs<relax::Call>(binding->value)) return convertCall(binding, *call);
    if (const auto tuple = refAs<relax::Tuple>(binding->value)) return convertTuple(binding, *tuple);
    if (const auto item = refAs<relax::TupleGetItem>(binding->value)) return convertItem(binding, *item);
    Mutator::visitVarBinding(binding);
  }

  void visitMatchCast(const Ref<relax::MatchCast>& binding) override {
    if (!inBlock_ || !isLocal(*binding->var)) return Mutator::visitMatchCast(binding);
    const NLayout to = analysis::layoutOf(layouts_, binding->value);
    const relax::StructInfo info =
        withLayout(binding->structInfo, analysis::initialNLayout(binding->value->sinfo), to, binding->span);
    const Expr value = builder.normalizeArgument(converted(binding->value, to));
    if (info == binding->structInfo && value == binding->value) return builder.emitBinding(binding);
    const relax::VarRef var = builder.emitMatchCast(value, info, binding->var->name, binding->span);
    mapVar(binding->var, var);
    layouts_[binding->var.get()] = to;
  }

 private:
  static bool isLocal(const relax::Var& var) { return isa<relax::DataflowVar>(&var); }

  static bool sameAttrs(const ir::Attrs& a, const ir::Attrs& b) { return a == b || (a && b && structuralEqual(a, b)); }

  void report(Span span, std::string_view why) { builder.report(errorAt(span, "pass.layout", std::string(why))); }

  /// Where the operator has a rule and can be told what it gets; nothing: all stays as it was at first.
  std::optional<analysis::CallLayouts> inferred(const relax::Call& call, const relax::Var& result) {
    const auto* op = as<relax::Op>(call.op);
    const analysis::InferLayout rule = op ? wishes_.rule(op->name.view()) : nullptr;
    if (!rule || (!analysis::isNestedTensor(result.sinfo) && !isLocal(result))) return std::nullopt;
    for (const Expr& arg : call.args) {
      if (analysis::isNestedTensor(arg->sinfo) && analysis::hasUnknown(analysis::layoutOf(layouts_, arg))) {
        return std::nullopt;
      }
    }
    Result<analysis::CallLayouts> layouts = rule({call, wishes_.of(call), layouts_});
    if (layouts) return std::move(*layouts);
    for (Diagnostic problem : layouts.diagnostics()) {
      problem.span = call.span;
      builder.report(std::move(problem));
    }
    return std::nullopt;
  }

  /// Why no layouts are inferred for a call.
  std::string whyNone(const relax::Call& call) const {
    const auto* op = as<relax::Op>(call.op);
    if (!op) return "keeps its layouts: it calls no operator";
    if (!wishes_.rule(op->name.view())) {
      return fmt::format("keeps its layouts: there is no rule that infers those of {}", op->name.view());
    }
    for (size_t i = 0; i < call.args.size(); ++i) {
      const auto* var = as<relax::Var>(call.args[i]);
      if (analysis::isNestedTensor(call.args[i]->sinfo) &&
          analysis::hasUnknown(analysis::layoutOf(layouts_, call.args[i]))) {
        return fmt::format("keeps its layouts: that of {} is not known", var ? var->name.view() : "an argument");
      }
    }
    return fmt::format("keeps its layouts: {} gives no tensor, or can not have those that are asked for",
                       op->name.view());
  }

  void convertCall(const Ref<relax::VarBinding>& binding, const relax::Call& call) {
    auto layouts = inferred(call, *binding->var);
    if (!layouts && remarks_) remarks_->push_back({binding->var, whyNone(call)});
    const NLayout initial = analysis::initialNLayout(binding->var->sinfo);
    std::vector<Expr> args;
    for (size_t i = 0; i < call.args.size(); ++i) {
      if (!layouts) {
        args.push_back(converted(call.args[i], analysis::initialNLayout(call.args[i]->sinfo)));
      } else {
        args.push_back(i < layouts->inputs.size() ? converted(call.args[i], layouts->inputs[i])
                                                  : Mutator::visit(call.args[i]));
      }
    }
    for (size_t i = 0; layouts && i < layouts->newArgs.size(); ++i) {
      args[layouts->newArgs[i].first] = layouts->newArgs[i].second;
    }
    const bool same =
        std::equal(args.begin(), args.end(), call.args.begin()) && (!layouts || sameAttrs(layouts->attrs, call.attrs));
    Expr value = binding->value;
    if (!same) {
      auto* made = new relax::Call(call);
      made->args = Array<Expr>(std::move(args));
      if (layouts) made->attrs = layouts->attrs;
      made->sinfo = nullptr;
      value = Expr(made);
    }
    NLayout output = layouts ? layouts->output : initial;
    if (!isLocal(*binding->var) && !(output == initial)) {
      value = relaid(builder.emit(value), output, initial);
      output = initial;
    }
    rebind(binding, value);
    layouts_[binding->var.get()] = std::move(output);
  }

  /// A tuple for this block has its fields as they are.
  void convertTuple(const Ref<relax::VarBinding>& binding, const relax::Tuple& tuple) {
    std::vector<Expr> fields;
    std::vector<NLayout> layouts;
    for (const Expr& field : tuple.items) {
      layouts.push_back(isLocal(*binding->var) ? analysis::layoutOf(layouts_, field)
                                               : analysis::initialNLayout(field->sinfo));
      fields.push_back(converted(field, layouts.back()));
    }
    const bool same = std::equal(fields.begin(), fields.end(), tuple.items.begin());
    rebind(binding, same ? binding->value : Expr(make<relax::Tuple>(Array<Expr>(std::move(fields)))));
    layouts_[binding->var.get()] = NLayout(std::move(layouts));
  }

  void convertItem(const Ref<relax::VarBinding>& binding, const relax::TupleGetItem& item) {
    const NLayout layout =
        isLocal(*binding->var) ? analysis::layoutOf(layouts_, item.tuple) : analysis::initialNLayout(item.tuple->sinfo);
    const Expr tuple = converted(item.tuple, layout);
    rebind(binding, tuple == item.tuple ? binding->value : Expr(make<relax::TupleGetItem>(tuple, item.index)));
    const auto index = static_cast<size_t>(item.index);
    if (index < layout.items.size()) layouts_[binding->var.get()] = layout.items[index];
  }

  /// What an expression of the block as it was is now, in this layout.
  Expr converted(const Expr& expr, const NLayout& to) {
    return relaid(plain(expr), analysis::layoutOf(layouts_, expr), to);
  }
  /// The same without a change of layouts.
  Expr plain(const Expr& expr) {
    if (const auto var = refAs<relax::Var>(expr)) return mapped(var);
    const auto* tuple = as<relax::Tuple>(expr);
    if (!tuple) return expr;
    std::vector<Expr> items;
    for (const Expr& item : tuple->items) items.push_back(withStack([&] { return plain(item); }));
    if (std::equal(items.begin(), items.end(), tuple->items.begin())) return expr;
    return make<relax::Tuple>(Array<Expr>(std::move(items)));
  }

  Expr relaid(const Expr& expr, const NLayout& from, const NLayout& to) {
    if (from == to) return expr;
    if (from.form == NLayout::Form::Tuple && to.form == NLayout::Form::Tuple && from.items.size() == to.items.size()) {
      const auto* tuple = as<relax::Tuple>(expr);
      std::vector<Expr> fields;
      for (size_t i = 0; i < from.items.size(); ++i) {
        const Expr field = tuple ? tuple->items[i] : Expr(make<relax::TupleGetItem>(expr, static_cast<int64_t>(i)));
        fields.push_back(withStack([&] { return relaid(field, from.items[i], to.items[i]); }));
      }
      return make<relax::Tuple>(Array<Expr>(std::move(fields)));
    }
    if (!from.isTensor() || !to.isTensor()) {
      report(expr->span, "a value has no layout where one is needed");
      return expr;
    }
    return from.text.empty() ? expr : tensorIn(expr, from.text, to.text);
  }

  Expr tensorIn(const Expr& tensor, const analysis::LayoutText& from, const analysis::LayoutText& to) {
    const auto rank = static_cast<int64_t>(analysis::partCount(from));
    if (analysis::partCount(to) == analysis::partCount(from)) {
      const auto initial = analysis::initialLayout(rank);
      const auto order = initial ? analysis::movedLike(*initial, from, to) : std::nullopt;
      if (order) {
        std::vector<int64_t> axes;
        for (char c : *order) axes.push_back(c - 'A');
        return op::makeCall("relax.permute_dims", {tensor}, {{"axes", ir::intArrayAttr(axes)}});
      }
    } else if (const auto map = analysis::indexMap(from, to)) {
      return op::makeCall("relax.layout_transform", {tensor}, {{"index_map", *map}});
    }
    report(tensor->span, fmt::format("a tensor can not be brought from layout {} to {}", from, to));
    return tensor;
  }

  /// StructInfo of tensors in another layout.
  relax::StructInfo withLayout(const relax::StructInfo& info, const NLayout& from, const NLayout& to, Span span) {
    if (from == to) return info;
    if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
      std::vector<relax::StructInfo> items;
      for (size_t i = 0; i < tuple->items.size() && i < from.items.size() && i < to.items.size(); ++i) {
        items.push_back(withStack([&] { return withLayout(tuple->items[i], from.items[i], to.items[i], span); }));
      }
      return relax::tupleSinfo(Array<relax::StructInfo>(std::move(items)));
    }
    const auto* tensor = as<relax::TensorStructInfo>(info);
    const auto* shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
    if (!shape) return info;
    const std::vector<std::string> before = analysis::partsOf(from.text), after = analysis::partsOf(to.text);
    std::vector<tir::PrimExpr> dims;
    for (const std::string& part : after) {
      const auto at = std::find(before.begin(), before.end(), part);
      if (at != before.end()) dims.push_back(shape->values[static_cast<size_t>(at - before.begin())]);
    }
    if (after.size() != shape->values.size() || dims.size() != after.size()) {
      report(span, "a match_cast can not follow a tensor whose dimensions are split");
      return info;
    }
    const Array<tir::PrimExpr> values(std::move(dims));
    return make<relax::TensorStructInfo>(make<relax::ShapeExpr>(values), tensor->dtype, tensor->vdevice);
  }

  const LayoutWishes& wishes_;
  std::vector<pass::Remark>* remarks_;  ///< null: nobody listens
  analysis::LayoutMap layouts_;
  bool inBlock_ = false;
};

}  // namespace

Result<relax::FunctionRef> withLayouts(std::string_view pass, const relax::FunctionRef& function,
                                       build::ModuleContext& context, const LayoutWishes& wishes,
                                       std::vector<pass::Remark>* remarks) {
  return LayoutConverter(pass, context, wishes, remarks).rewrite(function);
}

}  // namespace rx::transform
