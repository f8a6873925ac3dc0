// The memory that the stages of a document plan for their functions. It stands beside the rows of the document.
#pragma once

#include <QObject>
#include <optional>

namespace rx::views {

/// Bytes of the function that plans the most; nothing where the stage plans none, or a size is not known.
std::optional<qint64> plannedMemory(const QObject& document, int stage);
void setPlannedMemory(QObject* document, int stage, std::optional<qint64> bytes);

}  // namespace rx::views
