#include "core/relay/passes/let_list.h"

namespace rx::relay {

Expr LetList::push(Expr value) {
  auto* var = new Var(name_, declares_ ? refAs<TypeNode>(value->sinfo) : nullptr);
  var->sinfo = value->sinfo;
  return push(VarRef(var), std::move(value));
}

Expr LetList::push(const VarRef& var, Expr value) {
  bindings_.emplace_back(var, std::move(value));
  return var;
}

Expr LetList::wrap(Expr body) const {
  for (size_t i = bindings_.size(); i-- > 0;) {
    auto* let = new Let(bindings_[i].first, bindings_[i].second, body);
    let->sinfo = body->sinfo;
    body = Ref<Let>(let);
  }
  return body;
}

}  // namespace rx::relay
