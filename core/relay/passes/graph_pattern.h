// Patterns of expression graphs, and rewriting by them. A pattern that is met twice stands for one expression.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>

#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"

namespace rx::relay {

struct GraphPattern;
using PatternRef = std::shared_ptr<const GraphPattern>;

struct GraphPattern {
  enum class Kind : uint8_t { Any, Constant, Call, Either };
  Kind kind;
  std::vector<std::string_view> ops;       ///< of a call; none: those that `fits` says
  std::function<bool(const OpRow&)> fits;  ///< null: by name
  std::vector<PatternRef> parts;           ///< the arguments of a call, or the alternatives in their order
};

PatternRef anyExpr();
PatternRef anyConstant();
/// A call of one of these operators. Arguments of add and multiply may stand in either order.
PatternRef callOf(std::vector<std::string_view> ops, std::vector<PatternRef> args);
PatternRef callWhere(std::function<bool(const OpRow&)> fits, std::vector<PatternRef> args);
PatternRef either(std::vector<PatternRef> alternatives);

/// What the parts of a pattern stand for. The first alternative that fits is taken, as TVM takes it.
class PatternMatch {
 public:
  bool match(const PatternRef& pattern, const Expr& expr);
  /// Null where the pattern is in an alternative that was not taken.
  Expr operator[](const PatternRef& pattern) const {
    const auto hit = found_.find(pattern.get());
    return hit == found_.end() ? nullptr : hit->second;
  }
  /// The calls that the pattern is made of, its root among them.
  std::vector<const Node*> calls() const;

 private:
  bool matchNew(const GraphPattern& pattern, const Expr& expr);
  bool matchArgs(const Call& call, const PatternRef* args, size_t count, bool swapped);
  void forget(size_t mark);

  std::unordered_map<const GraphPattern*, Expr> found_;
  std::vector<const GraphPattern*> order_;
};

/// What a rule makes of an expression, and the calls that it looked into.
struct PatternRewrite {
  Expr made;  ///< null: nothing
  std::vector<const Node*> inner;
};
using PatternRule = std::function<PatternRewrite(const Expr&)>;

/// The rule of a pattern and what to make of what it stands for (null: nothing).
PatternRule ruleOf(PatternRef pattern, std::function<Expr(const Call& root, const PatternMatch&)> make);

/// Applies a rule once wherever it fits, uses before what they use. What it looks into may not be used elsewhere.
Expr rewrittenOnce(const Expr& root, const PatternRule& rule);

/// Applies each rule in turn wherever it fits, uses before what they use, until none does. What a rule looks into may
/// not be used elsewhere.
Result<ir::Module> rewriteByRules(const ir::Module& module, pass::PassContext& context,
                                  const std::vector<PatternRule>& rules);

}  // namespace rx::relay
