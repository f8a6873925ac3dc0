#include "views/panels/pipeline/pipeline_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compile/request/passes.h"
#include "core/pass/literal.h"
#include "core/pass/only.h"
#include "core/pass/options.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

const QString kOff = QStringLiteral("# off: ");

/// The attributes without one of them.
ir::Attrs without(const ir::Attrs& attrs, std::string_view name) {
  ir::Attrs kept;
  for (size_t i = 0; attrs && i < attrs->size(); ++i) {
    if (attrs->keys[i].view() != name) kept = ir::withAttr(kept, attrs->keys[i].view(), attrs->values[i]);
  }
  return kept;
}

Result<NodeRef> readValue(const pass::OptionSpec& spec, const std::string& text) {
  if (spec.kind == pass::OptionKind::Text && text != "None") return NodeRef(ir::strAttr(text));
  size_t at = 0;
  RX_TRY(value, pass::readLiteral(text, at));
  if (text.find_first_not_of(" \t", at) != std::string::npos)
    return fail("pass.syntax", fmt::format("'{}' stands behind the value", text.substr(at)));
  const char* form = pass::misfit(spec.kind, value);
  if (form && !isa<ir::NullAttr>(value)) return fail("pass.option-kind", fmt::format("{} takes {}", spec.name, form));
  return value;
}

}  // namespace

QString PipelineRow::name() const { return QString::fromUtf8(call.row->name); }

QString PipelineRow::options() const {
  const QString text = qtText(call.text());
  return text.mid(name().size() + 1).chopped(1);
}

Result<PipelineRows> rowsOf(const QString& calls, const QString& language) {
  RX_TRY(read, pass::parsePipeline(compile::passTable(), calls.toStdString(), language.toStdString()));
  PipelineRows rows;
  for (pass::PassCall& call : read) rows.push_back({std::move(call), true});
  return rows;
}

QString languageAt(const PipelineRows& rows, int row, const QString& language) {
  std::vector<pass::PassCall> calls;
  for (int i = 0; i < row && i < static_cast<int>(rows.size()); ++i)
    if (const PipelineRow& one = rows[static_cast<size_t>(i)]; one.on) calls.push_back(one.call);
  const std::string begun = language.toStdString();
  return qtText(compile::languageBehind(calls, begun));
}

PipelineRows pipelineRows(const QString& text, const QString& language) {
  Result<std::vector<pass::PassCall>> before = compile::stepsBefore(language.toStdString(), text.toStdString());
  if (!before) return {};
  PipelineRows rows;
  for (pass::PassCall& call : *before) rows.push_back({std::move(call), true});
  QString on;
  const auto take = [&](const QString& calls, bool isOn) {
    const Result<PipelineRows> read = rowsOf(calls, languageAt(rows, static_cast<int>(rows.size()), language));
    if (!read) return false;
    for (const PipelineRow& row : *read) rows.push_back({row.call, isOn});
    return true;
  };
  for (const QString& line : text.split('\n')) {
    if (!line.startsWith(kOff)) {
      on += line + '\n';
      continue;
    }
    if (!take(on, true) || !take(line.mid(kOff.size()), false)) return {};
    on.clear();
  }
  return take(on, true) ? rows : PipelineRows();
}

QString pipelineText(const PipelineRows& rows) {
  QStringList lines;
  for (const PipelineRow& row : rows)
    lines << (row.on ? qtText(row.call.text()) + ',' : kOff + qtText(row.call.text()));
  return lines.join('\n');
}

Result<PipelineRow> withOption(const PipelineRow& row, const QString& option, const QString& value) {
  const std::string name = option.toStdString();
  const pass::OptionSpec* spec = pass::optionOf(*row.call.row, name);
  if (!spec) return fail("pass.unknown-option", fmt::format("{} has no option '{}'", row.call.row->name, name));
  PipelineRow made = row;
  made.call.options = without(row.call.options, name);
  if (value.trimmed().isEmpty()) return made;
  RX_TRY(read, readValue(*spec, value.toStdString()));
  made.call.options = ir::withAttr(made.call.options, name, read);
  return made;
}

QString optionValue(const PipelineRow& row, const pass::OptionSpec& option) {
  const NodeRef value = ir::attrOf(row.call.options, option.name);
  if (!value) return {};
  const auto* text = as<ir::StrAttr>(value);
  return option.kind == pass::OptionKind::Text && text ? qtText(text->value.string())
                                                       : qtText(pass::literalText(value));
}

std::vector<PassName> passNames() {
  std::vector<PassName> names;
  for (const pass::PassRow& row : compile::passTable().rows())
    names.push_back({QString::fromUtf8(row.name), QString::fromUtf8(row.help), *row.expandsTo != 0});
  return names;
}

}  // namespace rx::views
