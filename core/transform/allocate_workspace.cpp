// AllocateWorkspace: functions for an external library that need memory of their own get it as a last parameter; who
// calls them allocates it once for all.
#include <algorithm>

#include "core/build/mutator.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::FunctionRef;
using relax::VarRef;

constexpr std::string_view kSize = "WorkspaceSize";
constexpr std::string_view kCodegen = "Codegen";
constexpr std::string_view kComposite = "Composite";

bool says(const ir::BaseFuncNode& function, std::string_view attr) {
  return static_cast<bool>(ir::attrOf(function.attrs, attr));
}

relax::StructInfo workspaceInfo(int64_t size) {
  const tir::PrimExpr dims[] = {tir::intImm(size)};
  return relax::tensorSinfo(dims, DataType::UInt(8));
}

/// Gives a function for a library, and the library's functions inside, a workspace.
class WorkspaceTaker : public build::Mutator {
 public:
  WorkspaceTaker(build::ModuleContext& context, int64_t size) : Mutator("AllocateWorkspace", &context), size_(size) {}

 protected:
  FunctionRef visitFunction(const FunctionRef& function) override {
    const bool external = says(*function, kCodegen) || says(*function, kComposite);
    if (!external || !says(*function, kSize)) return Mutator::visitFunction(function);
    std::vector<VarRef> params = function->params.vector();
    params.push_back(make<relax::Var>(Str("workspace"), workspaceInfo(size_)));
    if (says(*function, kCodegen)) workspace_ = params.back();
    auto* made = new relax::Function(Array<VarRef>(std::move(params)), function->body, function->retSinfo,
                                     function->isPure, ir::withoutAttr(function->attrs, kSize));
    made->span = function->span;
    return Mutator::visitFunction(FunctionRef(made));
  }

  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    const auto* function = as<relax::Function>(binding->value);
    Mutator::visitVarBinding(binding);
    if (function && says(*function, kComposite)) composites_.insert(as<relax::Var>(mapped(binding->var)));
  }

  Expr visitCall(const Ref<relax::Call>& node) override {
    const Expr visited = Mutator::visitCall(node);
    const auto* call = as<relax::Call>(visited);
    if (!call || !workspace_ || !composites_.contains(as<relax::Var>(call->op))) return visited;
    std::vector<Expr> args = call->args.vector();
    args.push_back(workspace_);
    return make<relax::Call>(call->op, Array<Expr>(std::move(args)), call->attrs, call->sinfoArgs);
  }

 private:
  int64_t size_;
  VarRef workspace_;  ///< of the function for the library
  std::unordered_set<const relax::Var*> composites_;
};

/// Allocates one workspace a function, at the start of its first dataflow block.
class WorkspaceGiver : public build::Mutator {
 public:
  WorkspaceGiver(build::ModuleContext& context, int64_t size,
                 const std::unordered_map<std::string_view, relax::GlobalVarRef>& takers)
      : Mutator("AllocateWorkspace", &context), size_(size), takers_(takers) {}

 protected:
  void visitBlock(const relax::BlockRef& block) override {
    if (!block->isDataflow()) return Mutator::visitBlock(block);
    builder.beginDataflow();
    if (!workspace_) {
      const Array<tir::PrimExpr> dims{tir::intImm(size_)};
      workspace_ = builder.emit(
          op::makeCall("relax.builtin.alloc_tensor",
                       {make<relax::ShapeExpr>(dims), typeImm(DataType::UInt(8)), primInt(0), textImm("global")}),
          "workspace_main");
    }
    for (const relax::Binding& binding : block->bindings) visitBinding(binding);
    builder.endDataflow();
  }

  Expr visitCall(const Ref<relax::Call>& node) override {
    const auto* name = as<relax::GlobalVar>(node->op);
    auto taker = name ? takers_.find(name->name.view()) : takers_.end();
    if (taker == takers_.end()) return Mutator::visitCall(node);
    if (!workspace_) {
      builder.report(errorAt(node->span, "pass.workspace", "a workspace is needed before the first dataflow block"));
      return node;
    }
    std::vector<Expr> args;
    for (const Expr& arg : node->args) args.push_back(visit(arg));
    args.push_back(workspace_);
    return make<relax::Call>(taker->second, Array<Expr>(std::move(args)), node->attrs, node->sinfoArgs);
  }

 private:
  int64_t size_;
  VarRef workspace_;
  const std::unordered_map<std::string_view, relax::GlobalVarRef>& takers_;
};

}  // namespace

Result<ir::Module> allocateWorkspace(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  int64_t size = 0;
  for (const ir::BaseFunc& function : module->functions) {
    size = std::max(size, ir::intAttrOf(function->attrs, kSize, 0));
  }
  if (size == 0) return module;
  build::ModuleContext moduleContext(module);
  moduleContext.setCancel(context.cancel);
  std::unordered_map<std::string_view, relax::GlobalVarRef> takers;
  for (const auto& [var, function] : module->entries()) {
    auto relaxFunction = refAs<relax::Function>(function);
    if (!relaxFunction || !says(*function, kSize)) continue;
    RX_TRY(taking, WorkspaceTaker(moduleContext, size).rewrite(relaxFunction));
    const auto renamed = moduleContext.add(taking, var->name.view(), true);
    moduleContext.update(renamed, ir::withFunctionAttr(taking, "global_symbol", ir::strAttr(renamed->name)));
    moduleContext.remove(var->name.view());
    takers.emplace(var->name.view(), renamed);
  }
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    auto relaxFunction = refAs<relax::Function>(function);
    if (!relaxFunction || says(*function, kCodegen) || says(*function, kComposite) || says(*function, kSize)) continue;
    RX_TRY(giving, WorkspaceGiver(moduleContext, size, takers).rewrite(relaxFunction));
    moduleContext.update(var, giving);
  }
  return moduleContext.module();
}

}  // namespace rx::transform
