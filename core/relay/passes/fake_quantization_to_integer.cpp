#include <array>

#include "core/relay/passes/fake_quantization.h"
#include "core/relay/passes/pass_functions.h"
#include "core/relay/rewrite.h"

namespace rx::relay {

namespace {

/// Operators that may become integers by themselves, with nothing that quantizes their result.
constexpr std::array<std::string_view, 24> kAlone = {"broadcast_to",
                                                     "clip",
                                                     "expand_dims",
                                                     "max",
                                                     "maximum",
                                                     "min",
                                                     "minimum",
                                                     "nn.avg_pool2d",
                                                     "nn.batch_flatten",
                                                     "nn.batch_matmul",
                                                     "nn.bias_add",
                                                     "nn.conv2d",
                                                     "nn.conv2d_transpose",
                                                     "nn.dense",
                                                     "nn.depth_to_space",
                                                     "nn.global_avg_pool2d",
                                                     "nn.max_pool2d",
                                                     "nn.pad",
                                                     "nn.relu",
                                                     "reshape",
                                                     "split",
                                                     "squeeze",
                                                     "strided_slice",
                                                     "transpose"};

/// The nodes between a call and the dequantize calls that it computes from, operands first; nothing where there are
/// others than calls, tuples and constants. Of a quantize only the data belongs to it.
std::optional<std::vector<Expr>> regionOf(const Ref<Call>& root) {
  std::vector<Expr> order;
  std::unordered_map<const Node*, bool> met;
  std::vector<std::pair<Expr, bool>> stack{{root, false}};
  while (!stack.empty()) {
    const auto [expr, done] = stack.back();
    stack.pop_back();
    if (done) {
      order.push_back(expr);
      continue;
    }
    if (isa<Constant>(expr) || !met.emplace(expr.get(), true).second) continue;
    const auto* call = as<Call>(expr);
    const auto* tuple = as<Tuple>(expr);
    const auto* item = as<TupleGetItem>(expr);
    if ((!call && !tuple && !item) || (call && !isa<Op>(call->op))) return std::nullopt;
    stack.push_back({expr, true});
    if (item) stack.push_back({item->tuple, false});
    if (!call && !tuple) continue;
    const Array<Expr>& parts = call ? call->args : tuple->items;
    size_t count = parts.size();
    if (isCallOf(expr, "qnn.dequantize")) count = 0;
    if (isCallOf(expr, "qnn.quantize")) count = 1;
    for (size_t i = count; i > 0; --i) stack.push_back({parts[i - 1], false});
  }
  return order;
}

/// Computes regions between dequantize and quantize in integers.
class Rewriter {
 public:
  Rewriter(bool hardFail, std::vector<std::string> optional) : hardFail_(hardFail), optional_(std::move(optional)) {}

  /// What stands for a quantize and all that it is computed from; null where it stays.
  Expr quantized(const Ref<Call>& quantize) {
    const auto region = regionOf(quantize);
    if (!region || region->size() < 2) return nullptr;
    if (const OpRow* missing = withoutRule(*region)) return refuse(*quantize, *missing);
    const auto dtype = DataType::parse(textAttrOf(*quantize, "out_dtype"));
    const Affine result{quantize->args[1], quantize->args[2], dtype.value_or(DataType::Int(8)),
                        intAttrOf(*quantize, "axis", -1)};
    const auto made = rewritten(*region, &result, quantize.get());
    return made ? made->expr : nullptr;
  }

  /// What stands for a call whose arguments were all dequantized; null where it stays.
  Expr alone(const Ref<Call>& call, std::string_view op) {
    if (std::find(kAlone.begin(), kAlone.end(), op) == kAlone.end()) return nullptr;
    const auto region = regionOf(call);
    if (!region || region->size() < 2 || withoutRule(*region)) return nullptr;
    for (const Expr& expr : *region) {
      if (isa<Call>(expr) && expr != Expr(call) && !isCallOf(expr, "qnn.dequantize")) return nullptr;
    }
    const auto made = rewritten(*region, nullptr, nullptr);
    if (!made || made->affines.size() != 1) return nullptr;
    const Affine& affine = made->affines[0];
    return callOp("qnn.dequantize", {made->expr, affine.scale, affine.zero},
                  {{"out_dtype", ir::strAttr("float32")}, {"axis", ir::intAttr(affine.axis)}});
  }

