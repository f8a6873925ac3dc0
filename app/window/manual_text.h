// The command line of the window as its manual and the completion of shells say it.
#pragma once

#include <QCommandLineOption>
#include <QList>
#include <QString>

namespace rx::views {

/// The text for "man", or for a shell (app/manual/texts.h); null for anything else.
QString manualText(const QString& what, const QString& help, const QString& files,
                   const QList<QCommandLineOption>& options);

}  // namespace rx::views
