#include <array>
#include <map>

#include "core/pass/config.h"
#include "core/relay/emit.h"
#include "core/relay/pass_functions.h"
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
#include "core/relay/mixed_precision.def"
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

/// Computes in a narrower type what may be.
class Narrower {
 public:
  Narrower(DataType narrow, bool keepsResult) : narrow_(narrow), keepsResult_(keepsResult) {}

  FunctionRef run(const FunctionRef& function) {
    body_ = function->body.get();
    const std::vector<Expr> order = postOrder(function);
    for (const Expr& expr : order) {
      if (const auto* let = as<Let>(expr)) lets_[let->var.get()] = let;
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
    if (const auto* function = as<Function>(expr)) {
      auto* made = new Function(*function);
      made->body = now(function->body);
      made->retType = nullptr;
      return Ref<Function>(made);
    }
    if (const auto var = refAs<Var>(expr)) return variable(var);
    std::vector<Expr> operands;
    appendOperands(*expr, operands);
    for (Expr& operand : operands) operand = now(operand);
    return operands.empty() ? expr : withOperands(expr, operands);
  }

  /// A variable of a `let` gets the type of its value.
  VarRef variable(const VarRef& var) {
    const auto let = lets_.find(var.get());
    if (let == lets_.end()) return var;
    VarRef& made = vars_[var.get()];
    if (made) return made;
    auto* copy = new Var(*var);
    const auto value = done_.find(let->second->value.get());
    if (value != done_.end()) copy->sinfo = typeOf(value->second);
    // A function may use its own name before its type is known; then inference finds it.
    copy->typeAnnotation = value != done_.end() ? typeOf(value->second) : nullptr;
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
    auto* copy = new Call(*as<Call>(expr));
    copy->sinfo = like->sinfo;
    return Ref<Call>(copy);
  }

  Expr rewrittenCall(const Ref<Call>& call) {
    const OpRow* row = calledOperator(call);
    std::vector<Expr> args;
    for (const Expr& arg : call->args) args.push_back(now(arg));
    if (!row && !isa<Function>(call->op)) {  // a function that is named elsewhere, a constructor
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

  /// The value in a type of reals; what is none stays. Casts are made once, and taken back where they were one.
  Expr suited(const Expr& expr, DataType wanted) {
    const Type type = typeOf(expr);
    if (const auto* tuple = as<TupleType>(type)) {
      std::vector<Expr> items;
      bool same = true;
      const auto* made = as<Tuple>(expr);
      for (size_t i = 0; i < tuple->items.size(); ++i) {
        const Expr item = made ? made->items[i] : itemOf(expr, static_cast<int64_t>(i));
        items.push_back(suited(item, wanted));
        same = same && items.back() == item;
      }
      return same ? expr : tupleOf(std::move(items));
    }
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
  bool keepsResult_;
  const Node* body_ = nullptr;
  std::unordered_map<const Node*, Expr> done_;
  std::unordered_map<const Node*, const Let*> lets_;
  std::unordered_map<const Node*, VarRef> vars_;
  std::map<std::pair<const Node*, std::string>, Expr> casts_;
  std::vector<Expr> kept_;  ///< keys of casts_ stay alive
};

}  // namespace

Result<ir::Module> toMixedPrecision(const ir::Module& module, const ir::Attrs& given, pass::PassContext& context) {
  const std::string_view name = ir::strAttrOf(given, "mixed_precision_type", "float16");
  const auto narrow = DataType::parse(name);
  if (!narrow || !narrow->isFloat()) {
    return fail("relay.mixed-precision", "mixed_precision_type has to be a type of reals, and is " + std::string(name));
  }
  const bool keeps = pass::configFlag(context, "relay.ToMixedPrecision.keep_orig_output_dtype");
  return onTypedFunctions(module, context, [&](const FunctionRef& function) -> Result<FunctionRef> {
    return Narrower(*narrow, keeps).run(function);
  });
}

}  // namespace rx::relay
