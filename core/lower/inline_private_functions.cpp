// tirx.InlinePrivateFunctions: the body of a private function stands in the place of its calls, with the arguments in
// the place of the parameters. Only calls that are statements are replaced: a body has no value. Unlike
// ir::withCallsInlined, which prepares any module for machine code, this is TVM's pass, limits included.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/fresh.h"
#include "core/lower/function_target.h"
#include "core/lower/pass_functions.h"

namespace rx::lower {

using namespace tir;

namespace {

/// A function that grows beyond this is refused: calls that call each other twice, level by level, never end otherwise.
constexpr uint64_t kMaxInlined = 100'000;

const relax::GlobalVar* calleeOf(const Node& node) {
  const auto* call = as<Call>(&node);
  return call ? as<relax::GlobalVar>(call->op) : nullptr;
}

using CallMap = std::unordered_map<std::string, std::vector<std::string>>;
CallMap callsOf(const ir::Module& module) {
  CallMap calls;
  for (size_t i = 0; i < module->size(); ++i) {
    const auto* function = as<PrimFunc>(module->functions[i]);
    if (!function) continue;
    walk(*function->body, Into::Parts, [&](const Node& node) {
      if (const auto* callee = calleeOf(node)) calls[module->vars[i]->name.string()].push_back(callee->name.string());
      return true;
    });
  }
  return calls;
}

/// Whether calls lead from the function back to it.
bool isRecursive(const CallMap& calls, const std::string& name) {
  std::unordered_set<std::string> reached;
  std::vector<std::string> open{name};
  while (!open.empty()) {
    const auto found = calls.find(open.back());
    open.pop_back();
    if (found == calls.end()) continue;
    for (const std::string& callee : found->second) {
      if (callee == name) return true;
      if (reached.insert(callee).second) open.push_back(callee);
    }
  }
  return false;
}

/// Puts arguments in the place of the parameters of one call.
class Specializer {
 public:
  Specializer(const PrimFuncRef& callee, const Array<PrimExpr>& args) : copy_(freshCopy(callee)) {
    for (size_t i = 0; i < args.size(); ++i) given_[copy_->params[i].get()] = args[i];
  }

  Stmt run() {
    walk(*copy_->body, Into::Parts, [this](const Node& node) {
      const auto* declaration = as<DeclBuffer>(&node);
      if (declaration) bindPointer(*declaration->buffer);
      originals_.insert(&node);
      return true;
    });
    NodeRef body = rewriteNodes(
        copy_->body, Into::Parts,
        [this](const NodeRef& node) -> NodeRef {
          const auto found = given_.find(node.get());
          return found == given_.end() ? nullptr : NodeRef(found->second);
        },
        [this](const NodeRef& node) { return made(node); });
    return cast<StmtNode>(body);
  }

 private:
  /// The pointer of a buffer has to be a variable: an argument that is none gets one, before the first buffer of it.
  void bindPointer(const Buffer& buffer) {
    const auto found = given_.find(buffer.data.get());
    if (found == given_.end() || isa<Var>(found->second)) return;
    auto pointer = make<Var>(buffer.data->name, buffer.data->dtype, buffer.data->annotation);
    binds_[pointer.get()] = make<Bind>(pointer, found->second);
    found->second = pointer;
  }

  NodeRef made(const NodeRef& node) {
    if (const auto* declaration = as<DeclBuffer>(node)) {
      const auto bind = binds_.find(declaration->buffer->data.get());
      if (bind == binds_.end()) return node;
      const Stmt first = bind->second;
      binds_.erase(bind);
      return seq(std::vector<Stmt>{first, cast<StmtNode>(node)});
    }
    if (const auto* sequence = as<SeqStmt>(node)) return seq(sequence->seq.vector());
    const auto* binary = as<BinaryNode>(node);
    if (!binary || originals_.contains(node.get())) return node;
    return arith::makeBinary(binary->kind(), binary->a, binary->b);
  }

