#include "core/relay/passes/to_relax_function.h"

#include <fmt/format.h>

#include "core/ir/constant.h"
#include "core/op/lattice.h"
#include "core/relay/device.h"
#include "core/relay/passes/to_relax_types.h"
#include "core/relay/rewrite.h"
#include "core/relay/text.h"

namespace rx::relay {

namespace {

relax::Expr tupleOf(std::vector<relax::Expr> items) { return make<relax::Tuple>(Array<relax::Expr>(std::move(items))); }

}  // namespace

relax::StructInfo FunctionTranslation::signatureOf(const Function& function, bool pure) {
  std::vector<relax::StructInfo> params;
  for (const VarRef& param : function.params) params.push_back(infoOfParam(typeOf(param), param->name.view()));
  const auto* type = as<FuncType>(function.sinfo);
  return make<relax::FuncStructInfo>(Array<relax::StructInfo>(std::move(params)), infoOf(type->retType), pure);
}

Result<relax::FunctionRef> FunctionTranslation::run(const FunctionRef& source) {
  ir::Attrs attrs = ir::withAttr(nullptr, "global_symbol", ir::strAttr(name_));
  relax::FunctionRef made = function(*source, module_.effects.isPure(name_.view()), std::move(attrs));
  if (builder_.failed()) return fail(builder_.takeDiagnostics());
  return made;
}

relax::FunctionRef FunctionTranslation::function(const Function& function, bool pure, ir::Attrs attrs) {
  std::vector<relax::VarRef> params;
  for (const VarRef& param : function.params) {
    auto made = make<relax::Var>(param->name, infoOfParam(typeOf(param), param->name.view()));
    values_[param.get()] = made;
    params.push_back(std::move(made));
  }
  builder_.beginFunction(Array<relax::VarRef>(std::move(params)));
  const bool straight = isStraight(function.body);
  if (straight) builder_.beginDataflow();
  relax::Expr result = body(function.body);
  if (straight) {
    if (isa<relax::DataflowVar>(result) || isa<relax::Tuple>(result)) result = builder_.emitOutput(result);
    builder_.endDataflow();
  }
  return builder_.endFunction(result, nullptr, pure, std::move(attrs));
}

bool FunctionTranslation::isStraight(const Expr& body) {
  Expr rest = body;
  for (; const auto* let = as<Let>(rest); rest = let->body) {
    const Expr value = unplaced(let->value);
    const bool plain = calledOperator(value) || isa<Constant>(value) || isa<Var>(value) || isa<Tuple>(value) ||
                       isa<TupleGetItem>(value);
    if (!plain) return false;
  }
  return body != rest;
}

namespace {

/// The variable whose value a chain of bindings gives, through those that only name another.
const Node* resultOf(const Expr& chain) {
  std::unordered_map<const Node*, const Node*> named;
  Expr rest = chain;
  for (; const auto* let = as<Let>(rest); rest = let->body) {
    if (const Expr value = unplaced(let->value); isa<Var>(value)) named.emplace(let->var.get(), value.get());
  }
  const Node* result = unplaced(rest).get();
  for (auto at = named.find(result); at != named.end(); at = named.find(result)) result = at->second;
  return result;
}

}  // namespace

relax::Expr FunctionTranslation::body(Expr expr) {
  const Node* result = resultOf(expr);
  while (const auto let = refAs<Let>(expr)) {
    if (builder_.failed()) return tupleOf({});
    bind(*let, let->var.get() == result);
    expr = let->body;
  }
  return operand(expr);
}

relax::SeqRef FunctionTranslation::block(const Expr& expr) {
  return inside([&] {
    builder_.beginSeq();
    return builder_.endSeq(body(expr));
  });
}

void FunctionTranslation::bind(const Let& let, bool isResult) {
  span_ = let.value->span;
  const bool written = let.var->span.known();  // else a pass made it, of an expression without a name
  const Str label = written ? let.var->name : Str(textValue(*let.value).label);
  builder_.setOrigin(make<Origin>(module_.written.siteOf(*let.value, label), Str("ToRelax")));
  if (const Expr constant = unplaced(let.value); isa<Constant>(constant)) constants_[let.var.get()] = constant;
  relax::Expr made = value(let);
  const bool named = let.var->typeAnnotation != nullptr;  // a variable that the normal form made has no type
  const bool atom = isa<relax::Var>(made) || isa<relax::Constant>(made) || isa<relax::GlobalVar>(made);
  const Str name = named ? let.var->name : Str();
  if (!builder_.failed() && !atom) {
    made = isResult ? builder_.emitOutput(made, name, nullptr, span_) : relax::Expr(emit(made, name));
  }
  values_[let.var.get()] = std::move(made);
}

relax::Expr FunctionTranslation::emit(const relax::Expr& value, Str name) {
  return builder_.emit(value, std::move(name), nullptr, span_);
}

relax::Expr FunctionTranslation::refuse(Span place, std::string message) {
  builder_.report(errorAt(place, "relay.translate", std::move(message)));
  return tupleOf({});
}

relax::Expr FunctionTranslation::operand(const Expr& given) {
  const Expr expr = unplaced(given);
  if (const auto known = values_.find(expr.get()); known != values_.end()) return known->second;
  if (const auto* constant = as<Constant>(expr)) {
    if (constant->data) return relax::constantOf(constant->data);
    return refuse(expr->span, "the text leaves out this constant");
  }
  if (const auto* global = as<relax::GlobalVar>(expr)) return module_.target.find(global->name.view());
  if (isa<Op>(expr) || isa<Constructor>(expr)) return asFunction(expr);
  return refuse(expr->span, nodeText(expr) + " is not bound");
}

std::vector<relax::Expr> FunctionTranslation::operands(const Array<Expr>& exprs) {
  std::vector<relax::Expr> out;
  for (const Expr& expr : exprs) out.push_back(operand(expr));
  return out;
}

relax::Expr FunctionTranslation::value(const Let& let) {
  const Expr expr = unplaced(let.value);
  if (const auto call = refAs<Call>(expr)) return callValue(call);
  if (const auto* tuple = as<Tuple>(expr)) return tupleOf(operands(tuple->items));
  if (const auto* item = as<TupleGetItem>(expr)) {
    const relax::Expr whole = operand(item->tuple);
    if (const auto* known = as<relax::Tuple>(whole)) return known->items[static_cast<size_t>(item->index)];
    return make<relax::TupleGetItem>(whole, item->index);
  }
  if (const auto* inner = as<Function>(expr)) return functionValue(let, *inner);
  if (const auto* node = as<If>(expr)) return ifValue(*node);
  if (const auto* match = as<Match>(expr)) {
    const relax::Expr made = matchValue(*match, 0, operand(match->data));
    // Where no clause may fit, Relax knows of the value only that it is one.
    return match->complete || builder_.failed() ? made : checked(made, typeOf(expr));
  }
  if (const auto* made = as<RefCreate>(expr)) {
    return packed("rx.reference.make", {operand(made->value)}, relax::objectSinfo(), false);
  }
  if (const auto* read = as<RefRead>(expr)) {
    return packed("rx.reference.read", {operand(read->ref)}, infoOf(typeOf(expr)), false);
  }
  if (const auto* write = as<RefWrite>(expr)) {
    return packed("rx.reference.write", {operand(write->ref), operand(write->value)}, relax::voidSinfo(), false);
  }
  return operand(expr);
}

relax::Expr FunctionTranslation::packed(std::string_view name, std::vector<relax::Expr> args,
                                        const relax::StructInfo& result, bool pure) {
  auto callee = make<relax::ExternFunc>(Str(name));
  if (!pure) return make<relax::Call>(callee, Array<relax::Expr>(std::move(args)), nullptr, Array{result});
  args.insert(args.begin(), callee);
  return op::makeCall("relax.call_pure_packed", std::move(args), {}, {result});
}

relax::Expr FunctionTranslation::checked(const relax::Expr& value, const Type& type) {
  const relax::StructInfo info = infoOf(type);
  if (isObject(type)) return value;
  const relax::Expr bound = emit(value);
  if (op::isBaseOf(info, bound->sinfo, builder_.context())) return bound;
  return builder_.emitMatchCast(bound, info, {}, span_);
}

relax::Expr FunctionTranslation::callValue(const Ref<Call>& call) {
  if (const OpRow* row = calledOperator(call)) return operatorCall(call, *row);
  if (const auto* constructor = as<Constructor>(call->op)) return construct(*constructor, operands(call->args));
  return closureCall(call);
}

relax::Expr FunctionTranslation::operatorCall(const Ref<Call>& call, const OpRow& row) {
  const TranslateRow* translation = findTranslation(row.name);
  if (!translation) {
    return refuse(call->span, fmt::format("{} has no counterpart in Relax, and none is written here", row.name));
  }
  std::vector<Expr> known = call->args.vector();
  for (Expr& arg : known) {
    if (const auto hit = constants_.find(arg.get()); hit != constants_.end()) arg = hit->second;
  }
  auto* direct = new Call(call->op, Array<Expr>(std::move(known)), call->attrs);
  direct->sinfo = call->sinfo;
  direct->span = call->span;
  CallTranslation translating(Ref<Call>(direct), operands(call->args), *translation, builder_);
  relax::Expr result = translation->run(translating);
  const auto* tensor = as<TensorType>(call->sinfo);
  const auto* info = result->sinfo ? as<relax::TensorStructInfo>(result->sinfo) : nullptr;
  if (!builder_.failed() && tensor && info && info->dtype != tensor->dtype) {
    return refuse(call->span, fmt::format("{}: the result is {} in Relax and {} in Relay", row.name, info->dtype.str(),
                                          tensor->dtype.str()));
  }
  return result;
}

relax::Expr FunctionTranslation::closureCall(const Ref<Call>& call) {
  const relax::Expr callee = operand(call->op);
  std::vector<relax::Expr> args = operands(call->args);
  if (builder_.failed()) return callee;
  if (isa<relax::FuncStructInfo>(callee->sinfo)) {
    return checked(make<relax::Call>(callee, Array<relax::Expr>(std::move(args))), typeOf(call));
  }
  return op::makeCall("relax.invoke_closure", {callee, tupleOf(std::move(args))}, {}, {infoOf(typeOf(call))});
}

relax::Expr FunctionTranslation::functionValue(const Let& let, const Function& inner) {
  const bool pure = module_.effects.isPure(inner);
  auto self = make<relax::Var>(let.var->name, signatureOf(inner, pure));
  values_[let.var.get()] = self;  // it may call itself
  const relax::FunctionRef made = inside([&] { return function(inner, pure, nullptr); });
  auto* binding = new relax::VarBinding(self, made);
  binding->span = span_;
  builder_.emitBinding(relax::Binding(binding));
  return self;
}

relax::Expr FunctionTranslation::asFunction(const Expr& callee) {
  const auto* constructor = as<Constructor>(callee);
  if (!constructor) return refuse(callee->span, nodeText(callee) + " is translated only where it is called");
  std::vector<relax::VarRef> params;
  for (const Type& input : constructor->inputs) params.push_back(make<relax::Var>(Str("x"), infoOf(input)));
  builder_.beginFunction(Array<relax::VarRef>(params));
  const relax::Expr made = construct(*constructor, {params.begin(), params.end()});
  return emit(builder_.endFunction(emit(made), nullptr, true), constructor->name);
}

relax::Expr FunctionTranslation::ifValue(const If& node) {
  const relax::Expr condition = operand(node.cond);
  const relax::SeqRef yes = block(node.trueBranch);
  const relax::SeqRef no = block(node.falseBranch);
  return make<relax::If>(condition, yes, no);
}

}  // namespace rx::relay
