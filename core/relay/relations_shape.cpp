// Relations of operators that move elements: to another shape, order or place.
#include <algorithm>

#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

namespace {

/// The shape that a list of numbers with TVM's codes stands for: 0 copies a dimension, -1 is what is left, -2 copies
/// all that is left, -3 joins two, -4 splits one in two that follow.
class NewShape {
 public:
  NewShape(Relating& r, Dims data, std::vector<int64_t> codes, bool zeroIsZero)
      : r_(r), data_(std::move(data)), codes_(std::move(codes)), zeroIsZero_(zeroIsZero) {}

  std::optional<Dims> read() {
    for (size_t i = 0; i < codes_.size(); ++i) {
      if (!one(i)) return std::nullopt;
    }
    if (inferred_) out_[*inferred_] = rest();
    return out_;
  }

 private:
  bool refuse(const char* why) {
    r_.refuse(why);
    return false;
  }
  void copy(bool toOut = true) {
    usedIn_.push_back(at_);
    if (toOut) {
      usedOut_.push_back(out_.size());
      out_.push_back(data_[at_]);
    }
    ++at_;
  }

  bool one(size_t& i) {
    const int64_t code = codes_[i];
    if (code > 0 || (code == 0 && zeroIsZero_)) {
      out_.push_back(dim(code));
      ++at_;
      return true;
    }
    if (code == -1) {
      if (inferred_) return refuse("only one dimension can be what is left");
      inferred_ = out_.size();
      out_.push_back(dim(1));
      ++at_;
      return true;
    }
    if (code == -2) {
      while (at_ < data_.size()) copy();
      return true;
    }
    if (code < -4) return refuse("newshape has a number below -4");
    if (at_ >= data_.size()) return refuse("newshape asks for more dimensions than the data has");
    if (code == 0) {
      copy();
      return true;
    }
    if (code == -3) {
      if (at_ + 1 >= data_.size()) return refuse("there are no two dimensions to join");
      usedOut_.push_back(out_.size());
      out_.push_back(mul(data_[at_], data_[at_ + 1]));
      copy(false);
      copy(false);
      return true;
    }
    return splitOne(i);
  }

  bool splitOne(size_t& i) {
    if (i + 2 >= codes_.size()) return refuse("-4 has to be followed by two numbers");
    const Dim whole = data_[at_];
    copy(false);
    const int64_t first = codes_[++i], second = codes_[++i];
    if (first == -1 && second == -1) return refuse("only one of the two can be what is left");
    for (int64_t part : {first, second}) {
      usedOut_.push_back(out_.size());
      out_.push_back(part != -1 ? dim(part) : floorDiv(whole, dim(part == first && first == -1 ? second : first)));
    }
    return true;
  }

  static bool holds(const std::vector<size_t>& list, size_t i) {
    return std::find(list.begin(), list.end(), i) != list.end();
  }

  Dim rest() const {
    Dim left = dim(1);
    for (size_t i = 0; i < data_.size(); ++i) {
      if (!holds(usedIn_, i)) left = mul(left, data_[i]);
    }
    for (size_t i = 0; left && i < out_.size(); ++i) {
      if (i == *inferred_ || holds(usedOut_, i)) continue;
      left = known(out_[i]) == 0 ? dim(0) : floorDiv(left, out_[i]);
    }
    return left;
  }

  Relating& r_;
  Dims data_;
  std::vector<int64_t> codes_;
  bool zeroIsZero_;
  Dims out_;
  size_t at_ = 0;
  std::optional<size_t> inferred_;
  std::vector<size_t> usedIn_, usedOut_;
};

Outcome reshaped(Relating& r, const TensorType& data, Dims shape) {
  const Dim before = product(data.shape), after = product(shape);
  if (differ(before, after)) {
    return r.refuse("the data has " + std::to_string(*known(before)) + " elements, the new shape " +
                    std::to_string(*known(after)));
  }
  return r.result(std::move(shape), data.dtype);
}

}  // namespace

Outcome Reshape(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  auto shape = NewShape(r, data->shape.vector(), r.intsAttr("newshape"), r.intAttr("allowzero")).read();
  return shape ? reshaped(r, *data, std::move(*shape)) : Outcome::Refused;
}

