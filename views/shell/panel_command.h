// Commands of the table that a panel does.
#pragma once

#include <QString>
#include <QStringList>

namespace rx::views {

struct Desk;

/// Shows a panel and has it do a command of its own (Panel::command). The answer is empty, why the panel can not be
/// shown, or `refusal` where it can not do that now.
QString onPanel(Desk& desk, const QString& panel, const QString& command, const QStringList& arguments,
                const QString& refusal);
/// The same in a layout, which is applied as showInLayout does.
QString onPanelOf(Desk& desk, const QString& layout, const QString& panel, const QString& command,
                  const QStringList& arguments, const QString& refusal);

}  // namespace rx::views
