#include "core/relay/passes/to_relax_call.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/constant.h"
#include "core/op/rules.h"
#include "core/relay/passes/to_relax_types.h"
#include "core/relay/solver.h"

namespace rx::relay {

using relax::Expr;

namespace {
/// Dimensions that stand for those of a value that was refused: as many as an operator may ask for.
Dims noDims() { return Dims(64, wideDim(1)); }
}  // namespace

std::vector<Expr> CallTranslation::fields(size_t i) {
  if (const auto* tuple = as<relax::Tuple>(args_[i])) return tuple->items.vector();
  std::vector<Expr> out;
  const auto* info = as<relax::TupleStructInfo>(args_[i]->sinfo);
  for (size_t k = 0; info && k < info->items.size(); ++k) out.push_back(item(args_[i], k));
  return out;
}

Expr CallTranslation::refuse(std::string message) {
  if (failed()) return tuple({});  // what follows from an error says nothing new
  builder_.report(
      errorAt(call_->span, "relay.translate", fmt::format("{}: {}", calledOperator(call_)->name, std::move(message))));
  return tuple({});
}

bool CallTranslation::isNone(std::string_view name) const {
  const NodeRef value = attr(name);
  return !value || isa<ir::NullAttr>(value);
}

double CallTranslation::real(std::string_view name) const {
  const auto* value = as<ir::FloatAttr>(attr(name));
  return value ? value->value : static_cast<double>(integer(name));
}

std::optional<std::vector<int64_t>> CallTranslation::numbers(std::string_view name) const {
  if (isNone(name)) return std::nullopt;
  const NodeRef value = attr(name);
  const auto* list = as<ir::ArrayAttr>(value);
  std::vector<int64_t> out;
  for (const NodeRef& item : list ? list->items.vector() : std::vector{value}) {
    const auto* real = as<ir::FloatAttr>(item);
    const auto whole = wholeOf(item);
    if (!real && !whole) return std::nullopt;
    out.push_back(whole ? *whole : static_cast<int64_t>(real->value));
  }
  return out;
}

DataType CallTranslation::typeAttr(std::string_view name, DataType fallback) const {
  const NodeRef value = attr(name);
  if (const auto* type = as<ir::TypeAttr>(value)) return type->value.isVoid() ? fallback : type->value;
  const auto* text = as<ir::StrAttr>(value);
  return text ? DataType::parse(text->value.view()).value_or(fallback) : fallback;
}

size_t CallTranslation::axis(std::string_view name, size_t rank) const {
  const int64_t given = integer(name);
  return static_cast<size_t>(given < 0 ? given + static_cast<int64_t>(rank) : given);
}

DataType CallTranslation::dtype(const Expr& value) {
  const auto* info = as<relax::TensorStructInfo>(value->sinfo);
  return info ? info->dtype : DataType::Void();
}

size_t CallTranslation::rank(const Expr& value) {
  const auto* info = as<relax::TensorStructInfo>(value->sinfo);
  return info && info->ndim > 0 ? static_cast<size_t>(info->ndim) : 0;
}

Dims CallTranslation::dims(Expr& value) {
  const auto* info = as<relax::TensorStructInfo>(value->sinfo);
  if (!info || info->ndim < 0) {
    refuse("the number of dimensions is not known");
    return noDims();
  }
  if (const Array<tir::PrimExpr>* known = op::dimsOf(*info)) return known->vector();
  Dims out;
  for (int64_t i = 0; i < info->ndim; ++i) {
    out.push_back(rx::make<tir::Var>(builder_.names().fresh("n"), DataType::Int(64)));
  }
  value = builder_.emitMatchCast(value, relax::tensorSinfo(out, info->dtype), {}, call_->span);
  return out;
}

Expr CallTranslation::matched(const Expr& value, const Dims& wanted) {
  const Array<tir::PrimExpr>* known = op::dimsOf(value->sinfo);
  const bool fits = known && std::equal(known->begin(), known->end(), wanted.begin(), wanted.end(), same);
  if (fits || failed()) return value;
  return builder_.emitMatchCast(value, relax::tensorSinfo(wanted, dtype(value)), {}, call_->span);
}

std::optional<std::vector<int64_t>> CallTranslation::constantDims(const Expr& value) {
  const Array<tir::PrimExpr>* known = op::dimsOf(value->sinfo);
  if (!known) return std::nullopt;
  std::vector<int64_t> out;
  for (const tir::PrimExpr& dim : *known) {
    const auto number = tir::asInt(dim);
    if (!number) return std::nullopt;
    out.push_back(*number);
  }
  return out;
}

Ref<HostTensor> CallTranslation::constant(size_t i) const {
  const auto* constant = as<Constant>(call_->args[i]);
  return constant ? constant->data : nullptr;
}

std::optional<std::vector<int64_t>> CallTranslation::constantNumbers(size_t i) const {
  const Ref<HostTensor> data = constant(i);
  if (!data || !data->dtype().isIntegral()) return std::nullopt;
  std::vector<int64_t> out;
  for (int64_t k = 0; k < data->count(); ++k) out.push_back(data->intAt(k));
  return out;
}

std::optional<double> CallTranslation::constantReal(size_t i) const {
  const Ref<HostTensor> data = constant(i);
  return data && data->count() == 1 ? std::optional(data->at(0)) : std::nullopt;
}

DataType CallTranslation::resultDtype() const {
  const auto* type = as<TensorType>(call_->sinfo);
  return type ? type->dtype : DataType::Void();
}

Type CallTranslation::resultType() {
  Solver solver;
  std::vector<Type> types;
  for (Expr& arg : args_) {
    if (isa<relax::TensorStructInfo>(arg->sinfo)) dims(arg);
    Type type = typeOfInfo(arg->sinfo);
    if (!type) return typeOf(call_);
    types.push_back(std::move(type));
  }
  const Type result = solver.relate(calledOperator(call_)->relation, call_, std::move(types));
  return result && solver.solve({}) ? solver.resolve(result) : typeOf(call_);
}

Dims CallTranslation::resultDims() {
  const auto type = refAs<TensorType>(resultType());
  if (!type) {
    refuse("its result is no tensor");
    return noDims();
  }
  for (const Dim& dim : type->shape) {
    if (dim) continue;
    refuse("a dimension of the result depends on values");
    return noDims();
  }
  Dims out;
  for (const Dim& dim : type->shape) out.push_back(widened(dim));
  return out;
}

Expr CallTranslation::bind(const Expr& value) { return builder_.emit(value, {}, nullptr, call_->span); }

Expr CallTranslation::make(std::string_view name, const std::vector<NodeRef>& args,
                           std::span<const op::Keyword> attrs) {
  if (failed()) return tuple({});
  const op::OpRow* row = op::findOp(name);
  RX_ASSERT(row, "Relax has no operator '{}'", name);
  auto made = op::bindCall(*row, args, attrs, builder_.context());
  if (!made) return refuse(made.diagnostics().front().message);
  const_cast<relax::Call*>(made->get())->span = call_->span;
  return bind(*made);
}

Expr CallTranslation::make(std::string_view name, std::vector<NodeRef> args, std::initializer_list<op::Keyword> attrs) {
  return make(name, args, std::span<const op::Keyword>(attrs.begin(), attrs.size()));
}

Expr CallTranslation::makeRow(std::vector<NodeRef> args, std::vector<op::Keyword> keywords) {
  const size_t given = keywords.size();
  auto isGiven = [&](std::string_view name) {
    return std::any_of(keywords.begin(), keywords.begin() + static_cast<ptrdiff_t>(given),
                       [&](const op::Keyword& keyword) { return keyword.name == name; });
  };
  std::string_view left = row_.attrs;
  while (!left.empty()) {
    const size_t end = std::min(left.find(' '), left.size());
    const std::string_view pair = left.substr(0, end);
    left.remove_prefix(std::min(end + 1, left.size()));
    const size_t equals = pair.find('=');
    const std::string_view from = pair.substr(0, equals);
    const std::string_view to = equals == std::string_view::npos ? pair : pair.substr(equals + 1);
    NodeRef value = attr(from);
    const auto* text = as<ir::StrAttr>(value);
    if (!value || isa<ir::NullAttr>(value) || (text && text->value.empty()) || isGiven(to)) continue;
    keywords.push_back({to, std::move(value)});
  }
  return make(row_.relax, args, keywords);
}

Expr CallTranslation::cast(const Expr& value, DataType type) {
  return dtype(value) == type ? value : make("astype", {value, ir::typeAttr(type)});
}

Expr CallTranslation::scalar(double value, DataType type) {
  if (type.isVoid()) return refuse("the type of the elements is not known");
  return relax::constantOf(HostTensor::scalar(type, value));
}

Expr CallTranslation::vector(std::span<const int64_t> values, DataType type) {
  const auto count = static_cast<int64_t>(values.size());
  auto data = HostTensor::fromInts({count}, type, values);
  if (!data) return refuse(data.diagnostics().front().message);
  return relax::constantOf(*data);
}

Expr CallTranslation::shape(const Dims& dims) {
  Dims out;
  for (const Dim& dim : dims) out.push_back(widened(dim));
  return rx::make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(out)));
}

