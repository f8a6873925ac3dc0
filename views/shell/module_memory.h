// What the settings keep for each module, known by its file and name: lists under a key ("breakpoints", "notes").
#pragma once

#include <QVariant>

#include "views/shell/settings.h"

namespace rx::views {

QVariantList keptFor(const Settings& settings, const QString& key, const QString& module);
/// Puts the rows of a module in place of those that are kept; no rows take it away.
void keepFor(Settings& settings, const QString& key, const QString& module, const QVariantList& rows);
/// The keys of everything that is kept for a module.
QStringList moduleKeys();

}  // namespace rx::views
