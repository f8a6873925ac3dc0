// What the settings keep for each module, known by its file and name: lists under a key ("breakpoints", "notes").
#pragma once

#include <QVariant>

#include "views/shell/desk.h"
#include "views/shell/settings.h"

namespace rx::views {

/// What the settings know the open module by.
inline QString moduleKey(const Desk& desk) { return desk.document.path() + '\n' + desk.document.moduleName(); }
QVariantList keptFor(const Settings& settings, const QString& key, const QString& module);
/// Puts the rows of a module in place of those that are kept; no rows take it away.
void keepFor(Settings& settings, const QString& key, const QString& module, const QVariantList& rows);
/// The keys of everything that is kept for a module.
QStringList moduleKeys();

}  // namespace rx::views
