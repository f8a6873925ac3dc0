// RemoveUnusedOutputs: private functions that return a tuple lose the fields that no caller reads.
#include <algorithm>
#include <limits>

#include "core/ir/reflect.h"
#include "core/support/stack.h"
#include "core/transform/call_sites.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

using UsedFields = std::unordered_map<std::string_view, std::vector<bool>>;

/// Which fields of the results of private functions are read; a result that is used as a whole is read as a whole.
class FieldUseCollector {
 public:
  explicit FieldUseCollector(const ir::IRModule& module) {
    for (size_t i = 0; i < module.size(); ++i) {
      const auto* function = as<relax::Function>(module.functions[i]);
      const auto* tuple = function ? as<relax::TupleStructInfo>(function->retSinfo) : nullptr;
      if (!tuple || ir::attrOf(function->attrs, "global_symbol")) continue;
      used_.emplace(module.vars[i]->name.view(), std::vector<bool>(tuple->items.size(), false));
    }
  }

  void add(const relax::Function& function) {
    if (used_.empty()) return;
    Results results;
    visit(function, results);
  }
  /// Functions of which some field is never read.
  UsedFields take() {
    std::erase_if(used_, [](const auto& entry) {
      return std::find(entry.second.begin(), entry.second.end(), false) == entry.second.end();
    });
    return std::move(used_);
  }

 private:
  using Results = std::unordered_map<const relax::Var*, std::vector<bool>*>;

  std::vector<bool>* fieldsOf(const relax::Expr& value) {
    const auto* call = as<relax::Call>(value);
    const auto* callee = call ? as<relax::GlobalVar>(call->op) : nullptr;
    auto fields = callee ? used_.find(callee->name.view()) : used_.end();
    return fields == used_.end() ? nullptr : &fields->second;
  }
  void visit(const Node& root, Results& results) {
    walk(root, Into::Parts, [&](const Node& node) {
      const auto* binding = as<relax::VarBinding>(&node);
      if (!binding) return noteUse(node, results);
      // The variable stands there as a definition: only the value counts.
      if (auto* fields = fieldsOf(binding->value)) results[binding->var.get()] = fields;
      withStack([&] { visit(*binding->value, results); });
      return false;
    });
  }
  static bool noteUse(const Node& node, const Results& results) {
    const auto* get = as<relax::TupleGetItem>(&node);
    const auto* var = get ? as<relax::Var>(get->tuple) : as<relax::Var>(&node);
    auto result = var ? results.find(var) : results.end();
    if (result == results.end()) return true;
    std::vector<bool>& fields = *result->second;
    if (!get) {
      fields.assign(fields.size(), true);
    } else if (get->index >= 0 && get->index < static_cast<int64_t>(fields.size())) {
      fields[static_cast<size_t>(get->index)] = true;
    }
    return false;
  }

  UsedFields used_;
};

/// The function that returns only the fields in the mask; a lone one by itself.
relax::FunctionRef withFields(const relax::Function& function, const std::vector<bool>& mask) {
  const auto& all = as<relax::TupleStructInfo>(function.retSinfo)->items;
  const auto* literal = as<relax::Tuple>(function.body->body);
  std::vector<relax::Expr> fields;
  std::vector<relax::StructInfo> infos;
  for (size_t i = 0; i < mask.size(); ++i) {
    if (!mask[i]) continue;
    infos.push_back(all[i]);
    fields.push_back(literal ? literal->items[i]
                             : relax::Expr(make<relax::TupleGetItem>(function.body->body, static_cast<int64_t>(i))));
  }
  const bool lone = fields.size() == 1;
  relax::StructInfo info = lone ? infos[0] : relax::tupleSinfo(Array<relax::StructInfo>(std::move(infos)));
  relax::Expr value = lone ? fields[0] : relax::Expr(make<relax::Tuple>(Array<relax::Expr>(std::move(fields))));
  auto body = make<relax::SeqExpr>(function.body->blocks, value, info);
  auto* made = new relax::Function(function.params, body, info, function.isPure, function.attrs);
  made->span = function.span;
  return relax::FunctionRef(made);
}

/// A tuple as the callee gave it before; what nobody reads is not a number.
relax::Expr widened(const relax::Expr& result, const std::vector<bool>& mask) {
  const auto count = std::count(mask.begin(), mask.end(), true);
  std::vector<relax::Expr> fields;
  int64_t next = 0;
  for (bool used : mask) {
    if (!used) {
      fields.push_back(
          make<relax::PrimValue>(make<tir::FloatImm>(DataType::Float(64), std::numeric_limits<double>::quiet_NaN())));
    } else if (count == 1) {
      fields.push_back(result);
    } else {
      fields.push_back(make<relax::TupleGetItem>(result, next++));
    }
  }
  return make<relax::Tuple>(Array<relax::Expr>(std::move(fields)));
}

}  // namespace

Result<ir::Module> removeUnusedOutputs(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  FieldUseCollector collector(*module);
  for (const ir::BaseFunc& function : module->functions) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    if (const auto* relaxFunction = as<relax::Function>(function)) collector.add(*relaxFunction);
  }
  const UsedFields used = collector.take();
  build::ModuleContext renewed(module);
  renewed.setCancel(context.cancel);
  for (const auto& [var, function] : module->entries()) {
    auto fields = used.find(var->name.view());
    if (fields != used.end()) renewed.update(var, withFields(*as<relax::Function>(function), fields->second));
  }
  const ir::Module callees = renewed.module();
  auto update = [&](const relax::Call& call, build::BlockBuilder& builder) -> relax::Expr {
    const auto* var = as<relax::GlobalVar>(call.op);
    auto fields = var ? used.find(var->name.view()) : used.end();
    if (fields == used.end()) return nullptr;
    auto now = make<relax::Call>(callees->findVar(var->name.view()), call.args, call.attrs, call.sinfoArgs);
    return widened(builder.emit(now), fields->second);
  };
  RX_TRY(called, rewriteFunctions(callees, context,
                                  [&](const relax::FunctionRef& function,
                                      build::ModuleContext& moduleContext) -> Result<relax::FunctionRef> {
                                    RX_TRY(updated,
                                           rewriteCalls(function, "RemoveUnusedOutputs", moduleContext, update));
                                    return canonicalizeBindings(updated, moduleContext);
                                  }));
  return deadCodeElimination(called, nullptr, context);
}

}  // namespace rx::transform
