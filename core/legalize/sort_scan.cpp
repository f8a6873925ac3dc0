// Sorting, top-k and running sums: what DispatchSortScan writes for a CPU. A sort is a call of a packed function of the
// runtime in a block of its own; a scan is a loop over lines, each in order along its axis.
#include "core/legalize/families.h"

namespace rx::legalize {

using namespace te;

namespace {

PrimExpr text(std::string_view value) { return make<tir::StringImm>(Str(value)); }

/// A tensor as an argument of a packed function. `shape`: as the caller writes it, the buffer's own where empty.
PrimExpr asArray(const Tensor& t, Shape shape = {}) {
  const auto rank = static_cast<int64_t>(t.rank());
  if (shape.empty()) shape = t.dims();
  PrimExpr dims = intrinsic("tvm_stack_make_shape", DataType::Handle(), std::move(shape));
  PrimExpr element = t.dtype().isFloat() ? tir::floatImm(0, t.dtype()) : arith::constantInt(t.dtype(), 0);
  return intrinsic("tvm_stack_make_array", DataType::Handle(),
                   {t.buffer->data, dims, i32(0), i32(rank), element, i64(0)});
}

tir::Stmt callPacked(std::string_view name, std::vector<PrimExpr> args) {
  args.insert(args.begin(), text(name));
  return make<tir::Evaluate>(intrinsic("tvm_call_packed", DataType::Int(32), std::move(args)));
}

}  // namespace

Tensor argsortValidStage(Lowering& l, const Tensor& x, const Tensor& counts) {
  auto body = [&](const std::vector<Tensor>& out) {
    return callPacked("tvm.contrib.sort.argsort_nms",
                      {asArray(x), asArray(counts), asArray(out[0]), i32(1), tir::boolImm(false)});
  };
  Form form{"argsort_nms_cpu", {"out_buf"}};
  form.alignment = kSortAlignment;
  return l.graph.external({{x.dims(), DataType::Int(32)}}, {x, counts}, body, form).front();
}

Tensor argsortStage(Lowering& l, const Tensor& x, int64_t axis, bool ascending, DataType type) {
  auto body = [&](const std::vector<Tensor>& out) {
    return callPacked("tvm.contrib.sort.argsort", {asArray(x), asArray(out[0]), i32(axis), tir::boolImm(ascending)});
  };
  Form form{"argsort_cpu", {"out_buf"}};
  form.alignment = kSortAlignment;
  return l.graph.external({{x.dims(), type}}, {x}, body, form).front();
}

namespace {

using Outputs = std::vector<std::pair<Shape, DataType>>;

/// (data, out, axis, ascending).
Outcome sort(Lowering& l) {
  Tensor data = l.tensor(l.call.args[0], false, kSortAlignment);
  auto body = [&](const std::vector<Tensor>& out) {
    return callPacked("tvm.contrib.sort.sort", {asArray(data), asArray(out[0]), i32(l.intAttr("axis", -1)),
                                                tir::boolImm(!l.boolAttr("descending"))});
  };
  Form form{"sort_cpu", {"out_buf"}};
  form.alignment = kSortAlignment;
  return l.finish("sort", l.graph.external(Outputs{{data.dims(), l.resultType()}}, {data}, body, form));
}
Outcome argsort(Lowering& l) {
  Tensor data = l.tensor(l.call.args[0], false, kSortAlignment);
  return l.finish("argsort", argsortStage(l, data, l.intAttr("axis", -1), !l.boolAttr("descending"), l.resultType()));
}

/// topk: (data, outs..., k, axis, what to return, ascending).
Outcome topk(Lowering& l) {
  Tensor data = l.tensor(l.call.args[0], false, kSortAlignment);
  const std::string_view what = l.strAttr("ret_type");
  const int64_t k = l.intAttr("k", 1);
  auto axis = normalAxis(l.intAttr("axis", -1), data.rank());
  if (!axis) return refuse(l.call, "the axis does not fit");
  Shape shape = data.dims(), written = data.dims();
  if (k >= 1) {
    shape[*axis] = i64(k);
    written[*axis] = i32(k);
  }
  Outputs outputs;
  Form form{"topk_cpu", {}};
  form.alignment = kSortAlignment;
  if (what != "indices") {
    outputs.emplace_back(shape, data.dtype());
    form.axes.push_back("value_buf");
  }
  if (what != "values") {
    outputs.emplace_back(shape, l.dtypeAttr("dtype").isVoid() ? DataType::Int(32) : l.dtypeAttr("dtype"));
    form.axes.push_back("indices_buf");
  }
  auto body = [&](const std::vector<Tensor>& out) {
    std::vector<PrimExpr> args{asArray(data)};
    for (const Tensor& t : out) args.push_back(asArray(t, written));
    for (PrimExpr arg : {i32(k), i32(l.intAttr("axis", -1)), text(what), tir::boolImm(!l.boolAttr("largest", true))})
      args.push_back(std::move(arg));
    return callPacked("tvm.contrib.sort.topk", std::move(args));
  };
  return l.finish("topk", l.graph.external(outputs, {data}, body, form));
}

/// A running sum or product along an axis, over all elements where none is given.
Outcome scan(Lowering& l, std::string_view name, Binary combine, int64_t identity) {
  Tensor data = l.tensor(l.call.args[0], true);
  const auto given = l.optionalInt("axis");
  const DataType type = l.resultType();
  const bool exclusive = l.boolAttr("exclusive");
  PrimExpr before = i64(1), length = i64(1), after = i64(1);
  Shape shape = data.dims();
  if (given) {
    auto axis = normalAxis(*given, data.rank());
    if (!axis) return refuse(l.call, "the axis does not fit");
    std::span<const PrimExpr> dims = data.shape().span();
    before = extentOf(dims.first(*axis));
    length = dims[*axis];
    after = extentOf(dims.subspan(*axis + 1));
  } else {
    length = extentOf(data.shape());
    shape = {length};
  }
  auto value = [&](const PrimExpr& at) {
    PrimExpr read = readAt(data, at);
    return type == data.dtype() ? read : arith::cast(type, read);
  };
  auto body = [&](const std::vector<Tensor>& out) {
    auto line = [&](PrimExpr fused) -> tir::Stmt {
      PrimExpr i = arith::floorDiv(fused, after), j = arith::floorMod(fused, after);
      PrimExpr base = arith::add(arith::mul(arith::mul(i, length), after), j);
      PrimExpr start =
          type.isFloat() ? tir::floatImm(static_cast<double>(identity), type) : arith::constantInt(type, identity);
      tir::Stmt first = writeAt(out[0], base, exclusive ? start : value(base));
      auto next = [&](PrimExpr step) {
        PrimExpr k = arith::add(step, i64(1));
        PrimExpr current = arith::add(base, arith::mul(k, after));
        PrimExpr previous = arith::add(base, arith::mul(arith::sub(k, i64(1)), after));
        return writeAt(out[0], current, combine(readAt(out[0], previous), value(exclusive ? previous : current)));
      };
      tir::Stmt rest = loopOver(arith::sub(length, i64(1)), tir::ForKind::Serial, next);
      tir::Stmt all = tir::seq(std::vector<tir::Stmt>{first, rest});
      // A line without elements has no first one.
      auto known = tir::asInt(length);
      return known && *known > 0 ? all : make<tir::IfThenElse>(arith::lt(i64(0), length), all, tir::Stmt());
    };
    return loopOver(arith::mul(before, after), tir::ForKind::Parallel, line);
  };
  Form form{std::string(name) + "_generic", {"out_buf"}};
  return l.finish(name, l.graph.external(Outputs{{shape, type}}, {data}, body, form));
}
Outcome cumsum(Lowering& l) { return scan(l, "cumsum", arith::add, 0); }
Outcome cumprod(Lowering& l) { return scan(l, "cumprod", arith::mul, 1); }

constexpr LegalizeRow kRows[] = {
    {"relax.sort", sort},     {"relax.argsort", argsort}, {"relax.topk", topk},
    {"relax.cumsum", cumsum}, {"relax.cumprod", cumprod},
};

}  // namespace

std::span<const LegalizeRow> sortScanRows() { return kRows; }

}  // namespace rx::legalize
