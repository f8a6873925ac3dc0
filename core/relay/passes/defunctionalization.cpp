// Defunctionalization: no function is a value any more. What was one becomes data, a constructor for each place where a
// function is made, with what that uses; a function of the module calls what such data stands for.
#include <fmt/format.h>

#include <map>
#include <unordered_set>

#include "core/ir/reflect.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"
#include "core/relay/solver.h"
#include "core/relay/text.h"

namespace rx::relay {

namespace {

using Types = std::unordered_map<const Node*, Type>;  // by type variable

/// Letters of the types of one function; a program that makes ever larger types comes to ever more functions.
constexpr size_t kLongestTypes = 10'000;

bool holdsFunction(const Type& type) {
  bool found = false;
  if (type) walk(*type, Into::All, [&](const Node& node) { return !(found = found || isa<FuncType>(&node)); });
  return found;
}

/// What the variables of a type stand for where it is another one.
void bindTypes(const Type& general, const Type& special, Types& out) {
  std::vector<std::pair<Type, Type>> waiting{{general, special}};
  auto both = [&](const Array<Type>& a, const Array<Type>& b) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) waiting.emplace_back(a[i], b[i]);
  };
  while (!waiting.empty()) {
    const auto [a, b] = waiting.back();
    waiting.pop_back();
    if (isa<TypeVar>(a)) out.emplace(a.get(), b);
    if (a->kind() != b->kind()) continue;
    if (const auto* tuple = as<TupleType>(a)) both(tuple->items, as<TupleType>(b)->items);
    if (const auto* made = as<TypeCall>(a)) both(made->args, as<TypeCall>(b)->args);
    if (const auto* ref = as<RefType>(a)) waiting.emplace_back(ref->value, as<RefType>(b)->value);
    if (const auto* function = as<FuncType>(a)) {
      both(function->argTypes, as<FuncType>(b)->argTypes);
      waiting.emplace_back(function->retType, as<FuncType>(b)->retType);
    }
  }
}

Ref<FuncType> typeOfFunction(const Function& function) {
  std::vector<Type> args;
  for (const VarRef& param : function.params) args.push_back(param->typeAnnotation);
  return make<FuncType>(function.typeParams, Array<Type>(std::move(args)), function.retType);
}

class Defunctionalizer {
 public:
  explicit Defunctionalizer(const ir::Module& module) : module_(module) {
    for (const relax::GlobalVarRef& name : module->vars) taken_.insert(name->name.string());
    for (size_t i = 0; module->types && i < module->types->size(); ++i) {
      taken_.insert(module->types->keys[i].string());
      const auto* data = as<TypeData>(module->types->values[i]);
      for (size_t c = 0; data && c < data->constructors.size(); ++c)
        taken_.insert(data->constructors[c]->name.string());
    }
  }

  Result<ir::Module> run(const relax::GlobalVarRef& name, const FunctionRef& main, const CancelToken& cancel) {
    made_.emplace_back(name, nullptr);
    jobs_.push_back({main, {}, nullptr, nullptr, {}, nullptr, 0});
    while (!jobs_.empty()) {
      if (cancel.cancelled()) return fail("pass.cancelled", "the pass was cancelled");
      const Job job = std::move(jobs_.back());
      jobs_.pop_back();
      if (job.kind) {
        addClause(job);
      } else {
        made_[job.instance].second = instanceOf(job);
      }
      if (!findings_.empty()) return fail(std::move(findings_));
    }
    return result();
  }

 private:
  /// Functions of one type as data.
  struct Kind {
    Ref<GlobalTypeVar> name;
    relax::GlobalVarRef apply;
    VarRef value;
    std::vector<VarRef> params;
    Type result;
    std::vector<Ref<Constructor>> constructors;
    std::vector<Ref<Clause>> clauses;
    std::map<std::string, Ref<Constructor>> ofGlobals;
  };
  /// A function to convert: an instance of one of the module, or what a constructor of a kind stands for.
  struct Job {
    FunctionRef function;
    Types types;
    Kind* kind;
    Ref<Constructor> constructor;
    std::vector<VarRef> captured;
    VarRef self;
    size_t instance;
  };
  /// What names stand for within a function.
  struct Scope {
    Types types;
    std::unordered_map<const Node*, Expr> vars;
  };

  Expr refuse(const Expr& at, std::string message) {
    findings_.push_back(errorAt(at->span, "relay.defunctionalization", std::move(message)));
    return at;
  }

  std::string fresh(std::string_view name) {
    for (;;) {
      std::string made = fmt::format("{}_{}", name, ++count_);
      if (!taken_.contains(made)) return made;
    }
  }

