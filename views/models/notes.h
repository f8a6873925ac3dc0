// Bookmarks and notes at places of a document: a bookmark is a note without words.
#pragma once

#include <QObject>
#include <QVariant>
#include <functional>
#include <vector>

#include "views/models/place.h"

namespace rx::views {

struct Note {
  Place place;  // without a step
  QString text;
};

class Notes : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  /// In the order of stages, functions and bindings.
  const std::vector<Note>& rows() const { return rows_; }
  /// The note at a place; null when there is none.
  const Note* at(const Place& place) const;
  /// The note after (or before) a place, around the end; null when there is none.
  const Note* next(const Place& place, bool forward) const;

  /// Sets a bookmark, or takes away what stands there.
  void toggle(const Place& place);
  /// Writes a note at a place, on its bookmark where there is one; an empty text leaves a bookmark.
  void write(const Place& place, const QString& text);
  void remove(const Place& place);
  /// Puts what stands at places somewhere else, where `where` says another one than it is given.
  void relocate(const std::function<Place(const Place&)>& where);
  /// All of them as data, for settings and session files; what can not be read is left out.
  QVariantList toList() const;
  void fromList(const QVariantList& list);

 Q_SIGNALS:
  void changed();

 private:
  std::vector<Note>::iterator find(const Place& place);
  std::vector<Note> rows_;
};

}  // namespace rx::views
