// Text and differences as HTML that needs nothing beside itself: colours of the theme stand in the elements, so that a
// page can be attached to an issue or pasted into a mail.
#pragma once

#include <QByteArray>
#include <QString>
#include <map>

#include "views/text/text_diff.h"
#include "views/theme/palette.h"

namespace rx {

/// What stands around the content of a page: its title, lines about where it is from, and the colours.
struct HtmlPage {
  QString title;
  QStringList about;  // plain text, one line each
};
/// A whole page around `body`, which is HTML already.
QByteArray htmlPage(const HtmlPage& page, const QByteArray& body, const Palette& theme);
/// What stands beside a line, from 0; what is wrong is said so by its colour, too.
struct HtmlNote {
  QString text;
  bool bad = false;
};
using HtmlNotes = std::map<uint32_t, HtmlNote>;
/// A text with its line numbers, coloured as on screen, and what stands beside its lines.
QByteArray htmlText(const TextBuffer& text, const Palette& theme, const HtmlNotes& notes = {});
/// Two texts beside each other; stretches of equal lines are cut to `context` lines around what changed.
QByteArray htmlDiff(const TextBuffer& left, const TextBuffer& right, const TextDiff& diff, uint32_t context,
                    const Palette& theme);

}  // namespace rx