  /// A type with data in the place of functions.
  Type encoded(const Type& type) {
    return refAs<TypeNode>(rewriteGraph(
        type,
        [&](const NodeRef& node) -> NodeRef {
          const auto function = refAs<FuncType>(node);
          return function ? make<TypeCall>(kindOf(function).name, Array<Type>()) : NodeRef();
        },
        nullptr));
  }

  Kind& kindOf(const Ref<FuncType>& type) {
    const auto [hit, isNew] = kinds_.emplace(typeText(type), Kind());
    Kind& kind = hit->second;
    if (!isNew) return kind;
    kind.name = make<GlobalTypeVar>(Str(fresh("Defunc")));
    kind.apply = make<relax::GlobalVar>(Str(fresh("apply")));
    kind.value = make<Var>(Str("f"), make<TypeCall>(kind.name, Array<Type>()));
    for (const Type& arg : type->argTypes) kind.params.push_back(make<Var>(Str("y"), encoded(arg)));
    kind.result = encoded(type->retType);
    return kind;
  }

  /// The function of the module that stands for another one with these types.
  relax::GlobalVarRef instance(const relax::GlobalVarRef& global, const FunctionRef& function, Types types) {
    std::string key = global->name.string();
    for (const Ref<TypeVar>& var : function->typeParams) {
      const auto bound = types.find(var.get());
      key += ' ' + (bound == types.end() ? "?" : typeText(bound->second));
    }
    if (key.size() > kLongestTypes) {
      refuse(function, fmt::format("@{} is called with ever larger types", global->name.view()));
      return global;
    }
    const auto [hit, isNew] = instances_.emplace(key, global);
    if (!isNew) return hit->second;
    if (!function->typeParams.empty()) hit->second = make<relax::GlobalVar>(Str(fresh(global->name.view())));
    jobs_.push_back({function, std::move(types), nullptr, nullptr, {}, nullptr, made_.size()});
    made_.emplace_back(hit->second, nullptr);
    return hit->second;
  }

  Expr varOf(const VarRef& var, Scope& scope) {
    Expr& known = scope.vars[var.get()];
    if (!known) known = make<Var>(var->name, encoded(substitute(var->typeAnnotation, scope.types)), var->virtualDevice);
    return known;
  }

  FunctionRef instanceOf(const Job& job) {
    Scope scope{job.types, {}};
    std::vector<VarRef> params;
    for (const VarRef& param : job.function->params) params.push_back(refAs<Var>(varOf(param, scope)));
    const Type result = substitute(job.function->retType, job.types);
    const Expr body = converted(job.function->body, result, scope);
    return make<Function>(Array<VarRef>(std::move(params)), body, encoded(result), Array<Ref<TypeVar>>(),
                          job.function->attrs);
  }

  void addClause(const Job& job) {
    Scope scope{job.types, {}};
    std::vector<Pattern> patterns;
    std::vector<Expr> fields;
    for (size_t i = 0; i < job.captured.size(); ++i) {
      const VarRef field = make<Var>(job.captured[i]->name, job.constructor->inputs[i]);
      scope.vars[job.captured[i].get()] = field;
      patterns.push_back(make<PatternVar>(field));
      fields.push_back(field);
    }
    if (job.self) scope.vars[job.self.get()] = make<Call>(job.constructor, Array<Expr>(std::move(fields)));
    for (size_t i = 0; i < job.function->params.size(); ++i)
      scope.vars[job.function->params[i].get()] = job.kind->params[i];
    const Expr body = converted(job.function->body, substitute(job.function->retType, job.types), scope);
    job.kind->clauses.push_back(
        make<Clause>(make<PatternConstructor>(job.constructor, Array<Pattern>(std::move(patterns))), body));
  }

  /// An expression without functions as values. Functions within it are not entered: they are jobs of their own.
  Expr converted(const Expr& root, const Type& type, Scope& scope) {
    const auto pre = [&](const NodeRef& node) -> NodeRef {
      if (isa<Var>(node)) return varOf(refAs<Var>(node), scope);
      return isa<Function>(node) || isa<TypeNode>(node) || isa<Constructor>(node) ? node : nullptr;
    };
    const auto post = [&](const NodeRef& before, const NodeRef& now) -> NodeRef {
      if (isa<PatternNode>(now) || isa<Clause>(now)) return now;
      const auto expr = refAs<relax::ExprNode>(now);
      return expr ? NodeRef(rewritten(refAs<relax::ExprNode>(before), expr, scope)) : now;
    };
    const Expr now = refAs<relax::ExprNode>(rewriteGraph(root, pre, post));
    return valueOf(root, now, type, nullptr, scope);
  }

