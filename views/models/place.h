// Where something is in the window's world: a stage of the pass history, a function, a binding, a debugger step.
#pragma once

#include <QMetaType>
#include <QString>

namespace rx::views {

/// A place that can be selected, remembered and linked to. Absent parts are -1 or empty. A binding is named by its
/// ordinal (the number of its definition in its function, in text order, nested ones included) and carries its
/// variable's name, so that a place still finds its way after a reload moved the ordinal.
struct Place {
  int stage = 0;          // 0 is the module as imported, n the result of pass n
  QString function = {};  // global name
  int binding = -1;
  QString variable = {};  // name of the binding's variable, or of a parameter when binding is -1
  int step = -1;          // step of the recorded run
  bool operator==(const Place&) const = default;
};

/// The part of a place that a history entry is made for (a new stage or function or binding, not a time step).
bool sameSpot(const Place& a, const Place& b);

/// A shell word: quoted where it has to be.
QString shellWord(const QString& text);

/// `relaxscope://open?file=...&stage=2&function=main&binding=4&variable=lv2&step=9`; absent parts are left out.
QString linkOf(const Place& place, const QString& file);
/// Whether a text is meant as a link.
bool isLink(const QString& text);
/// The link with the whole path of its file, for who is in another folder; empty when it is none.
QString absoluteLink(const QString& link);
/// Reads a link; false when the text is not one. `file` gets the file part, empty if none.
bool placeOfLink(const QString& link, Place* place, QString* file);

}  // namespace rx::views

Q_DECLARE_METATYPE(rx::views::Place)
