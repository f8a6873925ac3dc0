// KillAfterLastUse: after the binding that uses a value last, the value is freed. First trivial aliases are removed, so
// that a value has one name and its last use is seen.
#include "core/analysis/allocation.h"
#include "core/ir/reflect.h"
#include "core/transform/calls.h"
#include "core/transform/pass_functions.h"

namespace rx::transform {

namespace {

/// `lv = alloc`: later uses of lv become uses of alloc, and so do those of `t[0]` where t is `(alloc, ...)`. Aliases
/// stay where the kind of value would be lost (a variable that widens its StructInfo) and where they end a branch,
/// since the branch's variable is the result of the If.
class AliasRemover : public build::Mutator {
 public:
  explicit AliasRemover(build::ModuleContext& module) : Mutator("KillAfterLastUse", &module) {}

 protected:
  void visitVarBinding(const Ref<relax::VarBinding>& binding) override {
    relax::Expr value = fieldOf(visit(binding->value));
    if (isa<relax::Var>(value) && op::sameStructInfo(value->sinfo, binding->var->sinfo))
      return mapVar(binding->var, value);
    rebind(binding, value);
  }

 private:
  /// The variable that a field of a known tuple holds; anything else as it is.
  relax::Expr fieldOf(const relax::Expr& value) const {
    const auto* get = as<relax::TupleGetItem>(value);
    const relax::Expr bound = get ? valueOf(get->tuple) : nullptr;
    const auto* tuple = as<relax::Tuple>(bound);
    if (!tuple || get->index < 0 || get->index >= static_cast<int64_t>(tuple->items.size())) return value;
    const relax::Expr& field = tuple->items[static_cast<size_t>(get->index)];
    return isa<relax::Var>(field) ? field : value;
  }
};

/// Kinds of values that are freed, in the order in which they are freed after one binding.
enum class Freed : uint8_t { Tensor, Storage, Object };
struct FreeRow {
  Freed what;
  const char* op;
};
constexpr FreeRow kFrees[] = {{Freed::Tensor, "relax.memory.kill_tensor"},
                              {Freed::Storage, "relax.memory.kill_storage"},
                              {Freed::Object, "relax.vm.kill_object"}};

/// A value that a binding of a sequence defines.
struct Defined {
  relax::VarRef var;
  Freed kind;
  const relax::Var* lastUse = nullptr;  ///< of the binding that uses it last; null: not freed
  uint32_t next = kNone;                ///< what is freed after the same binding
  static constexpr uint32_t kNone = UINT32_MAX;
};

/// What is freed in one sequence, and after which of its bindings.
struct Frees {
  std::vector<Defined> values;
  PointerMap<relax::Var, uint32_t> first;  ///< binding -> the first value that is freed after it
};

bool isVoid(const relax::StructInfo& info) {
  const auto* tuple = as<relax::TupleStructInfo>(info);
  return tuple && tuple->items.empty();
}

bool allocatesStorage(const relax::Expr& value) {
  const auto* call = as<relax::Call>(value);
  return call && analysis::allocationOf(*call) == analysis::Allocation::Storage;
}

/// Shapes, scalars, functions and empty tuples own nothing that is worth freeing early.
std::optional<Freed> kindOf(const relax::StructInfo& info) {
  if (!info || isVoid(info)) return std::nullopt;
  if (isa<relax::TensorStructInfo>(info)) return Freed::Tensor;
  if (isa<relax::TupleStructInfo>(info) || isa<relax::ObjectStructInfo>(info)) return Freed::Object;
  return std::nullopt;
}

/// Last uses in one sequence of what its bindings define and its result does not use.
class UseCollector {
 public:
  UseCollector(const relax::SeqExpr& seq, const CancelToken& cancel) {
    for (const relax::BlockRef& block : seq.blocks) {
      index_.reserve(index_.size() + block->bindings.size());
      for (const relax::Binding& binding : block->bindings) {
        if (cancel.cancelled()) return;
        add(*binding);
      }
    }
    // What the sequence gives back lives on, and so does what was freed by hand or stands for the same memory.
    noteUses(*seq.body, nullptr);
  }

