// MultiplyQuantized: products and convolutions of small integers that stand for real numbers become those of the
// integers, whose sums are scaled once: processors multiply several small integers at once, and round none of them.
#include <algorithm>
#include <limits>

#include "core/ir/constant.h"
#include "core/op/rules.h"
#include "core/transform/calls.h"
#include "core/transform/cleanup.h"
#include "core/transform/pass_functions.h"
#include "core/transform/pattern_rewrite.h"

namespace rx::transform {

namespace {

using relax::Expr;

struct ProductRow {
  std::string_view op;
  bool isConvolution;  ///< its attributes say in which layouts its operands are
};
constexpr ProductRow kProducts[] = {
    {"relax.matmul", false}, {"relax.nn.conv1d", true}, {"relax.nn.conv2d", true}, {"relax.nn.conv3d", true}};

/// Fewer rows than this are no more work with numbers that were made wide.
constexpr int64_t kLeastRows = 16;
/// The largest product of two bytes, an unsigned and a signed one.
constexpr int64_t kLargestProduct = 255 * 128;

DataType typeOf(const Expr& expr) {
  const auto* info = as<relax::TensorStructInfo>(expr->sinfo);
  return info ? info->dtype : DataType();
}

/// The number that all elements of a constant are.
std::optional<int64_t> sameNumber(const Expr& expr) {
  const auto* constant = as<relax::Constant>(expr);
  if (!constant || !constant->data || !constant->data->dtype().isIntegral() || constant->data->count() < 1)
    return std::nullopt;
  const int64_t first = constant->data->intAt(0);
  for (int64_t i = 1; i < constant->data->count(); ++i)
    if (constant->data->intAt(i) != first) return std::nullopt;
  return first;
}

Expr number(int64_t value, DataType type) {
  return relax::constantOf(HostTensor::scalar(type, static_cast<double>(value)));
}

bool isSingle(const Expr& expr) {
  const auto sizes = numbersOf(expr->sinfo);
  return sizes && sizes->empty();
}

/// One call as it may be written.
class Product {
 public:
  Product(const relax::Call& call, const ProductRow& row, const Earlier& earlier)
      : call_(call),
        row_(row),
        left_(earlier.callOf(call.args[0], "relax.dequantize")),
        right_(earlier.callOf(call.args[1], "relax.dequantize")) {}

  bool fits() {
    const DataType real = DataType::Float(32);
    if (!left_ || !right_ || typeOf(Expr(&call_)) != real || typeOf(left_->args[1]) != real ||
        typeOf(right_->args[1]) != real)
      return false;
    const DataType left = typeOf(left_->args[0]), right = typeOf(right_->args[0]);
    if ((left != DataType::Int(8) && left != DataType::UInt(8)) || right != DataType::Int(8)) return false;
    const auto sizes = numbersOf(call_.sinfo), weights = numbersOf(right_->args[0]->sinfo);
    const auto zero = sameNumber(left_->args[2]);
    if (!sizes || !weights || !zero || sameNumber(right_->args[2]) != 0 || !isSingle(left_->args[1])) return false;
    zero_ = *zero;
    return findAxes(*weights, sizes->size()) && scalesFit() && isWorthIt(*sizes, *weights);
  }

  Expr written() const {
    const DataType wide = DataType::Int(32);
    ir::Attrs attrs = ir::withAttr(call_.attrs, Str("out_dtype"), ir::typeAttr(wide));
    Expr left = left_->args[0];
    if (row_.isConvolution && zero_ != 0 && isPadded()) {
      left = padded(left);
      const std::vector<int64_t> none(op::ints(call_, "padding").size(), 0);
      attrs = ir::withAttr(attrs, Str("padding"), ir::intArrayAttr(none));
    }
    Expr sums = make<relax::Call>(call_.op, Array<Expr>{left, right_->args[0]}, attrs);
    if (zero_ != 0) sums = op::makeCall("relax.subtract", {sums, excess()});
    const Expr scale = op::makeCall("relax.multiply", {left_->args[1], right_->args[1]});
    return op::makeCall("relax.multiply",
                        {op::makeCall("relax.astype", {sums}, {{"dtype", ir::typeAttr(DataType::Float(32))}}),
                         isSingle(right_->args[1]) ? scale : alongResult(scale)});
  }

 private:
  std::string_view layout(std::string_view attribute) const { return op::strAttr(call_, attribute); }

  /// The axes of filters, and whether each sum goes over all others of the weights.
  bool findAxes(const std::vector<int64_t>& weights, size_t rank) {
    if (!row_.isConvolution) {
      filters_ = 1;
      behind_ = 0;
      return weights.size() == 2 && rank >= 2;
    }
    const std::string_view kernel = layout("kernel_layout"),
                           out = layout("out_layout").empty() ? layout("data_layout") : layout("out_layout");
    const size_t filters = kernel.find('O'), made = out.find('C');
    if (kernel.size() != weights.size() || out.size() != rank || layout("data_layout").size() != rank ||
        filters >= kernel.size() || made >= rank || ir::intAttrOf(call_.attrs, "groups", 1) != 1)
      return false;
    filters_ = filters;
    behind_ = rank - 1 - made;
    return true;
  }

