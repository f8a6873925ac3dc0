// The files beside the module against the parameters of a function: found, and whether types and shapes fit.
#include "views/models/files_beside.h"
#include "views/models/numbers.h"
#include "views/models/value_text.h"
#include "views/panels/inspector/inspector_parts.h"

namespace rx::views {
namespace {

QString text(const char* source) { return inspectorText(source); }

QString typeText(const ArrayRow& array) {
  QStringList sizes;
  for (const qint64 size : array.shape) sizes << QString::number(size);
  return shapeText(sizes) + QLatin1Char(' ') + shortDtype(array.dtype);
}

/// The parameters that a file gives, and the first that it gives wrongly.
struct Given {
  QStringList names;
  QString wrong;
};

Given givenBy(const FileBeside& file, const FunctionRow& function, SymbolSizes* symbols) {
  Given given;
  for (const ParamRow& param : function.params) {
    for (const ArrayRow& array : file.arrays) {
      // A tuple is given field by field, "x.0", "x.1".
      if (array.name == param.name + QStringLiteral(".0")) given.names << param.name;
      if (array.name != param.name) continue;
      given.names << param.name;
      if (fits(param, array, symbols) || !given.wrong.isEmpty()) continue;
      given.wrong =
          text("%1 is %2 and has to be %3 %4").arg(param.name, typeText(array), param.shape, shortDtype(param.dtype));
    }
  }
  return given;
}

/// Without an icon where the file is neither good nor bad.
InspectionRow rowOf(const FileBeside& file, const char* icon, const QString& what, InkRole role = InkRole::Plain) {
  InspectionRow row{{}, {{file.name, InkRole::Code}, {what, role}}};
  row.icon = icon;
  return row;
}

QString arraysText(const FileBeside& file) {
  return file.arrays.size() == 1 ? typeText(file.arrays.front())
                                 : text("%1 arrays").arg(grouped(static_cast<qint64>(file.arrays.size())));
}

}  // namespace

void addFiles(Inspector& inspector) {
  const FunctionRow& function = *inspector.function;
  if (!inspector.wish.files || inspector.wish.files->files().empty() || function.params.empty()) return;
  InspectionSection section{text("Files beside the module")};
  section.table = true;
  SymbolSizes symbols;
  QStringList all;
  for (const FileBeside& file : inspector.wish.files->files()) {
    if (!file.error.isEmpty()) {
      section.rows.push_back(rowOf(file, "cross", file.error, InkRole::Error));
      continue;
    }
    if (file.expected) {
      section.rows.push_back(rowOf(file, "check", arraysText(file)));
      continue;
    }
    const Given given = givenBy(file, function, &symbols);
    all += given.names;
    if (!given.wrong.isEmpty()) {
      section.rows.push_back(rowOf(file, "cross", given.wrong, InkRole::Error));
    } else if (given.names.isEmpty()) {
      // No fault of the file: it may be for another function, or for weights that are constants here.
      section.rows.push_back(rowOf(file, nullptr, text("gives no parameter of this function"), InkRole::Grey));
    } else {
      const QString what = given.names.size() == 1
                               ? text("gives %1").arg(given.names.front())
                               : text("gives %1 of %2 parameters").arg(given.names.size()).arg(function.params.size());
      section.rows.push_back(rowOf(file, "check", what));
    }
  }
  if (all.isEmpty() && function.isPrivate) return;  // nobody gives it arguments from outside
  QStringList missing;
  for (const ParamRow& param : function.params)
    if (!all.contains(param.name)) missing << param.name;
  constexpr qsizetype kFew = 6;
  if (!missing.isEmpty() && !all.isEmpty()) {
    const QString rest = missing.size() > kFew ? text(" and %1 more").arg(missing.size() - kFew) : QString();
    addRow(section, {},
           {{text("no file gives %1").arg(missing.mid(0, kFew).join(QStringLiteral(", ")) + rest), InkRole::Warning}});
  }
  inspector.keep(std::move(section));
}

}  // namespace rx::views
