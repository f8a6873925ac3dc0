#include <array>
#include <map>
#include <unordered_set>

#include "core/ir/all_nodes.h"
#include "core/ir/structural_equal.h"
#include "core/pass/config.h"
#include "core/relay/emit.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

enum class Precision : uint8_t { Always, Follow, Never };
struct PrecisionRow {
  std::string_view op;
  Precision precision;
};
constexpr PrecisionRow kPrecisions[] = {
#define RX_RELAY_PRECISION(op, policy) {op, Precision::policy},
#include "core/relay/passes/mixed_precision.def"
};
/// Attributes whose "out_dtype" is the type that sums are kept in.
constexpr std::array<std::string_view, 12> kAccumulating = {
    "Conv1DAttrs",         "Conv1DTransposeAttrs", "Conv2DAttrs",
    "Conv3DAttrs",         "Conv2DTransposeAttrs", "Conv2DWinogradAttrs",
    "Conv3DWinogradAttrs", "Conv3DTransposeAttrs", "Conv2DWinogradNNPACKWeightTransformAttrs",
    "DenseAttrs",          "BatchMatmulAttrs",     "DeformableConv2DAttrs"};
constexpr DataType kFull = DataType::Float(32);

Precision precisionOf(std::string_view op) {
  for (const PrecisionRow& row : kPrecisions) {
    if (row.op == op || (row.op.ends_with('.') && op.starts_with(row.op))) return row.precision;
  }
  return Precision::Follow;
}

/// Computes in a narrower type what may be. What others state keeps its type: parameters and results of functions that
/// are values or are called by name, fields of data, what a reference holds.
class Narrower {
 public:
  /// `isCalled`: whether functions call this one by its name.
  Narrower(DataType narrow, bool keepsResult, bool isCalled)
      : narrow_(narrow), keepsResult_(keepsResult), isCalled_(isCalled) {}

  FunctionRef run(const FunctionRef& function) {
    body_ = function->body.get();
    const std::vector<Expr> order = postOrder(function);
    if (isCalled_) values_.insert(function.get());
    std::vector<Expr> operands;
    for (const Expr& expr : order) {
      if (const auto* let = as<Let>(expr)) lets_[let->var.get()] = let;
      operands.clear();
      appendOperands(*expr, operands);
      if (isa<Call>(expr)) operands.pop_back();
      for (const Expr& operand : operands)
        if (isa<Function>(operand)) values_.insert(operand.get());
    }
    for (const Expr& expr : order) done_[expr.get()] = rewritten(expr);
    return refAs<Function>(done_.at(function.get()));
  }

 private:
  Expr now(const Expr& expr) const { return done_.at(expr.get()); }

  Expr rewritten(const Expr& expr) {
    if (const auto call = refAs<Call>(expr)) return rewrittenCall(call);
    if (const auto* tuple = as<Tuple>(expr)) return rewrittenTuple(*tuple);
    if (const auto* item = as<TupleGetItem>(expr)) return itemOf(now(item->tuple), item->index);
    if (const auto* let = as<Let>(expr)) {
      auto* made = new Let(variable(let->var), now(let->value), now(let->body));
      made->sinfo = typeOf(made->body);
      made->span = let->span;
      return Ref<Let>(made);
    }
    if (const auto* function = as<Function>(expr)) return rewrittenFunction(*function);
    if (const auto var = refAs<Var>(expr)) return variable(var);
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    if (operands.empty()) return expr;
    if (isa<If>(expr) || isa<Match>(expr)) return rewrittenChoice(expr, std::move(operands));
    const bool states = isa<RefCreate>(expr) || isa<RefWrite>(expr);
    for (Expr& operand : operands) operand = states ? restored(operand) : now(operand);
    return withTypeOf(withOperands(expr, operands), expr);
  }

  Expr rewrittenFunction(const Function& function) {
    const bool isValue = values_.contains(&function);
    auto* made = new Function(function);
    made->body = isValue ? restored(function.body) : now(function.body);
    if (!isValue) made->retType = nullptr;
    return Ref<Function>(made);
  }

  /// The values between which is chosen are of one type: as they were, where they would differ now.
  Expr rewrittenChoice(const Expr& expr, std::vector<Expr> operands) {
    const std::vector<Expr> before = operands;
    for (Expr& operand : operands) operand = now(operand);
    if (isa<Match>(expr)) operands[0] = restored(before[0]);  // patterns state what they take apart
    if (operands.size() == 1) return withTypeOf(withOperands(expr, operands), expr);
    const Type type = typeOf(operands[1]);
    const bool same = std::all_of(operands.begin() + 1, operands.end(),
                                  [&](const Expr& operand) { return structuralEqual(typeOf(operand), type); });
    for (size_t i = 1; !same && i < operands.size(); ++i) operands[i] = restored(before[i]);
    return withTypeOf(withOperands(expr, operands), operands[1]);
  }

