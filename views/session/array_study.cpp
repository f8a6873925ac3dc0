#include "views/session/array_study.h"

#include <algorithm>

#include "core/tensor/comparison.h"
#include "core/tensor/plane.h"
#include "core/tensor/survey.h"
#include "views/session/engine_rows.h"
#include "views/session/tensor_rows.h"

namespace rx::views {
namespace {

constexpr int64_t kMostElements = 10'000;  // of one slice
constexpr int kBins = 40;

Result<Elements> elementsOf(const ArrayPair& arrays) {
  if (!arrays.right) return Elements(*arrays.left);
  return Elements::between(*arrays.left, *arrays.right, static_cast<rx::Distance>(arrays.distance));
}

std::vector<qint64> sizesOf(const ArrayPair& arrays) {
  return {arrays.left->shape().begin(), arrays.left->shape().end()};
}

/// Clips a rectangle to the tensor and to what one answer holds: the last dimensions are the dense ones, so they get
/// the room first.
void clip(const std::vector<qint64>& shape, TensorSlice* slice) {
  int64_t room = kMostElements;
  slice->begin.resize(shape.size());
  slice->extent.resize(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    slice->begin[i] = std::clamp<qint64>(slice->begin[i], 0, shape[i]);
    slice->extent[i] = std::clamp<qint64>(slice->extent[i], 0, std::min<qint64>(shape[i] - slice->begin[i], room));
    if (slice->extent[i] > 0) room /= slice->extent[i];
  }
}

}  // namespace

TensorSlice sliceOf(const ArrayPair& arrays, const std::vector<qint64>& begin, const std::vector<qint64>& extent) {
  TensorSlice slice;
  slice.shape = sizesOf(arrays);
  slice.begin = begin;
  slice.extent = extent;
  clip(slice.shape, &slice);
  const Result<Elements> elements = elementsOf(arrays);
  if (!elements) return slice.error = textOf(elements.diagnostics()), slice;
  slice.dtype = qtText(elements->dtype().str());
  qint64 count = 1;
  for (const qint64 size : slice.extent) count *= size;
  const HostTensor& tensor = *arrays.left;
  std::vector<qint64> at = slice.begin;
  for (qint64 n = 0; n < count; ++n) {
    const qint64 flat = ravel(at, slice.shape);
    slice.values.push_back(elements->at(flat));
    if (!arrays.right)
      slice.bytes.append(reinterpret_cast<const char*>(tensor.data() + flat * tensor.elementBytes()),
                         static_cast<qsizetype>(tensor.elementBytes()));
    for (size_t i = at.size(); i-- > 0;) {
      if (++at[i] < slice.begin[i] + slice.extent[i]) break;
      at[i] = slice.begin[i];
    }
  }
  return slice;
}

TensorSurvey surveyOf(const ArrayPair& arrays) {
  TensorSurvey answer;
  const Result<Elements> elements = elementsOf(arrays);
  if (!elements) return answer.error = textOf(elements.diagnostics()), answer;
  const auto found = survey(*elements, kBins, kQuantiles);
  if (!found) return answer;
  answer.count = elements->count();
  answer.looked = found->looked;
  answer.nan = found->nan;
  answer.positiveInf = found->positiveInf;
  answer.negativeInf = found->negativeInf;
  answer.zeros = found->zeros;
  answer.largest = unravel(found->largest, sizesOf(arrays));
  answer.low = found->low;
  answer.high = found->high;
  answer.bins.assign(found->bins.begin(), found->bins.end());
  answer.quantiles = found->quantiles;
  return answer;
}

TensorPlane planeOf(const ArrayPair& arrays, const PlaneQuery& query) {
  TensorPlane answer;
  const Result<Elements> elements = elementsOf(arrays);
  if (!elements) return answer.error = textOf(elements.diagnostics()), answer;
  PlaneWish wish;
  wish.rowAxis = query.rowAxis;
  wish.columnAxis = query.columnAxis;
  wish.at.assign(query.at.begin(), query.at.end());
  wish.mostRows = query.rows;
  wish.mostColumns = query.columns;
  const Result<std::optional<Plane>> plane = rx::planeOf(*elements, wish);
  if (!plane) return answer.error = textOf(plane.diagnostics()), answer;
  if (!*plane) return answer;
  const Plane& made = **plane;
  answer.rows = static_cast<int>(made.rows);
  answer.columns = static_cast<int>(made.columns);
  answer.fullRows = made.fullRows;
  answer.fullColumns = made.fullColumns;
  answer.low = made.low;
  answer.high = made.high;
  answer.bad = QByteArray(reinterpret_cast<const char*>(made.bad.data()), static_cast<qsizetype>(made.bad.size()));
  answer.sampled = made.sampled;
  return answer;
}

ElementFound findIn(const ArrayPair& arrays, const ElementQuery& query) {
  ElementFound answer;
  const Result<Elements> elements = elementsOf(arrays);
  if (!elements) return answer.error = textOf(elements.diagnostics()), answer;
  const std::vector<qint64> shape = sizesOf(arrays);
  ElementSearch search;
  if (!query.from.empty()) search.from = std::clamp<int64_t>(ravel(query.from, shape), -1, elements->count());
  search.forward = query.forward;
  search.looked = query.looked;
  const auto found = findElement(*elements, {query.nonFinite, query.low, query.high}, search);
  if (!found) return answer;
  answer.found = found->index >= 0;
  answer.index = unravel(found->index, shape);
  answer.looked = found->looked;
  answer.count = elements->count();
  return answer;
}

TensorComparison comparisonOf(const ArrayPair& arrays) {
  TensorComparison answer;
  if (!arrays.right) return answer.error = QStringLiteral("nothing is compared"), answer;
  const Result<std::optional<Comparison>> compared = compare(*arrays.left, *arrays.right);
  if (!compared) return answer.error = textOf(compared.diagnostics()), answer;
  if (!*compared) return answer;
  const Comparison& made = **compared;
  const std::vector<qint64> shape = sizesOf(arrays);
  answer.count = arrays.left->count();
  answer.looked = made.looked;
  answer.different = made.different;
  answer.nonFinite = made.nonFinite;
  answer.firstNonFinite = unravel(made.firstNonFinite, shape);
  for (size_t i = 0; i < made.worst.size(); ++i)
    answer.worst[i] = {made.worst[i].distance, unravel(made.worst[i].index, shape)};
  answer.otherDtype = qtText(arrays.right->dtype().str());
  return answer;
}

}  // namespace rx::views
