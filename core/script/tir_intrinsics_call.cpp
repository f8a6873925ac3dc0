// Intrinsics of TIR by their rows, and what may be written after a dot on an expression.
#include <algorithm>
#include <cmath>

#include "core/arith/analyzer.h"
#include "core/arith/equal.h"
#include "core/arith/fold.h"
#include "core/op/tir_intrinsic_type.h"
#include "core/script/reader.h"

namespace rx::script {

using tir::PrimExpr;

namespace {
/// Bits of a value of the type; 0 where a reinterpretation does not ask for them.
int comparedBits(DataType t) { return t.isBool() || t.bits < 8 || t.lanes < 0 ? 0 : t.bits * t.lanes; }
}  // namespace

NodeRef Reader::intrinsicCall(const op::TirIntrinsic& row, DataType type, std::vector<PrimExpr> args, NodeId at) {
  if (row.name == "reinterpret" && args.size() == 1 && !type.isVoid()) {
    const DataType from = args[0]->dtype;
    if (from == type) return args[0];
    const int bits = comparedBits(from), wanted = comparedBits(type);
    if (bits && wanted && bits != wanted) {
      return error(
          at, "tir.reinterpret",
          from.str() + " has " + std::to_string(bits) + " bits, " + type.str() + " has " + std::to_string(wanted),
          "write T.Cast to convert the value");
    }
  }
  return withSpan(make<tir::Call>(type, row.op, Array<PrimExpr>(std::move(args))), spanOf(at));
}

NodeRef Reader::intrinsic(const op::TirIntrinsic& row, const Args& args) {
  std::vector<NodeRef> values = args.values;
  NodeRef given;
  // What else may be named: in the order of the makers of Python.
  static constexpr std::string_view kParams[] = {"x", "value", "arr", "index", "field", "args", "cond"};
  for (const auto& [name, value] : args.keywords) {
    std::string_view text = names_.text(name);
    if (text == "dtype") {
      given = value;
    } else if (std::find(std::begin(kParams), std::end(kParams), text) != std::end(kParams)) {
      values.push_back(value);
    } else {
      return error(args.call, "script.argument",
                   "T." + std::string(row.text) + " has no argument '" + std::string(text) + "'");
    }
  }
  auto takeType = [&](size_t at) {
    given = values[at];
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(at));
  };
  if (!given && row.typePlace == op::TirTypePlace::First && !values.empty()) {
    // T.reinterpret(value, "float32") of older eras has the type last.
    bool first = isa<ir::StrAttr>(values.front()) || isa<ir::TypeAttr>(values.front());
    takeType(first || values.size() < 2 ? 0 : values.size() - 1);
  }
  // A type that printing leaves out may still be written first.
  if (!given && row.typePlace == op::TirTypePlace::None && row.maxArgs >= 0 &&
      values.size() == static_cast<size_t>(row.maxArgs) + 1 &&
      (isa<ir::StrAttr>(values.front()) || isa<ir::TypeAttr>(values.front()))) {
    takeType(0);
  }
  if (!given && row.typePlace == op::TirTypePlace::Last && values.size() > static_cast<size_t>(row.minArgs))
    takeType(values.size() - 1);
  if (values.size() < static_cast<size_t>(row.minArgs) ||
      (row.maxArgs >= 0 && values.size() > static_cast<size_t>(row.maxArgs))) {
    return error(
        args.call, "script.argument",
        "T." + std::string(row.text) + " can not be called with " + std::to_string(values.size()) + " arguments");
  }
  std::vector<PrimExpr> prims;
  for (const NodeRef& value : values) {
    if (const auto* buffer = as<tir::Buffer>(value)) {  // a buffer stands for its data pointer
      prims.push_back(buffer->data);
      continue;
    }
    // What the outside gave may be handed on to the outside.
    prims.push_back(row.maxArgs < 0 ? toPrimOrVoid(value, args.call) : toPrim(value, args.call));
    if (!prims.back()) return nullptr;
  }
  std::optional<DataType> named = given ? toType(given, args.call) : op::unnamedType(row, prims);
  if (given && !named) return nullptr;
  if (!named)
    return error(args.call, "script.argument", "T." + std::string(row.text) + " needs the type of its result");
  return intrinsicCall(row, *named, std::move(prims), args.call);
}

/// T.call_intrin("int32", "tir.name", arguments): an intrinsic by the name of its operator. `listed`: T.Call, which has
/// the arguments in a list.
NodeRef Reader::tCallIntrin(const Args& args, uint32_t listed) {
  NodeRef parts[3];
  static constexpr std::string_view kNames[] = {"dtype", "op", "args"};
  if (listed && !bind(args, kNames, 3, parts)) return nullptr;
  if (!listed && args.values.size() < 2)
    return error(args.call, "script.argument", "T.call_intrin needs a type, the name of an operator, and arguments");
  const auto type = toType(listed ? parts[0] : args.values[0], args.call);
  const auto name = toText(listed ? parts[1] : args.values[1], args.call);
  if (!type || !name) return nullptr;
  const op::TirIntrinsic* row = op::findTirIntrinsic(name->view());
  if (!row) return error(args.call, "tir.unknown-name", "'" + name->string() + "' is not an intrinsic of TIR");
  std::vector<PrimExpr> prims;
  if (listed) {
    bool ok = true;
    const Array<PrimExpr> items = toPrims(parts[2], args.call, ok);
    if (!ok) return nullptr;
    prims.assign(items.begin(), items.end());
  }
  for (size_t i = 2; !listed && i < args.values.size(); ++i) {
    prims.push_back(toPrim(args.values[i], args.call));
    if (!prims.back()) return nullptr;
  }
  return intrinsicCall(*row, *type, std::move(prims), args.call);
}

NodeRef Reader::exprMethod(const PrimExpr& value, std::string_view method, const Args& args) {
  if (method == "astype" && args.values.size() == 1) {
    auto type = toType(args.values[0], args.call);
    return type ? NodeRef(castTo(*type, value, args.call)) : nullptr;
  }
  if (method == "equal" && args.values.size() == 1) return compare(Tok::EqEq, value, args.values[0], args.call);
  return error(args.call, "script.attribute", "an expression of TIR has no method '" + std::string(method) + "'");
}

}  // namespace rx::script