  /// Weights have one scale, or one for each filter.
  bool scalesFit() const {
    const auto scales = numbersOf(right_->args[1]->sinfo);
    const auto weights = numbersOf(right_->args[0]->sinfo);
    if (!scales || scales->size() > 1) return false;
    int64_t axis = ir::intAttrOf(right_->attrs, "axis", -1);
    if (axis < 0) axis += static_cast<int64_t>(weights->size());
    return scales->empty() || axis == static_cast<int64_t>(filters_);
  }

  bool isWorthIt(const std::vector<int64_t>& sizes, const std::vector<int64_t>& weights) const {
    int64_t made = 1, steps = 1;
    for (const int64_t size : sizes) made *= size;
    for (const int64_t size : weights) steps *= size;
    const int64_t filters = weights[filters_];
    return filters > 0 && made / filters >= kLeastRows &&
           steps / filters <= std::numeric_limits<int32_t>::max() / kLargestProduct;
  }

  bool isPadded() const {
    const std::vector<int64_t> padding = op::ints(call_, "padding");
    return std::any_of(padding.begin(), padding.end(), [](int64_t size) { return size != 0; });
  }

  /// With what stands for zero around it.
  Expr padded(const Expr& data) const {
    const std::vector<int64_t> padding = op::ints(call_, "padding");
    const std::string_view letters = layout("data_layout");
    std::vector<int64_t> widths;
    size_t spatial = 0;
    for (const char letter : letters) {
      const bool around = letter != 'N' && letter != 'C';
      widths.push_back(around ? padding[spatial] : 0);
      widths.push_back(around ? padding[padding.size() / 2 + spatial] : 0);
      spatial += around ? 1 : 0;
    }
    return op::makeCall("relax.nn.pad", {data},
                        {{"pad_width", ir::intArrayAttr(widths)},
                         {"pad_mode", ir::strAttr(Str("constant"))},
                         {"pad_value", ir::floatAttr(static_cast<double>(zero_))}});
  }

  /// What the sums are too much where numbers stand for others by more than their scale.
  Expr excess() const {
    const DataType wide = DataType::Int(32);
    const size_t rank = numbersOf(right_->args[0]->sinfo)->size();
    std::vector<int64_t> summed;
    for (size_t i = 0; i < rank; ++i)
      if (i != filters_) summed.push_back(static_cast<int64_t>(i));
    const Expr weights = op::makeCall("relax.astype", {right_->args[0]}, {{"dtype", ir::typeAttr(wide)}});
    const Expr sum =
        op::makeCall("relax.sum", {weights}, {{"axis", ir::intArrayAttr(summed)}, {"keepdims", ir::boolAttr(false)}});
    return alongResult(op::makeCall("relax.multiply", {sum, number(zero_, wide)}));
  }

  /// A number for each filter, as the result has them.
  Expr alongResult(const Expr& numbers) const {
    if (behind_ == 0) return numbers;
    std::vector<tir::PrimExpr> dims(behind_ + 1, tir::intImm(1));
    dims.front() = tir::intImm((*numbersOf(right_->args[0]->sinfo))[filters_]);
    return op::makeCall("relax.reshape", {numbers, make<relax::ShapeExpr>(Array<tir::PrimExpr>(std::move(dims)))});
  }

  const relax::Call& call_;
  const ProductRow& row_;
  Ref<relax::Call> left_, right_;
  int64_t zero_ = 0;    ///< what stands for zero on the left
  size_t filters_ = 0;  ///< axis of the weights
  size_t behind_ = 0;   ///< axes of the result behind that of the filters
};

Expr multiplied(const relax::Call& call, const Earlier& earlier) {
  const auto* op = as<relax::Op>(call.op);
  const auto row = std::find_if(std::begin(kProducts), std::end(kProducts),
                                [&](const ProductRow& each) { return op && each.op == op->name.view(); });
  if (row == std::end(kProducts)) return nullptr;
  Product product(call, *row, earlier);
  return product.fits() ? product.written() : nullptr;
}

}  // namespace

Result<ir::Module> multiplyQuantized(const ir::Module& module, const ir::Attrs&, pass::PassContext& context) {
  if (!context.target || !context.target->multipliesBytes()) return module;
  return rewriteFunctions(
      module, context, [&](const relax::FunctionRef& function, build::ModuleContext& moduleContext) {
        return rewriteGroups(function, "MultiplyQuantized", moduleContext, module.get(), context, multiplied);
      });
}

}  // namespace rx::transform
