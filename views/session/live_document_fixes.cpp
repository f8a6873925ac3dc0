// Fixes of the text that is open or was refused: made on a copy, one after the other, each undone on demand.
#include "core/support/fix.h"
#include "views/session/live_document.h"

namespace rx::views {

bool LiveDocument::canFix(const ProblemRow& problem) const {
  if (!problem.edit || problem.file.isEmpty()) return false;
  if (!refusedFile_.isEmpty()) return !refusedPath_.isEmpty() && problem.file == refusedFile_;
  return state_ == State::Ready && !opened_.isHistory && problem.file == opened_.file;
}

void LiveDocument::fix(const std::vector<ProblemRow>& problems) {
  const QString path = refusedFile_.isEmpty() ? opened_.path : refusedPath_;
  const QString text = refusedFile_.isEmpty() ? opened_.sourceText : refusedText_;
  Fixed fixed{path, {}, fixesMade()};
  std::vector<Edit> edits;
  for (const ProblemRow& problem : problems) {
    if (!canFix(problem)) continue;
    const ProblemEdit& edit = *problem.edit;
    edits.push_back({{static_cast<uint32_t>(edit.begin), static_cast<uint32_t>(edit.end), 0}, edit.text.toStdString()});
    fixed.made << tr("line %1: %2 instead of %3").arg(problem.line).arg(edit.text, edit.old);
  }
  if (edits.empty()) return;
  fixed.text = QString::fromStdString(applyEdits(text.toStdString(), std::move(edits)));
  fixed_.push_back(std::move(fixed));
  readFixed(path);
}

void LiveDocument::undoFix() {
  if (fixed_.empty()) return;
  const QString path = fixed_.back().path;
  fixed_.pop_back();
  readFixed(path);
}

void LiveDocument::readFixed(const QString& path) {
  startReading(path, path == opened_.path ? opened_.moduleName : QString(), path == opened_.path);
}

}  // namespace rx::views
