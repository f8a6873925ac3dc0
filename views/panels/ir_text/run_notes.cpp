#include "views/panels/ir_text/run_notes.h"

#include <QCoreApplication>
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <vector>

#include "views/models/numbers.h"
#include "views/models/run_comparison.h"
#include "views/models/run_place.h"
#include "views/models/value_text.h"

namespace rx::views {
namespace {

QString text(const char* source) { return QCoreApplication::translate("RunNotes", source); }

QString shapeText(const ValueSummary& value) {
  return value.shape.isEmpty() ? value.text : value.shape + QLatin1Char(' ') + shortDtype(value.dtype);
}

void addNote(std::map<uint32_t, LineNote>& notes, int line, std::vector<NotePiece> pieces, const QString& tip) {
  if (line < 1) return;
  LineNote& note = notes[static_cast<uint32_t>(line - 1)];
  note.line = static_cast<uint32_t>(line - 1);
  note.pieces.insert(note.pieces.end(), pieces.begin(), pieces.end());
  note.tip += note.tip.isEmpty() ? tip : QLatin1Char('\n') + tip;
}

void addSymbols(std::map<uint32_t, LineNote>& notes, const FunctionRow& function, const DebugSession& debug) {
  for (const auto& [name, value] : debug.symbols(function.name)) {
    const auto row = std::find_if(function.symbols.begin(), function.symbols.end(),
                                  [&, n = name](const SymbolRow& symbol) { return symbol.name == n; });
    // Slots of computed expressions stand in the shape heap; here only what the text binds has a chip.
    if (row == function.symbols.end()) continue;
    const QString chip = QStringLiteral("%1 = %2").arg(name, grouped(value));
    std::vector<NotePiece> pieces{{chip, NoteRole::Chip}};
    const QString boundBy = row->boundBy.isEmpty() ? QString() : text("bound by %1").arg(row->boundBy);
    if (!boundBy.isEmpty()) pieces.push_back({boundBy, NoteRole::Grey, {}, true});
    if (!debug.pastOf().isEmpty()) pieces = asPast(std::move(pieces));
    addNote(notes, std::max(row->line, function.headLine), std::move(pieces), chip + ' ' + boundBy);
  }
}

/// By ordinal, whether what a binding gives stands in another line: of a buffer at the call that writes it, of a call
/// that writes several buffers at each of these.
std::vector<bool> notedElsewhere(const FunctionRow& function) {
  std::vector<bool> elsewhere(function.bindings.size());
  for (const BindingRow& call : function.bindings) {
    if (call.role != FlowRole::Computes || call.writes.empty()) continue;
    const auto isBuffer = [&](int written) {
      return function.bindings[static_cast<size_t>(written)].role == FlowRole::Buffer;
    };
    if (!std::all_of(call.writes.begin(), call.writes.end(), isBuffer)) continue;
    const int apart = call.writes.size() == 1 ? call.writes.front() : call.ordinal;
    elsewhere[static_cast<size_t>(apart)] = true;
  }
  return elsewhere;
}

}  // namespace

std::vector<NotePiece> asPast(std::vector<NotePiece> pieces) {
  for (NotePiece& piece : pieces) piece.role = NoteRole::Stale;
  pieces.insert(pieces.begin(), {text("was"), NoteRole::Stale, {}, true});
  return pieces;
}

std::vector<NotePiece> valuePieces(const ValueSummary& value) {
  if (!value.isTensor) return {{value.text, NoteRole::Grey}};
  const NotePiece shape{shapeText(value), NoteRole::Grey, value.shape, true};
  std::vector<NotePiece> pieces;
  if (value.bad()) {
    // What is wrong comes first: the end of a line may be out of sight.
    pieces.push_back({badText(value), NoteRole::Error});
    QString rest = text("of %1").arg(grouped(value.count));
    if (!value.firstBad.empty()) rest += text(" · first at %1").arg(indexText(value.firstBad));
    // The shape says it again.
    pieces.push_back({rest, NoteRole::Grey, text("of %1").arg(grouped(value.count)), true});
    pieces.push_back(shape);
  } else if (value.finite > 0) {
    pieces.push_back(shape);
    const auto range = [&](int digits) {
      return value.count == 1 ? shortNumber(value.min, digits)
                              : shortNumber(value.min, digits) + QStringLiteral(" … ") + shortNumber(value.max, digits);
    };
    pieces.push_back({range(6), NoteRole::Grey, range(3)});
  } else {
    pieces.push_back(shape);
    if (value.unwritten) pieces.push_back({unwrittenText(), NoteRole::Grey});
  }
  return pieces;
}

QString valueTip(const ValueSummary& value) {
  QStringList lines{value.variable.isEmpty() ? value.text : value.variable + QStringLiteral(": ") + value.text};
  if (value.isTensor && value.finite > 0) {
    lines +=
        text("min %1, max %2, mean %3").arg(shortNumber(value.min), shortNumber(value.max), shortNumber(value.mean));
    lines += text("%1 elements, %2").arg(grouped(value.count), bytesText(value.bytes));
  }
  if (value.bad()) lines += badText(value) + text(" · first at %1").arg(indexText(value.firstBad));
  if (value.step >= 0) lines += text("written by step %1").arg(value.step);
  return lines.join(QLatin1Char('\n'));
}

LineNotes runNotes(const StageIndexPtr& stage, const DebugSession& debug) {
  if (!debug.hasTrace() || debug.config().stage != stage->stage) return {};
  struct Noted {
    uint32_t line;
    const FunctionRow* function;
    const BindingRow* binding;
  };
  auto symbols = std::make_shared<std::map<uint32_t, LineNote>>();
  auto rows = std::make_shared<std::vector<Noted>>();
  for (const FunctionRow& function : stage->functions) {
    if (!function.binds()) continue;
    addSymbols(*symbols, function, debug);
    const std::vector<bool> elsewhere = notedElsewhere(function);
    for (const BindingRow& binding : function.bindings) {
      if (binding.line < 1 || debug.valueState(function.name, binding.ordinal) == ValueState::None) continue;
      if (elsewhere[static_cast<size_t>(binding.ordinal)]) continue;
      rows->push_back({static_cast<uint32_t>(binding.line - 1), &function, &binding});
    }
  }
  const auto above = [](const Noted& a, const Noted& b) { return a.line < b.line; };
  if (!std::is_sorted(rows->begin(), rows->end(), above)) std::sort(rows->begin(), rows->end(), above);
  std::vector<uint32_t> ofRows, ofSymbols, lines;
  for (const Noted& row : *rows) ofRows.push_back(row.line);
  for (const auto& [line, note] : *symbols) ofSymbols.push_back(line);
  std::merge(ofRows.begin(), ofRows.end(), ofSymbols.begin(), ofSymbols.end(), std::back_inserter(lines));
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return {
      std::move(lines), [stage, symbols, rows, above, session = &debug](uint32_t line) {
        std::map<uint32_t, LineNote> notes;
        if (const auto found = symbols->find(line); found != symbols->end()) notes.insert(*found);
        const auto [first, last] = std::equal_range(rows->begin(), rows->end(), Noted{line, nullptr, nullptr}, above);
        for (auto row = first; row != last; ++row) {
          const ValueSummary value = session->valueOf(row->function->name, row->binding->ordinal);
          if (!value.known) continue;
          std::vector<NotePiece> pieces = valuePieces(value);
          QString tip = valueTip(value);
          if (const QString past = session->pastOf(); !past.isEmpty()) {
            pieces = asPast(std::move(pieces));
            tip += QLatin1Char('\n') + text("of %1").arg(past);
          }
          addNote(notes, row->binding->line, std::move(pieces), tip);
        }
        LineNote& note = notes[line];
        note.line = line;
        return note;
      }};
}

LineNotes writtenNotes(const StageIndexPtr& stage) {
  struct Written {
    uint32_t line;
    const FunctionRow* function;
    const BindingRow* binding;
  };
  const auto storageOf = [](const FunctionRow& function, int written) {
    return function.binding(function.bindings[static_cast<size_t>(written)].storage);
  };
  // Texts are made for the lines in sight: a stage can have a hundred thousand.
  auto rows = std::make_shared<std::vector<Written>>();
  for (const FunctionRow& function : stage->functions)
    for (const BindingRow& binding : function.bindings)
      if (binding.line >= 1 && std::any_of(binding.writes.begin(), binding.writes.end(),
                                           [&](int written) { return storageOf(function, written) != nullptr; }))
        rows->push_back({static_cast<uint32_t>(binding.line - 1), &function, &binding});
  const auto above = [](const Written& a, const Written& b) { return a.line < b.line; };
  if (!std::is_sorted(rows->begin(), rows->end(), above)) std::sort(rows->begin(), rows->end(), above);
  std::vector<uint32_t> lines;
  for (const Written& row : *rows)
    if (lines.empty() || lines.back() != row.line) lines.push_back(row.line);
  return {
      std::move(lines), [stage, rows, above, storageOf](uint32_t line) {
        std::map<uint32_t, LineNote> notes;
        const auto [first, last] = std::equal_range(rows->begin(), rows->end(), Written{line, nullptr, nullptr}, above);
        for (auto row = first; row != last; ++row) {
          QStringList storages;
          for (const int written : row->binding->writes)
            if (const BindingRow* storage = storageOf(*row->function, written)) storages += storage->name;
          const QString words = text("writes %1").arg(storages.join(QStringLiteral(", ")));
          const QString brief = storages.size() > 1 ? storages[0] + QStringLiteral(", …") : storages[0];
          addNote(notes, row->binding->line, {{words, NoteRole::Grey, brief}}, words);
        }
        return notes[line];
      }};
}

LineNotes withDifferences(LineNotes notes, const StageIndex& stage, const std::vector<ProblemRow>& problems) {
  static constexpr NoteRole kRoles[] = {NoteRole::Error, NoteRole::Grey, NoteRole::Warning};  // by cause
  std::map<uint32_t, LineNote> found;
  for (const FunctionRow& function : stage.functions) {
    if (!function.binds()) continue;
    for (const auto& [variable, cause] : comparedIn(problems, function.name, stage.stage)) {
      const BindingRow* binding = function.bindingNamed(variable);
      if (!binding || binding->line < 1) continue;
      const QString words = causeText(cause);
      addNote(found, binding->line, {{words, kRoles[static_cast<size_t>(cause)]}}, words);
    }
  }
  if (found.empty()) return notes;
  std::vector<uint32_t> own, lines;
  for (const auto& [line, note] : found) own.push_back(line);
  std::merge(own.begin(), own.end(), notes.lines().begin(), notes.lines().end(), std::back_inserter(lines));
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  const auto before = std::make_shared<LineNotes>(std::move(notes));
  return {std::move(lines), [before, found = std::move(found)](uint32_t line) {
            const auto at = found.find(line);
            LineNote note = at == found.end() ? LineNote{line, {}, {}} : at->second;
            const LineNote* more = before->of(line);
            if (!more) return note;
            note.pieces.insert(note.pieces.end(), more->pieces.begin(), more->pieces.end());
            note.tip += (note.tip.isEmpty() ? QString() : QStringLiteral("\n")) + more->tip;
            return note;
          }};
}

std::vector<GutterMark> breakpointMarks(const StageIndex& stage, const DebugSession& debug) {
  std::vector<GutterMark> marks;
  for (const BreakpointRow& row : debug.breakpoints()) {
    if (row.stage != stage.stage || row.kind != BreakpointKind::Binding) continue;
    const FunctionRow* function = stage.function(row.function);
    const BindingRow* binding = function ? function->binding(row.binding) : nullptr;
    if (!binding || binding->line < 1) continue;
    const bool asked = debug.state() != RunState::Off;
    const bool rarely = !row.condition.isEmpty() || !row.hitCondition.isEmpty();
    const BreakpointState state = !row.enabled             ? BreakpointState::Disabled
                                  : asked && !row.verified ? BreakpointState::Unbound
                                  : rarely                 ? BreakpointState::Conditional
                                                           : BreakpointState::Enabled;
    marks.push_back({static_cast<uint32_t>(binding->line - 1), state, !row.logMessage.isEmpty()});
  }
  return marks;
}

std::optional<uint32_t> currentLine(const StageIndex& stage, const DebugSession& debug) {
  const bool stands = debug.hasTrace() || debug.state() == RunState::Stopped;
  if (!stands || debug.config().stage != stage.stage) return std::nullopt;
  const BindingRow* binding = nextBinding(stage, debug);
  const int line = binding ? binding->line : debug.stop().nextLine;
  if (line < 1) return std::nullopt;
  return static_cast<uint32_t>(line - 1);
}

}  // namespace rx::views