  /// The type that an operand has where it stands, which says what one of any types is used as: branches, clauses and
  /// bodies give what the whole gives, items are those of its type.
  static Type wantedType(const Expr& whole, size_t i, const Expr& operand) {
    const Type type = typeOf(whole);
    if (const auto* let = as<Let>(whole)) return i == 0 ? let->var->typeAnnotation : type;
    if ((isa<If>(whole) || isa<Match>(whole)) && i > 0) return type;
    if (const auto* tuple = as<TupleType>(type); tuple && isa<Tuple>(whole)) return tuple->items[i];
    if (const auto* ref = as<RefType>(type); ref && isa<RefCreate>(whole)) return ref->value;
    if (const auto* write = as<RefWrite>(whole); write && i > 0) {
      const auto* ref = as<RefType>(typeOf(write->ref));
      if (ref) return ref->value;
    }
    return typeOf(operand);
  }

  Expr rewritten(const Expr& before, const Expr& now, Scope& scope) {
    if (const auto call = refAs<Call>(before)) return rewrittenCall(call, refAs<Call>(now), scope);
    std::vector<Expr> was, operands;
    appendOperands(*before, was);
    appendOperands(*now, operands);
    const auto* let = as<Let>(before);
    for (size_t i = 0; i < operands.size(); ++i) {
      const Type type = substitute(wantedType(before, i, was[i]), scope.types);
      operands[i] = valueOf(was[i], operands[i], type, let && i == 0 ? let->var : nullptr, scope);
    }
    return operands.empty() ? now : withOperands(now, operands);
  }

  /// The types that a call has its arguments have.
  Ref<FuncType> calledType(const Call& call, Types& types, const Scope& scope) const {
    if (const auto* global = as<relax::GlobalVar>(call.op)) {
      const auto function = refAs<Function>(module_->find(global));
      for (size_t i = 0; function && i < std::min(function->typeParams.size(), call.typeArgs.size()); ++i)
        types.emplace(function->typeParams[i].get(), substitute(call.typeArgs[i], scope.types));
      return function ? typeOfFunction(*function) : nullptr;
    }
    if (const auto constructor = refAs<Constructor>(call.op)) {
      const auto* data = as<TypeData>(ir::attrOf(module_->types, constructor->belongTo->name.view()));
      const Type result =
          make<TypeCall>(constructor->belongTo, Array<Type>(data->typeVars.begin(), data->typeVars.end()));
      bindTypes(result, substitute(typeOf(Expr(&call)), scope.types), types);
      return make<FuncType>(Array<Ref<TypeVar>>(), constructor->inputs, result);
    }
    types = scope.types;
    return refAs<FuncType>(typeOf(call.op));
  }

  Expr rewrittenCall(const Ref<Call>& before, const Ref<Call>& now, Scope& scope) {
    const auto* literal = as<Function>(before->op);
    if (isa<Op>(before->op) || (literal && ir::intAttrOf(literal->attrs, "Primitive", 0) != 0)) return now;
    Types types;
    const Ref<FuncType> called = calledType(*before, types, scope);
    if (!called || called->argTypes.size() != now->args.size()) return now;
    std::vector<Expr> args;
    for (size_t i = 0; i < now->args.size(); ++i)
      args.push_back(valueOf(before->args[i], now->args[i], substitute(called->argTypes[i], types), nullptr, scope));
    if (isa<Constructor>(before->op)) return make<Call>(before->op, Array<Expr>(std::move(args)), before->attrs);
    if (const auto global = refAs<relax::GlobalVar>(before->op)) {
      const Expr callee = instance(global, refAs<Function>(module_->find(global.get())), std::move(types));
      return make<Call>(callee, Array<Expr>(std::move(args)), before->attrs);
    }
    const auto type =
        refAs<FuncType>(substitute(make<FuncType>(Array<Ref<TypeVar>>(), called->argTypes, called->retType), types));
    args.insert(args.begin(), valueOf(before->op, now->op, type, nullptr, scope));
    return make<Call>(kindOf(type).apply, Array<Expr>(std::move(args)));
  }

  /// The data for what is a function; other values as they are. `self` is the variable that it is bound to.
  Expr valueOf(const Expr& before, const Expr& now, const Type& type, const VarRef& self, Scope& scope) {
    const auto function = refAs<FuncType>(type);
    if (!function) return now;
    if (isa<Op>(before) || isa<Constructor>(before))
      return refuse(before, "an operator or constructor that is no function has to be within one: EtaExpand");
    if (!function->typeParams.empty())
      return refuse(before,
                    "a function of any types is no data: it has to be called by its name, or be of known types");
    if (const auto global = refAs<relax::GlobalVar>(before)) return ofGlobal(global, function);
    const auto literal = refAs<Function>(before);
    if (!literal) return now;
    Types types = scope.types;
    bindTypes(typeOfFunction(*literal), function, types);
    std::vector<VarRef> captured;
    std::vector<Type> inputs;
    std::vector<Expr> fields;
    for (const VarRef& var : freeVariables(literal)) {
      if (var == self) continue;
      captured.push_back(var);
      fields.push_back(varOf(var, scope));
      inputs.push_back(encoded(substitute(var->typeAnnotation, scope.types)));
    }
    Kind& kind = kindOf(function);
    const auto constructor = make<Constructor>(Str(fresh("Closure")), Array<Type>(std::move(inputs)), kind.name);
    kind.constructors.push_back(constructor);
    jobs_.push_back({literal, std::move(types), &kind, constructor, std::move(captured), self, 0});
    return make<Call>(constructor, Array<Expr>(std::move(fields)));
  }

