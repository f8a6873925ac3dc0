#include "views/panels/pipeline/context_row.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/compile/request/passes.h"
#include "core/pass/context_pass.h"
#include "core/pass/literal.h"
#include "core/pass/options.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

bool isContext(const PipelineRows& rows) {
  return !rows.empty() && rows.front().on && rows.front().call.row->name == std::string_view(pass::kContextPass);
}

/// The options of the row; none where there is no row.
ir::Attrs optionsOf(const PipelineRows& rows) { return isContext(rows) ? rows.front().call.options : ir::Attrs(); }

/// With an option, or without it where the value is null.
PipelineRows withOption(PipelineRows rows, const char* option, const NodeRef& value) {
  ir::Attrs options = ir::withoutAttr(optionsOf(rows), option);
  if (value) options = ir::withAttr(options, option, value);
  if (isContext(rows)) rows.erase(rows.begin());
  if (options && options->size() > 0)
    rows.insert(rows.begin(), {{compile::passTable().find(pass::kContextPass), std::move(options)}, true});
  return rows;
}

QStringList namesIn(const PipelineRows& rows, const char* option) {
  QStringList names;
  const ir::Attrs options = optionsOf(rows);
  for (const std::string_view name : pass::textsOf(options, option)) names << qtText(name);
  return names;
}

}  // namespace

QString ContextSettings::valueOf(const QString& key) const {
  const auto at = std::find_if(config.begin(), config.end(), [&](const auto& each) { return each.first == key; });
  return at == config.end() ? QString() : at->second;
}

ContextSettings contextSettings(const PipelineRows& rows) {
  ContextSettings settings;
  if (!isContext(rows)) return settings;
  const ir::Attrs options = optionsOf(rows);
  settings.level = static_cast<int>(ir::intAttrOf(options, "opt_level", settings.level));
  settings.disabled = namesIn(rows, "disabled_pass");
  settings.required = namesIn(rows, "required_pass");
  const auto config = refAs<ir::DictAttrs>(ir::attrOf(options, "config"));
  for (size_t i = 0; config && i < config->size(); ++i)
    settings.config.emplace_back(qtText(config->keys[i].string()), qtText(pass::literalText(config->values[i])));
  pass::PassContext context;
  const Result<Unit> entered = pass::enter(rows.front().call, context);
  if (!entered) settings.problems = entered.diagnostics();
  const Result<Unit> known = entered ? pass::checkContext(compile::passTable(), context) : Result<Unit>(Unit{});
  if (!known) settings.problems = known.diagnostics();
  return settings;
}

PipelineRows withLevel(PipelineRows rows, int level) {
  const bool usual = level == ContextSettings().level;
  return withOption(std::move(rows), "opt_level", usual ? NodeRef() : ir::intAttr(level));
}

Result<PipelineRows> withKey(PipelineRows rows, const QString& key, const QString& value) {
  ir::Attrs config = ir::withoutAttr(refAs<ir::DictAttrs>(ir::attrOf(optionsOf(rows), "config")), key.toStdString());
  if (const std::string text = value.trimmed().toStdString(); !text.empty()) {
    size_t at = 0;
    RX_TRY(read, pass::readLiteral(text, at));
    if (at != text.size()) return fail("pass.syntax", fmt::format("'{}' stands behind the value", text.substr(at)));
    config = ir::withAttr(config, key.toStdString(), read);
  }
  return withOption(std::move(rows), "config", config && config->size() > 0 ? NodeRef(config) : NodeRef());
}

PipelineRows withName(PipelineRows rows, const QString& name, const char* option) {
  QStringList names = namesIn(rows, option);
  if (names.removeAll(name) == 0) names << name;
  std::vector<NodeRef> items;
  for (const QString& each : names) items.push_back(ir::strAttr(Str(each.toStdString())));
  return withOption(std::move(rows), option,
                    items.empty() ? NodeRef() : ir::arrayAttr(Array<NodeRef>(std::move(items))));
}

}  // namespace rx::views