  Frees take() {
    Frees frees{std::move(values_), {}};
    // From behind, since each goes before what was put there.
    for (size_t row = std::size(kFrees); row-- > 0;) {
      for (size_t i = frees.values.size(); i-- > 0;) {
        Defined& value = frees.values[i];
        if (value.kind != kFrees[row].what || !value.lastUse) continue;
        const uint32_t* later = frees.first.find(value.lastUse);
        value.next = later ? *later : Defined::kNone;
        frees.first.set(value.lastUse, static_cast<uint32_t>(i));
      }
    }
    return frees;
  }

 private:
  void add(const relax::BindingNode& binding) {
    const auto* plain = as<relax::VarBinding>(&binding);
    const Node& value = plain ? static_cast<const Node&>(*plain->value) : *as<relax::MatchCast>(&binding)->value;
    noteUses(value, binding.var.get());
    if (plain && isKill(plain->value)) return;
    if (plain && isa<relax::Constant>(plain->value)) return;
    std::optional<Freed> kind = plain && allocatesStorage(plain->value) ? Freed::Storage : kindOf(binding.var->sinfo);
    if (!kind) return;
    // A value that nothing uses is not freed, as in TVM.
    index_.set(binding.var.get(), static_cast<uint32_t>(values_.size()));
    values_.push_back({binding.var, *kind});
  }

  static bool isKill(const relax::Expr& value) {
    for (const FreeRow& row : kFrees) {
      if (isOp(value, row.op)) return true;
    }
    return false;
  }

  /// `at` null: used by the result, never freed here.
  void noteUses(const Node& value, const relax::Var* at) {
    const auto* call = as<relax::Call>(&value);
    bool kills = call && isKill(Ref<relax::Call>(call));
    walk(value, Into::Parts, [&](const Node& node) {
      const auto* var = as<relax::Var>(&node);
      if (!var) return true;
      if (const uint32_t* known = index_.find(var)) values_[*known].lastUse = kills ? nullptr : at;
      return false;
    });
  }

  std::vector<Defined> values_;
  PointerMap<relax::Var, uint32_t> index_;
};

class KillInserter : public build::Mutator {
 public:
  explicit KillInserter(build::ModuleContext& module)
      : Mutator("KillAfterLastUse", &module), cancel_(module.cancel()) {}

 protected:
  relax::SeqRef visitSeq(const relax::SeqRef& seq) override {
    enter(*seq);
    relax::SeqRef result = Mutator::visitSeq(seq);
    stack_.pop_back();
    return result;
  }

  relax::Expr visitBody(const relax::SeqRef& body) override {
    enter(*body);
    relax::Expr result = Mutator::visitBody(body);
    stack_.pop_back();
    return result;
  }

  void visitBinding(const relax::Binding& binding) override {
    Mutator::visitBinding(binding);
    if (stack_.empty()) return;
    const Frees& frees = stack_.back();
    const uint32_t* first = frees.first.find(binding->var.get());
    for (uint32_t at = first ? *first : Defined::kNone; at != Defined::kNone; at = frees.values[at].next) {
      const Defined& value = frees.values[at];
      emitVoid(builder, op::makeCall(kFrees[static_cast<size_t>(value.kind)].op, {mapped(value.var)}));
    }
  }

 private:
  void enter(const relax::SeqExpr& seq) { stack_.push_back(UseCollector(seq, cancel_).take()); }

  const CancelToken& cancel_;
  std::vector<Frees> stack_;
};

}  // namespace

Result<ir::Module> killAfterLastUse(const ir::Module& module, const ir::Attrs&, pass::PassContext& pass) {
  RX_TRY(plain, build::mutateFunctions(module, pass.cancel, [](build::ModuleContext& context) {
           return std::make_unique<AliasRemover>(context);
         }));
  return build::mutateFunctions(plain, pass.cancel,
                                [](build::ModuleContext& context) { return std::make_unique<KillInserter>(context); });
}

}  // namespace rx::transform
