// Colours of a theme that somebody chose: every colour has a role by which it is named, changed and given back.
#pragma once

#include <QMap>
#include <QString>
#include <optional>
#include <vector>

#include "views/theme/palette.h"

namespace rx {

/// One colour of a theme. Kinds of operators that look alike have theirs together.
struct ColorRole {
  QString id;         // stable, for settings and scripts: "keyword", "compute.fill"
  const char* group;  // "Text of the IR"
  QString title;      // "keyword", "compute, fill"
  QColor Palette::*color = nullptr;
  OpKind kind = OpKind::Other;  // of those without `color`
  QColor KindColors::*part = nullptr;
};

/// All of them, by groups.
const std::vector<ColorRole>& colorRoles();
/// Null where no role has that id.
const ColorRole* colorRole(const QString& id);
const QColor& colorOf(const Palette& palette, const ColorRole& role);
void setColor(Palette* palette, const ColorRole& role, const QColor& color);

/// Own colours by the ids of their roles.
using OwnColors = QMap<QString, QColor>;
/// The theme as it comes.
const Palette& plainTheme(bool dark);
/// The application draws with these from now on in the place of the theme's own; ids that are none and colours that are
/// none do nothing. True where that changes a colour: whoever has drawn with the theme is to draw again.
bool setOwnColors(bool dark, const OwnColors& own);

/// What a text needs on its ground to be read.
inline constexpr double kLeastContrast = 4.5;
/// A text on a ground, by the titles of their roles.
struct RoleContrast {
  QString text, ground;
  double ratio = 0;
};
/// Of all texts and grounds that have the role as the one or the other, the pair that is the hardest to read; nothing
/// where no text is drawn in it or on it.
std::optional<RoleContrast> leastContrast(const Palette& palette, const ColorRole& role);
/// The colour nearest to the role's by its lightness in which everything can be read; nothing where none is.
std::optional<QColor> legibleColor(const Palette& palette, const ColorRole& role);

}  // namespace rx
