#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/relay/emit.h"
#include "core/relay/passes/external_ops.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

constexpr std::string_view kDefault = "default";

/// Compilers, the preferred first, and the operators that the user says one takes.
struct Compiler {
  std::string name;
  std::optional<std::vector<std::string>> operators;

  /// One of which nothing is known is taken to take all.
  bool takes(const Call& call, std::string_view op) const {
    if (operators) return std::find(operators->begin(), operators->end(), op) != operators->end();
    return !isKnownCompiler(name) || takesCall(name, call);
  }
};

/// Marks where the operators of a compiler begin and end.
class Annotator {
 public:
  Annotator(const std::vector<Compiler>& compilers, bool takesAll) : compilers_(compilers), takesAll_(takesAll) {}

  Expr rewritten(const Expr& before, const Expr& now) {
    if (isa<Call>(now)) return call(refAs<Call>(before), refAs<Call>(now));
    if (const auto* function = as<Function>(now)) return this->function(refAs<Function>(before), *function);
    if (const auto* let = as<Let>(now)) return this->let(*let);
    std::vector<Expr> operands;
    appendOperands(*now, operands);
    if (operands.empty() || isa<Match>(now)) return now;
    if (isa<If>(now) || !takesAll_) {
      for (Expr& operand : operands) operand = ended(operand);
      return withOperands(now, operands);
    }
    std::string target;
    const Expr made = withOperands(now, annotated(operands, target));
    remember(made, target);
    return made;
  }

 private:
  static Expr mark(const char* op, const Expr& expr, std::string_view target) {
    return callOp(op, {expr}, {{"compiler", ir::strAttr(Str(target))}});
  }
  static std::string_view compilerOf(const Call& call) { return textAttrOf(call, "compiler"); }
  const std::string* targetOf(const Expr& expr) const {
    const auto hit = targetOf_.find(expr.get());
    return hit == targetOf_.end() ? nullptr : &hit->second;
  }
  void remember(const Expr& expr, std::string target) {
    kept_.push_back(expr);
    targetOf_[expr.get()] = std::move(target);
  }

  /// The arguments of what runs on a target, each with the end of where it comes from and a begin. Where no target is
  /// given it is the one that all arguments come from, or the default.
  std::vector<Expr> annotated(const std::vector<Expr>& args, std::string& target) {
    std::string common;
    std::vector<Expr> begun, ends;
    for (const Expr& arg : args) {
      std::string from(kDefault);
      if (isCallOf(arg, "annotation.compiler_begin")) {
        const auto* begin = as<Call>(arg);
        (compilerOf(*begin) != kDefault ? begun : ends)
            .push_back(compilerOf(*begin) != kDefault ? arg : begin->args[0]);
        if (isCallOf(begin->args[0], "annotation.compiler_end")) from = compilerOf(*as<Call>(begin->args[0]));
      } else if (const std::string* known = targetOf(arg)) {
        from = *known;
        const auto* call = as<Call>(arg);
        ends.push_back(call && call->args.empty() ? arg : mark("annotation.compiler_end", arg, from));
      } else {
        ends.push_back(arg);
      }
      common = common.empty() || common == from ? from : std::string(kDefault);
    }
    if (target.empty()) target = common;
    if (common.empty()) return args;
    for (const Expr& end : ends) begun.push_back(mark("annotation.compiler_begin", end, target));
    return begun;
  }

  /// The expression with the end of its target, where it has one.
  Expr ended(const Expr& expr) {
    const auto* call = as<Call>(expr);
    const auto* tuple = as<Tuple>(expr);
    if (const std::string* known = targetOf(expr)) {
      const bool isEmpty = (call && call->args.empty()) || (tuple && tuple->items.empty());
      const bool marks = (call || tuple || isa<TupleGetItem>(expr) || isa<RefWrite>(expr) || isa<RefCreate>(expr) ||
                          isa<RefRead>(expr)) &&
                         !isEmpty;
      if (!marks) return expr;
      const std::string target = *known;
      const Expr made = mark("annotation.compiler_end", expr, target);
      remember(made, target);
      return made;
    }
    if (!isCallOf(expr, "annotation.compiler_end") || compilerOf(*call) != kDefault) return expr;
    const std::string* inner = targetOf(call->args[0]);
    const std::string target = inner ? *inner : std::string();
    const Expr made = mark("annotation.compiler_end", call->args[0], target);
    remember(made, target);
    return made;
  }

