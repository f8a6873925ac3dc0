// The dialogs, none of them modal: open, new run, pipeline, export, keys, and the small ones that ask for a name.
#pragma once

#include <QString>
#include <QStringList>

class QDialog;
class QWidget;

namespace rx::views {

class Commands;
class Settings;
struct Desk;

/// A dialog by its name ("run", "export", "shortcuts", ...); null when there is none. The caller shows it.
QDialog* makeDialog(const QString& name, Desk& desk, Commands* commands, QWidget* parent);
/// The names of all.
QStringList dialogNames();

/// One row of the dialog table's makers; each lives in its own file.
QDialog* makeOpenDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makeAttachDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makeRunDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makeBisectDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makeExportDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makePipelineDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makeSettingsDialog(Desk& desk, Commands* commands, QWidget* parent);
/// The same at another of its pages.
QDialog* makeColoursDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makeKeysDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makeBudgetsDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makeShortcutsDialog(Desk& desk, Commands* commands, QWidget* parent);
QDialog* makeHelpDialog(Desk& desk, Commands* commands, QWidget* parent);

/// All commands with keys and script forms, one a line, cells parted by tabs.
QString shortcutsText(const Settings& settings);

}  // namespace rx::views
