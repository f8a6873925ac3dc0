// Calls: operands, effects, what they give, and what the call_tir family asks of its PrimFunc.
#include <algorithm>
#include <set>

#include "core/analysis/purity.h"
#include "core/analysis/relax_checker.h"
#include "core/build/deduce.h"
#include "core/build/loose_argument.h"
#include "core/op/op_table.h"
#include "core/op/sinfo_text.h"

namespace rx::analysis {

using namespace relax;

void RelaxChecker::call(const Call& call) {
  if (const auto* global = as<GlobalVar>(call.op)) {
    useGlobal(*global, call.span, true);
  } else if (const auto* var = as<Var>(call.op)) {
    use(*var, call.span);
  } else if (isa<tir::PrimFunc>(call.op) || isa<Function>(call.op)) {
    ++errors_;
    findings_.error(call.span, "relax.inline-function", "a function has to be named before it is called");
  } else if (!isa<Op>(call.op) && !isa<ExternFunc>(call.op)) {
    leaf(call.op, "the callee");
  }
  for (const Expr& arg : call.args) {
    if (isa<tir::PrimFunc>(arg)) {
      ++errors_;
      findings_.error(call.span, "relax.inline-primfunc",
                      "a PrimFunc may not be written inside a Relax function; make it a member of the module");
      continue;
    }
    leaf(arg, "an argument");
  }
  for (const StructInfo& info : call.sinfoArgs) sinfo(info, Mode::Use, call.span);
  callPurity(call);
  if (!options_.checkStructInfo || !ok()) return;
  callStructInfo(call);
  callTir(call);
}

void RelaxChecker::callPurity(const Call& call) {
  const FunctionState& state = functions_.back();
  if (!state.dataflow && !state.pure) return;
  if (!isImpureCall(call, &module_)) return;
  if (const auto* global = as<GlobalVar>(call.op)) {
    // Nothing is said of the effects of an external member without a signature: TVM takes such a call as it stands.
    const auto* outside = as<ExternFunc>(module_.find(global));
    const auto* info = outside ? as<FuncStructInfo>(outside->sinfo) : nullptr;
    if (outside && !state.dataflow && (!info || !info->paramsKnown)) return;
  }
  // Texts that are older than the rule could not obey it.
  if (module_.facts.beforePurity) {
    if (state.dataflow)
      findings_.warning(call.span, "relax.impure-in-dataflow",
                        "a dataflow block holds a call that has effects, as it could before effects were tracked");
    return;
  }
  if (state.dataflow) {
    findings_.error(call.span, "relax.impure-in-dataflow", "a dataflow block may not hold a call that has effects");
  } else {
    findings_.error(call.span, "relax.impure-call",
                    "the function is declared pure, but this call may have effects; declare it pure=False");
  }
}

void RelaxChecker::contradiction(Span span, std::string rule, std::string message) {
  if (module_.facts.beforePurity) return findings_.warning(span, std::move(rule), std::move(message));
  findings_.error(span, std::move(rule), std::move(message));
}

void RelaxChecker::callStructInfo(const Call& call) {
  if (const auto* global = as<GlobalVar>(call.op); global && !module_.find(global) && !global->sinfo) return;
  Result<StructInfo> found = build::deduceCall(call, context_);
  if (!found) {
    ++errors_;
    for (const Diagnostic& d : found.diagnostics()) findings_.take(d, call.span);
    return;
  }
  if (const std::optional<size_t> loose = build::looseArgument(call, context_)) {
    const auto* kernel = as<GlobalVar>(call.op);
    const auto* signature = as<FuncStructInfo>(build::calleeSinfo(call.op, context_));
    findings_.warning(call.span, "relax.loose-argument",
                      fmt::format("argument {} of {} must be {}, but is {}: whether it is shows when the call runs",
                                  *loose, kernel->name.view(), op::sinfoText(signature->params[*loose]),
                                  op::sinfoText(call.args[*loose]->sinfo)));
  }
  if (call.sinfo && call.sinfo != *found && op::baseCheck(call.sinfo, *found, context_) == op::BaseCheck::FailL0) {
    ++errors_;
    findings_.error(
        call.span, "relax.struct-info",
        fmt::format("the call is annotated {}, but gives {}", op::sinfoText(call.sinfo), op::sinfoText(*found)));
  }
}

namespace {

bool isDistributed(const StructInfo& info) { return isa<DTensorStructInfo>(info); }

/// For each output the input that it is written into, -1 for an output of its own.
std::vector<int64_t> inplacePlaces(const Call& call, size_t outputs) {
  std::vector<int64_t> places(outputs, -1);
  const NodeRef attr = ir::attrOf(call.attrs, "inplace_indices");
  const auto* indices = as<ir::ArrayAttr>(attr);
  for (size_t k = 0; indices && k < indices->items.size() && k < places.size(); ++k) {
    const auto* imm = as<tir::IntImm>(indices->items[k]);
    const auto* number = as<ir::IntAttr>(indices->items[k]);
    places[k] = imm ? imm->value : number ? number->value : -1;
  }
  return places;
}

/// A kernel, whose parameters are inputs, outputs and integers, as a function of inputs and integers that gives the
/// outputs; null where an output is to lie in an input that is none.
Ref<FuncStructInfo> asFunction(const Array<StructInfo>& params, size_t inputs, size_t integers,
                               const std::vector<int64_t>& places) {
  std::vector<StructInfo> taken(params.begin(), params.begin() + static_cast<std::ptrdiff_t>(inputs));
  taken.insert(taken.end(), params.end() - static_cast<std::ptrdiff_t>(integers), params.end());
  std::vector<StructInfo> results;
  size_t next = inputs;
  for (const int64_t place : places) {
    if (place >= 0 && static_cast<size_t>(place) >= inputs) return nullptr;
    results.push_back(place >= 0 ? params[static_cast<size_t>(place)] : params[next++]);
  }
  return make<FuncStructInfo>(Array<StructInfo>(std::move(taken)), tupleSinfo(Array<StructInfo>(results)), true);
}

}  // namespace

void RelaxChecker::callTir(const Call& call) {
  static const std::set<std::string_view> kFamily = {"relax.call_tir", "relax.call_tir_inplace",
                                                     "relax.call_tir_with_grad"};
  const auto* op = as<Op>(call.op);
  if (!op || call.args.size() < 2 || call.sinfoArgs.size() != 1 || !kFamily.contains(op->name.view())) return;
  const auto* tuple = as<Tuple>(call.args[1]);
  if (!tuple) return;
  const auto* listed = as<TupleStructInfo>(call.sinfoArgs[0]);
  const Array<StructInfo> outputs = listed ? listed->items : Array<StructInfo>{call.sinfoArgs[0]};
  if (std::any_of(outputs.begin(), outputs.end(), isDistributed)) return;
  for (const Expr& arg : tuple->items) {
    if (isDistributed(arg->sinfo)) return;
  }
  const bool inplace = op->name == "relax.call_tir_inplace";
  if (inplace) callTirInplace(call, outputs, *tuple);
  const auto* global = as<GlobalVar>(call.args[0]);
  const ir::BaseFunc callee = global ? module_.find(global) : nullptr;
  if (!callee || !ok()) return;
  const auto* signature = as<FuncStructInfo>(callee->sinfo);
  if (!isa<tir::PrimFunc>(callee) || !signature || !signature->paramsKnown) {
    return findings_.error(call.span, "relax.call-tir-callee", fmt::format("'{}' is no PrimFunc", global->name.view()));
  }
  const std::vector<int64_t> places =
      inplace ? inplacePlaces(call, outputs.size()) : std::vector<int64_t>(outputs.size(), -1);
  callKernel(call, *tuple, *signature, outputs, places);
}

void RelaxChecker::callKernel(const Call& call, const Tuple& inputs, const FuncStructInfo& signature,
                              const Array<StructInfo>& outputs, const std::vector<int64_t>& places) {
  const std::string_view name = as<GlobalVar>(call.args[0])->name.view();
  std::vector<Expr> args(inputs.items.begin(), inputs.items.end());
  const auto* shape = call.args.size() > 2 ? as<ShapeStructInfo>(call.args[2]->sinfo) : nullptr;
  if (call.args.size() > 2 && (!shape || shape->ndim < 0)) return;
  const size_t integers = shape ? static_cast<size_t>(shape->ndim) : 0;
  const auto fresh =
      static_cast<size_t>(std::count_if(places.begin(), places.end(), [](int64_t at) { return at < 0; }));
  if (signature.params.size() != args.size() + fresh + integers) {
    return findings_.error(
        call.span, "relax.call-tir-count",
        fmt::format("'{}' has {} parameters, but the call gives {} inputs, {} outputs and {} integers", name,
                    signature.params.size(), args.size(), fresh, integers));
  }
  const Ref<FuncStructInfo> function = asFunction(signature.params, args.size(), integers, places);
  if (!function || (integers > 0 && !shape->known)) return;
  for (size_t k = 0; k < integers; ++k) args.push_back(make<PrimValue>(shape->values[k]));
  Result<StructInfo> derived = op::deriveCallResult(*function, args, call, context_);
  if (!derived && missesConstants() && build::hasUnknownArgument(call)) return;
  if (!derived) {
    for (Diagnostic d : derived.diagnostics()) {
      d.rule = "relax.call-tir-argument";
      if (module_.facts.beforePurity) d.severity = Severity::Warning;
      findings_.take(std::move(d), call.span);
    }
    return;
  }
  const auto* gives = as<TupleStructInfo>(*derived);
  for (size_t k = 0; gives && k < gives->items.size(); ++k) {
    if (op::baseCheck(gives->items[k], outputs[k], context_) > op::BaseCheck::FailL1) continue;
    contradiction(call.span, "relax.call-tir-output",
                  fmt::format("output {} of '{}' is {}, but the call says {}", k, name, op::sinfoText(gives->items[k]),
                              op::sinfoText(outputs[k])));
  }
}

void RelaxChecker::callTirInplace(const Call& call, const Array<StructInfo>& outputs, const Tuple& args) {
  const NodeRef attr = ir::attrOf(call.attrs, "inplace_indices");
  const auto* indices = as<ir::ArrayAttr>(attr);
  auto refuse = [&](std::string message) {
    ++errors_;
    findings_.error(call.span, "relax.inplace", std::move(message));
  };
  if (!indices || indices->items.size() != outputs.size()) {
    return refuse(fmt::format("there must be one in-place index for each of the {} outputs", outputs.size()));
  }
  std::set<int64_t> seen;
  for (size_t k = 0; k < indices->items.size(); ++k) {
    const auto* imm = as<tir::IntImm>(indices->items[k]);
    const auto* number = as<ir::IntAttr>(indices->items[k]);
    const int64_t index = imm ? imm->value : number ? number->value : -2;
    if (index == -1) continue;
    if (index < 0 || static_cast<size_t>(index) >= args.items.size()) {
      return refuse(fmt::format("in-place index {} is not one of the {} arguments", index, args.items.size()));
    }
    if (!seen.insert(index).second) return refuse(fmt::format("argument {} is overwritten by two outputs", index));
    const StructInfo& given = args.items[static_cast<size_t>(index)]->sinfo;
    const auto* in = as<TensorStructInfo>(given);
    const auto* out = as<TensorStructInfo>(outputs[k]);
    if (missesConstants() && isa<Constant>(args.items[static_cast<size_t>(index)])) continue;
    const bool sameType = in && out && in->dtype == out->dtype && in->shape && out->shape &&
                          op::baseCheck(outputs[k], given, context_) == op::BaseCheck::Pass;
    if (!sameType) {
      return refuse(fmt::format("argument {} is {}, so output {} of {} can not take its place", index,
                                op::sinfoText(given), k, op::sinfoText(outputs[k])));
    }
  }
  if (seen.empty()) refuse("at least one output has to take the place of an argument");
}

}  // namespace rx::analysis
