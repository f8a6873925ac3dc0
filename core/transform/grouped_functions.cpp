#include "core/transform/grouped_functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/transform/group_function.h"

namespace rx::transform {

namespace {

using analysis::FusionGroups;
using relax::Binding;
using relax::VarRef;

/// The bindings of one dataflow block by group, and which groups need which.
class BlockGroups {
 public:
  explicit BlockGroups(FusionGroups& groups) : groups_(groups) {}

  std::optional<uint32_t> of(const relax::Var* var) const { return groups_.find(var); }
  uint32_t of(const Binding& binding) const { return *groups_.find(binding->var.get()); }
  bool isFunction(uint32_t group) const { return groups_[group].size > 1 || groups_[group].attrs; }
  /// True where every variable of the block has a group and some group becomes a function.
  bool concern(const relax::BindingBlock& block) const {
    bool any = false;
    for (const Binding& binding : block.bindings) {
      const auto group = of(binding->var.get());
      if (!group) return false;
      any = any || isFunction(*group);
    }
    return any;
  }

  void addNeed(uint32_t group, uint32_t other) { needed_[group].push_back(other); }

  /// The bindings group by group, each after those that it needs, else in the order of the text. Fails with
  /// pass.cyclic-groups where groups need each other, through others too.
  Result<std::vector<Binding>> sorted(const relax::BindingBlock& block) const {
    std::unordered_map<uint32_t, std::vector<Binding>> byGroup;
    for (const Binding& binding : block.bindings) byGroup[of(binding)].push_back(binding);
    std::vector<Binding> out;
    std::unordered_set<uint32_t> entered, done;
    std::vector<std::pair<uint32_t, size_t>> open;  ///< groups on the way down, with how many needs were looked at
    for (const Binding& binding : block.bindings) {
      if (entered.insert(of(binding)).second) open.emplace_back(of(binding), 0);
      while (!open.empty()) {
        auto& [group, next] = open.back();
        auto needs = needed_.find(group);
        if (needs != needed_.end() && next < needs->second.size()) {
          const uint32_t other = needs->second[next++];
          if (entered.insert(other).second) {
            open.emplace_back(other, 0);
          } else if (byGroup.contains(other) && !done.contains(other)) {
            return cyclic(byGroup.at(other).back(), byGroup.at(group).back());
          }
          continue;
        }
        auto bindings = byGroup.find(group);
        if (bindings != byGroup.end()) out.insert(out.end(), bindings->second.begin(), bindings->second.end());
        done.insert(group);
        open.pop_back();
      }
    }
    return out;
  }

 private:
  static Failure cyclic(const Binding& last, const Binding& other) {
    return fail(errorAt(
        last->span, "pass.cyclic-groups",
        fmt::format("the groups of {} and {} need each other", last->var->name.view(), other->var->name.view())));
  }

  FusionGroups& groups_;
  std::unordered_map<uint32_t, std::vector<uint32_t>> needed_;
};

class Grouper : public build::Mutator {
 public:
  Grouper(build::ModuleContext& module, FusionGroups& groups, const Grouping& grouping, const CancelToken& cancel)
      : Mutator(grouping.pass, &module), module_(module), groups_(groups), grouping_(grouping), cancel_(cancel) {}

 protected:
  void visitBlock(const relax::BlockRef& block) override {
    BlockGroups inBlock(groups_);
    if (!block->isDataflow() || !inBlock.concern(*block)) return Mutator::visitBlock(block);
    functions_.clear();
    for (const Binding& binding : block->bindings) {
      const uint32_t group = inBlock.of(binding);
      if (!inBlock.isFunction(group)) continue;
      auto [made, isNew] = functions_.try_emplace(group);
      if (isNew) made->second = std::make_unique<GroupFunction>(grouping_.pass, module_, grouping_.liftConstants);
      made->second->append(binding);
    }
    for (const Binding& binding : block->bindings) findUses(binding, inBlock);
    const Result<std::vector<Binding>> sorted = inBlock.sorted(*block);
    if (!sorted) return builder.report(sorted.diagnostics().front());
    builder.beginDataflow();
    for (const Binding& binding : *sorted) {
      if (cancel_.cancelled()) {
        builder.report(errorAt({}, "pass.cancelled", "cancelled"));
        break;
      }
      auto function = functions_.find(inBlock.of(binding));
      if (function == functions_.end()) {
        visitBinding(binding);
      } else if (binding == function->second->bindings().back()) {
        callFunction(*function->second, groups_[function->first].attrs);
      }
    }
    builder.endDataflow();
  }

