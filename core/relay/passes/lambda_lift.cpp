// LambdaLift: functions within functions become functions of the module. One that uses variables around it becomes a
// function of these that gives it, marked Closure, and is made by a call where it stood.
#include <fmt/format.h>

#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/ir/structural_equal.h"
#include "core/ir/structural_hash.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

bool hasMark(const Function& function, const char* name) { return ir::intAttrOf(function.attrs, name, 0) != 0; }

/// Type variables that a function uses and does not bind.
std::vector<Ref<TypeVar>> freeTypeVariables(const FunctionRef& function) {
  std::unordered_set<const Node*> bound;
  std::vector<Ref<TypeVar>> out;
  walkOnce(*function, Into::All, [&](const Node& node) {
    const auto* inner = as<Function>(&node);
    const auto* type = as<FuncType>(&node);
    const Array<Ref<TypeVar>>* own = inner ? &inner->typeParams : type ? &type->typeParams : nullptr;
    for (size_t i = 0; own && i < own->size(); ++i) bound.insert((*own)[i].get());
    return true;
  });
  walkOnce(*function, Into::All, [&](const Node& node) {
    if (isa<Constructor>(&node)) return false;  // its variables are those of the definition of its type
    if (isa<TypeVar>(&node) && bound.insert(&node).second) out.push_back(Ref<TypeVar>(as<TypeVar>(&node)));
    return true;
  });
  return out;
}

class Lifter {
 public:
  explicit Lifter(const ir::Module& module) : entries_(module->entries()), module_(module) {}

  Result<ir::Module> run(const CancelToken& cancel) {
    const size_t count = entries_.size();  // what is lifted is appended, and has no functions within
    for (size_t i = 0; i < count; ++i) {
      if (cancel.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
      const auto function = refAs<Function>(entries_[i].second);
      if (function && !ir::attrOf(function->attrs, "Compiler")) entries_[i].second = withoutInner(function);
    }
    return lifted_.empty() ? module_ : module_->with(std::move(entries_));
  }

 private:
  FunctionRef withoutInner(const FunctionRef& root) {
    std::unordered_map<const Node*, VarRef> nameOf;  // variables that functions are bound to
    walkOnce(*root, Into::Parts, [&](const Node& node) {
      const auto* let = as<Let>(&node);
      if (let && isa<Function>(let->value)) nameOf.emplace(let->value.get(), let->var);
      return true;
    });
    return refAs<Function>(rewriteGraph(
        root,
        [&](const NodeRef& node) -> NodeRef {
          const auto* inner = as<Function>(node);
          return inner && inner != root.get() && hasMark(*inner, "Primitive") ? node : nullptr;
        },
        [&](const NodeRef& before, const NodeRef& now) -> NodeRef {
          if (!isa<Function>(before) || before == NodeRef(root)) return now;
          const auto own = nameOf.find(before.get());
          return lifted(refAs<Function>(before), refAs<Function>(now), own == nameOf.end() ? nullptr : own->second);
        }));
  }

  /// What stands in the place of a function that has none within. `self` is the variable that it knows itself by.
  Expr lifted(const FunctionRef& before, const FunctionRef& now, const VarRef& self) {
    std::vector<Expr> captured;
    std::vector<VarRef> params;
    std::unordered_map<const Node*, Expr> by;
    for (const VarRef& var : freeVariables(now)) {
      if (var == self) continue;
      const Type type = var->typeAnnotation ? var->typeAnnotation : typeOf(var);
      captured.push_back(var);
      params.push_back(make<Var>(var->name, type, var->virtualDevice));
      by.emplace(var.get(), params.back());
    }
    const std::vector<Ref<TypeVar>> types = freeTypeVariables(before);
    const bool isClosure = !captured.empty() || !types.empty();
    auto closureOf = [&](const Expr& global, std::vector<Expr> values) {
      return isClosure ? Expr(make<Call>(global, Array<Expr>(std::move(values)))) : global;
    };
    const std::string name = fmt::format("lifted_name{}", structuralHash(before));
    for (size_t n = 0;; ++n) {
      const auto global = make<relax::GlobalVar>(Str(n == 0 ? name : fmt::format("{}_{}", name, n)));
      if (self) by[self.get()] = closureOf(global, {params.begin(), params.end()});
      FunctionRef made = refAs<Function>(replaceExprs(now, by));
      if (isClosure) {
        const ir::Attrs mark = ir::withAttr(nullptr, "Closure", ir::intAttr(1));
        made = make<Function>(Array<VarRef>(params), made, typeOf(before), Array<Ref<TypeVar>>(types), mark);
      }
      if (isAdded(global, made)) return closureOf(global, std::move(captured));
    }
  }

  /// Adds a function where none has its name; whether the function of that name is then the same.
  bool isAdded(const relax::GlobalVarRef& name, const FunctionRef& function) {
    const auto [known, isNew] = lifted_.emplace(name->name.view(), function);
    if (isNew && module_->find(name.get()))
      known->second = refAs<Function>(module_->find(name.get()));
    else if (isNew)
      entries_.emplace_back(name, function);
    return known->second && structuralEqual(known->second, function);
  }

  std::vector<ir::IRModule::Entry> entries_;
  ir::Module module_;
  std::unordered_map<std::string, FunctionRef> lifted_;  ///< by name; null: a name that is taken otherwise
};

}  // namespace

Result<ir::Module> lambdaLift(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  RX_TRY(typed, inferTypes(module, context.cancel));
  RX_TRY(lifted, Lifter(typed).run(context.cancel));
  return inferTypes(lifted, context.cancel);
}

}  // namespace rx::relay
