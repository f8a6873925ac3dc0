#include "views/shell/panel_lock.h"

namespace rx::views {

LockKind lockKindOf(const QString& word) {
  static constexpr std::pair<const char*, LockKind> kWords[] = {
      {"stage", LockKind::Stage}, {"function", LockKind::Function}, {"binding", LockKind::Binding}};
  for (const auto& [name, kind] : kWords) {
    if (word == QLatin1String(name)) return kind;
  }
  return LockKind::None;
}

PanelLock::PanelLock(Selection* window, LockKind kind, QObject* parent, int stage)
    : QObject(parent), kind_(kind), kept_(window->place()) {
  if (stage >= 0 && stage != kept_.stage) kept_.stage = stage, kept_.binding = -1;
  own_.select(kept_);
  connect(window, &Selection::changed, this, [this](const Place& place) { follow(place); });
}

void PanelLock::follow(const Place& place) {
  if (kind_ == LockKind::Binding) return;
  Place next = place;
  if (kind_ == LockKind::Function && (place.function != kept_.function || place.stage != kept_.stage)) return;
  if (place.stage != kept_.stage) {
    next.stage = kept_.stage;
    next.binding = -1;  // ordinals differ between stages; views find the binding again by its variable
  }
  own_.replace(next);
}

int PanelLock::closeness(const Place& place) const {
  if (place.stage != kept_.stage) return 0;
  if (kind_ == LockKind::Stage) return 1;
  if (place.function != kept_.function) return 0;
  if (kind_ == LockKind::Function) return 2;
  return place.variable == kept_.variable ? 3 : 0;
}

QString PanelLock::label() const {
  switch (kind_) {
    case LockKind::Stage:
      return tr("stage %1").arg(kept_.stage);
    case LockKind::Function:
      return tr("%1, stage %2").arg(kept_.function, QString::number(kept_.stage));
    case LockKind::Binding:
      return tr("%1, stage %2").arg(kept_.variable, QString::number(kept_.stage));
    case LockKind::None:
      break;
  }
  return {};
}

}  // namespace rx::views
