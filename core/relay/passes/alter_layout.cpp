#include "core/relay/passes/alter_layout.h"

#include <algorithm>
#include <map>

#include "core/relay/relations.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

struct RuleRow {
  std::string_view op;
  LayoutRule rule;
};
constexpr RuleRow kRules[] = {
#define RX_RELAY_LAYOUT(op, function) {op, layouts::function},
#include "core/relay/passes/layout_rules.def"
};

/// An expression in the layout that it was computed in; where that is not its own, it is put right where it is needed.
struct Arranged {
  Expr value;
  MaybeLayout before, now;      ///< its own layout, and the one that it is in
  bool isArranged = false;      ///< else `value` is as it was
  std::vector<Arranged> items;  ///< of a tuple, item by item
  bool isTuple = false;
};

class LayoutRewriter {
 public:
  explicit LayoutRewriter(const ChosenCall& choose) : choose_(choose) {}

  FunctionRef run(const FunctionRef& function) {
    for (const Expr& expr : postOrder(function)) done_[expr.get()] = rewritten(expr);
    return refAs<Function>(done_.at(function.get()).value);
  }

 private:
  /// The tensor moved from one layout to another. Axes that it has not are put before it.
  Expr moved(const Expr& tensor, const Layout& from, const Layout& to) {
    if (from == to) return tensor;
    Expr& known = moved_[{tensor.get(), from.name(), to.name()}];
    if (!known) {
      kept_.push_back(tensor);
      known = movedAnew(tensor, from, to);
    }
    return known;
  }
  static Expr movedAnew(Expr tensor, const Layout& from, const Layout& to) {
    Layout source = from;
    if (from.wholeAxes() < to.wholeAxes()) {
      // What has one element spreads over any layout as it is.
      const TensorType* type = tensorOf(tensor);
      if (type && std::all_of(type->shape.begin(), type->shape.end(), isOne)) return tensor;
      std::vector<Layout::Axis> axes;
      for (const Layout::Axis& axis : to.axes()) {
        if (axis.isWhole() && !from.has(axis.name)) axes.push_back(axis);
      }
      axes.insert(axes.end(), from.axes().begin(), from.axes().end());
      source = Layout(std::move(axes));
      const auto added = static_cast<int64_t>(to.wholeAxes() - from.wholeAxes());
      tensor = callOp("expand_dims", {tensor}, {{"axis", ir::intAttr(0)}, {"num_newaxis", ir::intAttr(added)}});
      if (source == to) return tensor;
    }
    return callOp("layout_transform", {tensor}, {{"src_layout", layoutAttr(source)}, {"dst_layout", layoutAttr(to)}});
  }

  Expr realized(const Arranged& each) {
    if (each.isTuple) {
      std::vector<Expr> items;
      bool same = true;
      const auto* tuple = as<Tuple>(each.value);
      for (size_t i = 0; i < each.items.size(); ++i) {
        items.push_back(realized(each.items[i]));
        same = same && tuple && items.back() == tuple->items[i];
      }
      return same && tuple ? each.value : tupleOf(std::move(items));
    }
    return each.isArranged && each.now && each.before ? moved(each.value, *each.now, *each.before) : each.value;
  }

  Arranged rewritten(const Expr& expr) {
    if (const auto* tuple = as<Tuple>(expr)) {
      Arranged out{expr, {}, {}, false, {}, true};
      for (const Expr& item : tuple->items) out.items.push_back(done_.at(item.get()));
      return out;
    }
    const auto* item = as<TupleGetItem>(expr);
    if (item && done_.at(item->tuple.get()).isTuple) {
      return done_.at(item->tuple.get()).items[static_cast<size_t>(item->index)];
    }
    if (isa<Call>(expr) && calledOperator(expr)) {
      if (auto made = arranged(refAs<Call>(expr))) return *made;
    }
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    for (Expr& operand : operands) operand = realized(done_.at(operand.get()));
    const Expr plain = operands.empty() ? expr : withOperands(expr, operands);
    if (plain == expr || !isa<Call>(expr)) return {plain, {}, {}, false, {}, false};
    auto* copy = new Call(*as<Call>(plain));
    copy->sinfo = expr->sinfo;
    return {Ref<Call>(copy), {}, {}, false, {}, false};
  }

  static std::optional<LayoutAnswer> answer(const LayoutQuestion& question) {
    const OpRow* row = calledOperator(Ref<Call>(&question.call));
    const LayoutRule rule = row ? layoutRule(*row) : nullptr;
    auto found = rule ? rule(question) : std::nullopt;
    auto unknown = [](const Layouts& all) {
      return std::any_of(all.begin(), all.end(), [](const MaybeLayout& each) { return !each; });
    };
    if (!found || unknown(found->in) || unknown(found->out)) return std::nullopt;
    return found;
  }

