// How much arithmetic an operator does, by the shapes of what it reads and makes.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "views/theme/palette.h"

namespace rx::views {

using Sizes = std::vector<qint64>;

/// Floating-point operations of a call, a multiplication with its addition counted as two, each other function of an
/// element as one; nothing for operators that nothing is known about. `op` is the full name: "relax.matmul".
std::optional<double> operationsOf(const QString& op, OpKind kind, const std::vector<Sizes>& inputs,
                                   const Sizes& result);

/// "3.63 GFLOP", "512 FLOP"
QString operationsText(double operations);

}  // namespace rx::views