  Expr ofGlobal(const relax::GlobalVarRef& global, const Ref<FuncType>& type) {
    const auto function = refAs<Function>(module_->find(global.get()));
    if (!function) return refuse(global, fmt::format("@{} is no function of Relay", global->name.view()));
    Types types;
    bindTypes(typeOfFunction(*function), type, types);
    const auto name = instance(global, function, std::move(types));
    Kind& kind = kindOf(type);
    Ref<Constructor>& known = kind.ofGlobals[name->name.string()];
    if (!known) {
      known = make<Constructor>(Str(fresh("Function")), Array<Type>(), kind.name);
      kind.constructors.push_back(known);
      const Expr call = make<Call>(name, Array<Expr>(kind.params.begin(), kind.params.end()));
      kind.clauses.push_back(make<Clause>(make<PatternConstructor>(known, Array<Pattern>()), call));
    }
    return make<Call>(known, Array<Expr>());
  }

  Result<ir::Module> result() {
    std::vector<ir::IRModule::Entry> entries;
    std::unordered_map<std::string_view, FunctionRef> ofName;
    for (const auto& [name, function] : made_) ofName.emplace(name->name.view(), function);
    for (auto& [name, function] : module_->entries()) {
      const auto own = ofName.find(name->name.view());
      entries.emplace_back(name, own == ofName.end() ? function : ir::BaseFunc(own->second));
    }
    for (const auto& [name, function] : made_)
      if (!module_->findVar(name->name.view())) entries.emplace_back(name, function);
    std::vector<std::pair<Str, NodeRef>> types;
    for (size_t i = 0; module_->types && i < module_->types->size(); ++i)
      types.emplace_back(module_->types->keys[i], module_->types->values[i]);
    for (auto& [text, kind] : kinds_) {
      if (kind.constructors.empty()) continue;
      types.emplace_back(kind.name->name, make<TypeData>(kind.name, Array<Ref<TypeVar>>(),
                                                         Array<Ref<Constructor>>(kind.constructors), false));
      std::vector<VarRef> params{kind.value};
      params.insert(params.end(), kind.params.begin(), kind.params.end());
      const Expr body = make<Match>(kind.value, Array<Ref<Clause>>(kind.clauses), true);
      entries.emplace_back(kind.apply, make<Function>(Array<VarRef>(std::move(params)), body, kind.result));
    }
    auto* made = new ir::IRModule(*module_->with(std::move(entries)));
    made->types = make<ir::DictAttrs>(std::move(types));
    return ir::Module(made);
  }

  ir::Module module_;
  std::unordered_set<std::string> taken_;  ///< names of functions, types and constructors
  std::map<std::string, Kind> kinds_;      ///< by the text of the type
  std::map<std::string, relax::GlobalVarRef> instances_;
  std::vector<std::pair<relax::GlobalVarRef, FunctionRef>> made_;
  std::vector<Job> jobs_;
  std::vector<Diagnostic> findings_;
  size_t count_ = 0;
};

}  // namespace

Result<ir::Module> defunctionalization(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  RX_TRY(typed, inferTypes(module, context.cancel));
  const std::string_view name = ir::strAttrOf(given, "function", "main");
  const auto main = refAs<Function>(typed->find(name));
  if (!main) return fail("pass.unknown-function", fmt::format("there is no function @{}", name));
  bool isFirstOrder = main->typeParams.empty() && !holdsFunction(main->retType);
  for (const VarRef& param : main->params) isFirstOrder = isFirstOrder && !holdsFunction(param->typeAnnotation);
  if (!isFirstOrder) {
    return fail(errorAt(main->span, "relay.defunctionalization",
                        "the program has to take and give values of known types that are no functions"));
  }
  for (size_t i = 0; typed->types && i < typed->types->size(); ++i) {
    const auto* data = as<TypeData>(typed->types->values[i]);
    for (size_t c = 0; data && c < data->constructors.size(); ++c)
      for (const Type& input : data->constructors[c]->inputs)
        if (holdsFunction(input))
          return fail(errorAt(data->constructors[c]->span, "relay.defunctionalization",
                              "data that holds functions stays what it is"));
  }
  RX_TRY(made, Defunctionalizer(typed).run(typed->findVar(name), main, context.cancel));
  return inferTypes(made, context.cancel);
}

}  // namespace rx::relay
