// What several relations need. Private to core/relay.
#pragma once

#include "core/relay/layout.h"
#include "core/relay/relations.h"

namespace rx::relay::relation {

/// As many dimensions as operators give a tensor anew; more of them mean a damaged text, not a tensor.
constexpr int64_t kMostNewDimensions = 64;

/// How many dimensions the elements of a tensor speak of, one each; nothing where that is not known or no such number.
std::optional<size_t> countOfDimensions(const TensorType& elements);
/// The shape that both are broadcast to, right-aligned; nothing (and a finding) where none is.
std::optional<Dims> broadcastDims(Relating& r, const Array<Dim>& a, const Array<Dim>& b);
/// The layout that an attribute names, of the axes of `plain`; nothing (and a finding) where it is no such layout.
std::optional<Layout> layoutAttr(Relating& r, std::string_view name, std::string_view plain);
/// Padding before and after each of `count` axes, of a list of one value, one for each axis, or two; nothing (and a
/// finding) where it has another length.
std::optional<std::vector<Dim>> paddingOf(Relating& r, size_t count);
/// Whether every number of a list is 1 or more, where it is known; a finding says which is not.
bool isPositive(Relating& r, std::string_view name);
/// Pairs of widths, an axis each; nothing where the attribute is no list of pairs.
std::optional<std::vector<std::pair<int64_t, int64_t>>> pairsOf(const NodeRef& attribute);
/// The relations of convolutions, for the operators that add arguments to them.
Outcome convolution(Relating& r, size_t spatial);
Outcome transposedConvolution(Relating& r, size_t spatial);
Outcome matmul(Relating& r);
Outcome batchMatmul(Relating& r);
Outcome concatenate(Relating& r);
Outcome pool(Relating& r, size_t spatial);

}  // namespace rx::relay::relation
