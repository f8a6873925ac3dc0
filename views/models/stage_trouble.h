// Why nothing is shown of a stage: for the panels that would.
#pragma once

#include <QString>

namespace rx::views {

class Document;

/// "02_DispatchSampling can not be read: 'w2x' is not defined here. The Problems panel has all that was found."; empty
/// for a stage that is there, or will be.
QString stageTrouble(const Document& document, int stage);

}  // namespace rx::views
