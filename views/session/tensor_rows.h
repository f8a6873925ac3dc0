// From the engine's answers about whole tensors to the rows that the views show, and from their questions to its
// requests.
#pragma once

#include <array>
#include <optional>

#include "core/dap/rx_requests.h"
#include "views/models/debug_rows.h"

namespace rx::views {

/// The index of an element by its row-major number, and the reverse; empty for a number outside of the tensor.
std::vector<qint64> unravel(qint64 number, const std::vector<qint64>& shape);
qint64 ravel(const std::vector<qint64>& index, const std::vector<qint64>& shape);

std::optional<dap::Against> againstOf(const ElementSource& source);
/// A request about the elements of a source.
template <class Arguments>
Arguments argumentsFor(const ElementSource& source) {
  Arguments arguments;
  arguments.reference = source.reference;
  arguments.against = againstOf(source);
  return arguments;
}

TensorSlice rowOf(const dap::SliceBody& body, const QString& error);
TensorSurvey rowOf(const dap::StatisticsBody& body, const std::vector<qint64>& shape, const QString& error);
TensorPlane rowOf(const dap::PlaneBody& body, const QString& error);
TensorComparison rowOf(const dap::CompareBody& body, const std::vector<qint64>& shape, const QString& error);

}  // namespace rx::views
