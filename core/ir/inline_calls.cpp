#include "core/ir/inline_calls.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"

namespace rx::ir {

using namespace tir;

namespace {

/// Kernels that call each other twice, level by level, would grow without end: a larger one keeps its calls.
constexpr uint64_t kMaxNodes = 1'000'000;

std::string_view nameOfOp(const Call& call) {
  const auto* op = as<relax::Op>(call.op);
  return op ? op->name.view() : std::string_view();
}
/// The value of `return value`, or null.
PrimExpr returned(const Stmt& statement) {
  const auto* evaluate = as<Evaluate>(statement);
  const auto* call = evaluate ? as<Call>(evaluate->value) : nullptr;
  return call && nameOfOp(*call).ends_with(".ret") && call->args.size() == 1 ? call->args[0] : nullptr;
}
bool returnsAnywhere(const Node& root) {
  bool found = false;
  walk(root, Into::Parts, [&](const Node& node) {
    const auto* call = as<Call>(&node);
    found = found || (call && nameOfOp(*call).ends_with(".ret"));
    return !found;
  });
  return found;
}

/// The parts of a callee: statements, then perhaps a value.
struct Parts {
  std::vector<Stmt> statements;
  PrimExpr value;
};
Parts partsOf(const PrimFunc& function) {
  Parts parts;
  if (const auto* seq = as<SeqStmt>(function.body)) {
    parts.statements = seq->seq.vector();
  } else {
    parts.statements = {function.body};
  }
  parts.value = returned(parts.statements.back());
  if (parts.value) parts.statements.pop_back();
  return parts;
}

/// What a call puts in the place of the callee's parameters.
struct Binding {
  std::vector<Stmt> binds;  ///< scalars, each computed once, and what shapes say
  std::unordered_map<const Node*, NodeRef> replaced;
};

/// The pointer and, where the call tells it, the shape of a buffer that is given.
struct GivenBuffer {
  VarRef data;
  std::vector<PrimExpr> shape;
  bool shapeGiven = false;
};
std::optional<GivenBuffer> givenBuffer(const PrimExpr& arg) {
  if (auto pointer = refAs<Var>(arg)) return GivenBuffer{pointer, {}, false};
  const auto* array = as<Call>(arg);
  if (!array || !nameOfOp(*array).ends_with("tvm_stack_make_array") || array->args.size() != 6) return std::nullopt;
  auto data = refAs<Var>(array->args[0]);
  const auto* shape = as<Call>(array->args[1]);
  // A part of a tensor has an offset, which the callee's buffer does not know of.
  if (!data || !shape || asInt(array->args[5]) != 0) return std::nullopt;
  return GivenBuffer{data, shape->args.vector(), true};
}

class Inliner {
 public:
  explicit Inliner(const Module& module) : module_(module) {}

  Module run() {
    std::vector<IRModule::Entry> entries = module_->entries();
    bool changed = false;
    for (auto& [var, function] : entries) {
      if (!isa<PrimFunc>(function) || !callsKernels(*function)) continue;
      BaseFunc made = expanded(var->name.view());
      changed = changed || made != function;
      function = made;
    }
    if (!changed) return module_;
    std::unordered_set<std::string> called;
    for (const auto& [var, function] : entries) {
      walk(*function, Into::Parts, [&](const Node& node) {
        if (const auto* global = as<relax::GlobalVar>(&node)) called.insert(global->name.string());
        return true;
      });
    }
    std::erase_if(entries, [&](const IRModule::Entry& entry) {
      return takesPointers(*entry.second) && !called.contains(entry.first->name.string());
    });
    return module_->with(std::move(entries));
  }

 private:
  static bool takesPointers(const BaseFuncNode& function) {
    const auto* kernel = as<PrimFunc>(&function);
    for (size_t i = 0; kernel && i < kernel->params.size(); ++i) {
      if (!kernel->buffers[i] && kernel->params[i]->dtype.isHandle()) return true;
    }
    return false;
  }

  Ref<PrimFunc> target(const Call& call) const {
    const auto* global = as<relax::GlobalVar>(call.op);
    return global ? refAs<PrimFunc>(module_->find(global)) : nullptr;
  }
  bool callsKernels(const Node& root) const {
    bool found = false;
    walk(root, Into::Parts, [&](const Node& node) {
      const auto* call = as<Call>(&node);
      found = found || (call && target(*call));
      return !found;
    });
    return found;
  }

  /// A function with its calls replaced; those in a circle stay. Callees first, without recursion.
  BaseFunc expanded(std::string_view root) {
    std::vector<std::string> open{std::string(root)};
    while (!open.empty()) {
      const std::string name = open.back();
      if (done_.contains(name)) {
        open.pop_back();
        continue;
      }
      const BaseFunc function = module_->find(name);
      const bool first = entered_.insert(name).second;
      bool waits = false;
      walk(*function, Into::Parts, [&](const Node& node) {
        const auto* call = as<Call>(&node);
        if (!call || !target(*call)) return true;
        const std::string callee = as<relax::GlobalVar>(call->op)->name.string();
        // One that was entered and is not done calls this one: a circle.
        if (first && !done_.contains(callee) && !entered_.contains(callee)) {
          open.push_back(callee);
          waits = true;
        }
        return true;
      });
      if (waits) continue;
      const uint64_t size = sizeWithCalls(*function);
      done_[name] = size <= kMaxNodes ? replaceCalls(function) : function;
      sizes_[name] = size;
      open.pop_back();
    }
    return done_[std::string(root)];
  }

