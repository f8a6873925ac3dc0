// Operators that make tensors: full, zeros, ones, arange, triangles, eye, one_hot, windows.
#include <cmath>

#include "core/legalize/families.h"
#include "core/op/make_call.h"

namespace rx::legalize {

using namespace te;

namespace {

Outcome fillWith(Lowering& l, std::string_view name, const Operand& value) {
  auto shape = l.resultShape();
  DataType type = l.resultType();
  if (!shape || type.isVoid()) return refuse(l.call, "shape and type of the result are not known");
  auto body = [&](const Indices&) {
    return arith::cast(type, value.isScalar() ? value.scalar : value.tensor(Indices(value.tensor.rank(), i64(0))));
  };
  return l.finish(name, l.graph.compute(*shape, body, {"T_full"}));
}

/// `full(shape, value)`, `full_like(x, value)`: a constant value stands in the body.
Outcome full(Lowering& l) { return fillWith(l, "full", l.operand(1, true)); }

template <int kValue>
Outcome filled(Lowering& l) {
  DataType type = l.resultType();
  if (type.isVoid()) return refuse(l.call, "the type of the result is not known");
  return fillWith(l, kValue ? "ones" : "zeros", operandOf(arith::constantInt(type, kValue)));
}

Outcome arange(Lowering& l) {
  auto shape = l.resultShape();
  DataType type = l.resultType();
  std::vector<PrimExpr> values;
  for (const relax::Expr& arg : l.call.args) values.push_back(l.primArg(arg));
  if (!shape || type.isVoid() || values.size() != 3) return refuse(l.call, "the range is not known");
  auto count = tir::asInt(shape->front());
  bool constants = count.has_value();
  for (const PrimExpr& v : values) constants &= isa<tir::IntImm>(v) || isa<tir::FloatImm>(v);
  if (constants) {
    auto number = [](const PrimExpr& e) {
      const auto* real = as<tir::FloatImm>(e);
      return real ? real->value : static_cast<double>(*tir::asInt(e));
    };
    RX_TRY(data, HostTensor::allocate({*count}, type));
    for (int64_t i = 0; i < *count; ++i) {
      bool integral = tir::asInt(values[0]) && tir::asInt(values[2]);
      if (integral && type.isIntegral()) {
        data->setInt(i, *tir::asInt(values[0]) + i * *tir::asInt(values[2]));
      } else {
        data->set(i, number(values[0]) + static_cast<double>(i) * number(values[2]));
      }
    }
    return relax::Expr(make<relax::Constant>(data, l.call.sinfo));
  }
  auto body = [&](const Indices& i) {
    PrimExpr at = arith::add(values[0], arith::mul(values[2], arith::cast(values[0]->dtype, i[0])));
    return arith::cast(type, at);
  };
  return l.finish("arange", l.graph.compute(*shape, body, {"T_arange"}));
}

template <bool kUpper>
Outcome triangle(Lowering& l) {
  Tensor x = l.arg(0);
  PrimExpr k = l.argCount() > 1 ? l.primArg(l.call.args[1]) : i64(l.intAttr("k"));
  if (!k || x.rank() < 2) return refuse(l.call, "the diagonal is not known");
  auto body = [&](const Indices& i) {
    PrimExpr row = arith::add(i[x.rank() - 2], arith::cast(DataType::Int(64), k)), column = i[x.rank() - 1];
    PrimExpr inside = kUpper ? arith::ge(column, row) : arith::le(column, row);
    return arith::select(inside, x(i), arith::constantInt(x.dtype(), 0));
  };
  return l.finish(kUpper ? "triu" : "tril", l.graph.compute(x.dims(), body, {"trilu", {"i"}}));
}

Outcome eye(Lowering& l) {
  auto shape = l.resultShape();
  DataType type = l.resultType();
  bool like = Lowering::tensorInfo(l.call.args[0]) != nullptr;
  PrimExpr k = l.primArg(l.call.args[like ? 1 : 2]);
  if (!shape || type.isVoid() || !k || shape->size() != 2) return refuse(l.call, "the shape is not known");
  auto body = [&](const Indices& i) {
    PrimExpr on = arith::eq(i[0], arith::sub(i[1], arith::cast(DataType::Int(64), k)));
    return ifThenElse(on, arith::constantInt(type, 1), arith::constantInt(type, 0));
  };
  return l.finish(like ? "eye_like" : "eye", l.graph.compute(*shape, body, {"eye", {"i", "j"}}));
}

Outcome oneHot(Lowering& l) {
  Tensor indices = l.arg(0);
  PrimExpr on = l.primArg(l.call.args[1]), off = l.primArg(l.call.args[2]);
  auto shape = l.resultShape();
  auto axis = normalAxis(l.intAttr("axis", -1), indices.rank() + 1);
  if (!on || !off || !shape || !axis) return refuse(l.call, "values or axis are not known");
  auto body = [&](const Indices& i) {
    Indices in = i;
    in.erase(in.begin() + static_cast<std::ptrdiff_t>(*axis));
    return arith::select(arith::eq(indices(in), i[*axis]), on, off);
  };
  return l.finish("one_hot", l.graph.compute(*shape, body, {"T_one_hot"}));
}

/// alpha - beta * cos(2 pi i / (size - 1)); a periodic window is one that is longer by one, without its last element.
Outcome hammingWindow(Lowering& l) {
  PrimExpr values[4];
  for (size_t i = 0; i < 4 && i < l.argCount(); ++i) values[i] = l.primArg(l.call.args[i]);
  const DataType type = l.resultType();
  const auto periodic = values[1] ? tir::asInt(values[1]) : std::nullopt;
  if (!values[0] || !periodic || !values[2] || !values[3]) return refuse(l.call, "size, kind or factors are not known");
  if (!type.isFloat()) return refuse(l.call, "a window of floats is needed");
  PrimExpr size = arith::cast(DataType::Int(64), values[0]);
  if (tir::asInt(size) == 1) {
    return l.finish("hamming_window",
                    l.graph.compute({size}, [&](const Indices&) { return arith::constantInt(type, 1); }, {"T_full"}));
  }
  PrimExpr length = *periodic ? arith::add(size, i64(1)) : size;
  auto number = [&](PrimExpr e) { return operandOf(arith::cast(type, std::move(e))); };
  Tensor index = l.graph.compute({length}, [&](const Indices& i) { return arith::cast(type, i[0]); }, {"T_arange"});
  Operand circle = operandOf(arith::constant(type, 2 * M_PI));
  Tensor turned = binaryStage(l, circle, operandOf(index), arith::mul, "T_multiply");
  Tensor angle = binaryStage(l, operandOf(turned), number(arith::sub(length, i64(1))), arith::div, "T_divide");
  Tensor wave = unaryStage(l, angle, [](PrimExpr e) { return math("cos", std::move(e)); });
  Tensor scaled = binaryStage(l, number(values[3]), operandOf(wave), arith::mul, "T_multiply");
  Tensor window =
      castStage(l, binaryStage(l, number(values[2]), operandOf(scaled), arith::sub, "T_subtract"), type, "compute");
  if (*periodic) window = l.graph.compute({size}, [&](const Indices& i) { return window(i); }, {"T_strided_slice"});
  return l.finish("hamming_window", window);
}

constexpr LegalizeRow kRows[] = {
    {"relax.full", full},
    {"relax.full_like", full},
    {"relax.zeros", filled<0>},
    {"relax.zeros_like", filled<0>},
    {"relax.ones", filled<1>},
    {"relax.ones_like", filled<1>},
    {"relax.arange", arange},
    {"relax.tril", triangle<false>},
    {"relax.triu", triangle<true>},
    {"relax.eye", eye},
    {"relax.hamming_window", hammingWindow},
    {"relax.eye_like", eye},
    {"relax.one_hot", oneHot},
};

}  // namespace

std::span<const LegalizeRow> createRows() { return kRows; }

}  // namespace rx::legalize