/// The same, read from the last dimension to the first.
Outcome ReverseReshape(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  Dims backwards(data->shape.begin(), data->shape.end());
  std::reverse(backwards.begin(), backwards.end());
  std::vector<int64_t> codes = r.intsAttr("newshape");
  std::reverse(codes.begin(), codes.end());
  auto shape = NewShape(r, std::move(backwards), std::move(codes), r.intAttr("allowzero")).read();
  if (!shape) return Outcome::Refused;
  std::reverse(shape->begin(), shape->end());
  return reshaped(r, *data, std::move(*shape));
}

Outcome ReshapeLike(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto like = r.tensor(1);
  if (!like) return r.stop();
  auto range = [&](const char* begin, const char* end, size_t rank) {
    const auto count = static_cast<int64_t>(rank);
    int64_t from = r.intAttr(begin), to = r.isNone(end) ? count : r.intAttr(end);
    if (from < 0) from += count;
    if (to < 0) to += count;
    from = std::clamp<int64_t>(from, 0, count);
    return std::pair(from, std::clamp<int64_t>(to, from, count));
  };
  const auto [from, to] = range("lhs_begin", "lhs_end", data->shape.size());
  const auto [likeFrom, likeTo] = range("rhs_begin", "rhs_end", like->shape.size());
  Dims shape(data->shape.begin(), data->shape.begin() + from);
  shape.insert(shape.end(), like->shape.begin() + likeFrom, like->shape.begin() + likeTo);
  shape.insert(shape.end(), data->shape.begin() + to, data->shape.end());
  return reshaped(r, *data, std::move(shape));
}

Outcome Transpose(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const size_t rank = data->shape.size();
  std::vector<int64_t> axes = r.intsAttr("axes");
  if (r.isNone("axes") || axes.empty()) {
    Dims shape(data->shape.begin(), data->shape.end());
    std::reverse(shape.begin(), shape.end());
    return r.result(std::move(shape), data->dtype);
  }
  if (axes.size() != rank) return r.refuse("axes has to name each dimension once");
  Dims shape;
  std::vector<uint8_t> used(rank);
  for (int64_t given : axes) {
    const auto axis = r.axis(given, rank);
    if (!axis) return Outcome::Refused;
    if (std::exchange(used[*axis], 1)) return r.refuse("axes names dimension " + std::to_string(*axis) + " twice");
    shape.push_back(data->shape[*axis]);
  }
  return r.result(std::move(shape), data->dtype);
}

static Outcome expanded(Relating& r, bool known) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const int64_t count = r.intAttr("num_newaxis", 1);
  if (count < 0 || count > kMostNewDimensions) {
    return r.refuse("num_newaxis has to be from 0 to " + std::to_string(kMostNewDimensions));
  }
  const auto axis = known ? r.axis(r.intAttr("axis"), data->shape.size() + 1) : std::optional<size_t>(0);
  if (!axis) return Outcome::Refused;
  Dims shape = known ? data->shape.vector() : Dims(data->shape.size());
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(*axis), static_cast<size_t>(count), known ? dim(1) : Dim());
  return r.result(std::move(shape), data->dtype);
}

Outcome ExpandDims(Relating& r) { return expanded(r, true); }
Outcome DynExpandDims(Relating& r) { return expanded(r, false); }

Outcome Squeeze(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  Dims shape;
  if (r.isNone("axis")) {
    for (const Dim& extent : data->shape) {
      if (!known(extent)) return r.refuse("axis has to be given where a dimension is not known");
      if (!isOne(extent)) shape.push_back(extent);
    }
    return r.result(std::move(shape), data->dtype);
  }
  std::vector<uint8_t> gone(data->shape.size());
  for (int64_t given : r.intsAttr("axis")) {
    const auto axis = r.axis(given, gone.size());
    if (!axis) return Outcome::Refused;
    if (differ(data->shape[*axis], dim(1))) {
      return r.refuse("dimension " + std::to_string(*axis) + " is " + std::to_string(*known(data->shape[*axis])));
    }
    gone[*axis] = 1;
  }
  for (size_t i = 0; i < gone.size(); ++i) {
    if (!gone[i]) shape.push_back(data->shape[i]);
  }
  return r.result(std::move(shape), data->dtype);
}

