#include "views/models/stage_index.h"

#include <algorithm>

namespace rx::views {

const BindingRow* FunctionRow::binding(int ordinal) const {
  return ordinal >= 0 && ordinal < static_cast<int>(bindings.size()) ? &bindings[static_cast<size_t>(ordinal)]
                                                                     : nullptr;
}

const BindingRow* FunctionRow::bindingNamed(const QString& name) const {
  const auto found =
      std::find_if(bindings.begin(), bindings.end(), [&](const BindingRow& b) { return b.name == name; });
  return found == bindings.end() ? nullptr : &*found;
}

const BindingRow* FunctionRow::bindingAtLine(int line) const {
  // Bindings stand in text order: the last that starts at or before the line is the innermost candidate.
  const auto after = std::upper_bound(bindings.begin(), bindings.end(), line,
                                      [](int number, const BindingRow& b) { return number < b.line; });
  if (after == bindings.begin() || line > lastLine) return nullptr;
  return &*std::prev(after);
}

const FunctionRow* StageIndex::function(const QString& name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const FunctionRow& f) { return f.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

const FunctionRow* StageIndex::functionAtLine(int line) const {
  const auto found = std::find_if(functions.begin(), functions.end(),
                                  [line](const FunctionRow& f) { return f.firstLine <= line && line <= f.lastLine; });
  return found == functions.end() ? nullptr : &*found;
}

int StageIndex::lineOf(int offset) const {
  const auto after = std::upper_bound(lineStarts.begin(), lineStarts.end(), offset);
  return static_cast<int>(after - lineStarts.begin());
}

QByteArray StageIndex::line(int number) const {
  if (number < 1 || number > lineCount()) return {};
  const int begin = lineStarts[static_cast<size_t>(number - 1)];
  const int end = number < lineCount() ? lineStarts[static_cast<size_t>(number)] - 1 : static_cast<int>(text.size());
  return text.mid(begin, end - begin);
}

void findLines(StageIndex* index) {
  index->lineStarts.assign(1, 0);
  for (int i = 0; i < index->text.size(); ++i) {
    if (index->text[i] == '\n' && i + 1 < index->text.size()) index->lineStarts.push_back(i + 1);
  }
}

}  // namespace rx::views
