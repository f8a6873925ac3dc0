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
}  // namespace

Outcome Reduce(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  auto shape = reducedShape(r, *data);
  return shape ? r.result(std::move(*shape), data->dtype) : Outcome::Refused;
}

/// Of argmax and argmin: an index each.
Outcome GenericReduce(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  auto shape = reducedShape(r, *data);
  return shape ? r.result(std::move(*shape), DataType::Int(32)) : Outcome::Refused;
}

Outcome Variance(Relating& r) {
  const auto data = r.tensor(0);
  if (!data) return r.stop();
  const auto mean = r.tensor(1);
  if (!mean) return r.stop();
  auto shape = reducedShape(r, *data);
  return shape ? r.result(std::move(*shape), data->dtype) : Outcome::Refused;
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

Outcome TopK(Relating& r) { return topK(r, r.isNone("k") ? Dim() : r.dimsAttr("k").front()); }
Outcome DynTopK(Relating& r) { return topK(r, nullptr); }

Outcome SearchSorted(Relating& r) {
  const auto sorted = r.tensor(0);
  if (!sorted) return r.stop();
  const auto values = r.tensor(1);
  return values ? r.result(values->shape.vector(), r.dtypeAttr("dtype", DataType::Int(32))) : r.stop();
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
Outcome Einsum(Relating& r) {
  const auto parts = r.tensors(0);
  if (!parts) return r.stop();
  std::string equation;
  for (char c : r.text("equation")) {
    if (c != ' ') equation += c;
  }
  const size_t arrow = equation.find("->");
  std::unordered_map<char, Dim> extents;
  std::string_view inputs = std::string_view(equation).substr(0, arrow);
  std::string counted;
  for (const auto& part : *parts) {
    const size_t comma = std::min(inputs.find(','), inputs.size());
    const std::string_view letters = inputs.substr(0, comma);
    inputs.remove_prefix(std::min(comma + 1, inputs.size()));
    if (letters.size() != part->shape.size()) return r.refuse("the equation does not fit the tensors");
    for (size_t i = 0; i < letters.size(); ++i) {
      Dim& extent = extents[letters[i]];
      if (!extent || isOne(extent)) extent = part->shape[i];
      counted += letters[i];
    }
  }
  std::string result = arrow == std::string::npos ? "" : equation.substr(arrow + 2);
  if (arrow == std::string::npos) {  // what stands once, in the order of the alphabet
    for (const auto& [letter, extent] : extents) {
      if (std::count(counted.begin(), counted.end(), letter) == 1) result += letter;
    }
    std::sort(result.begin(), result.end());
  }
  Dims shape;
  for (char letter : result) shape.push_back(extents[letter]);
  return r.result(std::move(shape), parts->front()->dtype);
}

}  // namespace rx::relay::relation
