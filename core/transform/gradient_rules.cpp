#include "core/transform/gradient_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/op/rules.h"
#include "core/support/stack.h"

namespace rx::transform {

using relax::Expr;

namespace {
const std::vector<GradientRow>& table() {
  static const std::vector<GradientRow> rows = [] {
    std::vector<GradientRow> all;
    for (auto family : {elementwiseGradients(), tensorGradients(), nnGradients()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return rows;
}
}  // namespace

std::span<const GradientRow> allGradientRows() { return table(); }

GradientRule gradientRule(std::string_view op) {
  static const std::map<std::string_view, GradientRule> rules = [] {
    std::map<std::string_view, GradientRule> byName;
    for (const GradientRow& row : table()) byName.emplace(row.op, row.rule);
    return byName;
  }();
  auto rule = rules.find(op);
  return rule == rules.end() ? nullptr : rule->second;
}

Expr SharedNormalizer::normal(const Expr& expr) {
  auto arguments = [&](const Array<Expr>& exprs) {
    std::vector<Expr> out;
    for (const Expr& each : exprs) out.push_back(withStack([&] { return argument(each); }));
    return out;
  };
  if (const auto* call = as<relax::Call>(expr)) {
    std::vector<Expr> args = arguments(call->args);
    if (std::ranges::equal(args, call->args)) return expr;
    return make<relax::Call>(call->op, Array<Expr>(std::move(args)), call->attrs, call->sinfoArgs, call->sinfo);
  }
  if (const auto* item = as<relax::TupleGetItem>(expr)) {
    const Expr tuple = withStack([&] { return argument(item->tuple); });
    return tuple == item->tuple ? expr : Expr(make<relax::TupleGetItem>(tuple, item->index, item->sinfo));
  }
  const auto* tuple = as<relax::Tuple>(expr);
  if (!tuple) return expr;
  std::vector<Expr> items = arguments(tuple->items);
  if (std::ranges::equal(items, tuple->items)) return expr;
  return make<relax::Tuple>(Array<Expr>(std::move(items)), tuple->sinfo);
}

Expr SharedNormalizer::argument(const Expr& expr) {
  if (isa<relax::Tuple>(expr)) return normal(expr);
  if (!isa<relax::Call>(expr) && !isa<relax::TupleGetItem>(expr)) return expr;
  if (auto known = emitted_.find(expr.get()); known != emitted_.end()) return known->second.second;
  const Expr var = builder_.emit(normal(expr));
  emitted_.emplace(expr.get(), std::pair(expr, var));
  return var;
}

Expr GradientMaker::call(std::string_view op, std::vector<Expr> args, std::initializer_list<op::Keyword> attrs) {
  for (const Expr& arg : args) {
    if (!arg) return nullptr;  // what it is made of failed
  }
  const Ref<relax::Call> made = op::makeCall(op, std::move(args), attrs);
  Result<relax::StructInfo> info = build::deduceCall(*made, query_.normalizer.context());
  if (!info) {
    problems_.insert(problems_.end(), info.diagnostics().begin(), info.diagnostics().end());
    return nullptr;
  }
  return make<relax::Call>(made->op, made->args, made->attrs, made->sinfoArgs, *info);
}

Expr GradientMaker::sum(const Expr& a, NodeRef axis, bool keepdims) {
  return call("relax.sum", {a}, {{"axis", std::move(axis)}, {"keepdims", ir::boolAttr(keepdims)}});
}

Expr GradientMaker::axisCall(std::string_view op, const Expr& a, std::vector<int64_t> axes) {
  return call(op, {a}, {{"axis", ir::intArrayAttr(axes)}});
}

Expr GradientMaker::scalar(double value, const Expr& like) {
  const auto* tensor = like ? as<relax::TensorStructInfo>(like->sinfo) : nullptr;
  if (!tensor || tensor->dtype.isVoid()) {
    refuse("an element type is not known");
    return nullptr;
  }
  return make<relax::Constant>(HostTensor::scalar(tensor->dtype, value),
                               relax::tensorSinfo(std::span<const tir::PrimExpr>(), tensor->dtype));
}

std::vector<tir::PrimExpr> GradientMaker::dimsOf(const Expr& tensor) {
  const Array<tir::PrimExpr>* dims = tensor ? op::dimsOf(tensor->sinfo) : nullptr;
  if (!dims) refuse("a shape is not known");
  return dims ? dims->vector() : std::vector<tir::PrimExpr>();
}

Expr GradientMaker::shapeOf(const Expr& tensor) {
  const auto* info = tensor ? as<relax::TensorStructInfo>(tensor->sinfo) : nullptr;
  if (info && info->shape) return info->shape;
  refuse("a shape is not known");
  return nullptr;
}

int64_t GradientMaker::number(const tir::PrimExpr& dim) {
  const auto value = tir::asInt(query_.normalizer.context().analyzer().simplify(dim));
  if (!value) refuse("a size is not a number");
  return value.value_or(1);
}

Expr GradientMaker::fit(const Expr& grad, const Expr& like) {
  const Expr have = shapeOf(grad), want = shapeOf(like);
  if (!have || !want) return nullptr;
  query_.normalizer.normal(grad);  // to ask for its shape, TVM emits what nests in it
  const auto* a = as<relax::ShapeStructInfo>(have->sinfo);
  const auto* b = as<relax::ShapeStructInfo>(want->sinfo);
  if (!a || !b || !a->known || !b->known) {
    refuse("a shape is not known");
    return nullptr;
  }
  const bool same = std::ranges::equal(a->values, b->values, [&](const tir::PrimExpr& x, const tir::PrimExpr& y) {
    return query_.normalizer.context().analyzer().canProveEqual(x, y);
  });
  return same ? grad : call("relax.collapse_sum_to", {grad, want});
}

void GradientMaker::refuse(std::string_view why) {
  const auto* op = as<relax::Op>(query_.call.op);
  problems_.push_back(errorAt(query_.call.span, "pass.gradient",
                              fmt::format("the gradient of {} can not be written: {}", op->name.view(), why)));
}

Result<Partials> GradientMaker::done(Partials partials) const {
  if (!problems_.empty()) return fail(problems_);
  return partials;
}

}  // namespace rx::transform