/// A dimension of joined tensors other than the one along which they are joined. Where some do not know it, it is taken
/// from those that do only if the result has an open dimension anyway: else nothing would check the others.
Dim commonDim(std::span<const Dim> dims, bool isOpen) {
  const auto some = std::find_if(dims.begin(), dims.end(), [](const Dim& dim) { return dim != nullptr; });
  const bool isKnown = some != dims.end() && (isOpen || std::find(dims.begin(), dims.end(), nullptr) == dims.end());
  return isKnown ? *some : nullptr;
}

Outcome concatenate(Relating& r) {
  const auto parts = r.tensors(0);
  if (!parts) return r.stop();
  if (parts->empty()) return r.refuse("there is nothing to join");
  const TensorType& first = *parts->front();
  const auto axis = r.axis(r.intAttr("axis"), first.shape.size());
  if (!axis) return Outcome::Refused;
  std::vector<Dims> columns(first.shape.size());
  for (size_t i = 0; i < parts->size(); ++i) {
    const auto& part = (*parts)[i];
    if (part->shape.size() != columns.size())
      return r.refuse("the tensors have different numbers of dimensions", {0, i});
    if (part->dtype != first.dtype) return r.refuse("the tensors have different element types", {0, i});
    for (size_t d = 0; d < columns.size(); ++d) {
      const auto number = std::find_if(columns[d].begin(), columns[d].end(), [](const Dim& dim) { return known(dim); });
      if (d != *axis && number != columns[d].end() && differ(*number, part->shape[d])) {
        return r.refuse("the tensors differ in dimension " + std::to_string(d),
                        {static_cast<size_t>(number - columns[d].begin()), i});
      }
      columns[d].push_back(part->shape[d]);
    }
  }
  Dim joined = columns[*axis][0];
  for (size_t i = 1; i < parts->size(); ++i) joined = add(joined, columns[*axis][i]);
  Dims shape;
  for (size_t d = 0; d < columns.size(); ++d) shape.push_back(d == *axis ? joined : commonDim(columns[d], !joined));
  return r.result(std::move(shape), first.dtype);
}

Outcome Concatenate(Relating& r) { return concatenate(r); }

Outcome Stack(Relating& r) {
  const auto parts = r.tensors(0);
  if (!parts) return r.stop();
  if (parts->empty()) return r.refuse("there is nothing to join");
  Dims shape = parts->front()->shape.vector();
  const auto axis = r.axis(r.intAttr("axis"), shape.size() + 1);
  if (!axis) return Outcome::Refused;
  for (size_t i = 0; i < parts->size(); ++i) {
    const auto& part = (*parts)[i];
    if (part->shape.size() != shape.size() || part->dtype != parts->front()->dtype) {
      return r.refuse("the tensors have different types", {0, i});
    }
    for (size_t d = 0; d < shape.size(); ++d) {
      if (differ(shape[d], part->shape[d]))
        return r.refuse("the tensors differ in dimension " + std::to_string(d), {0, i});
      if (!part->shape[d]) shape[d] = nullptr;
    }
  }
  shape.insert(shape.begin() + static_cast<ptrdiff_t>(*axis), dim(static_cast<int64_t>(parts->size())));
  return r.result(std::move(shape), parts->front()->dtype);
}

Outcome Split(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto axis = r.axis(r.intAttr("axis"), data->shape.size());
  if (!axis) return Outcome::Refused;
  const Dim whole = data->shape[*axis];
  std::vector<Type> parts;
  auto part = [&](const Dim& extent) {
    Dims shape = data->shape.vector();
    shape[*axis] = extent;
    parts.push_back(tensorType(shape, data->dtype));
  };
  const NodeRef sections = r.attr("indices_or_sections");
  if (const auto* count = as<ir::IntAttr>(sections)) {
    if (count->value <= 0 || (known(whole) && *known(whole) % count->value != 0)) {
      return r.refuse("the dimension can not be split in " + std::to_string(count->value) + " equal parts");
    }
    for (int64_t i = 0; i < count->value; ++i) part(floorDiv(whole, dim(count->value)));
    return r.resultTuple(std::move(parts));
  }
  Dim begin = dim(0);
  for (const Dim& end : r.dimsAttr("indices_or_sections")) {
    part(sub(end, begin));
    begin = end;
  }
  part(sub(whole, begin));
  return r.resultTuple(std::move(parts));
}

