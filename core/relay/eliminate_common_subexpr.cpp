#include <unordered_map>
#include <unordered_set>

#include "core/ir/structural_equal.h"
#include "core/relay/op_table.h"
#include "core/relay/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// One node, or two constants of one number.
bool sameValue(const Expr& a, const Expr& b) {
  if (a == b) return true;
  const auto *x = as<Constant>(a), *y = as<Constant>(b);
  return x && y && x->data && y->data && x->data->rank() == 0 && x->data->identical(*y->data);
}

bool sameValues(const Array<Expr>& a, const Array<Expr>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), sameValue);
}

/// The same, where tuples of the same values are the same too.
bool sameArgument(const Expr& a, const Expr& b) {
  const auto *x = as<Tuple>(a), *y = as<Tuple>(b);
  return sameValue(a, b) || (x && y && sameValues(x->items, y->items));
}

/// Calls by their operator and first argument, items by their tuple: what was computed, and may be computed again.
class Computed {
 public:
  explicit Computed(std::unordered_set<std::string> skipped) : skipped_(std::move(skipped)) {}

  NodeRef first(const NodeRef& node) {
    if (const auto item = refAs<TupleGetItem>(node)) {
      for (const Expr& known : known_[item->tuple.get()]) {
        const auto* other = as<TupleGetItem>(known);
        if (other && other->index == item->index) return known;
      }
      known_[item->tuple.get()].push_back(item);
      return item;
    }
    const auto call = refAs<Call>(node);
    const OpRow* row = calledOperator(call);
    if (!row || call->args.empty() || row->stateful || skipped_.contains(std::string(row->name))) return node;
    for (const Expr& known : known_[call->op.get()]) {
      const auto* other = as<Call>(known);
      const bool same = other && other->args.size() == call->args.size() &&
                        std::equal(call->args.begin(), call->args.end(), other->args.begin(), sameArgument) &&
                        structuralEqual(call->attrs, other->attrs);
      if (same) return known;
    }
    known_[call->op.get()].push_back(call);
    return call;
  }

 private:
  std::unordered_set<std::string> skipped_;
  std::unordered_map<const Node*, std::vector<Expr>> known_;
};

std::unordered_set<std::string> skippedNames(const ir::Attrs& given) {
  std::unordered_set<std::string> out;
  const NodeRef value = ir::attrOf(given, "fskip");
  if (const auto* name = as<ir::StrAttr>(value)) out.insert(name->value.string());
  const auto* list = as<ir::ArrayAttr>(value);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    if (const auto* name = as<ir::StrAttr>(list->items[i])) out.insert(name->value.string());
  }
  return out;
}

}  // namespace

Result<ir::Module> eliminateCommonSubexpr(const ir::Module& module, const ir::Attrs& given,
                                          pass::PassContext& context) {
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    Computed computed(skippedNames(given));
    return refAs<Function>(rewriteGraph(
        function, nullptr, [&](const NodeRef&, const NodeRef& rebuilt) { return computed.first(rebuilt); }));
  });
}

}  // namespace rx::relay
