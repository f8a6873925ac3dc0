// A GraphModel in the DOT language of Graphviz.
#pragma once

#include <string>

#include "views/graph/graph_model.h"

namespace rx {

/// Regions become clusters, labels of weights become small nodes of their own beside each use. Texts are quoted, so
/// that names from a file stay names. `model.fault()` must be empty.
std::string dotText(const GraphModel& model, const Palette& palette, const std::string& name);

}  // namespace rx