 private:
  /// What other groups use of a group is an output of it.
  void findUses(const Binding& binding, BlockGroups& inBlock) {
    const uint32_t user = inBlock.of(binding);
    const auto* bound = as<relax::VarBinding>(binding);
    const relax::Expr& value = bound ? bound->value : cast<relax::MatchCast>(binding)->value;
    walk(*value, Into::Parts, [&](const Node& node) {
      const auto* var = as<relax::Var>(&node);
      const auto maker = var ? inBlock.of(var) : std::nullopt;
      if (!maker || *maker == user) return !isa<tir::ExprNode>(&node);
      inBlock.addNeed(user, *maker);
      auto function = functions_.find(*maker);
      if (function != functions_.end()) function->second->addOutput(VarRef(var));
      return true;
    });
  }

  /// Binds a call of the group's function in the place of its last binding, and its results to the outputs.
  void callFunction(GroupFunction& group, const ir::Attrs& attrs) {
    Result<relax::FunctionRef> function = group.create(attrs);
    if (!function) {
      for (Diagnostic& problem : std::vector<Diagnostic>(function.diagnostics())) builder.report(std::move(problem));
      return;
    }
    if (!*function) return;
    const OriginRef outer = builder.origin();
    std::vector<relax::Expr> args;
    std::unordered_set<const relax::BindingNode*> outside;  // of the function: fields that it is called with
    for (const relax::Expr& arg : group.arguments()) {
      const relax::VarBinding* field = group.fieldBinding(arg);
      if (field) {
        builder.setOrigin(field->origin);
        outside.insert(field);
      }
      args.push_back(field ? builder.emit(visit(arg)) : visit(arg));
    }
    OriginRef origin;
    for (const Binding& binding : group.bindings())
      if (!outside.contains(binding.get())) origin = mergeOrigins(origin, binding->origin, passName());
    builder.setOrigin(origin);
    const relax::GlobalVarRef callee = module_.add(*function, group.nameHint());
    bindResults(make<relax::Call>(callee, Array<relax::Expr>(std::move(args))), group);
    builder.setOrigin(outer);
  }

  void bindResults(const relax::Expr& call, const GroupFunction& group) {
    const std::vector<VarRef>& outputs = group.outputs();
    auto bind = [&](const relax::Expr& value, const VarRef& output) {
      const bool local = isa<relax::DataflowVar>(output);
      mapVar(output, local ? builder.emit(value, output->name) : builder.emitOutput(value, output->name));
    };
    if (outputs.size() == 1) return bind(call, outputs[0]);
    const VarRef all = builder.emit(call);
    // In the order in which they are bound; the tuple has the order in which they were found to be used.
    for (const Binding& binding : group.bindings()) {
      const auto output = std::find(outputs.begin(), outputs.end(), binding->var);
      if (output != outputs.end()) bind(make<relax::TupleGetItem>(all, output - outputs.begin()), binding->var);
    }
  }

  build::ModuleContext& module_;
  FusionGroups& groups_;
  const Grouping& grouping_;
  const CancelToken& cancel_;
  std::unordered_map<uint32_t, std::unique_ptr<GroupFunction>> functions_;  ///< of the present block
};

}  // namespace

Result<ir::Module> makeGroupedFunctions(const ir::Module& module, FusionGroups& groups, const Grouping& grouping,
                                        const pass::PassContext& context) {
  build::ModuleContext moduleContext(module);
  moduleContext.setCancel(context.cancel);
  const auto& entries = grouping.entries;
  for (const auto& [var, function] : module->entries()) {
    if (context.cancel.cancelled()) return fail("pass.cancelled", "cancelled");
    auto relaxFunction = refAs<relax::Function>(function);
    const bool chosen = entries.empty() || std::find(entries.begin(), entries.end(), var) != entries.end();
    if (!relaxFunction || !chosen || analysis::isFusedFunction(*function)) continue;
    Grouper grouper(moduleContext, groups, grouping, context.cancel);
    RX_TRY(grouped, grouper.rewrite(relaxFunction));
    moduleContext.update(var, grouped);
  }
  return moduleContext.module();
}

}  // namespace rx::transform