  /// A variable of a `let` gets the type of its value.
  VarRef variable(const VarRef& var) {
    const auto let = lets_.find(var.get());
    if (let == lets_.end()) return var;
    VarRef& made = vars_[var.get()];
    if (made) return made;
    auto* copy = new Var(*var);
    const auto value = done_.find(let->second->value.get());
    // What is used in its own value is a function, which keeps its type.
    if (value != done_.end()) copy->sinfo = copy->typeAnnotation = typeOf(value->second);
    return made = VarRef(copy);
  }

  Expr rewrittenTuple(const Tuple& tuple) {
    std::vector<Expr> items;
    for (const Expr& item : tuple.items) items.push_back(now(item));
    if (&tuple == body_ && keepsResult_) {
      for (size_t i = 0; i < items.size(); ++i) {
        const TensorType* type = tensorOf(tuple.items[i]);
        if (type) items[i] = suited(items[i], type->dtype);
      }
    }
    return tupleOf(std::move(items));
  }

  /// The expression with the type that another one has.
  static Expr withTypeOf(const Expr& expr, const Expr& like) {
    return withNodeType(expr->kind(), [&]<class T>() -> Expr {
      if constexpr (std::is_base_of_v<relax::ExprNode, T>) {
        T* copy = new T(static_cast<const T&>(*expr));
        copy->sinfo = like->sinfo;
        return Ref<T>(copy);
      } else {
        return expr;
      }
    });
  }

  Expr rewrittenCall(const Ref<Call>& call) {
    const OpRow* row = calledOperator(call);
    const bool isStated = !row && !isa<Function>(call->op);  // a function that is named elsewhere, a constructor
    std::vector<Expr> args;
    for (const Expr& arg : call->args) args.push_back(isStated ? restored(arg) : now(arg));
    if (isStated) {
      args.push_back(now(call->op));
      return withTypeOf(withOperands(call, args), call);
    }
    const Precision precision = row ? precisionOf(row->name) : Precision::Never;
    const bool follows = precision == Precision::Follow && std::all_of(args.begin(), args.end(), [&](const Expr& arg) {
                           return isa<Var>(arg) || isa<Constant>(arg) || isNarrow(typeOf(arg));
                         });
    const bool narrows = (precision == Precision::Always || follows) && fitsAttrs(*call);
    for (Expr& arg : args) arg = suited(arg, narrows ? narrow_ : kFull);
    if (!row) {  // a function gives what its body gives now
      args.push_back(now(call->op));
      return withTypeOf(withOperands(call, args), as<Function>(now(call->op))->body);
    }
    if (!narrows) return callAgain(*call, std::move(args), call->attrs);
    const Expr made = callAgain(*call, std::move(args), narrowAttrs(*call, *row));
    const auto* type = as<TensorType>(call->sinfo);
    return call.get() == body_ && keepsResult_ && type ? suited(made, type->dtype) : made;
  }

  /// Tensors of the narrow type, or of no reals.
  bool isNarrow(const Type& type) const {
    if (const auto* tuple = as<TupleType>(type)) {
      return std::all_of(tuple->items.begin(), tuple->items.end(), [&](const Type& item) { return isNarrow(item); });
    }
    const auto* tensor = as<TensorType>(type);
    return tensor && (!tensor->dtype.isFloat() || tensor->dtype == narrow_);
  }

  /// The bounds of a clip have to be numbers of the narrow type.
  bool fitsAttrs(const Call& call) const {
    if (!isCallOf(Ref<Call>(&call), "clip")) return true;
    const double most = narrow_ == DataType::Float(16) ? 65504.0 : 3.38953139e38;
    return realAttrOf(call, "a_min") >= -most && realAttrOf(call, "a_max") <= most;
  }

  ir::Attrs narrowAttrs(const Call& call, const OpRow& row) const {
    const bool sums = std::find(kAccumulating.begin(), kAccumulating.end(), row.attrs->name) != kAccumulating.end();
    const char* key = sums ? "out_dtype" : row.attrs->name == "InitOpAttrs" ? "dtype" : nullptr;
    if (!key) return call.attrs;
    const auto stated = DataType::parse(textAttrOf(call, key));
    const bool isReal = !stated || stated->isVoid() || stated->isFloat();
    return isReal ? ir::withAttr(call.attrs, Str(key), dtypeAttr(narrow_)) : call.attrs;
  }

