// Rules that suit quantized operators to a target: element types that its instructions take, tables for functions.
#include <array>
#include <cmath>

#include "core/relay/layout.h"
#include "core/relay/passes/legalize.h"
#include "core/relay/passes/quantized.h"
#include "core/target/device_kinds.h"

namespace rx::relay::legalize {

namespace {

/// An operand without its zero point, in 16 bits. `axis` is that of a zero point that is a vector.
Expr shortened(const Expr& data, const Expr& zero, const TensorType* zeroType, int64_t axis) {
  constexpr DataType kShort = DataType::Int(16);
  const Expr wide = cast(data, kShort), offset = cast(zero, kShort);
  if (zeroType && zeroType->shape.empty()) return callOp("subtract", {wide, offset});
  return callOp("nn.bias_add", {wide, callOp("negative", {offset})}, {{"axis", ir::intAttr(axis)}});
}

/// The plain operator on shifted operands in 16 bits: for processors without products of bytes.
Expr ofShorts(const Legalized& call, const char* op, int64_t kernelAxis) {
  const Expr data = shortened(call.arg(0), call.arg(2), call.type(2), 1);
  return callOp(op, {data, shortened(call.arg(1), call.arg(3), call.type(3), kernelAxis)}, call.now.attrs);
}

/// The operand and its zero point moved by half the range, so that they are of the other type of 8 bits.
void move(Expr& data, Expr& zero, DataType dtype) {
  const int64_t by = dtype.isUInt() ? 128 : -128;
  data = cast(callOp("add", {cast(data, DataType::Int(32)), int32(by)}), dtype);
  const Ref<HostTensor> value = constantData(zero);
  zero = value && value->rank() == 0 ? int32(value->intAt(0) + by) : callOp("add", {zero, int32(by)});
}

struct ByteTypes {
  DataType data, kernel;
};
/// The types of 8 bits whose products a target computes fast; nothing where it has none.
std::optional<ByteTypes> fastTypes(const target::TargetRef& target) {
  if (!target) return std::nullopt;
  if (target->processor().has("sse4.2")) return ByteTypes{DataType::UInt(8), DataType::Int(8)};
  if (target::hasTrait(target->kind(), target::DeviceTrait::ByteProducts))
    return ByteTypes{DataType::Int(8), DataType::Int(8)};
  return std::nullopt;
}

Expr suited(const Legalized& call, const char* plain, int64_t kernelAxis) {
  const TensorType *data = call.type(0), *kernel = call.type(1);
  if (!data || !kernel || (call.context.target && call.context.target->kind() == "hexagon")) return nullptr;
  const auto types = fastTypes(call.context.target);
  if (!types) return ofShorts(call, plain, kernelAxis);
  if (data->dtype == types->data && kernel->dtype == types->kernel) return nullptr;
  std::vector<Expr> args(call.now.args.begin(), call.now.args.end());
  if (data->dtype != types->data) move(args[0], args[2], types->data);
  if (kernel->dtype != types->kernel) move(args[1], args[3], types->kernel);
  return callAgain(call.now, std::move(args), call.now.attrs);
}

struct Lookup {
  std::string_view op;
  float (*apply)(float);
};
constexpr std::array kLookups = {
    Lookup{"qnn.sqrt", [](float x) { return std::sqrt(x); }},
    Lookup{"qnn.rsqrt", [](float x) { return 1 / std::sqrt(x); }},
    Lookup{"qnn.exp", [](float x) { return std::exp(x); }},
    Lookup{"qnn.erf", [](float x) { return std::erf(x); }},
    Lookup{"qnn.sigmoid", [](float x) { return 1 / (1 + std::exp(-x)); }},
    Lookup{"qnn.hardswish", [](float x) { return x * std::min(std::max(x + 3, 0.0F), 6.0F) / 6; }},
    Lookup{"qnn.tanh", [](float x) { return std::tanh(x); }},
    Lookup{"qnn.log", [](float x) { return std::log(x); }},
    Lookup{"qnn.abs", [](float x) { return std::abs(x); }},
};

}  // namespace

Expr conv2DOfShorts(const Legalized& call) {
  const auto layout = Layout::parse(textAttrOf(call.now, "kernel_layout"));
  const auto axis = layout ? layout->find('O') : std::nullopt;
  return suited(call, "nn.conv2d", static_cast<int64_t>(axis.value_or(0)));
}

Expr denseOfShorts(const Legalized& call) { return suited(call, "nn.dense", 0); }

Expr conv2DTransposeOfShorts(const Legalized& call) { return ofShorts(call, "nn.conv2d_transpose", 1); }

/// A function of integers of few bits is a table.
Expr lookedUp(const Legalized& call) {
  const TensorType* data = call.type(0);
  const auto function = std::find_if(kLookups.begin(), kLookups.end(), [&](const Lookup& each) {
    return each.op == calledOperator(Ref<Call>(&call.now))->name;
  });
  std::array<Ref<HostTensor>, 4> given;
  for (size_t i = 0; i < given.size(); ++i) given[i] = constantData(call.arg(i + 1));
  const bool known =
      std::all_of(given.begin(), given.end(), [](const auto& each) { return each && each->count() == 1; });
  if (!data || !known || !data->dtype.isIntegral() || data->dtype.bits > 16 || function == kLookups.end()) {
    return nullptr;
  }
  const auto inScale = static_cast<float>(given[0]->at(0)), outScale = static_cast<float>(given[2]->at(0));
  const int64_t inZero = given[1]->intAt(0), outZero = given[3]->intAt(0);
  const auto [low, high] = rangeOf(data->dtype);
  const int64_t count = int64_t{1} << data->dtype.bits;
  std::vector<int64_t> table;
  for (int64_t bits = 0; bits < count; ++bits) {
    const int64_t value = data->dtype.isInt() && bits >= count / 2 ? bits - count : bits;
    const float real = function->apply(static_cast<float>(value - inZero) * inScale);
    const float scaled = std::round(real / outScale) + static_cast<float>(outZero);
    // As the operator clips: what is no number is the upper end.
    const float top = scaled < static_cast<float>(high) ? scaled : static_cast<float>(high);
    table.push_back(static_cast<int64_t>(std::max(top, static_cast<float>(low))));
  }
  const Expr index = callOp("reinterpret", {call.arg(0)}, {{"dtype", dtypeAttr(DataType::UInt(data->dtype.bits))}});
  return callOp("take", {integers(table, data->dtype), index},
                {{"axis", ir::intAttr(0)}, {"mode", ir::strAttr("fast")}});
}

}  // namespace rx::relay::legalize
