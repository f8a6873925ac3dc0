// Inputs and results of rxs_run as values of the runtime.
#include <algorithm>

#include "core/export/runtime/session.h"

namespace rx::package {

namespace {

using vm::Value;

Failure wrong(const std::string& what) { return fail("package.input", what); }

/// A copy: results may share the memory of arguments, and live longer than the caller's inputs.
Result<Ref<HostTensor>> copyOf(const rxs_tensor& view, const std::string& parameter) {
  const auto code = DataType::codeOfDlpack(view.dtype.code);
  if (view.rank < 0 || view.rank > RXS_MAX_RANK || !code)
    return wrong(parameter + ": an input has no known element type, or too many dimensions");
  const DataType dtype{*code, view.dtype.bits, static_cast<int16_t>(view.dtype.lanes)};
  std::vector<int64_t> shape(view.shape, view.shape + view.rank);
  const auto bytes = tensorBytes(shape, dtype);
  if (!bytes || (*bytes > 0 && !view.data))
    return wrong(fmt::format("{}: {} of {} is no input", parameter, shapeText(shape), dtype.str()));
  return HostTensor::fromBytes(std::move(shape), dtype,
                               {static_cast<const std::byte*>(view.data), static_cast<size_t>(*bytes)});
}

/// Takes inputs from the front, one a letter.
class InputTaker {
 public:
  explicit InputTaker(std::span<const rxs_tensor> inputs) : left_(inputs) {}
  size_t left() const { return left_.size(); }

  /// One parameter by its form.
  Result<Value> take(const std::string& form, const std::string& parameter) {
    std::vector<std::vector<Value>> open(1);
    for (const char letter : form) {
      if (letter == '(') {
        open.emplace_back();
      } else if (letter == ')') {
        Value tuple = Value::tuple(std::move(open.back()));
        open.pop_back();
        if (open.empty()) break;
        open.back().push_back(std::move(tuple));
      } else {
        RX_TRY(value, takeOne(letter, parameter));
        open.back().push_back(std::move(value));
      }
    }
    if (open.size() != 1 || open[0].size() != 1) return wrong("the form of " + parameter + " is damaged");
    return std::move(open[0][0]);
  }

 private:
  Result<Value> takeOne(char letter, const std::string& parameter) {
    if (left_.empty()) return wrong("the inputs end inside of the parameter " + parameter);
    RX_TRY(tensor, copyOf(left_.front(), parameter));
    left_ = left_.subspan(1);
    if (letter == 's') {
      if (tensor->rank() != 1 || !tensor->dtype().isIntegral())
        return wrong(parameter + ": a shape is given as a vector of integers");
      std::vector<int64_t> dims;
      for (int64_t i = 0; i < tensor->count(); ++i) dims.push_back(tensor->intAt(i));
      return Value::shape(std::move(dims));
    }
    if (letter != 'i' && letter != 'f') return Value::of(std::move(tensor));
    if (tensor->count() != 1) return wrong(parameter + ": one number is needed");
    if (letter == 'f') return Value::of(tensor->at(0));
    if (!tensor->dtype().isIntegral()) return wrong(parameter + ": an integer is needed");
    return Value::of(tensor->intAt(0));
  }

  std::span<const rxs_tensor> left_;
};

bool takesInputs(const std::string& form) { return form.find_first_not_of("()") != std::string::npos; }

Result<Value> weightFor(const vm::FunctionInfo& function, size_t position, std::span<const NamedTensor> weights) {
  const std::string& name = function.paramNames[position];
  const auto found =
      std::find_if(weights.begin(), weights.end(), [&](const NamedTensor& w) { return w.first == name; });
  if (found != weights.end()) return Value::of(found->second);
  return wrong(
      fmt::format("argument {} of {} ({}) is neither given nor among the weights", position, function.name, name));
}

}  // namespace

Result<std::vector<Value>> argumentsOf(const vm::FunctionInfo& function, const FunctionForms* forms,
                                       std::span<const rxs_tensor> inputs, std::span<const NamedTensor> weights) {
  InputTaker taker(inputs);
  std::vector<Value> args;
  for (size_t i = 0; i < function.paramNames.size(); ++i) {
    const std::string form = forms && i < forms->params.size() ? forms->params[i] : "a";
    const bool given = taker.left() > 0 || !takesInputs(form);
    RX_TRY(value, given ? taker.take(form, function.paramNames[i]) : weightFor(function, i, weights));
    args.push_back(std::move(value));
  }
  if (taker.left() == 0) return args;
  return wrong(
      fmt::format("{} takes {} inputs, {} were given", function.name, inputs.size() - taker.left(), inputs.size()));
}

Result<rxs_tensor> viewOf(const HostTensor& tensor) {
  if (tensor.rank() > RXS_MAX_RANK) return fail("package.result", "a result has too many dimensions");
  rxs_tensor view{};
  view.data = const_cast<std::byte*>(tensor.data());
  view.rank = static_cast<int32_t>(tensor.rank());
  view.dtype = {tensor.dtype().dlpackCode(), tensor.dtype().bits, static_cast<uint16_t>(tensor.dtype().lanes)};
  std::copy(tensor.shape().begin(), tensor.shape().end(), view.shape);
  return view;
}

}  // namespace rx::package
