#include "app/window/manual_text.h"

#include "app/manual/texts.h"

namespace rx::views {

namespace {

manual::Command describe(const QString& help, const QString& files, const QList<QCommandLineOption>& options) {
  manual::Command program{"relaxscope", help.toStdString(), {}, {}, {}, {}};
  program.arguments.push_back({{"FILES"}, "", files.toStdString(), {}});
  for (const QCommandLineOption& option : options) {
    if (option.flags() & QCommandLineOption::HiddenFromHelp) continue;
    manual::Option& made = program.options.emplace_back();
    for (const QString& name : option.names())
      made.names.push_back((name.size() > 1 ? "--" : "-") + name.toStdString());
    made.value = option.valueName().toStdString();
    made.help = option.description().toStdString();
  }
  return program;
}

}  // namespace

QString manualText(const QString& what, const QString& help, const QString& files,
                   const QList<QCommandLineOption>& options) {
  const manual::Command program = describe(help, files, options);
  if (what == "man") return QString::fromStdString(manual::manualPage(program, RX_VERSION));
  const auto text = manual::completion(program, what.toStdString());
  return text ? QString::fromStdString(*text) : QString();
}

}  // namespace rx::views
