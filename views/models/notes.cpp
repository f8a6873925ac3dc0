#include "views/models/notes.h"

#include <algorithm>
#include <tuple>

namespace rx::views {
namespace {

auto order(const Place& place) { return std::tie(place.stage, place.function, place.binding, place.variable); }
bool before(const Note& note, const Place& place) { return order(note.place) < order(place); }

}  // namespace

std::vector<Note>::iterator Notes::find(const Place& place) {
  const auto found = std::lower_bound(rows_.begin(), rows_.end(), place, before);
  return found != rows_.end() && order(found->place) == order(place) ? found : rows_.end();
}

const Note* Notes::at(const Place& place) const {
  const auto found = const_cast<Notes*>(this)->find(place);
  return found == rows_.end() ? nullptr : &*found;
}

const Note* Notes::next(const Place& place, bool forward) const {
  if (rows_.empty()) return nullptr;
  const auto here = std::lower_bound(rows_.begin(), rows_.end(), place, before);
  if (!forward) return here == rows_.begin() ? &rows_.back() : &*(here - 1);
  const bool stands = here != rows_.end() && order(here->place) == order(place);
  const auto after = stands ? here + 1 : here;
  return after == rows_.end() ? &rows_.front() : &*after;
}

void Notes::toggle(const Place& place) {
  if (at(place)) return remove(place);
  write(place, {});
}

void Notes::write(const Place& place, const QString& text) {
  Note note{place, text};
  note.place.step = -1;
  if (const auto found = find(place); found != rows_.end()) {
    found->text = text;
  } else {
    rows_.insert(std::lower_bound(rows_.begin(), rows_.end(), place, before), note);
  }
  Q_EMIT changed();
}

void Notes::remove(const Place& place) {
  const auto found = find(place);
  if (found == rows_.end()) return;
  rows_.erase(found);
  Q_EMIT changed();
}

void Notes::relocate(const std::function<Place(const Place&)>& where) {
  bool any = false;
  for (Note& note : rows_) {
    const Place place = where(note.place);
    any = any || order(place) != order(note.place);
    note.place = place;
  }
  if (!any) return;
  std::sort(rows_.begin(), rows_.end(), [](const Note& a, const Note& b) { return before(a, b.place); });
  Q_EMIT changed();
}

QVariantList Notes::toList() const {
  QVariantList list;
  for (const Note& note : rows_)
    list.append(QVariantMap{{"stage", note.place.stage},
                            {"function", note.place.function},
                            {"binding", note.place.binding},
                            {"variable", note.place.variable},
                            {"text", note.text}});
  return list;
}

void Notes::fromList(const QVariantList& list) {
  rows_.clear();
  for (const QVariant& entry : list) {
    const QVariantMap row = entry.toMap();
    if (!row.contains("stage")) continue;
    Note note{{row.value("stage").toInt(), row.value("function").toString(), row.value("binding", -1).toInt(),
               row.value("variable").toString()},
              row.value("text").toString()};
    rows_.insert(std::lower_bound(rows_.begin(), rows_.end(), note.place, before), note);
  }
  Q_EMIT changed();
}

}  // namespace rx::views