  std::string chosen(const Ref<Call>& before) const {
    const OpRow* row = calledOperator(before);
    for (const Compiler& compiler : compilers_) {
      if (row && compiler.takes(*before, row->name)) return compiler.name;
      const auto* function = as<Function>(before->op);
      const std::string_view composite = function ? ir::strAttrOf(function->attrs, "Composite") : "";
      const size_t dot = composite.find('.');
      if (dot != std::string_view::npos && composite.substr(0, dot) == compiler.name) return compiler.name;
    }
    return std::string(kDefault);
  }

  Expr call(const Ref<Call>& before, const Ref<Call>& now) {
    if (isCallOf(now, "annotation.compiler_begin")) return now;
    if (isCallOf(now, "annotation.compiler_end")) {
      if (!targetOf(now->args[0])) remember(now->args[0], std::string(compilerOf(*now)));
      return now;
    }
    const bool isMarked = !before->args.empty() && isCallOf(before->args[0], "annotation.compiler_begin");
    if (isMarked && compilerOf(*as<Call>(before->args[0])) != kDefault) return now;
    std::vector<Expr> args(now->args.begin(), now->args.end());
    std::string target = chosen(before);
    const bool isOfVar = isa<Var>(before->op) && !takesAll_;
    if (isOfVar) {
      for (Expr& arg : args) arg = ended(arg);
    } else {
      args = annotated(args, target);
    }
    auto* made = new Call(*now);
    made->args = Array<Expr>(std::move(args));
    const Expr out = Ref<Call>(made);
    if (!isOfVar) remember(out, target);
    return out;
  }

  Expr function(const FunctionRef& before, const Function& now) {
    if (ir::attrOf(before->attrs, "Composite")) return before;
    const Expr body[] = {ended(now.body)};
    return withOperands(Ref<Function>(&now), body);
  }

  Expr let(const Let& now) {
    const Expr body = ended(now.body);
    std::string target;
    const Expr value = isa<Function>(now.value) ? now.value : annotated({now.value}, target)[0];
    const Expr operands[] = {value, body};
    return withOperands(Ref<Let>(&now), operands);
  }

  const std::vector<Compiler>& compilers_;
  bool takesAll_;  ///< tuples, references and branches belong to targets too
  std::unordered_map<const Node*, std::string> targetOf_;
  std::vector<Expr> kept_;  ///< keys of the map stay alive
};

/// The texts of an option that is a list of them or one alone.
std::vector<std::string> textsOf(const NodeRef& value) {
  std::vector<std::string> texts;
  if (const auto* one = as<ir::StrAttr>(value)) texts.push_back(one->value.string());
  const auto* list = as<ir::ArrayAttr>(value);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    if (const auto* item = as<ir::StrAttr>(list->items[i])) texts.push_back(item->value.string());
  }
  return texts;
}

Result<std::vector<Compiler>> compilersOf(const ir::Attrs& given, pass::PassContext& context) {
  const auto operators = refAs<ir::DictAttrs>(ir::attrOf(given, "operators"));
  std::vector<Compiler> compilers;
  for (const std::string& name : textsOf(ir::attrOf(given, "targets"))) {
    Compiler compiler{name, std::nullopt};
    if (const NodeRef named = ir::attrOf(operators, name)) compiler.operators = textsOf(named);
    for (size_t i = 0; compiler.operators && i < compiler.operators->size(); ++i) {
      const std::string& op = (*compiler.operators)[i];
      if (!findOperator(op)) return fail("pass.option-value", fmt::format("operators: Relay has no operator {}", op));
    }
    if (!compiler.operators && !isKnownCompiler(name)) {
      Diagnostic unknown =
          warningAt({}, "relay.unknown-compiler",
                    fmt::format("which operators \"{}\" takes is said by a program of its own: all are marked", name));
      unknown.fix = fmt::format("operators={{\"{}\": [\"nn.relu\", ...]}} names those that it takes", name);
      context.messages.push_back(std::move(unknown));
    }
    compilers.push_back(std::move(compiler));
  }
  return compilers;
}

}  // namespace

Result<ir::Module> annotateTarget(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  RX_TRY(compilers, compilersOf(given, context));
  const bool takesAll = ir::boolAttrOf(given, "include_non_call_ops", true);
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    Annotator annotator(compilers, takesAll);
    return refAs<Function>(rewriteGraph(function, nullptr, [&](const NodeRef& before, const NodeRef& now) -> NodeRef {
      const auto expr = refAs<relax::ExprNode>(now);
      return expr ? NodeRef(annotator.rewritten(refAs<relax::ExprNode>(before), expr)) : now;
    }));
  });
}

}  // namespace rx::relay
