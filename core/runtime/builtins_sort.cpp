// Sorting functions that TVM's contrib library provides and DispatchSortScan calls; results go into the last tensors.
#include <algorithm>
#include <numeric>

#include "core/runtime/registry.h"
#include "core/tensor/tensor_rows.h"

namespace rx::vm {
namespace {

using Args = Arguments;

/// Positions of the first `length` elements of a row in sorted order; equal elements keep theirs.
std::vector<int64_t> sortedRow(const HostTensor& tensor, const TensorRows& rows, int64_t row, int64_t length,
                               bool ascending) {
  std::vector<int64_t> order(static_cast<size_t>(length));
  std::iota(order.begin(), order.end(), 0);
  const int64_t base = rows.base(row);
  // Integers are compared as such: a double does not tell all of 64 bits apart.
  auto sortBy = [&](auto read, auto less) {
    std::vector<decltype(read(int64_t{}))> keys;
    for (int64_t j = 0; j < length; ++j) keys.push_back(read(base + j * rows.stride));
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      const auto x = keys[static_cast<size_t>(a)], y = keys[static_cast<size_t>(b)];
      if (less(x, y) || less(y, x)) return ascending ? less(x, y) : less(y, x);
      return a < b;
    });
  };
  if (tensor.dtype().isIntegral()) {
    sortBy([&](int64_t i) { return tensor.intAt(i); }, std::less<int64_t>());
  } else {
    sortBy([&](int64_t i) { return tensor.at(i); }, isLess);
  }
  return order;
}

/// Integers as such: a double does not hold all of 64 bits.
void copyElement(const HostTensor& to, int64_t at, const HostTensor& from, int64_t element) {
  if (from.dtype().isIntegral() && to.dtype().isIntegral()) {
    to.setInt(at, from.intAt(element));
  } else {
    to.set(at, from.at(element));
  }
}

Failure wrongShape(const char* name) {
  return fail("vm.shape", fmt::format("{}: the result has another shape than the data", name));
}

/// argsort(data, out, axis, ascending) and sort with the same arguments.
Result<Value> sortInto(const char* name, Args args, bool indices) {
  const HostTensor& data = args[0].tensor();
  const HostTensor& out = args[1].tensor();
  if (data.shape() != out.shape()) return wrongShape(name);
  RX_TRY(rows, TensorRows::of(data, args.size() > 2 ? args[2].asInt() : -1));
  const bool ascending = args.size() <= 3 || args[3].isTrue();
  for (int64_t row = 0; row < rows.count; ++row) {
    const auto order = sortedRow(data, rows, row, rows.extent, ascending);
    const int64_t base = rows.base(row);
    for (int64_t j = 0; j < rows.extent; ++j) {
      const int64_t from = order[static_cast<size_t>(j)];
      if (indices && out.dtype().isIntegral()) {
        out.setInt(base + j * rows.stride, from);
      } else if (indices) {
        out.set(base + j * rows.stride, static_cast<double>(from));
      } else {
        copyElement(out, base + j * rows.stride, data, base + from * rows.stride);
      }
    }
  }
  return Value();
}

Result<Value> argsort(CallContext&, Args args) { return sortInto("argsort", args, true); }
Result<Value> sort(CallContext&, Args args) { return sortInto("sort", args, false); }

/// argsort_nms(data, valid counts, out, axis, ascending): only the first `count` elements of a row take part; the
/// others keep their own position.
Result<Value> argsortNms(CallContext&, Args args) {
  const HostTensor& data = args[0].tensor();
  const HostTensor& valid = args[1].tensor();
  const HostTensor& out = args[2].tensor();
  if (data.shape() != out.shape()) return wrongShape("argsort_nms");
  RX_TRY(rows, TensorRows::of(data, args[3].asInt()));
  if (valid.count() < rows.count) return wrongShape("argsort_nms");
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t length = std::clamp<int64_t>(valid.intAt(row), 0, rows.extent);
    const auto order = sortedRow(data, rows, row, length, args[4].isTrue());
    for (int64_t j = 0; j < rows.extent; ++j) {
      out.setInt(rows.base(row) + j * rows.stride, j < length ? order[static_cast<size_t>(j)] : j);
    }
  }
  return Value();
}

/// topk(data, outs..., k, axis, "both" | "values" | "indices", ascending); k < 1 means all.
Result<Value> topk(CallContext&, Args args) {
  size_t tensors = 1;
  while (tensors < args.size() && args[tensors].is(ValueKind::Tensor)) ++tensors;
  const size_t outputs = tensors - 1;
  if (outputs < 1 || outputs > 2 || args.size() != tensors + 4 || !args[tensors].is(ValueKind::Int) ||
      !args[tensors + 1].is(ValueKind::Int) || !args[tensors + 2].is(ValueKind::String)) {
    return fail("vm.argument-type", "topk takes data, one or two results, k, axis, what to return, and the order");
  }
  const std::string& what = args[tensors + 2].asString();
  const HostTensor* values = what == "indices" ? nullptr : &args[1].tensor();
  const HostTensor* indices = what == "values" ? nullptr : &args[outputs].tensor();
  const HostTensor& data = args[0].tensor();
  RX_TRY(rows, TensorRows::of(data, args[tensors + 1].asInt()));
  const int64_t given = args[tensors].asInt();
  const int64_t k = given < 1 ? rows.extent : std::min(given, rows.extent);
  for (const HostTensor* out : {values, indices}) {
    if (out && (out->rank() != data.rank() || out->count() != rows.count * k)) return wrongShape("topk");
  }
  TensorRows to = rows;
  to.extent = k;
  for (int64_t row = 0; row < rows.count; ++row) {
    const auto order = sortedRow(data, rows, row, rows.extent, args[tensors + 3].isTrue());
    for (int64_t j = 0; j < k; ++j) {
      const int64_t from = order[static_cast<size_t>(j)];
      if (values) copyElement(*values, to.base(row) + j * to.stride, data, rows.base(row) + from * rows.stride);
      if (indices) indices->setInt(to.base(row) + j * to.stride, from);
    }
  }
  return Value();
}

constexpr BuiltinRow kRows[] = {
    {"tvm.contrib.sort.argsort", "tt?ib", argsort, 0b10},
    {"tvm.contrib.sort.sort", "tt?ib", sort, 0b10},
    {"tvm.contrib.sort.argsort_nms", "tttib", argsortNms, 0b100},
    {"tvm.contrib.sort.topk", "tt+", topk, 0b110},
};

}  // namespace

std::span<const BuiltinRow> sortBuiltins() { return kRows; }

}  // namespace rx::vm
