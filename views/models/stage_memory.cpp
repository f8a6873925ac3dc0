#include "views/models/stage_memory.h"

#include <QHash>
#include <QVariant>

namespace rx::views {
namespace {

using ByStage = QHash<int, qint64>;
constexpr const char* kProperty = "plannedMemory";

}  // namespace

std::optional<qint64> plannedMemory(const QObject& document, int stage) {
  const ByStage all = document.property(kProperty).value<ByStage>();
  const auto at = all.find(stage);
  return at == all.end() ? std::nullopt : std::optional(*at);
}

void setPlannedMemory(QObject* document, int stage, std::optional<qint64> bytes) {
  ByStage all = document->property(kProperty).value<ByStage>();
  if (bytes)
    all.insert(stage, *bytes);
  else
    all.remove(stage);
  document->setProperty(kProperty, QVariant::fromValue(all));
}

}  // namespace rx::views
