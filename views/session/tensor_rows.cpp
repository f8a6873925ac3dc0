#include "views/session/tensor_rows.h"

#include <algorithm>
#include <cstring>

#include "core/tensor/stats.h"
#include "views/session/engine_rows.h"

namespace rx::views {
namespace {

QByteArray bytesOf(const std::string& base64) { return QByteArray::fromBase64(QByteArray::fromStdString(base64)); }

/// The numbers of a picture; none where there are not as many as cells.
std::vector<float> floatsOf(const std::string& base64, size_t cells) {
  const QByteArray bytes = bytesOf(base64);
  std::vector<float> numbers(cells);
  if (static_cast<size_t>(bytes.size()) != cells * sizeof(float)) return {};
  std::memcpy(numbers.data(), bytes.constData(), cells * sizeof(float));
  return numbers;
}

}  // namespace

std::vector<qint64> unravel(qint64 number, const std::vector<qint64>& shape) {
  if (number < 0 || std::ranges::any_of(shape, [](qint64 extent) { return extent <= 0; })) return {};
  const std::vector<int64_t> extents(shape.begin(), shape.end()), at = elementIndex(extents, number);
  return {at.begin(), at.end()};
}

qint64 ravel(const std::vector<qint64>& index, const std::vector<qint64>& shape) {
  qint64 number = 0;
  for (size_t axis = 0; axis < shape.size() && axis < index.size(); ++axis) number = number * shape[axis] + index[axis];
  return number;
}

std::optional<dap::Against> againstOf(const ElementSource& source) {
  static constexpr std::array kNames = {"absolute", "relative", "ulp"};
  if (!source.compares()) return {};
  dap::Against against;
  against.reference = source.against;
  if (!source.file.isEmpty()) against.file = source.file.toStdString();
  against.array = source.array.toStdString();
  against.distance = kNames[static_cast<size_t>(source.distance)];
  return against;
}

TensorSlice rowOf(const dap::SliceBody& body, const QString& error) {
  TensorSlice slice;
  slice.error = error;
  slice.shape.assign(body.value.shape.begin(), body.value.shape.end());
  slice.begin.assign(body.begin.begin(), body.begin.end());
  slice.extent.assign(body.extent.begin(), body.extent.end());
  for (const dap::Json& value : body.values) slice.values.push_back(dap::numberFrom(value));
  slice.bytes = bytesOf(body.bytes);
  slice.dtype = qtText(body.value.dtype);
  return slice;
}

TensorSurvey rowOf(const dap::StatisticsBody& body, const std::vector<qint64>& shape, const QString& error) {
  TensorSurvey survey;
  survey.error = error;
  survey.count = body.count;
  survey.looked = body.looked;
  survey.nan = body.nan;
  survey.positiveInf = body.positiveInf;
  survey.negativeInf = body.negativeInf;
  survey.zeros = body.zeros;
  survey.largest = unravel(body.largest, shape);
  survey.low = body.low;
  survey.high = body.high;
  survey.bins.assign(body.bins.begin(), body.bins.end());
  survey.quantiles = body.quantiles;
  return survey;
}

TensorPlane rowOf(const dap::PlaneBody& body, const QString& error) {
  TensorPlane plane;
  plane.error = error;
  plane.fullRows = body.fullRows;
  plane.fullColumns = body.fullColumns;
  plane.sampled = body.sampled;
  constexpr int64_t kMostCells = int64_t{1} << 20;
  if (body.rows <= 0 || body.columns <= 0 || body.rows > kMostCells || body.columns > kMostCells / body.rows)
    return plane;
  const auto cells = static_cast<size_t>(body.rows * body.columns);
  plane.low = floatsOf(body.low, cells);
  plane.high = floatsOf(body.high, cells);
  plane.bad = bytesOf(body.bad);
  if (plane.low.empty() || plane.high.empty() || static_cast<size_t>(plane.bad.size()) != cells) return plane;
  plane.rows = static_cast<int>(body.rows);
  plane.columns = static_cast<int>(body.columns);
  return plane;
}

TensorComparison rowOf(const dap::CompareBody& body, const std::vector<qint64>& shape, const QString& error) {
  TensorComparison result;
  result.error = error;
  result.count = body.count;
  result.looked = body.looked;
  result.different = body.different;
  result.nonFinite = body.nonFinite;
  result.firstNonFinite = unravel(body.firstNonFinite, shape);
  result.otherDtype = qtText(body.otherDtype);
  for (size_t i = 0; i < std::size(result.worst) && i < body.worst.size() && i < body.worstIndex.size(); ++i)
    result.worst[i] = {body.worst[i], unravel(body.worstIndex[i], shape)};
  return result;
}

}  // namespace rx::views
