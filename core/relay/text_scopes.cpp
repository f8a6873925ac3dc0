#include "core/relay/text_scopes.h"

#include <unordered_map>
#include <vector>

#include "core/ir/relay_bindings.h"
#include "core/relay/scopes.h"

namespace rx::relay {
namespace {

/// How many blocks the value of a binding holds, in the order in which Scopes numbers them.
size_t blocksOf(const relax::ExprNode& expr) {
  if (isa<If>(&expr)) return 2;
  if (isa<Function>(&expr)) return 1;
  const auto* match = as<Match>(&expr);
  return match ? match->clauses.size() : 0;
}

class Namer {
 public:
  Namer(const FunctionRef& function, const ir::TextFunction& text) : text_(text), scopes_(Expr(function)) {
    opened_[scopes_.block(Expr(function), 0)] = 0;
    out_.scopes.push_back({});
  }

  ir::TextScopes run() {
    findBlocks();
    out_.of.reserve(text_.bindings.size());
    for (const ir::TextBinding& binding : text_.bindings) out_.of.push_back(numberOf(scopeOf(binding)));
    return std::move(out_);
  }

 private:
  /// All that is used in a block comes behind who opens it, so that outer scopes come first.
  void findBlocks() {
    for (size_t i = 0; i < text_.bindings.size(); ++i) {
      const relax::ExprNode& value = *text_.bindings[i].value;
      for (size_t block = 0; block < blocksOf(value); ++block) {
        const size_t scope = scopes_.block(Expr(&value), block);
        if (opened_.try_emplace(scope, static_cast<int>(out_.scopes.size())).second)
          out_.scopes.push_back({static_cast<int>(i), static_cast<int>(block)});
      }
    }
  }

  /// A name for what has no line of its own stands where its `let` does.
  size_t scopeOf(const ir::TextBinding& binding) const {
    const auto* let = as<Let>(binding.node);
    if (let && isLeaf(*binding.value)) return scopes_.block(Expr(let), 0);
    return scopes_.of(Expr(binding.value));
  }

  /// Of the scopes around, the innermost one that a block opens; what is passed by on the way is remembered, so that a
  /// chain of `let` is walked once.
  int numberOf(size_t scope) {
    std::vector<size_t> passed;
    while (!opened_.contains(scope) && scopes_.parent(scope) != scope) {
      passed.push_back(scope);
      scope = scopes_.parent(scope);
    }
    const auto at = opened_.find(scope);
    const int number = at == opened_.end() ? 0 : at->second;
    for (const size_t inner : passed) opened_[inner] = number;
    return number;
  }

  const ir::TextFunction& text_;
  const Scopes scopes_;
  std::unordered_map<size_t, int> opened_;  // number of the scope that a scope of the graph lies in
  ir::TextScopes out_;
};

}  // namespace

ir::TextScopes textScopes(const FunctionRef& function, const ir::TextFunction& text) {
  return Namer(function, text).run();
}

}  // namespace rx::relay
