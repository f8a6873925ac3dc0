#include "views/models/ways_forward.h"

#include <QVariant>

namespace rx::views {
namespace {

using ByStage = QHash<int, WaysForward>;
constexpr const char* kProperty = "waysForward";

}  // namespace

WaysForward waysForward(const QObject& document, int stage) {
  return document.property(kProperty).value<ByStage>().value(stage);
}

void setWaysForward(QObject* document, int stage, const WaysForward& ways) {
  ByStage all = document->property(kProperty).value<ByStage>();
  if (ways.empty())
    all.remove(stage);
  else
    all.insert(stage, ways);
  document->setProperty(kProperty, QVariant::fromValue(all));
}

}  // namespace rx::views
