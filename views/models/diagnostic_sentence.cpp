#include "views/models/diagnostic_sentence.h"

#include "views/theme/qt_text.h"

namespace rx::views {

QString sentenceOf(const Diagnostic& diagnostic) {
  QString text = qtText(diagnostic.message);
  for (const DiagnosticNote& note : diagnostic.notes) text += QStringLiteral("; ") + qtText(note.message);
  return diagnostic.fix.empty() ? text : QStringLiteral("%1 (%2)").arg(text, qtText(diagnostic.fix));
}

}  // namespace rx::views
