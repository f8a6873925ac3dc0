#include "core/transform/cuda_graph_plan.h"

#include <unordered_set>

#include "core/analysis/free_vars.h"
#include "core/arith/equal.h"
#include "core/ir/reflect.h"
#include "core/op/lattice.h"
#include "core/transform/calls.h"

namespace rx::transform {

namespace {

using relax::Expr;
using relax::VarRef;
using Vars = std::unordered_set<const relax::Var*>;

/// The first of them is taken from the stack first.
template <class T>
void pushReversed(std::vector<T>& stack, const Array<T>& items) {
  for (size_t i = items.size(); i-- > 0;) stack.push_back(items[i]);
}

/// A region under construction, with what it names already.
struct OpenRegion {
  GraphRegion made;
  std::unordered_set<const Node*> read, given;
};

/// Storage of tensors that the function returns: who called it keeps them, so that the next run needs others.
class ReturnedStorage {
 public:
  static Vars of(const relax::Function& function) {
    ReturnedStorage found;
    walk(function, Into::Parts, [&](const Node& node) {
      if (const auto* seq = as<relax::SeqExpr>(&node)) found.look(*seq);
      return !isa<tir::StmtNode>(&node);
    });
    return std::move(found.storage_);
  }

 private:
  void look(const relax::SeqExpr& seq) {
    for (const VarRef& var : analysis::freeVars(seq.body)) returned_.insert(var.get());
    for (size_t block = seq.blocks.size(); block-- > 0;) {
      const Array<relax::Binding>& bindings = seq.blocks[block]->bindings;
      for (size_t i = bindings.size(); i-- > 0;) {
        const auto* binding = as<relax::VarBinding>(bindings[i]);
        if (binding && returned_.contains(binding->var.get())) follow(binding->value);
      }
    }
  }
  void follow(const Expr& value) {
    if (const auto* var = as<relax::Var>(value)) returned_.insert(var);
    if (const auto* tuple = as<relax::Tuple>(value)) {
      for (const Expr& field : tuple->items) {
        if (const auto* var = as<relax::Var>(field)) returned_.insert(var);
      }
    }
    const auto call = callOf(value, "relax.memory.alloc_tensor");
    if (call && !call->args.empty()) storage_.insert(as<relax::Var>(call->args[0]));
  }

  Vars returned_, storage_;
};

/// What a value reads, and whether all of that is the same in every run.
struct Reading {
  std::vector<VarRef> vars;
  std::vector<tir::VarRef> symbols;
  bool fixed = true;
};

class Planner {
 public:
  Planner(const relax::Function& function, const ir::IRModule& module)
      : module_(module), returned_(ReturnedStorage::of(function)) {
    const size_t params = function.params.size();
    const int64_t inputs = ir::intAttrOf(function.attrs, "num_input", static_cast<int64_t>(params));
    std::unordered_set<std::string_view> named;
    if (const auto* names = as<ir::ArrayAttr>(ir::attrOf(function.attrs, kNamedSymbols))) {
      for (const NodeRef& name : names->items) {
        if (const auto* text = as<ir::StrAttr>(name)) named.insert(text->value.view());
      }
    }
    for (size_t i = 0; i < params; ++i) {
      const bool weight = static_cast<int64_t>(i) >= inputs;
      if (weight) fixed_.insert(function.params[i].get());
      for (const tir::VarRef& symbol : op::definableSymbolsIn(function.params[i]->sinfo)) {
        if (weight || named.contains(symbol->name.view())) symbols_.insert(symbol.get());
      }
    }
  }

  GraphPlan plan(const relax::Function& function) {
    std::vector<relax::SeqRef> open{function.body};
    while (!open.empty()) {
      const relax::SeqRef seq = open.back();
      open.pop_back();
      for (const relax::BlockRef& block : seq->blocks) {
        for (const relax::Binding& binding : block->bindings) visit(binding, open);
        endRegion();
      }
      noteReads(seq->body);
    }
    GraphPlan plan;
    if (!regions_[0].made.outputs.empty()) plan.allocations = std::move(regions_[0].made);
    for (size_t i = 1; i < regions_.size(); ++i) plan.captures.push_back(std::move(regions_[i].made));
    return plan;
  }

