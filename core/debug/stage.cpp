#include "core/debug/stage.h"

#include <algorithm>

#include "core/debug/stage_flow.h"
#include "core/debug/stage_lines.h"
#include "core/ir/language.h"
#include "core/support/best_share.h"

namespace rx::debug {

size_t Stage::SiteHash::operator()(const OriginSite& site) const {
  size_t hash = std::hash<Str>()(site.function);
  return (hash * 1000003 + site.block) * 1000003 + site.binding;
}

Stage::Stage(std::string title, const ir::Module& module, std::string hash)
    : title_(std::move(title)), hash_(std::move(hash)), module_(module) {
  for (const Ref<SourceFile>& source : *module->sources) files_.push_back(source->name());
  const std::vector<ir::TextFunction> functions = ir::textFunctions(*module);
  for (size_t i = 0; i < module->size(); ++i)
    if (ir::languageOf(*module->functions[i]).bindings) addFunction(i, functions[i]);
  for (StageFunction& function : functions_) function.lastLine = lastLineOf(function, functions_, *module->sources);
  index();
}

Stage::Stage(std::string title, std::vector<StageFunction> functions, std::vector<std::string> files, std::string hash)
    : title_(std::move(title)), hash_(std::move(hash)), files_(std::move(files)), functions_(std::move(functions)) {
  index();
}

void Stage::index() {
  for (size_t f = 0; f < functions_.size(); ++f)
    for (const StageBinding& binding : functions_[f].bindings)
      for (const OriginSite& site : binding.sites) bySite_[site].push_back({static_cast<int>(f), binding.ordinal});
}

void Stage::linesOf(const Span& span, uint32_t* file, uint32_t* first, uint32_t* last) const {
  if (!span.known() || span.file >= module_->sources->size()) return;
  const SourceFile& source = *(*module_->sources)[span.file];
  *file = span.file;
  *first = source.lineColumn(span.begin).line;
  *last = source.lineColumn(std::max(span.begin, span.end ? span.end - 1 : 0)).line;
}

void Stage::addFunction(size_t number, const ir::TextFunction& function) {
  const ir::BaseFunc& whole = module_->functions[number];
  StageFunction row{module_->vars[number]->name, {}, {}};
  for (const ir::TextFunction::Param& param : function.params) row.params.push_back(param.name);
  linesOf(whole->span, &row.file, &row.line, &row.lastLine);
  const ir::Language& language = ir::languageOf(*whole);
  StageFlow flow;
  for (const ir::TextBinding& written : function.bindings) {
    StageBinding binding;
    binding.ordinal = static_cast<int>(row.bindings.size());
    binding.parent = written.parent;
    binding.variable = written.name;
    binding.sequence = written.sequence;
    linesOf(written.span, &binding.file, &binding.line, &binding.lastLine);
    binding.sites = written.sites;
    binding.pass = written.pass;
    if (const auto* node = as<relax::BindingNode>(written.node)) {
      flow.describe(*node, row.bindings, &binding);
    } else {
      binding.works = language.value(*written.value).form != ir::TextValue::Form::Arranges;
    }
    row.bindings.push_back(std::move(binding));
  }
  functions_.push_back(std::move(row));
}

int Stage::functionIndex(std::string_view name) const {
  for (size_t i = 0; i < functions_.size(); ++i)
    if (functions_[i].name == name) return static_cast<int>(i);
  return -1;
}

const StageBinding* Stage::binding(StagePlace place) const {
  if (place.function < 0 || place.function >= static_cast<int>(functions_.size())) return nullptr;
  const auto& bindings = functions_[place.function].bindings;
  return place.ordinal < 0 || place.ordinal >= static_cast<int>(bindings.size()) ? nullptr : &bindings[place.ordinal];
}

const std::vector<StagePlace>& Stage::placesOf(const OriginSite& site) const {
  static const std::vector<StagePlace> none;
  auto it = bySite_.find(site);
  return it == bySite_.end() ? none : it->second;
}

StagePlace Stage::bestPlace(const Array<OriginSite>& sites, std::string_view function,
                            std::string_view variable) const {
  std::vector<StagePlace> candidates;
  for (const OriginSite& site : sites) {
    const auto& places = placesOf(site);
    candidates.insert(candidates.end(), places.begin(), places.end());
  }
  return bestShare(std::move(candidates), sites.size(), [&](StagePlace place) {
    const StageBinding& row = *binding(place);
    return ShareScore{row.sites.size(), functions_[static_cast<size_t>(place.function)].name == function,
                      row.variable == variable, row.works};
  });
}

LinePlace Stage::placeAtLine(uint32_t file, uint32_t line) const {
  const bool known = module_ && file < module_->sources->size();
  const std::string_view text = known ? (*module_->sources)[file]->text() : std::string_view();
  for (size_t f = 0; f < functions_.size(); ++f) {
    const LinePlace place = placeAt(functions_[f], static_cast<int>(f), file, line, text);
    if (place.binding.known() || place.returnOf >= 0) return place;
  }
  return {};
}

}  // namespace rx::debug