  uint64_t sizeWithCalls(const Node& root) const {
    uint64_t size = 0;
    walk(root, Into::Parts, [&](const Node& node) {
      ++size;
      if (const auto* global = as<relax::GlobalVar>(&node)) {
        const auto found = sizes_.find(global->name.string());
        if (found != sizes_.end()) size += found->second;
      }
      return size <= kMaxNodes;
    });
    return size;
  }

  BaseFunc replaceCalls(const BaseFunc& function) {
    auto post = [&](const NodeRef& node) -> NodeRef {
      if (const auto* evaluate = as<Evaluate>(node)) {
        const auto* call = as<Call>(evaluate->value);
        Stmt made = call ? asStatement(*call) : nullptr;
        return made ? NodeRef(made) : node;
      }
      if (const auto* sequence = as<SeqStmt>(node)) return NodeRef(seq(sequence->seq.vector()));
      if (const auto* call = as<Call>(node)) {
        PrimExpr made = asValue(*call);
        return made ? NodeRef(made) : node;
      }
      return node;
    };
    return refAs<BaseFuncNode>(rewriteNodes(function, Into::Parts, nullptr, post));
  }

  Ref<PrimFunc> calleeOf(const Call& call) const {
    const auto* global = as<relax::GlobalVar>(call.op);
    if (!global || !target(call)) return nullptr;
    const auto found = done_.find(global->name.string());
    return found == done_.end() ? nullptr : refAs<PrimFunc>(found->second);
  }

  /// Null where an argument does not fill its parameter.
  std::optional<Binding> bind(const PrimFunc& callee, const Call& call) const {
    if (callee.params.size() != call.args.size()) return std::nullopt;
    Binding binding;
    auto& replaced = binding.replaced;
    for (size_t i = 0; i < callee.params.size(); ++i) {
      const VarRef& param = callee.params[i];
      const PrimExpr& arg = call.args[i];
      if (const BufferRef& buffer = callee.buffers[i]) {
        auto given = givenBuffer(arg);
        if (!given || !buffer->strides.empty()) return std::nullopt;
        replaced.emplace(buffer->data.get(), given->data);
        if (given->shapeGiven && given->shape.size() != buffer->shape.size()) return std::nullopt;
        for (size_t d = 0; d < buffer->shape.size(); ++d) {
          auto symbol = refAs<Var>(buffer->shape[d]);
          if (!symbol || replaced.contains(symbol.get())) continue;
          if (!given->shapeGiven || given->shape[d]->dtype != symbol->dtype) return std::nullopt;
          define(binding, symbol, given->shape[d]);
        }
        continue;
      }
      if (auto pointer = refAs<Var>(arg); pointer && param->dtype.isHandle()) {
        replaced.emplace(param.get(), pointer);
        continue;
      }
      if (param->dtype != arg->dtype) return std::nullopt;
      define(binding, param, arg);
    }
    return binding;
  }
  static void define(Binding& binding, const VarRef& var, const PrimExpr& value) {
    auto fresh = make<Var>(var->name, var->dtype, var->annotation);
    binding.replaced.emplace(var.get(), fresh);
    binding.binds.push_back(make<Bind>(fresh, value));
  }

  /// A copy in which every variable is another one, those of the parameters the given ones.
  template <class T>
  static Ref<T> copied(const Ref<T>& root, Binding& binding) {
    auto pre = [&](const NodeRef& node) -> NodeRef {
      const auto found = binding.replaced.find(node.get());
      if (found != binding.replaced.end()) return found->second;
      const auto* var = as<Var>(node);
      if (!var) return nullptr;
      NodeRef fresh = isa<SizeVar>(node) ? NodeRef(make<SizeVar>(var->name, var->dtype))
                                         : NodeRef(make<Var>(var->name, var->dtype, var->annotation));
      binding.replaced.emplace(node.get(), fresh);
      return fresh;
    };
    return refAs<T>(rewriteNodes(root, Into::Parts, pre, [](const NodeRef& node) { return node; }));
  }

  Stmt asStatement(const Call& call) const {
    const Ref<PrimFunc> callee = calleeOf(call);
    if (!callee) return nullptr;
    Parts parts = partsOf(*callee);
    for (const Stmt& statement : parts.statements) {
      if (returnsAnywhere(*statement)) return nullptr;
    }
    auto binding = bind(*callee, call);
    if (!binding) return nullptr;
    std::vector<Stmt> all = binding->binds;
    // In one piece: what is declared in one statement is used in the next.
    if (!parts.statements.empty()) all.push_back(copied(seq(parts.statements), *binding));
    // A scope of its own, for what it declares.
    return make<IfThenElse>(boolImm(true), seq(all), nullptr);
  }

  PrimExpr asValue(const Call& call) const {
    const Ref<PrimFunc> callee = calleeOf(call);
    if (!callee) return nullptr;
    Parts parts = partsOf(*callee);
    if (!parts.value || !parts.statements.empty()) return nullptr;
    auto binding = bind(*callee, call);
    if (!binding) return nullptr;
    PrimExpr value = copied(parts.value, *binding);
    for (size_t i = binding->binds.size(); i-- > 0;) {
      const auto* define = as<Bind>(binding->binds[i]);
      value = make<Let>(define->var, define->value, value);
    }
    return value;
  }

  const Module& module_;
  std::unordered_map<std::string, BaseFunc> done_;
  std::unordered_set<std::string> entered_;
  std::unordered_map<std::string, uint64_t> sizes_;
};

}  // namespace

Module withCallsInlined(const Module& module) { return Inliner(module).run(); }

}  // namespace rx::ir
