#include "random_module.h"

#include <algorithm>

#include "core/build/block_builder.h"
#include "core/op/make_call.h"
#include "core/op/op_table.h"

namespace rx::fuzz {

namespace {

using relax::Expr;

/// Operators that a module is made of: pure ones of tensors whose other parameters may be left out, or be chosen.
const std::vector<const op::OpRow*>& operators() {
  static const std::vector<const op::OpRow*> kRows = [] {
    constexpr uint32_t kUnfit = op::kImpure | op::kCallsFunction | op::kDistributed | op::kDataDependent;
    std::vector<const op::OpRow*> rows;
    for (const op::OpRow& row : op::allOps()) {
      const bool tensors = !row.params.empty() && row.params[0].kind == op::ParamKind::Expr;
      const bool known = std::none_of(row.params.begin(), row.params.end(), [](const op::OpParam& param) {
        const bool chosen = param.kind <= op::ParamKind::Tuple || param.kind == op::ParamKind::Int ||
                            param.kind == op::ParamKind::Float || param.kind == op::ParamKind::Bool ||
                            param.kind == op::ParamKind::Ints;
        return !chosen && !param.optional && !param.fallback;
      });
      if (tensors && known && !(row.spec.flags & kUnfit)) rows.push_back(&row);
    }
    return rows;
  }();
  return kRows;
}

class Generator {
 public:
  explicit Generator(Choices& choices) : choices_(choices) {}

  RandomModule run() {
    RandomModule made;
    std::vector<relax::VarRef> params;
    for (size_t left = 1 + choices_.below(3); left > 0; --left) params.push_back(parameter(made.arguments));
    builder_.beginFunction(Array<relax::VarRef>(params));
    builder_.beginDataflow();
    values_.assign(params.begin(), params.end());
    constexpr size_t kMostCalls = 8, kMostTries = 64;
    for (size_t calls = 0, tries = 0; calls < kMostCalls && tries < kMostTries && !choices_.atEnd(); ++tries)
      calls += call();
    builder_.endDataflow();
    // The last two values are the result: all others may die.
    Expr result = values_.back();
    if (values_.size() > 1) result = make<relax::Tuple>(Array<Expr>({values_[values_.size() - 2], values_.back()}));
    context_.add(builder_.endFunction(builder_.normalize(result), nullptr, true,
                                      ir::withAttr(nullptr, "global_symbol", ir::strAttr("main"))),
                 "main");
    made.module = context_.module();
    return made;
  }

 private:
  tir::PrimExpr dimension(std::vector<int64_t>& shape) {
    static constexpr int64_t kSizes[] = {1, 2, 3, 4, 8};
    const size_t chosen = choices_.below(std::size(kSizes) + 1);
    if (chosen < std::size(kSizes)) {
      shape.push_back(kSizes[chosen]);
      return tir::intImm(kSizes[chosen]);
    }
    constexpr int64_t kSymbolic = 3;
    if (!symbol_) symbol_ = make<tir::Var>("n", DataType::Int(64));
    shape.push_back(kSymbolic);
    return symbol_;
  }

  relax::VarRef parameter(std::vector<vm::Value>& arguments) {
    static const DataType kTypes[] = {DataType::Float(32), DataType::Float(32), DataType::Float(32), DataType::Int(32),
                                      DataType::Float(64), DataType::Int(64),   DataType::Bool()};
    const DataType type = kTypes[choices_.below(std::size(kTypes))];
    std::vector<int64_t> shape;
    std::vector<tir::PrimExpr> dims;
    for (size_t rank = choices_.below(5); rank > 0; --rank) dims.push_back(dimension(shape));
    int64_t count = 1;
    for (const int64_t size : shape) count *= size;
    std::vector<double> numbers;
    for (int64_t i = 0; i < count; ++i) {
      const double number = static_cast<double>((i * 7 + static_cast<int64_t>(arguments.size()) * 3) % 11 - 5);
      numbers.push_back(type.isBool() ? (i % 3 == 0) : type.isFloat() ? number / 4 : number);
    }
    arguments.push_back(vm::Value::of(*HostTensor::fromDoubles(shape, type, numbers)));
    return make<relax::Var>(Str(std::string(1, static_cast<char>('a' + arguments.size() - 1))),
                            relax::tensorSinfo(dims, type));
  }

