// The functions that TVM registers from Python for operators without a kernel: print, assert, unique, nonzero.
#include <algorithm>
#include <numeric>

#include "core/runtime/registry.h"
#include "core/tensor/tensor_rows.h"

namespace rx::vm {
namespace {

using Args = Arguments;

/// Python's str.format for "{}" and "{N}", "{{" and "}}"; without a format the values follow each other.
std::string formatted(const std::string& format, Args values) {
  std::string out;
  if (format.empty()) {
    for (size_t i = 0; i < values.size(); ++i) out += (i ? " " : "") + valueText(values[i]);
    return out;
  }
  size_t next = 0;
  for (size_t i = 0; i < format.size(); ++i) {
    const char c = format[i];
    const bool doubled = i + 1 < format.size() && format[i + 1] == c;
    if ((c == '{' || c == '}') && doubled) {
      out += c;
      ++i;
      continue;
    }
    const size_t close = c == '{' ? format.find('}', i) : std::string::npos;
    if (close == std::string::npos) {
      out += c;
      continue;
    }
    size_t index = next;
    const std::string_view field = std::string_view(format).substr(i + 1, close - i - 1);
    if (!field.empty() && std::all_of(field.begin(), field.end(), [](char d) { return d >= '0' && d <= '9'; }) &&
        field.size() < 4) {
      index = static_cast<size_t>(std::stoi(std::string(field)));
    } else {
      ++next;
    }
    out += index < values.size() ? valueText(values[index]) : format.substr(i, close - i + 1);
    i = close;
  }
  return out;
}

Result<Value> printValues(CallContext& context, Args args) {
  if (context.around.print) context.around.print(formatted(args[0].asString(), args.subspan(1)) + "\n");
  return Value();
}

Result<Value> assertOp(CallContext&, Args args) {
  const Value& condition = args[0];
  const bool tensor =
      condition.is(ValueKind::Tensor) && condition.tensor().count() == 1 && condition.tensor().dtype().isBool();
  if (!tensor && !condition.is(ValueKind::Bool) && !condition.is(ValueKind::Int))
    return fail("vm.condition", "assert_op needs one bool, not " + condition.summary());
  if (tensor ? condition.tensor().intAt(0) != 0 : condition.isTrue()) return Value();
  const std::string text = formatted(args[1].asString(), args.subspan(2));
  return fail("vm.assertion", text.empty() ? "Assertion Failed" : "Assertion Failed: " + text);
}

Result<Value> indexTensor(CallContext& context, const std::vector<int64_t>& values) {
  RX_TRY(tensor, context.tensor({static_cast<int64_t>(values.size())}, DataType::Int(64)));
  tensor->storage()->markWritten();
  for (size_t i = 0; i < values.size(); ++i) tensor->setInt(static_cast<int64_t>(i), values[i]);
  return Value::of(std::move(tensor));
}

Result<Value> shapeToTensor(CallContext& context, Args args) { return indexTensor(context, args[0].asShape()); }

Result<Value> nonzero(CallContext& context, Args args) {
  const HostTensor& x = args[0].tensor();
  std::vector<int64_t> found;
  for (int64_t i = 0; i < x.count(); ++i) {
    if (x.at(i) != 0) found.push_back(i);
  }
  // A scalar counts as a vector of one, as in NumPy's atleast_1d.
  const std::vector<int64_t> shape = x.rank() ? x.shape() : std::vector<int64_t>{1};
  const auto count = static_cast<int64_t>(found.size());
  RX_TRY(result, context.tensor({static_cast<int64_t>(shape.size()), count}, DataType::Int(64)));
  result->storage()->markWritten();
  for (int64_t i = 0; i < count; ++i) {
    int64_t flat = found[static_cast<size_t>(i)];
    for (size_t axis = shape.size(); axis-- > 0;) {
      result->setInt(static_cast<int64_t>(axis) * count + i, flat % shape[axis]);
      flat /= shape[axis];
    }
  }
  return Value::of(std::move(result));
}

/// How the elements of one slice stand to those of another, the first that differ first.
int compare(const HostTensor& tensor, const TensorRows& rows, int64_t a, int64_t b) {
  for (int64_t row = 0; row < rows.count; ++row) {
    const double x = tensor.at(rows.at(a, row)), y = tensor.at(rows.at(b, row));
    if (isLess(x, y)) return -1;
    if (isLess(y, x)) return 1;
  }
  return 0;
}

struct Groups {
  std::vector<int64_t> first;    ///< a slice of each group, in the order of the result
  std::vector<int64_t> inverse;  ///< group of each slice
  std::vector<int64_t> counts;
};

Groups groupEqual(const HostTensor& tensor, const TensorRows& rows, bool sorted) {
  std::vector<int64_t> order(static_cast<size_t>(rows.extent));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    const int sign = compare(tensor, rows, a, b);
    return sign != 0 ? sign < 0 : a < b;
  });
  std::vector<std::vector<int64_t>> groups;
  for (int64_t slice : order) {
    if (groups.empty() || compare(tensor, rows, groups.back()[0], slice) != 0) groups.emplace_back();
    groups.back().push_back(slice);
  }
  if (!sorted) std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a[0] < b[0]; });
  Groups result;
  result.inverse.resize(order.size());
  for (const auto& group : groups) {
    for (int64_t slice : group) result.inverse[static_cast<size_t>(slice)] = static_cast<int64_t>(result.first.size());
    result.first.push_back(group[0]);
    result.counts.push_back(static_cast<int64_t>(group.size()));
  }
  return result;
}