 private:
  static constexpr std::string_view kNamedSymbols = "relax.rewrite_cuda_graph.capture_symbolic_vars";
  static constexpr size_t kNone = 0;  ///< no region is open; the number of the allocations otherwise

  void visit(const relax::Binding& any, std::vector<relax::SeqRef>& open) {
    const auto binding = refAs<relax::VarBinding>(any);
    if (!binding) {
      endRegion();
      return noteReads(cast<relax::MatchCast>(any)->value);
    }
    const Expr& value = binding->value;
    if (isa<relax::Call>(value)) return visitCall(binding);
    if (const auto* branch = as<relax::If>(value)) {
      endRegion();
      noteReads(branch->cond);
      open.push_back(branch->falseBranch);
      open.push_back(branch->trueBranch);
    } else if (isa<relax::Constant>(value)) {
      add(binding);
    } else if (isa<relax::Var>(value) || isa<relax::Tuple>(value) || isa<relax::TupleGetItem>(value)) {
      const auto* field = as<relax::TupleGetItem>(value);
      take(binding, readingOf(field ? field->tuple : value), false);
    }
  }

  void visitCall(const Ref<relax::VarBinding>& binding) {
    const auto* call = as<relax::Call>(binding->value);
    if (isOp(binding->value, "relax.memory.alloc_storage")) return visitStorage(binding, *call);
    if (isOp(binding->value, "relax.builtin.alloc_tensor")) return;
    Reading reading;
    for (const Expr& arg : call->args) read(arg, reading);
    reading.fixed = reading.fixed && canBeCaptured(*call);
    take(binding, reading, launchesKernel(*call));
  }

  void visitStorage(const Ref<relax::VarBinding>& binding, const relax::Call& call) {
    const auto* shape = call.args.empty() ? nullptr : as<relax::ShapeExpr>(call.args[0]);
    if (!shape || !allConstant(shape->values) || returned_.contains(binding->var.get())) return;
    regions_[0].made.bindings.push_back(binding);
    regionOf_[binding->var.get()] = 0;
    fixed_.insert(binding->var.get());
  }

  /// A region begins with a kernel, and ends before what differs from run to run.
  void take(const Ref<relax::VarBinding>& binding, const Reading& reading, bool launches) {
    if (reading.fixed) {
      if (current_ == kNone && launches) {
        current_ = regions_.size();
        regions_.emplace_back();
      }
      add(binding);
      noteInputs(reading);
    } else {
      endRegion();
    }
    noteOutputs(reading.vars);
  }
  void add(const Ref<relax::VarBinding>& binding) {
    fixed_.insert(binding->var.get());
    if (current_ == kNone) return;
    regions_[current_].made.bindings.push_back(binding);
    regionOf_[binding->var.get()] = current_;
  }
  void endRegion() { current_ = kNone; }

  void noteInputs(const Reading& reading) {
    if (current_ == kNone) return;
    for (const VarRef& var : reading.vars) {
      auto from = regionOf_.find(var.get());
      if (from == regionOf_.end() || from->second != current_) addInput(regions_[current_].made.inputs, var);
    }
    for (const tir::VarRef& symbol : reading.symbols) addInput(regions_[current_].made.symbols, symbol);
  }
  template <class T>
  void addInput(std::vector<T>& inputs, const T& input) {
    if (regions_[current_].read.insert(input.get()).second) inputs.push_back(input);
  }
  void noteOutputs(const std::vector<VarRef>& vars) {
    for (const VarRef& var : vars) {
      auto from = regionOf_.find(var.get());
      // The allocations are a region that is never the open one.
      if (from != regionOf_.end() && (from->second == 0 || from->second != current_)) {
        OpenRegion& region = regions_[from->second];
        if (region.given.insert(var.get()).second) region.made.outputs.push_back(var);
      }
    }
  }
  void noteReads(const Expr& expr) { noteOutputs(analysis::freeVars(expr)); }