  Expr value() { return values_[choices_.below(values_.size())]; }

  /// What a parameter is given; null leaves it out.
  NodeRef chosen(const op::OpParam& param) {
    if ((param.fallback || param.optional) && choices_.below(3) != 0) return nullptr;
    switch (param.kind) {
      case op::ParamKind::Expr:
        return value();
      case op::ParamKind::Tuple:
        return make<relax::Tuple>(Array<Expr>({value(), value()}));
      case op::ParamKind::Shape:
        if (const auto* tensor = as<relax::TensorStructInfo>(value()->sinfo); tensor && tensor->shape)
          return tensor->shape;
        return nullptr;
      case op::ParamKind::Int:
        return ir::intAttr(number());
      case op::ParamKind::Float:
        return ir::floatAttr(static_cast<double>(number()) / 2);
      case op::ParamKind::Bool:
        return ir::boolAttr(choices_.below(2) != 0);
      case op::ParamKind::Ints: {
        std::vector<NodeRef> items;
        for (size_t left = 1 + choices_.below(3); left > 0; --left) items.push_back(ir::intAttr(number()));
        return ir::arrayAttr(std::move(items));
      }
      default:
        return nullptr;
    }
  }
  int64_t number() { return static_cast<int64_t>(choices_.below(6)) - 2; }

  /// Binds a call of an operator, where it takes what it was given.
  bool call() {
    const op::OpRow& row = *operators()[(choices_.below(256) << 8 | choices_.below(256)) % operators().size()];
    std::vector<op::Keyword> given;
    for (const op::OpParam& param : row.params) {
      if (NodeRef value = chosen(param)) given.push_back({param.name.view(), std::move(value)});
    }
    auto call = op::bindCall(row, {}, given, builder_.context());
    if (!call || mixesBools(**call)) return false;
    const auto info = build::deduceCall(**call, builder_.context());
    const auto* tensor = info ? as<relax::TensorStructInfo>(*info) : nullptr;
    // What is not known by its shape, or is large, can not be computed with, or not in time.
    if (!tensor || !tensor->shape || tensor->ndim > 6 || !small(*tensor)) return false;
    values_.push_back(builder_.emitOutput(*call));
    return true;
  }
  /// Operators of two sides take a boolean on one of them, and say that their result is of the left type, as TVM has
  /// it, whose kernels then do not give that.
  static bool mixesBools(const relax::Call& call) {
    if (call.args.size() != 2) return false;
    const auto* a = as<relax::TensorStructInfo>(call.args[0]->sinfo);
    const auto* b = as<relax::TensorStructInfo>(call.args[1]->sinfo);
    return a && b && a->dtype.isBool() != b->dtype.isBool();
  }
  static bool small(const relax::TensorStructInfo& tensor) {
    constexpr int64_t kMost = 4096;
    const auto* shape = as<relax::ShapeExpr>(tensor.shape);
    int64_t count = 1;
    for (size_t i = 0; shape && i < shape->values.size(); ++i) {
      const int64_t size = tir::asInt(shape->values[i]).value_or(4);
      if (size > kMost || size < 0) return false;
      count *= size;
      if (count > kMost) return false;
    }
    return shape != nullptr;
  }

  Choices& choices_;
  build::ModuleContext context_;
  build::BlockBuilder builder_{&context_};
  tir::VarRef symbol_;
  std::vector<Expr> values_;
};

}  // namespace

RandomModule randomModule(Choices& choices) { return Generator(choices).run(); }

}  // namespace rx::fuzz
