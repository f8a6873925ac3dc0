// Sections of an inspection as rich text.
#pragma once

#include "views/panels/inspector/inspection.h"

namespace rx::views {

QString headHtml(const Inspection& inspection, const Palette& theme);
QString sectionHtml(const InspectionSection& section, const Palette& theme, int em);
/// What a link of these texts leads to.
QString targetOfLink(const QString& link);

}  // namespace rx::views