  bool launchesKernel(const relax::Call& call) const {
    const auto* op = as<relax::Op>(call.op);
    if (!op) return isa<relax::ExternFunc>(call.op) || isa<relax::GlobalVar>(call.op);
    const std::string_view name = op->name.view();
    return !name.starts_with("relax.memory") && !name.starts_with("relax.builtin") && name != "relax.reshape" &&
           name != "relax.null_value" && name != "relax.call_builtin_with_ctx";
  }
  /// Other functions of the program, and the VM's own, may do more than work on the device.
  bool canBeCaptured(const relax::Call& call) const {
    if (const auto* callee = as<relax::GlobalVar>(call.op)) return isa<tir::PrimFunc>(module_.find(callee));
    const auto* packed = as<relax::ExternFunc>(call.op);
    return !packed || !packed->globalSymbol.view().starts_with("vm.builtin");
  }

  Reading readingOf(const Expr& expr) const {
    Reading reading;
    read(expr, reading);
    return reading;
  }
  /// All is read, also behind what is not fixed: a region has to give what others read.
  void read(const Expr& root, Reading& reading) const {
    std::vector<Expr> open{root};
    while (!open.empty()) {
      const Expr expr = std::move(open.back());
      open.pop_back();
      if (const auto* tuple = as<relax::Tuple>(expr)) {
        pushReversed(open, tuple->items);
      } else if (const auto var = refAs<relax::Var>(expr)) {
        reading.vars.push_back(var);
        if (!fixed_.contains(var.get())) {
          reading.fixed = false;
        } else {
          readInfo(var->sinfo, reading);
        }
      } else if (const auto* shape = as<relax::ShapeExpr>(expr)) {
        readSymbols(shape->values, reading);
      } else if (const auto* number = as<relax::PrimValue>(expr)) {
        readSymbols(Array<tir::PrimExpr>{number->value}, reading);
      } else if (!isa<relax::Constant>(expr) && !isa<relax::DataTypeImm>(expr) && !isa<relax::StringImm>(expr) &&
                 !isa<relax::GlobalVar>(expr)) {
        reading.fixed = false;
      }
    }
  }
  void readInfo(const relax::StructInfo& root, Reading& reading) const {
    std::vector<relax::StructInfo> open{root};
    while (!open.empty()) {
      const relax::StructInfo info = std::move(open.back());
      open.pop_back();
      if (const auto* tensor = as<relax::TensorStructInfo>(info)) {
        const auto* sizes = as<relax::ShapeExpr>(tensor->shape);
        sizes ? readSymbols(sizes->values, reading) : void(reading.fixed = false);
      } else if (const auto* shape = as<relax::ShapeStructInfo>(info)) {
        shape->known ? readSymbols(shape->values, reading) : void(reading.fixed = false);
      } else if (const auto* tuple = as<relax::TupleStructInfo>(info)) {
        pushReversed(open, tuple->items);
      } else if (isa<relax::FuncStructInfo>(info)) {
        reading.fixed = false;
      }
    }
  }
  void readSymbols(const Array<tir::PrimExpr>& values, Reading& reading) const {
    for (const tir::PrimExpr& value : values) {
      for (const tir::VarRef& symbol : arith::freeVars(value)) {
        if (symbols_.contains(symbol.get())) {
          reading.symbols.push_back(symbol);
        } else {
          reading.fixed = false;
        }
      }
    }
  }

  const ir::IRModule& module_;
  Vars returned_, fixed_;
  std::unordered_set<const tir::Var*> symbols_;
  std::vector<OpenRegion> regions_{1};  ///< the allocations, then what is captured
  size_t current_ = kNone;
  std::unordered_map<const relax::Var*, size_t> regionOf_;
};

}  // namespace

GraphPlan graphPlanOf(const relax::FunctionRef& function, const ir::IRModule& module) {
  return Planner(*function, module).plan(*function);
}

}  // namespace rx::transform