/// unique(x, sorted, return_index, return_inverse, return_counts[, axis]).
Result<Value> unique(CallContext& context, Args args) {
  const HostTensor& x = args[0].tensor();
  std::optional<int64_t> axis;
  if (args.size() > 5 && args[5].is(ValueKind::Int)) axis = args[5].asInt();
  RX_TRY(rows, TensorRows::of(x, axis));
  const Groups groups = groupEqual(x, rows, args[1].isTrue());
  const auto count = static_cast<int64_t>(groups.first.size());
  std::vector<int64_t> shape = axis ? x.shape() : std::vector<int64_t>{count};
  if (axis) shape[static_cast<size_t>(*axis < 0 ? *axis + x.rank() : *axis)] = count;
  RX_TRY(values, context.tensor(std::move(shape), x.dtype()));
  values->storage()->markWritten();
  TensorRows to = rows;
  to.extent = count;
  for (int64_t g = 0; g < count; ++g) {
    for (int64_t row = 0; row < rows.count; ++row) {
      const std::byte* from = x.data() + rows.at(groups.first[static_cast<size_t>(g)], row) * x.elementBytes();
      std::copy_n(from, x.elementBytes(), values->mutableData() + to.at(g, row) * x.elementBytes());
    }
  }
  std::vector<Value> results = {Value::of(std::move(values))};
  const std::vector<int64_t>* extra[] = {&groups.first, &groups.inverse, &groups.counts};
  for (size_t i = 0; i < 3; ++i) {
    if (!args[2 + i].isTrue()) continue;
    RX_TRY(tensor, indexTensor(context, *extra[i]));
    results.push_back(std::move(tensor));
  }
  return results.size() == 1 ? results[0] : Value::tuple(std::move(results));
}

/// multinomial_from_uniform(probabilities (n, k), uniform (m, 1)[, row of each sample (m, 1)]): for each sample the
/// first index whose cumulative probability passes it, the last one where none does.
Result<Value> multinomial(CallContext& context, Args args) {
  const HostTensor& weights = args[0].tensor();
  const HostTensor& samples = args[1].tensor();
  const HostTensor* rows = args.size() > 2 ? &args[2].tensor() : nullptr;
  if (weights.rank() != 2 || weights.shape()[1] == 0 || (rows && rows->count() != samples.count())) {
    return fail("vm.shape", "multinomial_from_uniform takes (n, k) probabilities and one row for each sample");
  }
  RX_TRY(result, context.tensor({samples.count(), 1}, DataType::Int(64)));
  result->storage()->markWritten();
  const int64_t choices = weights.shape()[1];
  for (int64_t i = 0; i < samples.count(); ++i) {
    const int64_t row = rows ? rows->intAt(i) : i;
    if (row < 0 || row >= weights.shape()[0])
      return fail("vm.shape", fmt::format("there are no probabilities for row {}", row));
    double sum = 0;
    int64_t chosen = choices - 1;
    for (int64_t j = 0; j < choices; ++j) {
      sum += weights.at(row * choices + j);
      if (samples.at(i) >= sum) continue;
      chosen = j;
      break;
    }
    result->setInt(i, chosen);
  }
  return Value::of(std::move(result));
}

constexpr BuiltinRow kRows[] = {
    {"vm.builtin.multinomial_from_uniform", "tt?t", multinomial},
    {"relax.run.print", "n+", printValues},
    {"relax.run.assert_op", "xn+", assertOp},
    {"relax.run.shape_to_tensor", "s", shapeToTensor},
    {"relax.run.nonzero", "t", nonzero},
    {"relax.run.unique", "tbbbb?a", unique},
};

}  // namespace

std::span<const BuiltinRow> programBuiltins() { return kRows; }

}  // namespace rx::vm
