// Inputs and results of rxs_run as values of the runtime.
#include <algorithm>

#include "core/export/runtime/session.h"
#include "core/export/runtime/tensor_view.h"

namespace rx::package {

namespace {

using vm::Value;

Failure wrong(const std::string& what) { return fail("package.input", what); }

Result<Ref<HostTensor>> inputOf(const rxs_tensor& view, const std::string& parameter) {
  auto lent = lentBy(view);
  if (lent) return lent;
  return wrong(fmt::format("{}: {}", parameter, lent.diagnostics().front().message));
}

/// Takes inputs from the front, one a letter.
class InputTaker {
 public:
  explicit InputTaker(std::span<const rxs_tensor> inputs) : left_(inputs) {}
  size_t left() const { return left_.size(); }
  /// The storages of those that were taken as tensors.
  std::vector<Ref<Storage>>& lent() { return lent_; }

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
    RX_TRY(tensor, inputOf(left_.front(), parameter));
    left_ = left_.subspan(1);
    if (letter == 's') {
      if (tensor->rank() != 1 || !tensor->dtype().isIntegral())
        return wrong(parameter + ": a shape is given as a vector of integers");
      std::vector<int64_t> dims;
      for (int64_t i = 0; i < tensor->count(); ++i) dims.push_back(tensor->intAt(i));
      return Value::shape(std::move(dims));
    }
    if (letter != 'i' && letter != 'f') {
      lent_.push_back(tensor->storage());
      return Value::of(std::move(tensor));
    }
    if (tensor->count() != 1) return wrong(parameter + ": one number is needed");
    if (letter == 'f') return Value::of(tensor->at(0));
    if (!tensor->dtype().isIntegral()) return wrong(parameter + ": an integer is needed");
    return Value::of(tensor->intAt(0));
  }

  std::span<const rxs_tensor> left_;
  std::vector<Ref<Storage>> lent_;
};

bool takesInputs(const std::string& form) { return form.find_first_not_of("()") != std::string::npos; }

Result<Value> weightFor(const vm::FunctionInfo& function, size_t position, Weights& weights) {
  const std::string& name = function.paramNames[position];
  RX_TRY(found, weights.find(name));
  if (found) return Value::of(std::move(found));
  return wrong(
      fmt::format("argument {} of {} ({}) is neither given nor among the weights", position, function.name, name));
}

}  // namespace

Result<RunArguments> argumentsOf(const vm::FunctionInfo& function, const FunctionForms* forms,
                                 std::span<const rxs_tensor> inputs, Weights& weights) {
  InputTaker taker(inputs);
  std::vector<Value> args;
  for (size_t i = 0; i < function.paramNames.size(); ++i) {
    const std::string form = forms && i < forms->params.size() ? forms->params[i] : "a";
    const bool given = taker.left() > 0 || !takesInputs(form);
    RX_TRY(value, given ? taker.take(form, function.paramNames[i]) : weightFor(function, i, weights));
    args.push_back(std::move(value));
  }
  if (taker.left() == 0) return RunArguments{std::move(args), std::move(taker.lent())};
  return wrong(
      fmt::format("{} takes {} inputs, {} were given", function.name, inputs.size() - taker.left(), inputs.size()));
}

}  // namespace rx::package
