// Sections of an inspection as rich text.
#pragma once

#include <QFont>
#include <QHash>

#include "views/panels/inspector/inspection.h"

namespace rx::views {

/// The pictures in texts of one theme and size of letters, as HTML, by their names: they are few, and drawing one takes
/// longer than all of the text.
using MarkPictures = QHash<QString, QString>;

QString headHtml(const Inspection& inspection, const Palette& theme);
QString sectionHtml(const InspectionSection& section, const Palette& theme, int em, MarkPictures* pictures);
/// A table for a panel that has no room for its columns: rows whose cells follow each other, each behind the heading of
/// its column where the table has headings, which are its first row where that has no name.
InspectionSection flowing(const InspectionSection& section);
/// So many pixels a table needs for no word of it to be broken; 0 of what is none.
int leastWidth(const InspectionSection& section, const QFont& font);
/// What a link of these texts leads to.
QString targetOfLink(const QString& link);

}  // namespace rx::views
