#include "views/models/known_sizes.h"

#include <algorithm>

#include "core/expression/expression.h"
#include "views/models/debug_session.h"
#include "views/models/document.h"
#include "views/models/numbers.h"
#include "views/models/size_sum.h"

namespace rx::views {
namespace {

/// Names are symbols, and there is nothing else to read.
class Sizes : public debug::Environment {
 public:
  explicit Sizes(const SymbolSizes& sizes) : sizes_(sizes) {}
  Result<debug::Quantity> lookUp(std::string_view name) override {
    const auto found = sizes_.find(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
    return found == sizes_.end() ? nothing() : debug::Quantity(static_cast<int64_t>(found->second));
  }
  Result<debug::Quantity> member(debug::Handle, std::string_view) override { return nothing(); }
  Result<debug::Quantity> element(debug::Handle, const std::vector<int64_t>&) override { return nothing(); }
  Result<debug::Quantity> apply(std::string_view, debug::Handle) override { return nothing(); }

 private:
  static Result<debug::Quantity> nothing() { return fail("debug.unknown-name", "it has no size"); }
  const SymbolSizes& sizes_;
};

}  // namespace

std::optional<qint64> sizeWith(const QString& text, const SymbolSizes& sizes) {
  Sizes environment(sizes);
  const Result<debug::Quantity> value = debug::evaluate(text.toStdString(), environment);
  const int64_t* number = value ? std::get_if<int64_t>(&*value) : nullptr;
  return number && *number >= 0 ? std::optional<qint64>(*number) : std::nullopt;
}

std::optional<qint64> bytesWith(const QString& text, const SymbolSizes& sizes) {
  const QString unit = QStringLiteral(" B");
  return text.endsWith(unit) ? sizeWith(text.chopped(unit.size()), sizes) : std::nullopt;
}

QString bytesTextWith(const QString& text, const SymbolSizes& sizes) {
  const std::optional<qint64> bytes = bytesWith(text, sizes);
  return bytes ? bytesText(*bytes) : bytesSum({text}).value_or(text);
}

std::optional<qint64> bytesOf(const BindingRow& row, const SymbolSizes& sizes) {
  return row.byteCount >= 0 ? row.byteCount : bytesWith(row.bytes, sizes);
}

KnownSizes::KnownSizes(Document* document, DebugSession* debug, const FilesBeside* files, QObject* parent)
    : QObject(parent), debug_(debug), files_(files) {
  connect(document, &Document::opened, this, [this] { chosen_.clear(); });
  connect(files, &FilesBeside::changed, this, &KnownSizes::changed);
}

SymbolSizes KnownSizes::of(const FunctionRow& function) const {
  if (function.symbols.empty()) return {};
  SymbolSizes sizes = chosen_;
  sizes.merge(sizesGiven(*files_, function));
  if (!debug_->hasTrace()) return sizes;
  for (const auto& [name, value] : debug_->symbols(function.name)) {
    const auto named = [&, n = name](const SymbolRow& symbol) { return symbol.name == n; };
    if (std::any_of(function.symbols.begin(), function.symbols.end(), named)) sizes[name] = value;
  }
  return sizes;
}

void KnownSizes::choose(const QString& symbol, qint64 size) {
  chosen_[symbol] = size;
  Q_EMIT changed();
}

}  // namespace rx::views
