// Ctrl+F in the Inspector: its texts from top to bottom are one.
#include <QScrollArea>

#include "views/panels/corner_find.h"
#include "views/panels/inspector/inspector_panel.h"
#include "views/panels/rich_label.h"

namespace rx::views {

std::vector<InspectorPanel::Match> InspectorPanel::matches() const {
  std::vector<Match> all;
  for (RichLabel* text : texts_) {
    if (text->isHidden()) continue;
    for (const int place : text->placesOf(pattern_)) all.push_back({text, place});
  }
  return all;
}

void InspectorPanel::reveal(const Match& match) {
  for (RichLabel* text : texts_) text->mark(0, 0);
  const QRect line = match.text->mark(match.place, static_cast<int>(pattern_.size()));
  const QPoint at = match.text->mapTo(content_, line.center());
  scroll_->ensureVisible(0, at.y(), 0, line.height());
}

bool InspectorPanel::showFind() {
  if (!find_) {
    find_ = new CornerFind(scroll_, [this](bool forward) { findNext(forward); });
    connect(find_, &QLineEdit::textEdited, this, &InspectorPanel::find);
  }
  find_->open();
  return true;
}

int InspectorPanel::find(const QString& text) {
  pattern_ = text;
  match_ = 0;
  const std::vector<Match> all = matches();
  if (!all.empty()) reveal(all.front());
  return static_cast<int>(all.size());
}

bool InspectorPanel::findNext(bool forward) {
  const std::vector<Match> all = matches();
  if (all.empty()) return false;
  match_ = (match_ + (forward ? 1 : all.size() - 1)) % all.size();
  reveal(all[match_]);
  return true;
}

}  // namespace rx::views
