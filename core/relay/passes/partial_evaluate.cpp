// PartialEvaluate: runs what is known before the program runs. Functions are
// unfolded where they are called, branches and clauses taken where what they
// ask is known, references read where it is known what they hold; what stays is
// a program whose every value has a name.
#include <fmt/format.h>

#include "core/relay/device.h"
#include "core/relay/passes/fold.h"
#include "core/relay/passes/let_list.h"
#include "core/relay/passes/normal_form.h"
#include "core/relay/passes/partial_values.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"
#include "core/relay/solver.h"

namespace rx::relay {

namespace {

/// Bindings that one function may come to; beyond it calls stay calls.
constexpr int64_t kMostSteps = 1 << 20;
/// How deep tuples of constants are looked into.
constexpr int kMostNesting = 16;

enum class Fit : uint8_t { Yes, No, Unknown };

/// A machine without recursion of its own: blocks that wait for others are
/// continuations on a stack.
class PartialEvaluator {
 public:
  PartialEvaluator(const ir::Module& module, CancelToken cancel) : module_(module), cancel_(std::move(cancel)) {}

  Result<FunctionRef> run(const relax::GlobalVarRef& name, const FunctionRef& function) {
    steps_ = 0;
    FunctionRef result;
    const Known* closure = known(Closure{normal(function), nullptr, {}, {}});
    RX_CHECK(residual(closure, Partial{name, closure, ++clock_}, name->span, [&](const FunctionRef& made) {
      result = made;
      return Result<Unit>(Unit{});
    }));
    while (!waiting_.empty()) {
      if ((++steps_ & 0xff) == 0 && cancel_.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
      RX_CHECK(step());
    }
    return result;
  }

 private:
  /// Variables of one call and what they stand for.
  struct Frame {
    std::unordered_map<const Node*, Partial> values;
    std::unordered_map<const Node*, Type> types;
  };
  struct Block {
    Expr expr;
    std::shared_ptr<Frame> frame;
    std::shared_ptr<LetList> out;
  };
  using Continue = std::function<Result<Unit>(const Partial&)>;

  const Known* known(auto value) {
    known_.push_back(std::make_unique<Known>(Known{std::move(value)}));
    return known_.back().get();
  }
  Partial unknown(Expr dynamic) { return {std::move(dynamic), nullptr, ++clock_}; }

  /// A function whose values have names, made once.
  FunctionRef normal(const FunctionRef& function) {
    FunctionRef& made = normal_[function.get()];
    if (!made) made = toNormalForm(function, NormalForm::ANormal);
    return made;
  }

  // What is left of the program.

  template <class T, class... Args>
  static Expr madeAt(Span place, Args&&... args) {
    T* node = new T(std::forward<Args>(args)...);
    node->span = place;
    return Ref<T>(node);
  }
  Expr push(const Expr& value) { return now_.out->push(value); }
  Result<Unit> give(const Partial& value) {
    const Continue next = std::move(waiting_.back());
    waiting_.pop_back();
    return next(value);
  }
  Result<Unit> giveUnknown(const Expr& value) { return give(unknown(push(value))); }

  /// Evaluates a block of its own, and hands on what is left of it.
  void block(const Expr& expr, const std::shared_ptr<Frame>& frame, std::function<Result<Unit>(Expr)> then) {
    const Block around = now_;
    auto list = std::make_shared<LetList>();
    store_.enter();
    waiting_.push_back([=, this, then = std::move(then)](const Partial& value) {
      store_.leave();
      now_ = around;
      return then(list->wrap(value.dynamic));
    });
    now_ = {expr, frame, list};
  }

  Result<Unit> step() {
    const auto* let = as<Let>(now_.expr);
    if (!let) return value(now_.expr, nullptr);
    const Block rest{let->body, now_.frame, now_.out};
    const VarRef var = let->var;
    waiting_.push_back([this, rest, var](const Partial& value) {
      rest.frame->values[var.get()] = value;
      now_ = rest;
      return Result<Unit>(Unit{});
    });
    return value(Expr(let->value), var);
  }

  /// What an atom stands for.
  Partial atom(const Expr& expr) {
    const auto hit = now_.frame->values.find(expr.get());
    return hit != now_.frame->values.end() ? hit->second : unknown(expr);
  }
  struct Atoms {
    std::vector<Partial> values;
    std::vector<Expr> dynamic;
  };
  Atoms atoms(const Array<Expr>& exprs) {
    Atoms all;
    for (const Expr& expr : exprs) {
      all.values.push_back(atom(expr));
      all.dynamic.push_back(all.values.back().dynamic);
    }
    return all;
  }

  /// `name`: the variable that the value is bound to, null for none.
  Result<Unit> value(const Expr& expr, const VarRef& name) {
    if (const auto placed = onDeviceOf(expr); placed && !isa<Var>(placed->body)) return placedValue(expr, placed->body);
    if (const auto* call = as<Call>(expr)) return callOf(*call);
    if (const auto* function = as<Function>(expr)) return functionValue(FunctionRef(function), name);
    if (const auto* branch = as<If>(expr)) return ifValue(*branch);
    if (const auto match = refAs<Match>(expr)) return matchValue(match);
    if (const auto* tuple = as<Tuple>(expr)) {
      Atoms items = atoms(tuple->items);
      const Expr made = push(madeAt<Tuple>(expr->span, std::move(items.dynamic)));
      return give({made, known(KnownTuple{std::move(items.values)}), ++clock_});
    }
    if (const auto* item = as<TupleGetItem>(expr)) {
      const Partial tuple = atom(item->tuple);
      const auto* parts = knownAs<KnownTuple>(tuple);
      if (parts && static_cast<size_t>(item->index) < parts->items.size())
        return give(parts->items[static_cast<size_t>(item->index)]);
      return giveUnknown(madeAt<TupleGetItem>(expr->span, tuple.dynamic, item->index));
    }
    if (const auto* constant = as<Constant>(expr)) {
      const Expr made = push(expr);
      return give({made, constant->data ? known(constant->data) : nullptr, ++clock_});
    }
    if (isa<RefCreate>(expr) || isa<RefRead>(expr) || isa<RefWrite>(expr)) return referenceValue(expr);
    return give(atom(expr));
  }

  /// A value that is marked with where it lies, which A-normal form leaves within the mark.
  Result<Unit> placedValue(const Expr& mark, const Expr& body) {
    const Block around = now_;
    waiting_.push_back([this, around, mark](const Partial& value) {
      now_ = around;
      const Expr operands[] = {value.dynamic, as<Call>(mark)->op};
      return give({push(withOperands(mark, operands)), value.known, ++clock_});
    });
    now_.expr = body;
    return Unit{};
  }

  Result<Unit> referenceValue(const Expr& expr) {
    if (const auto* create = as<RefCreate>(expr)) {
      const Partial held = atom(create->value);
      const Known* reference = known(KnownReference{});
      store_.write(reference, held);
      return give({push(madeAt<RefCreate>(expr->span, held.dynamic)), reference, ++clock_});
    }
    if (const auto* read = as<RefRead>(expr)) {
      const Partial from = atom(read->ref);
      if (const Partial* held = knownAs<KnownReference>(from) ? store_.read(from.known) : nullptr) return give(*held);
      return giveUnknown(madeAt<RefRead>(expr->span, from.dynamic));
    }
    const auto* write = as<RefWrite>(expr);
    const Partial to = atom(write->ref), written = atom(write->value);
    if (knownAs<KnownReference>(to)) {
      store_.write(to.known, written);
    } else {
      store_.forget();
    }
    const Expr made = push(madeAt<RefWrite>(expr->span, to.dynamic, written.dynamic));
    return give({made, known(KnownTuple{}), ++clock_});
  }

  Result<Unit> ifValue(const If& branch) {
    const Partial condition = atom(branch.cond);
    const auto frame = now_.frame;
    if (const auto* tensor = knownAs<Ref<HostTensor>>(condition); tensor && (*tensor)->count() == 1) {
      now_.expr = (*tensor)->intAt(0) != 0 ? branch.trueBranch : branch.falseBranch;
      return Unit{};
    }
    const Expr asked = condition.dynamic, otherwise = branch.falseBranch;
    const Span place = branch.span;
    block(branch.trueBranch, frame, [=, this](const Expr& onTrue) {
      block(otherwise, frame, [=, this](const Expr& onFalse) {
        store_.forget();
        return giveUnknown(madeAt<If>(place, asked, onTrue, onFalse));
      });
      return Result<Unit>(Unit{});
    });
    return Unit{};
  }

  // Matches.

  /// Whether a value has the form of a pattern; its variables are bound as far
  /// as the form is known.
  Fit fits(const Pattern& pattern, const Partial& value) {
    std::vector<std::pair<const PatternNode*, Partial>> open{{pattern.get(), value}};
    Fit fit = Fit::Yes;
    while (!open.empty()) {
      const auto [at, part] = open.back();
      open.pop_back();
      if (const auto* var = as<PatternVar>(at)) now_.frame->values[var->var.get()] = part;
      const auto* made = as<PatternConstructor>(at);
      const auto* tuple = as<PatternTuple>(at);
      if (!made && !tuple) continue;
      const auto* data = made ? knownAs<KnownData>(part) : nullptr;
      const auto* items = tuple ? knownAs<KnownTuple>(part) : nullptr;
      if (!data && !items) {
        fit = Fit::Unknown;
        continue;
      }
      if (data && data->constructor->name != made->constructor->name) return Fit::No;
      const Array<Pattern>& patterns = made ? made->patterns : tuple->patterns;
      const std::vector<Partial>& parts = data ? data->fields : items->items;
      for (size_t i = 0; i < patterns.size() && i < parts.size(); ++i) open.emplace_back(patterns[i].get(), parts[i]);
    }
    return fit;
  }

  Result<Unit> matchValue(const Ref<Match>& match) {
    const Partial data = atom(match->data);
    for (const Ref<Clause>& clause : match->clauses) {
      const Fit fit = fits(clause->pattern, data);
      if (fit == Fit::Unknown) return clauses(match, data.dynamic, {});
      if (fit == Fit::No) continue;
      now_.expr = clause->value;
      return Unit{};
    }
    return fail(errorAt(match->span, "relay.incomplete-match", "no clause fits the value that is matched here"));
  }

  /// A pattern with variables of its own.
  Pattern renewed(const Pattern& pattern) {
    return refAs<PatternNode>(rewriteGraph(
        pattern,
        [&](const NodeRef& node) -> NodeRef {
          const auto* var = as<PatternVar>(node);
          if (!var) return isa<PatternNode>(node) ? nullptr : node;
          const VarRef fresh = renewed(*var->var, *now_.frame);
          return make<PatternVar>(fresh);
        },
        nullptr));
  }

  /// What is left of a match: its clauses one after the other, `done` of them
  /// so far.
  Result<Unit> clauses(const Ref<Match>& match, const Expr& data, std::vector<Ref<Clause>> done) {
    const auto frame = now_.frame;
    if (done.size() == match->clauses.size()) {
      store_.forget();
      return giveUnknown(madeAt<Match>(match->span, data, std::move(done), match->complete));
    }
    const Ref<Clause> clause = match->clauses[done.size()];
    const Pattern pattern = renewed(clause->pattern);
    block(clause->value, frame, [=, this, done = std::move(done)](const Expr& left) {
      std::vector<Ref<Clause>> more = done;
      more.push_back(make<Clause>(pattern, left));
      return clauses(match, data, std::move(more));
    });
    return Unit{};
  }

  // Functions.

  /// A variable of what is left in the place of one of the program, of its type
  /// as it is here.
  VarRef renewed(const Var& var, Frame& frame) {
    Var* fresh = new Var(var);
    fresh->sinfo = nullptr;
    fresh->typeAnnotation = inFrame(var.typeAnnotation, frame);
    VarRef made(fresh);
    frame.values[&var] = unknown(made);
    return made;
  }
  static Type inFrame(const Type& type, const Frame& frame) {
    return type && !frame.types.empty() ? substitute(type, frame.types) : type;
  }

  Result<Unit> functionValue(const FunctionRef& function, const VarRef& name) {
    Closure closure{function, name.get(), {}, now_.frame->types};
    const auto [free, isNew] = free_.try_emplace(function.get());
    if (isNew) free->second = freeVariables(function);
    for (const VarRef& var : free->second)
      if (var != name) closure.captured.emplace_back(var.get(), atom(var));
    const Known* made = known(std::move(closure));
    const VarRef own = make<Var>(name ? name->name : Str("x"), nullptr);
    return residual(made, Partial{own, made, ++clock_}, function->span, [=, this](const FunctionRef& left) {
      now_.out->push(own, left);
      return give({own, made, ++clock_});
    });
  }

  /// The variables of a call of a closure, without its parameters.
  static std::shared_ptr<Frame> frameOf(const Closure& closure, const Partial& self) {
    auto frame = std::make_shared<Frame>();
    frame->types = closure.types;
    for (const auto& [var, value] : closure.captured) frame->values[var] = value;
    if (closure.self) frame->values[closure.self] = self;
    return frame;
  }

  /// What is left of a function whose arguments are not known.
  Result<Unit> residual(const Known* known, const Partial& self, Span place,
                        const std::function<Result<Unit>(const FunctionRef&)>& then) {
    const auto& closure = std::get<Closure>(known->value);
    const FunctionRef function = closure.function;
    if (isKernel(*function)) return then(function);
    const auto frame = frameOf(closure, self);
    std::vector<Ref<TypeVar>> typeParams;
    for (const Ref<TypeVar>& var : function->typeParams) {
      typeParams.push_back(make<TypeVar>(*var));
      frame->types[var.get()] = typeParams.back();
    }
    std::vector<VarRef> params;
    std::vector<Partial> arguments;
    for (const VarRef& param : function->params) {
      params.push_back(renewed(*param, *frame));
      arguments.push_back(frame->values.at(param.get()));
    }
    const Fuel::Marks before = fuel_.marksOf(function.get());
    const bool unfolds = fuel_.burn(function.get(), arguments);
    if (!unfolds) ++folded_;
    block(function->body, frame, [=, this](const Expr& body) {
      fuel_.restore(function.get(), before);
      if (!unfolds) --folded_;
      Function* left = new Function(*function);
      left->sinfo = nullptr;
      left->span = place;
      left->params = Array<VarRef>(params);
      left->typeParams = Array<Ref<TypeVar>>(typeParams);
      left->retType = inFrame(function->retType, *frame);
      left->body = body;
      return then(FunctionRef(left));
    });
    store_.forget();  // it may run at any time
    return Unit{};
  }

  static bool isKernel(const Function& function) { return ir::intAttrOf(function.attrs, "Primitive", 0) != 0; }

  // Calls.

  Result<Unit> callOf(const Call& call) {
    const Partial callee = atom(call.op);
    Atoms args = atoms(call.args);
    if (isa<Op>(callee.dynamic)) return callOp(call, callee.dynamic, args);
    if (const auto constructor = refAs<Constructor>(callee.dynamic)) {
      const Expr made = push(madeAt<Call>(call.span, callee.dynamic, std::move(args.dynamic), call.attrs));
      return give({made, known(KnownData{constructor, std::move(args.values)}), ++clock_});
    }
    const Known* target = targetOf(callee);
    const auto* closure = target ? std::get_if<Closure>(&target->value) : nullptr;
    if (closure && isKernel(*closure->function)) return callOp(call, closure->function, args);
    if (!closure || closure->function->params.size() != args.values.size()) return residualCall(call, callee, args);
    return unfold(call, *closure, callee, args);
  }

  /// The function that a value is known to be, or null.
  const Known* targetOf(const Partial& callee) {
    const auto* name = as<relax::GlobalVar>(callee.dynamic);
    if (!name) return callee.known;
    const auto function = refAs<Function>(module_->find(name));
    if (!function || !isOpen(*function)) return nullptr;
    const Known*& made = globals_[function.get()];
    if (!made) made = known(Closure{normal(function), nullptr, {}, {}});
    return made;
  }

  Result<Unit> residualCall(const Call& call, const Partial& callee, const Atoms& args) {
    store_.forget();
    return giveUnknown(left(call, callee.dynamic, args.dynamic));
  }
  Expr left(const Call& call, const Expr& callee, const std::vector<Expr>& args) const {
    Call* made = new Call(callee, args, call.attrs);
    made->span = call.span;
    std::vector<Type> types;
    for (const Type& type : call.typeArgs) types.push_back(inFrame(type, *now_.frame));
    made->typeArgs = Array<Type>(types);
    return Ref<Call>(made);
  }

  Result<Unit> unfold(const Call& call, const Closure& closure, const Partial& callee, const Atoms& args) {
    const FunctionRef function = closure.function;
    const Fuel::Marks before = fuel_.marksOf(function.get());
    if (folded_ > 0 || steps_ > kMostSteps || !fuel_.burn(function.get(), args.values)) {
      fuel_.restore(function.get(), before);
      return residualCall(call, callee, args);
    }
    const auto frame = frameOf(closure, callee);
    for (size_t i = 0; i < args.values.size(); ++i) frame->values[function->params[i].get()] = args.values[i];
    for (size_t i = 0; i < function->typeParams.size(); ++i) {
      frame->types[function->typeParams[i].get()] =
          i < call.typeArgs.size() ? inFrame(call.typeArgs[i], *now_.frame) : Type(make<IncompleteType>());
    }
    waiting_.push_back([this, function, before](const Partial& value) {
      fuel_.restore(function.get(), before);
      return give(value);
    });
    now_ = {function->body, frame, now_.out};
    return Unit{};
  }

  // What operators and kernels compute.

  /// The constant that a value is known to be; null where it is none.
  static Expr constantOfKnown(const Partial& value, int nesting) {
    if (const auto* tensor = knownAs<Ref<HostTensor>>(value)) return constantOf(*tensor);
    const auto* tuple = knownAs<KnownTuple>(value);
    if (!tuple || nesting == 0) return nullptr;
    std::vector<Expr> items;
    for (const Partial& item : tuple->items) {
      items.push_back(constantOfKnown(item, nesting - 1));
      if (!items.back()) return nullptr;
    }
    return tupleOf(std::move(items));
  }

  Result<Unit> callOp(const Call& call, const Expr& callee, const Atoms& args) {
    const Expr residual = left(call, callee, args.dynamic);
    const auto* op = as<Op>(callee);
    std::vector<Expr> constants;
    for (const Partial& value : args.values) {
      constants.push_back(constantOfKnown(value, kMostNesting));
      if (!constants.back()) return giveUnknown(residual);
    }
    if (op && rowOf(*op).stateful) return giveUnknown(residual);
    const Expr closed = make<Call>(callee, std::move(constants), call.attrs);
    const Expr result = foldedCall(module_, closed, cancel_);
    if (result == closed) return giveUnknown(residual);
    return give(taken(result, kMostNesting));
  }

  /// A computed value, its parts with names.
  Partial taken(const Expr& value, int nesting) {
    const auto* tuple = as<Tuple>(value);
    if (!tuple || nesting == 0) {
      const Ref<HostTensor> data = constantData(value);
      const Expr made = push(value);
      return {made, data ? known(data) : nullptr, ++clock_};
    }
    KnownTuple parts;
    std::vector<Expr> items;
    for (const Expr& item : tuple->items) {
      parts.items.push_back(taken(item, nesting - 1));
      items.push_back(parts.items.back().dynamic);
    }
    const Expr made = push(make<Tuple>(std::move(items)));
    return {made, known(std::move(parts)), ++clock_};
  }

  const ir::Module& module_;
  CancelToken cancel_;
  Block now_;
  std::vector<Continue> waiting_;
  PartialStore store_;
  Fuel fuel_;
  int64_t steps_ = 0;
  int folded_ = 0;  ///< functions around in which calls stay calls
  uint64_t clock_ = 0;
  std::vector<std::unique_ptr<Known>> known_;  ///< held here, so that no chain of them is released by recursion
  std::unordered_map<const Node*, const Known*> globals_;
  std::unordered_map<const Node*, FunctionRef> normal_;
  std::unordered_map<const Node*, std::vector<VarRef>> free_;
};

}  // namespace

Result<ir::Module> partialEvaluate(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  RX_TRY(typed, inferTypes(module, context.cancel));
  PartialEvaluator evaluator(typed, context.cancel);
  auto entries = typed->entries();
  for (auto& [name, function] : entries) {
    const auto relay = refAs<Function>(function);
    if (!relay || !isOpen(*relay)) continue;
    RX_TRY(left, evaluator.run(name, relay));
    function = left;
  }
  return inferTypes(typed->with(std::move(entries)), context.cancel);
}

}  // namespace rx::relay
