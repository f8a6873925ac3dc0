// The sizes that symbolic variables have: those of a run, else what somebody chose, else what the files beside the
// module give. With them bytes are known that depend on symbols.
#pragma once

#include <QObject>
#include <QString>
#include <map>
#include <optional>

#include "views/models/files_beside.h"

namespace rx::views {

class DebugSession;

/// The number of "n * 4"; none where a symbol has no size, or the text is not arithmetic of whole numbers.
std::optional<qint64> sizeWith(const QString& text, const SymbolSizes& sizes);
/// The number of "8 * (n * n) B", as BindingRow::bytes says it; none where a symbol has no size, or what the text says
/// is not arithmetic of whole numbers.
std::optional<qint64> bytesWith(const QString& text, const SymbolSizes& sizes);
/// The same as it is shown, "288 B"; the text itself where that is not known.
QString bytesTextWith(const QString& text, const SymbolSizes& sizes);

/// Of a buffer or a storage, whose text says it or whose number is known anyway.
std::optional<qint64> bytesOf(const BindingRow& row, const SymbolSizes& sizes);

class KnownSizes : public QObject {
  Q_OBJECT

 public:
  KnownSizes(Document* document, DebugSession* debug, const FilesBeside* files, QObject* parent = nullptr);
  SymbolSizes of(const FunctionRow& function) const;
  const FilesBeside& files() const { return *files_; }
  /// From now on, for the module that is open.
  void choose(const QString& symbol, qint64 size);

 Q_SIGNALS:
  /// Other files, or another choice; a run tells of its stops itself.
  void changed();

 private:
  DebugSession* debug_;
  const FilesBeside* files_;
  SymbolSizes chosen_;
};

}  // namespace rx::views