  /// The call in the layouts that are chosen for it; nothing where no rule says what these are.
  std::optional<Arranged> arranged(const Ref<Call>& before) {
    std::vector<const Arranged*> tensors;  // arguments, tuples item by item
    std::vector<Expr> args;
    for (const Expr& arg : before->args) {
      const Arranged& each = done_.at(arg.get());
      if (!each.isTuple) {
        tensors.push_back(&each);
        args.push_back(each.value);
        continue;
      }
      std::vector<Expr> items;
      for (const Arranged& item : each.items) {
        tensors.push_back(&item);
        items.push_back(item.value);
      }
      args.push_back(make<Tuple>(Array<Expr>(std::move(items))));
    }
    Layouts came, comes;
    for (const Arranged* tensor : tensors) {
      came.push_back(tensor->before);
      comes.push_back(tensor->now);
    }
    const auto first = answer({*before, nullptr, came, before->args});
    if (!first || first->in.size() != tensors.size()) return std::nullopt;
    Layouts cameNow = came, comesNow = comes;
    for (size_t i = 0; i < tensors.size(); ++i) {
      if (!comesNow[i]) comesNow[i] = first->in[i];
      if (!cameNow[i]) cameNow[i] = first->in[i];
    }
    auto* plain = new Call(before->op, Array<Expr>(args), first->attrs);
    plain->span = before->span;
    const Ref<Call> asked(plain);
    const Expr chosen = choose_(*before, asked);
    const Ref<Call> call = chosen ? refAs<Call>(chosen) : asked;
    const auto second = answer({*call, &comesNow, cameNow, before->args});
    if (!second || second->in.size() != tensors.size() || second->out.size() != first->out.size()) return std::nullopt;
    std::vector<Expr> items;
    for (size_t i = 0; i < tensors.size(); ++i) {
      items.push_back(rearranged(*tensors[i], came[i], *first->in[i], comes[i], *second->in[i]));
    }
    return result(*before, *call, regrouped(*call, items), *first, *second);
  }

  Expr rearranged(const Arranged& tensor, const MaybeLayout& came, const Layout& expected, const MaybeLayout& comes,
                  const Layout& wanted) {
    if (came && *came == expected) return comes ? moved(tensor.value, *comes, wanted) : tensor.value;
    Expr out = tensor.value;
    if (came && comes) out = moved(out, *comes, *came);
    return moved(out, expected, wanted);
  }

  /// Tensors as the arguments of a call, items as tuples again.
  static std::vector<Expr> regrouped(const Call& call, const std::vector<Expr>& tensors) {
    std::vector<Expr> args;
    size_t next = 0;
    for (const Expr& arg : call.args) {
      const auto* tuple = as<Tuple>(arg);
      if (!tuple) {
        args.push_back(tensors[next++]);
        continue;
      }
      std::vector<Expr> items(tensors.begin() + static_cast<ptrdiff_t>(next),
                              tensors.begin() + static_cast<ptrdiff_t>(next + tuple->items.size()));
      next += tuple->items.size();
      args.push_back(tupleOf(std::move(items)));
    }
    return args;
  }

  static Arranged result(const Call& before, const Call& call, std::vector<Expr> args, const LayoutAnswer& first,
                         const LayoutAnswer& second) {
    const Expr made = callAgain(call, std::move(args), second.attrs);
    if (!isa<TupleType>(before.sinfo)) return {made, first.out[0], second.out[0], true, {}, false};
    Arranged out{made, {}, {}, false, {}, true};
    for (size_t i = 0; i < second.out.size(); ++i) {
      out.items.push_back({itemOf(made, static_cast<int64_t>(i)), first.out[i], second.out[i], true, {}, false});
    }
    return out;
  }

  const ChosenCall& choose_;
  std::unordered_map<const Node*, Arranged> done_;
  std::map<std::tuple<const Node*, std::string, std::string>, Expr> moved_;
  std::vector<Expr> kept_;  ///< keys of moved_ stay alive
};

}  // namespace

LayoutRule layoutRule(const OpRow& row) {
  for (const RuleRow& each : kRules) {
    if (each.op == row.name) return each.rule;
  }
  if (row.inputs == 1 && row.pattern == OpPattern::ElementWise) return layouts::elementwise;
  const bool spreads = row.relation == relation::Broadcast || row.relation == relation::BroadcastComp;
  return spreads && row.inputs == 2 ? layouts::broadcast : nullptr;
}

FunctionRef withLayouts(const FunctionRef& function, const ChosenCall& choose) {
  return LayoutRewriter(choose).run(function);
}

}  // namespace rx::relay