  const std::vector<Diagnostic>& findings() const { return findings_; }

 private:
  const OpRow* withoutRule(const std::vector<Expr>& region) const {
    for (const Expr& expr : region) {
      const OpRow* row = calledOperator(expr);
      if (row && !fakeQuantizationRule(row->name, optional_)) return row;
    }
    return nullptr;
  }
  std::nullptr_t refuse(const Call& quantize, const OpRow& row) {
    if (hardFail_) {
      findings_.push_back(errorAt(quantize.span, "relay.fake-quantization",
                                  std::string(row.name) + " has no rule to be computed in integers"));
    }
    return nullptr;
  }

  std::optional<Integers> rewritten(const std::vector<Expr>& region, const Affine* result, const Call* user) {
    std::unordered_map<const Node*, Expr> done;
    std::unordered_map<const Node*, Affines> known;
    std::vector<Expr> kept;  // keys of the maps stay alive
    auto now = [&](const Expr& expr) {
      const auto hit = done.find(expr.get());
      return hit == done.end() ? expr : hit->second;
    };
    std::optional<Integers> made;
    for (const Expr& expr : region) {
      if (const auto* tuple = as<Tuple>(expr)) {
        made = tupleOfIntegers(*tuple, now, known);
      } else if (const auto* item = as<TupleGetItem>(expr)) {
        const Expr whole = now(item->tuple);
        const auto parts = known.find(whole.get());
        const auto index = static_cast<size_t>(item->index);
        if (parts == known.end() || index >= parts->second.size()) return std::nullopt;
        made = Integers{itemOf(whole, item->index), {parts->second[index]}};
      } else {
        const auto call = refAs<Call>(expr);
        std::vector<Expr> args;
        for (const Expr& arg : call->args) args.push_back(now(arg));
        const bool same = std::equal(args.begin(), args.end(), call->args.begin());
        const Ref<Call> again = same ? call : refAs<Call>(callAgain(*call, std::move(args), call->attrs));
        made = fakeQuantizationRule(calledOperator(call)->name, optional_)({again, known, result, user});
      }
      if (!made) return std::nullopt;
      kept.push_back(made->expr);
      done[expr.get()] = made->expr;
      known[made->expr.get()] = made->affines;
    }
    return made;
  }

  template <class Now>
  static std::optional<Integers> tupleOfIntegers(const Tuple& tuple, const Now& now,
                                                 const std::unordered_map<const Node*, Affines>& known) {
    std::vector<Expr> items;
    Affines affines;
    for (const Expr& item : tuple.items) {
      items.push_back(now(item));
      const auto hit = known.find(items.back().get());
      if (hit == known.end() || hit->second.size() != 1) return std::nullopt;
      affines.push_back(hit->second[0]);
    }
    return Integers{tupleOf(std::move(items)), std::move(affines)};
  }

  bool hardFail_;
  std::vector<std::string> optional_;
  std::vector<Diagnostic> findings_;
};

}  // namespace

Result<ir::Module> fakeQuantizationToInteger(const ir::Module& module, const ir::Attrs& given,
                                             pass::PassContext& context) {
  std::vector<std::string> optional;
  const NodeRef names = ir::attrOf(given, "optional_qnn_ops");
  const auto* list = as<ir::ArrayAttr>(names);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    if (const auto* name = as<ir::StrAttr>(list->items[i])) optional.push_back(name->value.string());
  }
  Rewriter rewriter(ir::boolAttrOf(given, "hard_fail", false), std::move(optional));
  RX_TRY(plain, divToMul(module, nullptr, context));
  RX_TRY(regions, onCalls(plain, context, [&](const Call&, const Ref<Call>& call, const OpRow& row) -> Expr {
           return row.name == "qnn.quantize" ? rewriter.quantized(call) : nullptr;
         }));
  if (!rewriter.findings().empty()) return Failure{rewriter.findings()};
  if (!ir::boolAttrOf(given, "use_qat", false)) return regions;
  return onCalls(regions, context, [&](const Call&, const Ref<Call>& call, const OpRow& row) -> Expr {
    return rewriter.alone(call, row.name);
  });
}

}  // namespace rx::relay
