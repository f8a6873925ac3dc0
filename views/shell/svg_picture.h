// A widget as SVG: what is on screen as shapes and letters. Qt's own generator knows no clipping and no dots per inch
// of a screen, so that what scrolls would stand over its neighbours, and letters in other places than their boxes.
#pragma once

#include <QByteArray>
#include <QString>

class QWidget;

namespace rx::views {

/// The widget with everything in it, in pixels of the screen; it stands on its own. Empty when it can not be painted.
QByteArray svgPicture(QWidget* widget, const QString& title);

}  // namespace rx::views