Outcome SliceLike(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto like = r.tensor(1);
  if (!like) return r.stop();
  Dims shape = data->shape.vector();
  if (r.isNone("axes")) {
    for (size_t i = 0; i < std::min(shape.size(), like->shape.size()); ++i) shape[i] = like->shape[i];
  }
  for (int64_t given : r.intsAttr("axes")) {
    const auto axis = r.axis(given, shape.size());
    if (!axis) return Outcome::Refused;
    if (*axis >= like->shape.size()) return r.refuse("the second has no dimension " + std::to_string(*axis));
    shape[*axis] = like->shape[*axis];
  }
  return r.result(std::move(shape), data->dtype);
}

Outcome Tile(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  Dims shape(data->shape.begin(), data->shape.end());
  Dims reps = r.dimsAttr("reps");
  const size_t rank = std::max(shape.size(), reps.size());
  shape.insert(shape.begin(), rank - shape.size(), dim(1));
  reps.insert(reps.begin(), rank - reps.size(), dim(1));
  for (size_t i = 0; i < rank; ++i) shape[i] = mul(shape[i], reps[i]);
  return r.result(std::move(shape), data->dtype);
}

Outcome Repeat(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto axis = r.axis(r.intAttr("axis"), data->shape.size());
  if (!axis) return Outcome::Refused;
  Dims shape = data->shape.vector();
  shape[*axis] = mul(shape[*axis], dim(r.intAttr("repeats", 1)));
  return r.result(std::move(shape), data->dtype);
}

Outcome Reverse(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  return r.axis(r.intAttr("axis"), data->shape.size()) ? r.result(data) : Outcome::Refused;
}

Outcome ReverseSequence(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result(data) : r.stop();
}

Outcome LayoutTransform(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto from = Layout::parse(r.text("src_layout")), to = Layout::parse(r.text("dst_layout"));
  std::string plain;
  for (char c = 'A'; from && c <= 'Z'; ++c) {
    if (from->has(c)) plain += c;
  }
  if (!from || !to || !to->isOrderOf(plain)) return r.refuse("the layouts do not have the same axes");
  if (data->shape.size() != from->rank()) return r.refuse("the data does not fit src_layout");
  return r.result(to->fromPlain(from->toPlain(data->shape, plain), plain), data->dtype);
}

Outcome Trilu(Relating& r) {
  const auto data = r.tensor(0);
  if (!data || !r.tensor(1, 0)) return r.stop();
  if (data->shape.size() < 2) return r.refuse("a matrix has two dimensions at least");
  return r.result(data);
}

Outcome MatrixSetDiag(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  if (data->shape.size() < 2) return r.refuse("a matrix has two dimensions at least");
  // Several diagonals have a dimension of their own.
  const bool one = r.intAttr("k1") == r.intAttr("k2");
  return r.tensor(1, data->shape.size() - (one ? 1 : 0)) ? r.result(data) : r.stop();
}

Outcome SequenceMask(Relating& r) {
  const auto data = r.tensor(0);
  if (!data || !r.tensor(1, 1)) return r.stop();
  return data->shape.size() < 2 ? r.refuse("sequences have two dimensions at least") : r.result(data);
}

Outcome SlidingWindow(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto axis = r.axis(r.intAttr("axis"), data->shape.size());
  const Dims window = r.dimsAttr("window_shape"), strides = r.dimsAttr("strides");
  if (!axis) return Outcome::Refused;
  if (window.size() != data->shape.size() - *axis || strides.size() != window.size()) {
    return r.refuse("window_shape and strides have to have a value for each dimension behind axis");
  }
  Dims shape(data->shape.begin(), data->shape.begin() + static_cast<ptrdiff_t>(*axis));
  for (size_t i = 0; i < window.size(); ++i) {
    shape.push_back(ceilDiv(sub(data->shape[*axis + i], sub(window[i], dim(1))), strides[i]));
  }
  shape.insert(shape.end(), window.begin(), window.end());
  return r.result(std::move(shape), data->dtype);
}

}  // namespace rx::relay::relation
