// Relations of reductions, scans, and sorting.
#include <algorithm>

#include "core/relay/relations_shared.h"

namespace rx::relay::relation {

namespace {
/// The shape that is left when the axes of the attributes are reduced; nothing (and a finding) where an axis is none.
std::optional<Dims> reducedShape(Relating& r, const TensorType& data) {
  const size_t rank = data.shape.size();
  std::vector<uint8_t> gone(rank, r.isNone("axis"));
  for (int64_t given : r.intsAttr("axis")) {
    const auto axis = r.axis(given, rank);
    if (!axis) return std::nullopt;
    gone[*axis] = 1;
  }
  if (r.intAttr("exclude")) {
    for (uint8_t& one : gone) one = !one;
    // Without axes there is nothing to leave out.
    if (r.isNone("axis")) std::fill(gone.begin(), gone.end(), uint8_t{1});
  }
  Dims shape;
  for (size_t i = 0; i < rank; ++i) {
    if (!gone[i]) {
      shape.push_back(data.shape[i]);
    } else if (r.intAttr("keepdims")) {
      shape.push_back(dim(1));
    }
  }
  return shape;
}

/// The first argument reduced; its element type is `dtype`, or its own.
Outcome reduced(Relating& r, const Ref<TensorType>& data, std::optional<DataType> dtype = {}) {
  if (!data) return r.stop();
  auto shape = reducedShape(r, *data);
  return shape ? r.result(std::move(*shape), dtype.value_or(data->dtype)) : Outcome::Refused;
}
}  // namespace

Outcome Reduce(Relating& r) { return reduced(r, r.tensor(0)); }

/// Of argmax and argmin: an index each, as wide as the first dimension.
Outcome GenericReduce(Relating& r) {
  const auto data = r.tensor(0);
  const bool scalar = !data || data->shape.empty();
  return reduced(r, data, scalar ? DataType::Int(32) : widthOf(data->shape.front()));
}

Outcome Variance(Relating& r) {
  const auto data = r.tensor(0);
  return data && r.tensor(1) ? reduced(r, data) : r.stop();
}

Outcome Scanop(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const DataType dtype = r.dtypeAttr("dtype", data->dtype);
  return r.isNone("axis") ? r.result(Dims{product(data->shape)}, dtype) : r.result(data->shape.vector(), dtype);
}

Outcome Argsort(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result(data->shape.vector(), r.dtypeAttr("dtype", DataType::Int(32))) : r.stop();
}

Outcome Sort(Relating& r) {
  const auto data = r.tensor(0);
  return data ? r.result(data) : r.stop();
}

static Outcome topK(Relating& r, const Dim& count) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto axis = r.axis(r.intAttr("axis", -1), data->shape.size());
  if (!axis) return Outcome::Refused;
  Dims shape = data->shape.vector();
  if (!known(count) || *known(count) >= 1) shape[*axis] = count;
  const Type values = tensorType(shape, data->dtype);
  const Type indices = tensorType(shape, r.dtypeAttr("dtype", DataType::Int(32)));
  const std::string_view wanted = r.text("ret_type");
  if (wanted == "values") return r.result(values);
  return wanted == "indices" ? r.result(indices) : r.resultTuple({values, indices});
}

Outcome TopK(Relating& r) { return topK(r, r.isNone("k") ? Dim() : r.dimAttr("k")); }
Outcome DynTopK(Relating& r) { return topK(r, nullptr); }

Outcome SearchSorted(Relating& r) {
  const auto sorted = r.tensor(0);
  if (!sorted) return r.stop();
  const auto values = r.tensor(1);
  if (!values) return r.stop();
  const size_t rank = sorted->shape.size();
  if (rank == 0 || (rank != 1 && rank != values->shape.size()))
    return r.refuse("what is sorted has to be a vector, or to have as many dimensions as the values");
  return r.result(values->shape.vector(), r.dtypeAttr("dtype", DataType::Int(32)));
}

Outcome Unique(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const Type indices = tensorType(Dims{nullptr}, DataType::Int(32));
  std::vector<Type> items{tensorType(Dims{nullptr}, data->dtype), indices, indices,
                          tensorType(Dims{dim(1)}, DataType::Int(32))};
  if (r.intAttr("return_counts")) items.push_back(indices);
  return r.resultTuple(std::move(items));
}

/// The sum over the products that an equation names: "ij,jk->ik".
/// Letters of one tensor; dimensions that "..." stands for are letters of their own, counted from the last.
static std::string einsumLetters(std::string_view written, size_t ellipsis) {
  const size_t dots = written.find("...");
  if (dots == std::string_view::npos) return std::string(written);
  std::string out(written.substr(0, dots));
  for (size_t i = ellipsis; i > 0; --i) out += static_cast<char>(i);
  return out + std::string(written.substr(dots + 3));
}

Outcome Einsum(Relating& r) {
  const auto parts = r.tensors(0);
  if (!parts) return r.stop();
  if (parts->empty()) return r.refuse("there has to be a tensor at least");
  std::string equation;
  for (char c : r.text("equation")) {
    if (c != ' ') equation += c;
  }
  constexpr size_t kDots = 3, kMostDots = 32;
  const size_t arrow = equation.find("->");
  std::map<char, Dim> extents;
  std::string_view inputs = std::string_view(equation).substr(0, arrow);
  std::string counted;
  size_t ellipsis = 0;
  for (const auto& part : *parts) {
    const size_t comma = std::min(inputs.find(','), inputs.size());
    const std::string_view written = inputs.substr(0, comma);
    inputs.remove_prefix(std::min(comma + 1, inputs.size()));
    const bool isOpen = written.find("...") != std::string_view::npos;
    const size_t rank = part->shape.size(), least = written.size() - (isOpen ? kDots : 0);
    if (rank < least || (!isOpen && rank > least) || rank - least > kMostDots) {
      return r.refuse("the equation does not fit the tensors");
    }
    ellipsis = std::max(ellipsis, rank - least);
    const std::string letters = einsumLetters(written, rank - least);
    for (size_t i = 0; i < letters.size(); ++i) {
      Dim& extent = extents[letters[i]];
      if (!extent || isOne(extent)) extent = part->shape[i];
      counted += letters[i];
    }
  }
  std::string result = arrow == std::string::npos ? "..." : equation.substr(arrow + 2);
  for (auto it = extents.begin(); arrow == std::string::npos && it != extents.end(); ++it) {
    // What stands once, in the order of the alphabet.
    if (std::isalpha(it->first) && std::count(counted.begin(), counted.end(), it->first) == 1) result += it->first;
  }
  Dims shape;
  for (char letter : einsumLetters(result, ellipsis)) shape.push_back(extents[letter]);
  return r.result(std::move(shape), parts->front()->dtype);
}

}  // namespace rx::relay::relation