Expr CallTranslation::reshape(const Expr& value, const Dims& dims) { return make("reshape", {value, shape(dims)}); }

Expr CallTranslation::permute(const Expr& value, std::span<const int64_t> axes) {
  return make("permute_dims", {value, ir::intArrayAttr(axes)});
}

Expr CallTranslation::full(const Dims& dims, const Expr& value) { return make("full", {shape(dims), value}); }

Expr CallTranslation::item(const Expr& tuple, size_t i) {
  if (failed()) return tuple;
  if (const auto* known = as<relax::Tuple>(tuple)) return known->items[i];
  return bind(rx::make<relax::TupleGetItem>(tuple, static_cast<int64_t>(i)));
}

Expr CallTranslation::tuple(std::vector<Expr> items) { return rx::make<relax::Tuple>(Array<Expr>(std::move(items))); }

Expr CallTranslation::slice(const Expr& value, size_t axis, const Dim& begin, const Dim& end, int64_t step) {
  auto one = [](const Dim& dim) { return ir::arrayAttr({rx::make<relax::PrimValue>(widened(dim))}); };
  return make("strided_slice", {value, one(dim(static_cast<int64_t>(axis))), one(begin), one(end), one(dim(step))});
}

Expr CallTranslation::range(const Dim& count, DataType type) {
  return make("arange", {wideDim(0), widened(count), wideDim(1), ir::typeAttr(type)});
}