  /// What an expression became, in the type that it had.
  Expr restored(const Expr& before) { return inType(now(before), typeOf(before)); }
  Expr inType(const Expr& expr, const Type& type) {
    if (isa<Let>(expr)) return endsInType(expr, type);
    if (const auto* tensor = as<TensorType>(type)) return suited(expr, tensor->dtype);
    const auto* tuple = as<TupleType>(type);
    return tuple ? eachItem(expr, *tuple, [&](const Expr& item, size_t i) { return inType(item, tuple->items[i]); })
                 : expr;
  }
  /// Of a chain of `let` it is what stands behind the last one.
  Expr endsInType(const Expr& expr, const Type& type) {
    std::vector<const Let*> chain;
    Expr end = expr;
    for (const auto* let = as<Let>(end); let; let = as<Let>(end)) {
      chain.push_back(let);
      end = let->body;
    }
    Expr made = inType(end, type);
    if (made == end) return expr;
    for (size_t i = chain.size(); i-- > 0;) {
      auto* copy = new Let(*chain[i]);
      copy->body = made;
      copy->sinfo = typeOf(made);
      made = Ref<Let>(copy);
    }
    return made;
  }

  /// A tuple of what `made` gives for the items; the same expression where it gives the items.
  template <class Made>
  static Expr eachItem(const Expr& expr, const TupleType& type, const Made& made) {
    std::vector<Expr> items;
    bool same = true;
    const auto* tuple = as<Tuple>(expr);
    for (size_t i = 0; i < type.items.size(); ++i) {
      const Expr item = tuple ? tuple->items[i] : itemOf(expr, static_cast<int64_t>(i));
      items.push_back(made(item, i));
      same = same && items.back() == item;
    }
    return same ? expr : tupleOf(std::move(items));
  }

  /// The value in a type of reals; what is none stays. Casts are made once, and taken back where they were one.
  Expr suited(const Expr& expr, DataType wanted) {
    const Type type = typeOf(expr);
    if (const auto* tuple = as<TupleType>(type))
      return eachItem(expr, *tuple, [&](const Expr& item, size_t) { return suited(item, wanted); });
    const auto* tensor = as<TensorType>(type);
    if (!tensor || !tensor->dtype.isFloat() || tensor->dtype == wanted) return expr;
    Expr& known = casts_[{expr.get(), wanted.str()}];
    if (known) return known;
    known = cast(expr, wanted);
    const Expr made = known;
    kept_.push_back(expr);
    casts_[{made.get(), tensor->dtype.str()}] = expr;
    return made;
  }

  DataType narrow_;
  bool keepsResult_, isCalled_;
  const Node* body_ = nullptr;
  std::unordered_set<const Node*> values_;  ///< functions that are more than called where they stand
  std::unordered_map<const Node*, Expr> done_;
  std::unordered_map<const Node*, const Let*> lets_;
  std::unordered_map<const Node*, VarRef> vars_;
  std::map<std::pair<const Node*, std::string>, Expr> casts_;
  std::vector<Expr> kept_;  ///< keys of casts_ stay alive
};

/// Names of functions that functions use.
std::unordered_set<std::string_view> namesCalled(const ir::IRModule& module) {
  std::unordered_set<std::string_view> names;
  for (const ir::BaseFunc& function : module.functions) {
    const auto relay = refAs<Function>(function);
    if (!relay) continue;
    const std::vector<std::string_view> used = globalsIn(relay);
    names.insert(used.begin(), used.end());
  }
  return names;
}

}  // namespace

Result<ir::Module> toMixedPrecision(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const std::string_view name = ir::strAttrOf(given, "mixed_precision_type", "float16");
  const auto narrow = DataType::parse(name);
  if (!narrow || !narrow->isFloat()) {
    return fail("relay.mixed-precision", "mixed_precision_type has to be a type of reals, and is " + std::string(name));
  }
  const bool keeps = pass::configFlag(context, "relay.ToMixedPrecision.keep_orig_output_dtype");
  const std::unordered_set<std::string_view> called = namesCalled(*module);
  RX_TRY(typed, inferTypes(module, context.cancel));
  auto entries = typed->entries();
  for (auto& [name, function] : entries) {
    const auto relay = refAs<Function>(function);
    if (relay && isOpen(*relay)) function = Narrower(*narrow, keeps, called.contains(name->name.view())).run(relay);
  }
  return inferTypes(typed->with(std::move(entries)), context.cancel);
}

}  // namespace rx::relay
