// The part of ValuesPanel that opens items of tuples.
#include <algorithm>

#include "views/models/debug_session.h"
#include "views/panels/values/item_list.h"
#include "views/panels/values/opened_item.h"
#include "views/panels/values/values_panel.h"

namespace rx::views {

void ValuesPanel::openItem(int number) {
  QStringList words;
  for (const int item : opened_->path()) words << QString::number(item);
  command("item", words << QString::number(number));
}

bool ValuesPanel::itemCommand(const QStringList& arguments) {
  std::vector<int> path;
  if (arguments.value(0) == QLatin1String("up")) {
    path = opened_->path();
    if (path.empty()) return false;
    path.pop_back();
  } else {
    for (const QString& word : arguments) {
      bool number = false;
      path.push_back(word.toInt(&number));
      if (!number) return false;
    }
  }
  const ValueSummary whole = selectedValue(context_).value;
  if (!path.empty() && (whole.items.empty() || path.front() < 0 || path.front() >= whole.count)) return false;
  // The list goes where its item is shown.
  const bool focused = items_->hasFocus();
  opened_->open(std::move(path));
  if (focused) setFocus();
  return true;
}

}  // namespace rx::views
