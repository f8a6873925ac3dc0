#include "core/legalize/te.h"

#include "core/op/tir_intrinsics.h"

namespace rx::te {

using namespace tir;
using arith::constantInt;

PrimExpr i64(int64_t value) { return intImm(value); }
PrimExpr i32(int64_t value) { return intImm(value, DataType::Int(32)); }

PrimExpr Tensor::operator()(Indices indices) const {
  RX_ASSERT(indices.size() == rank(), "{} indices for a tensor of rank {}", indices.size(), rank());
  return make<BufferLoad>(buffer, Array<PrimExpr>(std::move(indices)), buffer->dtype);
}

BufferRef makeBuffer(Shape shape, DataType dtype, Str name, bool offset, int64_t alignment) {
  Buffer buffer;
  if (alignment) buffer.dataAlignment = alignment;
  buffer.data = bufferPointer(dtype, name);
  buffer.dtype = dtype;
  if (offset) buffer.elemOffset = make<Var>(Str(name.string() + "_elem_offset"), indexType(shape));
  buffer.shape = Array<PrimExpr>(std::move(shape));
  buffer.name = std::move(name);
  return make<Buffer>(buffer);
}

IterRef reduceAxis(PrimExpr extent, std::string name) {
  DataType type = extent->dtype;
  return make<IterVar>(make<Range>(intImm(0, type), std::move(extent)), make<Var>(Str(name), type),
                       IterType::CommReduce);
}
PrimExpr varOf(const IterRef& axis) { return axis->var; }

namespace {

/// The name of axis `i` by the names that a form gives.
std::string axisName(const std::vector<std::string>& names, size_t i) {
  if (names.empty()) return "ax" + std::to_string(i);
  if (names.size() == 1 && names[0] == "i") return "i" + std::to_string(i);
  return i < names.size() ? names[i] : "i" + std::to_string(i - names.size());
}

std::unique_ptr<Stage> gridStage(const Shape& shape, const Form& form, Indices& indices) {
  auto stage = std::make_unique<Stage>();
  stage->kind = StageKind::Compute;
  stage->name = form.name;
  stage->attrs = form.attrs;
  for (size_t i = 0; i < shape.size(); ++i) {
    DataType type = shape[i]->dtype;
    auto var = make<Var>(Str(axisName(form.axes, i)), type);
    stage->axes.push_back(make<IterVar>(make<Range>(intImm(0, type), shape[i]), var, IterType::DataPar));
    indices.push_back(var);
  }
  return stage;
}

}  // namespace

Tensor Graph::param(Shape shape, DataType dtype, Str name, bool offset, int64_t alignment) {
  auto stage = std::make_unique<Stage>();
  stage->name = name;
  Tensor tensor{makeBuffer(std::move(shape), dtype, std::move(name), offset, alignment)};
  stage->outputs = {tensor};
  owner_[tensor.buffer.get()] = stage.get();
  stages_.push_back(std::move(stage));
  return tensor;
}

Tensor Graph::compute(Shape shape, const Body& body, Form form) {
  Bodies one = [&](const Indices& i) { return std::vector<PrimExpr>{body(i)}; };
  return computeMany(std::move(shape), one, std::move(form)).front();
}

std::vector<Tensor> Graph::computeMany(Shape shape, const Bodies& bodies, Form form) {
  Indices indices;
  auto stage = gridStage(shape, form, indices);
  stage->body = bodies(indices);
  for (size_t i = 0; i < stage->body.size(); ++i) {
    std::string name = stage->body.size() == 1 ? form.name : form.name + "_v" + std::to_string(i);
    Tensor tensor{makeBuffer(shape, stage->body[i]->dtype, Str(name))};
    owner_[tensor.buffer.get()] = stage.get();
    stage->outputs.push_back(tensor);
  }
  stages_.push_back(std::move(stage));
  return stages_.back()->outputs;
}

Tensor Graph::computeMapped(Shape grid, Shape out, const Body& body, std::function<Indices(const Indices&)> map,
                            Form form) {
  Indices indices;
  auto stage = gridStage(grid, form, indices);
  stage->body = {body(indices)};
  stage->writeMap = std::move(map);
  Tensor tensor{makeBuffer(std::move(out), stage->body[0]->dtype, Str(form.name))};
  owner_[tensor.buffer.get()] = stage.get();
  stage->outputs = {tensor};
  stages_.push_back(std::move(stage));
  return tensor;
}

std::vector<Tensor> Graph::external(std::vector<std::pair<Shape, DataType>> outputs, std::vector<Tensor> inputs,
                                    const std::function<Stmt(const std::vector<Tensor>&)>& body, Form form) {
  auto stage = std::make_unique<Stage>();
  stage->kind = StageKind::Extern;
  stage->name = form.name;
  stage->attrs = form.attrs;
  stage->inputs = std::move(inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    std::string name = i < form.axes.size() ? form.axes[i] : "out_buf";
    Tensor tensor{makeBuffer(outputs[i].first, outputs[i].second, Str(name), false, form.alignment)};
    owner_[tensor.buffer.get()] = stage.get();
    stage->outputs.push_back(tensor);
  }
  stage->statement = body(stage->outputs);
  stages_.push_back(std::move(stage));
  return stages_.back()->outputs;
}

const Stage* Graph::stageOf(const Buffer* buffer) const {
  auto found = owner_.find(buffer);
  return found == owner_.end() ? nullptr : found->second;
}

std::vector<PrimExpr> reduceTuple(
    std::vector<PrimExpr> values, std::vector<PrimExpr> identity, const std::vector<IterRef>& axes,
    const std::function<std::vector<PrimExpr>(const std::vector<PrimExpr>&, const std::vector<PrimExpr>&)>& combine) {
  std::vector<VarRef> lhs, rhs;
  for (size_t i = 0; i < values.size(); ++i) {
    lhs.push_back(make<Var>(Str("x" + std::to_string(i)), values[i]->dtype));
    rhs.push_back(make<Var>(Str("y" + std::to_string(i)), values[i]->dtype));
  }
  std::vector<PrimExpr> left(lhs.begin(), lhs.end()), right(rhs.begin(), rhs.end());
  auto reducer = make<CommReducer>(Array<VarRef>(lhs), Array<VarRef>(rhs), Array<PrimExpr>(combine(left, right)),
                                   Array<PrimExpr>(std::move(identity)));
  std::vector<PrimExpr> out;
  for (size_t i = 0; i < values.size(); ++i) {
    out.push_back(make<Reduce>(reducer, Array<PrimExpr>(values), Array<IterRef>(axes), boolImm(true),
                               static_cast<int64_t>(i), Array<PrimExpr>()));
  }
  return out;
}

namespace {
PrimExpr reduceOne(PrimExpr value, PrimExpr identity, const std::vector<IterRef>& axes,
                   PrimExpr (*combine)(PrimExpr, PrimExpr)) {
  return reduceTuple({std::move(value)}, {std::move(identity)}, axes,
                     [&](const std::vector<PrimExpr>& l, const std::vector<PrimExpr>& r) {
                       return std::vector<PrimExpr>{combine(l[0], r[0])};
                     })
      .front();
}
}  // namespace

PrimExpr sum(PrimExpr value, const std::vector<IterRef>& axes) {
  if (value->dtype.isBool()) return any(std::move(value), axes);
  PrimExpr zero = constantInt(value->dtype, 0);
  return reduceOne(std::move(value), std::move(zero), axes, arith::add);
}
PrimExpr product(PrimExpr value, const std::vector<IterRef>& axes) {
  if (value->dtype.isBool()) return all(std::move(value), axes);
  PrimExpr one = constantInt(value->dtype, 1);
  return reduceOne(std::move(value), std::move(one), axes, arith::mul);
}
PrimExpr maximum(PrimExpr value, const std::vector<IterRef>& axes) {
  PrimExpr low = arith::minValue(value->dtype);
  return reduceOne(std::move(value), std::move(low), axes, arith::max);
}
PrimExpr minimum(PrimExpr value, const std::vector<IterRef>& axes) {
  PrimExpr high = arith::maxValue(value->dtype);
  if (value->dtype == DataType::UInt(64)) {
    // A constant holds 63 bits; the largest value is written as its two halves.
    PrimExpr half = intImm(0xffffffff, DataType::UInt(32));
    high = intrinsic("large_uint_imm", value->dtype, {half, half});
  }
  return reduceOne(std::move(value), std::move(high), axes, arith::min);
}
PrimExpr any(PrimExpr value, const std::vector<IterRef>& axes) {
  return reduceOne(std::move(value), boolImm(false), axes, arith::logicalOr);
}
PrimExpr all(PrimExpr value, const std::vector<IterRef>& axes) {
  return reduceOne(std::move(value), boolImm(true), axes, arith::logicalAnd);
}

PrimExpr intrinsic(std::string_view name, DataType dtype, std::vector<PrimExpr> args) {
  return make<Call>(dtype, op::tirOp(name), Array<PrimExpr>(std::move(args)));
}
PrimExpr math(std::string_view name, PrimExpr x) {
  DataType type = x->dtype;
  return intrinsic(name, type, {std::move(x)});
}
PrimExpr ifThenElse(PrimExpr condition, PrimExpr yes, PrimExpr no) {
  if (auto c = asInt(condition)) return *c ? yes : no;
  arith::matchTypes(yes, no);
  DataType type = yes->dtype;
  return intrinsic("if_then_else", type, {std::move(condition), std::move(yes), std::move(no)});
}

}  // namespace rx::te
