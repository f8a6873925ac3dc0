#include "core/debug/first_difference.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/debug/given_values.h"
#include "core/runtime/value.h"
#include "core/tensor/stats.h"
#include "core/tensor/tensor_error.h"
#include "core/tensor/tensor_text.h"

namespace rx::debug {
namespace {

/// How two tensors differ; "" where they are within the rounding of their type, and `most` at least what they differ
/// by.
Result<std::string> tensorsApart(const HostTensor& left, const HostTensor& right, double* most = nullptr) {
  if (left.shape() != right.shape() || left.dtype() != right.dtype())
    return fmt::format("{} of {} and {} of {}", shapeText(left.shape()), left.dtype().str(), shapeText(right.shape()),
                       right.dtype().str());
  const TensorError error = tensorError(left, right, {});
  if (error.within()) {
    if (most) *most = std::max(*most, error.maxScaled);
    return std::string();
  }
  const int64_t at = firstBeyondRounding(left, right);
  RX_TRY(a, left.slice(at, 1));
  RX_TRY(b, right.slice(at, 1));
  return fmt::format("element {}: {} and {}", shapeText(elementIndex(left.shape(), at)), rx::tensorText(*a),
                     rx::tensorText(*b));
}

/// The elements in a type of 16 bits and the range of float32.
Result<Ref<HostTensor>> halved(const HostTensor& tensor) {
  RX_TRY(half, HostTensor::allocate(tensor.shape(), DataType::BFloat16()));
  for (int64_t i = 0; i < tensor.count(); ++i) half->set(i, tensor.at(i));
  return half;
}

/// As tensorsApart, where what floats were made of was rounded to 16 bits on the way.
Result<std::string> halvesApart(const HostTensor& left, const HostTensor& right) {
  if (!left.dtype().isFloat() || left.dtype() != right.dtype()) return tensorsApart(left, right);
  RX_TRY(a, halved(left));
  RX_TRY(b, halved(right));
  return tensorsApart(*a, *b);
}

/// How two values differ; "" where they agree, and `most` as tensorsApart has it. What is neither number nor shape nor
/// tensor agrees with its like.
Result<std::string> apart(const Value& left, const Value& right, double* most) {
  std::vector<std::pair<const Value*, const Value*>> open{{&left, &right}};
  while (!open.empty()) {
    const auto [a, b] = open.back();
    open.pop_back();
    const bool alike = a->kind == b->kind && a->items.size() == b->items.size();
    if (alike && a->kind == ValueKind::Tensor) {
      RX_TRY(text, tensorsApart(*a->tensor, *b->tensor, most));
      if (!text.empty()) return text;
    } else if (!alike || a->shape != b->shape || a->integer != b->integer || a->text != b->text) {
      return valueText(*a) + " and " + valueText(*b);
    }
    for (size_t i = a->items.size(); i-- > 0;) open.emplace_back(&a->items[i], &b->items[i]);
  }
  return std::string();
}

/// The names of bindings that compute something and have a value in one run alone, among those of the functions that
/// the left run went through, up to a binding.
std::vector<std::string> absentUpTo(const Recording& left, const Given& ours, const Given& theirs, StagePlace end) {
  std::vector<std::string> names;
  const Stage& stage = *left.program().stages.front();
  for (size_t f = 0; f < stage.functions().size(); ++f) {
    const StageFunction& function = stage.functions()[f];
    for (const StageBinding& binding : function.bindings) {
      const StagePlace place{static_cast<int>(f), binding.ordinal};
      if (place.function == end.function && place.ordinal >= end.ordinal) break;
      if (binding.works && ours.contains(place) != theirs.contains(place)) names.push_back(binding.variable.string());
    }
  }
  return names;
}

/// What a step calls.
Result<const Instruction*> instructionOf(const Recording& run, uint32_t step) {
  RX_TRY(row, run.reader().step(step));
  return &run.program().instructions[row.instruction];
}

/// Whether two values have the same bits, as far as they are tensors.
bool isSame(const Value& left, const Value& right) {
  if (left.kind != ValueKind::Tensor || right.kind != ValueKind::Tensor) return true;
  return left.tensor->identical(*right.tensor);
}

/// Two runs on the way from value to value.
class Comparison {
 public:
  Comparison(const Recording& left, const Recording& right, const MadeAgain& again)
      : left_(left), right_(right), again_(again) {}

  /// Whether there is more to compare behind this value of the left run.
  Result<bool> take(StagePlace binding, const GivenAt& ours, const GivenAt& theirs) {
    RX_TRY(a, left_.valueAt(ours.place));
    RX_TRY(b, right_.valueAt(theirs.place));
    double most = 0;
    RX_TRY(what, apart(a, b, &most));
    if (what.empty()) {
      same_ = same_ && isSame(a, b);
      result.most = std::max(result.most, most);
      ++result.agree;
      return true;
    }
    RX_TRY(calls, instructionOf(left_, ours.step));
    RX_TRY(cause, causeOf(*calls, a, ours, theirs));
    const Stage& stage = *left_.program().stages.front();
    BindingDifference found{stage.functions()[static_cast<size_t>(binding.function)].name.string(),
                            stage.binding(binding)->variable.string(),
                            calls->callee,
                            std::move(what),
                            ours.place.state,
                            theirs.place.state,
                            cause};
    same_ = false;
    if (cause != Cause::Inherited) {
      result.first = std::move(found);
      return false;
    }
    result.inherited.push_back(std::move(found));
    return true;
  }

  RunComparison result;

 private:
  Result<Cause> causeOf(const Instruction& calls, const Value& value, const GivenAt& ours,
                        const GivenAt& theirs) const {
    RX_TRY(other, instructionOf(right_, theirs.step));
    const bool comparable = again_ && value.kind == ValueKind::Tensor && calls.callsKernel() && other->callsKernel() &&
                            other->callee == calls.callee;
    if (comparable) {
      RX_TRY(made, again_(ours.step, ours.place.reg));
      if (made.tensor) {
        RX_TRY(what,
               made.ofHalves ? halvesApart(*value.tensor, *made.tensor) : tensorsApart(*value.tensor, *made.tensor));
        return what.empty() ? Cause::Inherited : Cause::Own;
      }
    }
    return same_ ? Cause::Own : Cause::Unknown;
  }

  const Recording &left_, &right_;
  const MadeAgain& again_;
  bool same_ = true;  ///< all values so far, in every bit
};

}  // namespace

Result<RunComparison> firstDifference(const Recording& left, const Recording& right, const MadeAgain& again,
                                      const CancelToken& cancel) {
  RX_TRY(ours, givenIn(left, cancel));
  RX_TRY(theirs, givenIn(right, cancel));
  Comparison comparison(left, right, again);
  for (const GivenInOrder& each : inOrderOfRun(ours)) {
    if (cancel.cancelled()) return fail("vm.cancelled", "the comparison was cancelled");
    const auto other = theirs.find(each.binding);
    if (other == theirs.end() || each.number >= other->second.size()) continue;
    RX_TRY(more, comparison.take(each.binding, each.given, other->second[each.number]));
    if (more) continue;
    comparison.result.absent = absentUpTo(left, ours, theirs, each.binding);
    return std::move(comparison.result);
  }
  comparison.result.absent = absentUpTo(left, ours, theirs, {});
  return std::move(comparison.result);
}

}  // namespace rx::debug