Dims CallTranslation::symbolsOf(const Expr& vector) {
  Expr value = vector;
  const auto length = known(dims(value).front());
  if (!length) {
    refuse("a shape of unknown rank is asked for");
    return noDims();
  }
  const Expr shape = make("tensor_to_shape", {cast(value, DataType::Int(64))});
  Dims out;
  for (int64_t i = 0; i < *length; ++i) {
    out.push_back(rx::make<tir::Var>(builder_.names().fresh("n"), DataType::Int(64)));
  }
  builder_.emitMatchCast(shape, rx::make<relax::ShapeStructInfo>(Array<tir::PrimExpr>(out.begin(), out.end())), {},
                         call_->span);
  return out;
}

Expr CallTranslation::kernel(std::string_view name, std::vector<Expr> args, const Write& write) {
  if (failed()) return tuple({});
  for (Expr& arg : args) dims(arg);
  if (failed()) return tuple({});
  const relax::Call asked(rx::make<relax::ExternFunc>(Str(name)), Array<Expr>(std::move(args)));
  legalize::Lowering lowering(asked, builder_);
  std::vector<te::Tensor> inputs;
  for (const Expr& arg : asked.args) inputs.push_back(lowering.tensor(arg));
  auto made = lowering.finish(name, write(lowering, inputs));
  return made ? bind(*made) : refuse(made.diagnostics().front().message);
}

namespace {

/// One dimension of a broadcast result; `sure` turns false where only a run knows which of two counts.
Dim joined(const Dim& a, const Dim& b, bool& sure) {
  if (isOne(a)) return b;
  if (isOne(b) || same(a, b)) return a;
  sure = false;
  if (known(a)) return a;
  return known(b) ? b : op::ifThenElse(arith::eq(a, wideDim(1)), b, a);
}

}  // namespace

void CallTranslation::align(std::vector<Expr>& values, size_t own) {
  std::vector<Dims> all;
  size_t rank = 0;
  for (Expr& value : values) {
    all.push_back(dims(value));
    rank = std::max(rank, all.back().size());
  }
  bool sure = true;
  Dims out(rank, wideDim(1));
  for (const Dims& shape : all) {
    const size_t skipped = rank - shape.size();
    for (size_t i = 0; i + own < shape.size(); ++i) out[skipped + i] = joined(out[skipped + i], shape[i], sure);
  }
  for (size_t v = 0; !sure && v < values.size(); ++v) {
    const size_t skipped = rank - all[v].size();
    Dims target = all[v];
    bool fits = true;
    for (size_t i = 0; i + own < target.size(); ++i) {
      if (isOne(target[i]) || same(target[i], out[skipped + i])) continue;
      target[i] = out[skipped + i];
      fits = false;
    }
    if (!fits) values[v] = broadcast(values[v], target);
  }
}

Expr CallTranslation::broadcast(const Expr& value, const Dims& target) {
  return kernel("broadcast_to", {value}, [&](legalize::Lowering& l, const std::vector<te::Tensor>& in) {
    const te::Tensor& x = in[0];
    const size_t skipped = target.size() - x.rank();
    auto read = [&](const te::Indices& i) {
      te::Indices at;
      for (size_t d = 0; d < x.rank(); ++d) {
        const Dim zero = wideDim(0);
        at.push_back(op::ifThenElse(arith::eq(x.dim(d), wideDim(1)), zero, i[skipped + d]));
      }
      return x(at);
    };
    return std::vector{l.graph.compute(l.shapeArg(CallTranslation::shape(target)), read, {"broadcast_to"})};
  });
}

}  // namespace rx::relay