  PrimFuncRef copy_;
  std::unordered_map<const Node*, PrimExpr> given_;
  std::unordered_map<const Node*, Stmt> binds_;
  std::unordered_set<const Node*> originals_;
};

class Inliner {
 public:
  explicit Inliner(const ir::Module& module) : module_(module) {
    const CallMap calls = callsOf(module);
    for (size_t i = 0; i < module->size(); ++i) {
      auto function = refAs<PrimFunc>(module->functions[i]);
      const std::string name = module->vars[i]->name.string();
      if (function && canStandInPlace(*function) && !isRecursive(calls, name)) private_[name] = function;
    }
  }

  Result<ir::Module> run() {
    for (const auto& [name, function] : private_) removable_.insert(name);
    std::vector<ir::IRModule::Entry> entries = module_->entries();
    bool changed = false;
    for (auto& [name, function] : entries) {
      auto caller = refAs<PrimFunc>(function);
      if (!caller) continue;
      RX_TRY(target, targetOf(*caller));
      RX_TRY(body, inlined(name->name.string(), caller->body, target));
      function = unlessSame(caller, withBody(caller, body));
      changed = changed || function != caller;
    }
    if (!changed) return module_;
    std::erase_if(entries,
                  [&](const ir::IRModule::Entry& entry) { return removable_.contains(entry.first->name.string()); });
    return module_->with(std::move(entries));
  }

 private:
  /// Not of functions that others may call, that take tensors, or that are to be scheduled: names of blocks would
  /// repeat.
  static bool canStandInPlace(const PrimFunc& function) {
    if (ir::attrOf(function.attrs, "global_symbol") || isa<BlockRealize>(function.body)) return false;
    return std::none_of(function.buffers.begin(), function.buffers.end(), [](const BufferRef& b) { return bool(b); });
  }

  /// Replaces calls until none is left that can be: level by level, since bodies bring calls of their own.
  Result<Stmt> inlined(const std::string& caller, Stmt body, const target::TargetRef& target) {
    uint64_t count = 0;
    bool found = true;
    std::vector<Diagnostic> errors;
    while (found && errors.empty()) {
      found = false;
      NodeRef made = rewriteNodes(body, Into::Parts, nullptr, [&](const NodeRef& node) -> NodeRef {
        if (const auto* sequence = as<SeqStmt>(node)) return seq(sequence->seq.vector());
        const auto* evaluate = as<Evaluate>(node);
        const auto* call = evaluate ? as<Call>(evaluate->value) : nullptr;
        const PrimFuncRef callee = call ? inlinable(*call, target, errors) : nullptr;
        if (!callee) return node;
        found = true;
        if (++count <= kMaxInlined) return Specializer(callee, call->args).run();
        errors.push_back(errorAt(call->span, "lower.inline", fmt::format("{} would grow without end", caller)));
        return node;
      });
      body = cast<StmtNode>(made);
    }
    walk(*body, Into::Parts, [&](const Node& node) {
      if (const auto* callee = calleeOf(node)) removable_.erase(callee->name.string());
      return true;
    });
    if (!errors.empty()) return fail(std::move(errors));
    return body;
  }

  PrimFuncRef inlinable(const Call& call, const target::TargetRef& target, std::vector<Diagnostic>& errors) const {
    const auto* global = as<relax::GlobalVar>(call.op);
    const auto found = global ? private_.find(global->name.string()) : private_.end();
    if (found == private_.end()) return nullptr;
    const Result<target::TargetRef> own = targetOf(*found->second);
    if (own && *own && target && !target::sameTarget(*own, target)) return nullptr;
    if (found->second->params.size() == call.args.size()) return found->second;
    errors.push_back(errorAt(
        call.span, "lower.inline",
        fmt::format("{} takes {} arguments, not {}", found->first, found->second->params.size(), call.args.size())));
    return nullptr;
  }

  const ir::Module& module_;
  std::unordered_map<std::string, PrimFuncRef> private_;
  std::unordered_set<std::string> removable_;
};

}  // namespace

Result<ir::Module> inlinePrivateFunctions(const ir::Module& module, const ir::Attrs&, pass::PassContext&) {
  return Inliner(module).run();
}

}  // namespace rx::lower
