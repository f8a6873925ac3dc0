#include "views/panels/values/opened_item.h"

#include "views/models/selection.h"

namespace rx::views {

OpenedItem::OpenedItem(const PanelContext& context, QObject* parent) : QObject(parent), context_(context) {
  // At the same step too an item may be another one: values can be set.
  connect(context.debug, &DebugSession::stopChanged, this, [this] { key_.clear(); });
}

void OpenedItem::open(std::vector<int> path) {
  value();  // of another selection than before nothing is open
  path_ = std::move(path);
  Q_EMIT changed();
}

void OpenedItem::ask(const QString& expression, const QString& key) {
  key_ = key;
  known_ = {};
  asking_ = true;
  context_.debug->evaluate(expression, this, [this, key](const WatchRow& row) {
    if (key != key_) return;
    asking_ = false;
    known_ = row;
    Q_EMIT changed();
  });
}

/// Numbers and texts are no values of the engine that could be asked for more.
static ValueSummary valueOf(const WatchRow& row) {
  ValueSummary value = row.value;
  if (row.known && !value.known && !row.text.isEmpty()) {
    value.known = true;
    value.text = row.text;
  }
  return value;
}

QString OpenedItem::indices() const {
  QString indices;
  for (const int item : path_) indices += QStringLiteral("[%1]").arg(item);
  return indices;
}

void OpenedItem::fetch(int number, QObject* context, std::function<void(const ValueSummary& value)> answer) const {
  const QString item = context_.selection->place().variable + indices() + QStringLiteral("[%1]").arg(number);
  context_.debug->evaluate(item, context, [answer = std::move(answer)](const WatchRow& row) { answer(valueOf(row)); });
}

SelectedValue OpenedItem::value() {
  SelectedValue selected = selectedValue(context_);
  const Place& place = context_.selection->place();
  const QString of = QStringLiteral("%1 %2 %3").arg(place.function, place.variable, QString::number(place.binding));
  if (std::exchange(of_, of) != of) path_.clear();
  if (path_.empty() || !selected.value.known) return selected;
  const QString index = indices();
  const QString name = selected.value.variable + index;
  const auto first = static_cast<size_t>(path_.front());
  // What is no tuple is known from the tuple that holds it.
  const std::vector<ValueSummary> items = selected.value.items;
  if (path_.size() == 1 && first < items.size() && (items[first].isTensor || items[first].reference == 0)) {
    selected.value = items[first];
    selected.value.variable = name;
    if (!selected.value.known) selected.absent = QStringLiteral("null");
    return selected;
  }
  const QString expression = place.variable + index;
  const QString key = QStringLiteral("%1 %2 %3").arg(of, expression, QString::number(context_.debug->stop().step));
  if (key != key_) ask(expression, key);
  selected.value = valueOf(known_);
  selected.value.variable = name;
  if (!selected.value.known)
    selected.absent = asking_                   ? tr("Reading the item…")
                      : !known_.error.isEmpty() ? known_.error
                                                : QStringLiteral("null");
  return selected;
}

}  // namespace rx::views
