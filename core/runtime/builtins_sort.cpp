// Sorting functions that TVM's contrib library provides and DispatchSortScan calls; results go into the last tensors.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

#include "core/runtime/registry.h"
#include "core/tensor/element_block.h"
#include "core/tensor/tensor_rows.h"

namespace rx::vm {
namespace {

using Args = Arguments;

/// An element of a row: a number in the order that is wanted, and its position; equal elements keep theirs.
using Keyed = std::pair<uint64_t, int64_t>;

constexpr uint64_t kSign = uint64_t{1} << 63;

/// A number whose order is that of the floats; not-a-number is the largest.
uint64_t keyOf(double value) {
  const auto bits = std::bit_cast<uint64_t>(value + 0.0);  // both zeros are the same
  const uint64_t key = bits ^ (kSign | (0 - (bits >> 63)));
  return std::isnan(value) ? ~uint64_t{0} : key;
}
/// Integers as such: a double does not tell all of 64 bits apart.
uint64_t keyOf(int64_t value) { return static_cast<uint64_t>(value) ^ kSign; }

/// The rows of a tensor in sorted order, one after another; the memory for it serves all of them.
class SortedRows {
 public:
  SortedRows(const HostTensor& tensor, const TensorRows& rows, bool ascending)
      : tensor_(tensor), rows_(rows), flipped_(ascending ? 0 : ~uint64_t{0}) {}

  /// The first `count` in sorted order of the first `length` elements of a row.
  std::span<const Keyed> of(int64_t row, int64_t length, int64_t count) {
    order_.clear();
    last_ = kBehindAll;
    if (count * kFew < length) {
      findFew(rows_.base(row), length, static_cast<size_t>(count));
    } else {
      read(rows_.base(row), length);
      for (size_t j = 0; j < keys_.size(); ++j) order_.emplace_back(keys_[j], static_cast<int64_t>(j));
      keepFirst(static_cast<size_t>(count));
    }
    std::sort(order_.begin(), order_.end());
    return order_;
  }

 private:
  /// So many times as many elements as are wanted: most elements then belong to them for a while only, or never.
  static constexpr int64_t kFew = 8;
  /// What is kept beside those that are wanted until it is looked at which these are.
  static constexpr size_t kBeside = 64;
  static constexpr Keyed kBehindAll{~uint64_t{0}, std::numeric_limits<int64_t>::max()};

  /// Of what is kept the first `count`, in any order; what comes behind all of them is not kept from then on.
  void keepFirst(size_t count) {
    if (order_.size() <= count) return;
    const auto end = order_.begin() + static_cast<std::ptrdiff_t>(count);
    if (count > 0) {
      std::nth_element(order_.begin(), end - 1, order_.end());
      last_ = order_[count - 1];
    }
    order_.erase(end, order_.end());
  }

  /// Keeps an element that may be one of the first `count`; whether it was then looked at which these are.
  bool offer(uint64_t key, size_t position, size_t count) {
    const Keyed element{key, static_cast<int64_t>(position)};
    if (!(element < last_)) return false;
    order_.push_back(element);
    if (order_.size() < 2 * count + kBeside) return false;
    keepFirst(count);
    return true;
  }

  void findFew(int64_t base, int64_t length, size_t count) {
    if (!tensor_.dtype().isIntegral()) return findFewFloats(base, length, count);
    read(base, length);
    for (size_t j = 0; j < keys_.size(); ++j) offer(keys_[j], j, count);
    keepFirst(count);
  }

  void findFewFloats(int64_t base, int64_t length, size_t count) {
    const auto size = static_cast<size_t>(length);
    if (tensor_.dtype() == DataType::Float(32) && rows_.stride == 1) {
      const std::byte* first = tensor_.data() + base * int64_t{sizeof(float)};
      floats32_.resize(size);
      std::memcpy(floats32_.data(), first, size * sizeof(float));
      return offerFew<float>(floats32_, count);
    }
    floats_.resize(size);
    readElements(tensor_, base, length, floats_.data(), rows_.stride);
    offerFew<double>(floats_, count);
  }

  /// Most elements of a long row come behind those found so far: a whole block of them is passed over by one question.
  template <class Float>
  void offerFew(std::span<const Float> row, size_t count) {
    constexpr size_t kBlock = 16;
    std::optional<Float> limit;
    for (size_t first = 0; first < row.size(); first += kBlock) {
      const auto block = row.subspan(first, std::min(kBlock, row.size() - first));
      if (limit && !hasNearer(block, *limit)) continue;
      for (size_t j = 0; j < block.size(); ++j) {
        if (limit && !isNearer(block[j], *limit)) continue;
        if (offer(keyOf(double{block[j]}) ^ flipped_, first + j, count) && count > 0)
          limit = row[static_cast<size_t>(last_.second)];
      }
    }
    keepFirst(count);
  }

  /// Whether it may come before the limit; one that is no number may.
  template <class Float>
  bool isNearer(Float value, Float limit) const {
    return flipped_ ? !(value <= limit) : !(value >= limit);
  }
  template <class Float>
  bool hasNearer(std::span<const Float> block, Float limit) const {
    unsigned nearer = 0;
    if (flipped_) {
      for (const Float value : block) nearer |= static_cast<unsigned>(!(value <= limit));
    } else {
      for (const Float value : block) nearer |= static_cast<unsigned>(!(value >= limit));
    }
    return nearer != 0;
  }

  void read(int64_t base, int64_t length) {
    keys_.resize(static_cast<size_t>(length));
    if (tensor_.dtype().isIntegral()) {
      for (size_t j = 0; j < keys_.size(); ++j)
        keys_[j] = keyOf(tensor_.intAt(base + static_cast<int64_t>(j) * rows_.stride)) ^ flipped_;
      return;
    }
    floats_.resize(keys_.size());
    readElements(tensor_, base, length, floats_.data(), rows_.stride);
    for (size_t j = 0; j < keys_.size(); ++j) keys_[j] = keyOf(floats_[j]) ^ flipped_;
  }

  const HostTensor& tensor_;
  const TensorRows& rows_;
  uint64_t flipped_;
  std::vector<double> floats_;
  std::vector<float> floats32_;
  std::vector<uint64_t> keys_;
  std::vector<Keyed> order_;
  Keyed last_ = kBehindAll;  ///< what comes behind it is none of those that are wanted
};

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
  SortedRows sorted(data, rows, ascending);
  for (int64_t row = 0; row < rows.count; ++row) {
    const auto order = sorted.of(row, rows.extent, rows.extent);
    const int64_t base = rows.base(row);
    for (int64_t j = 0; j < rows.extent; ++j) {
      const int64_t from = order[static_cast<size_t>(j)].second;
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
  SortedRows sorted(data, rows, args[4].isTrue());
  for (int64_t row = 0; row < rows.count; ++row) {
    const int64_t length = std::clamp<int64_t>(valid.intAt(row), 0, rows.extent);
    const auto order = sorted.of(row, length, length);
    for (int64_t j = 0; j < rows.extent; ++j) {
      out.setInt(rows.base(row) + j * rows.stride, j < length ? order[static_cast<size_t>(j)].second : j);
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
  SortedRows sorted(data, rows, args[tensors + 3].isTrue());
  for (int64_t row = 0; row < rows.count; ++row) {
    const auto order = sorted.of(row, rows.extent, k);
    for (int64_t j = 0; j < k; ++j) {
      const int64_t from = order[static_cast<size_t>(j)].second;
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
