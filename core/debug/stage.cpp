#include "core/debug/stage.h"

#include <algorithm>

#include "core/debug/stage_flow.h"
#include "core/support/best_share.h"

namespace rx::debug {

namespace {

/// A sequence that is being numbered; sequences wait on a stack of ours, so nesting costs no native stack.
struct Open {
  const relax::SeqExpr* sequence;
  int parent;
  size_t block = 0;
  size_t binding = 0;
};

const relax::ExprNode* valueOf(const relax::BindingNode* binding) {
  if (const auto* plain = as<relax::VarBinding>(binding)) return plain->value.get();
  if (const auto* cast = as<relax::MatchCast>(binding)) return cast->value.get();
  return nullptr;
}

/// The sequences inside a value, last first, as a stack wants them.
std::vector<const relax::SeqExpr*> inside(const relax::ExprNode* value) {
  if (const auto* branch = as<relax::If>(value)) return {branch->falseBranch.get(), branch->trueBranch.get()};
  if (const auto* function = as<relax::Function>(value)) return {function->body.get()};
  if (const auto* sequence = as<relax::SeqExpr>(value)) return {sequence};
  return {};
}

}  // namespace

size_t Stage::SiteHash::operator()(const OriginSite& site) const {
  size_t hash = std::hash<Str>()(site.function);
  return (hash * 1000003 + site.block) * 1000003 + site.binding;
}

Stage::Stage(std::string title, const ir::Module& module, std::string hash)
    : title_(std::move(title)), hash_(std::move(hash)), module_(module) {
  for (const Ref<SourceFile>& source : *module->sources) files_.push_back(source->name());
  for (size_t i = 0; i < module->size(); ++i)
    if (auto function = refAs<relax::Function>(module->functions[i])) addFunction(module->vars[i]->name, function);
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

void Stage::addFunction(Str name, const relax::FunctionRef& function) {
  StageFunction row{name, {}, {}};
  for (const relax::VarRef& param : function->params) row.params.push_back(param->name);
  StageFlow flow;
  uint32_t blocks = 0;
  std::vector<Open> open{{function->body.get(), -1}};
  std::vector<uint32_t> blockNumber{0};  // of each open sequence's current block
  while (!open.empty()) {
    Open& top = open.back();
    if (top.block == top.sequence->blocks.size()) {
      open.pop_back();
      blockNumber.pop_back();
      continue;
    }
    const relax::BlockRef& block = top.sequence->blocks[top.block];
    if (top.binding == 0) blockNumber.back() = blocks++;
    if (top.binding == block->bindings.size()) {
      ++top.block;
      top.binding = 0;
      continue;
    }
    uint32_t inBlock = static_cast<uint32_t>(top.binding);
    const relax::BindingNode* node = block->bindings[top.binding++].get();
    StageBinding binding;
    binding.ordinal = static_cast<int>(row.bindings.size());
    binding.parent = top.parent;
    binding.variable = node->var->name;
    if (node->span.known() && node->span.file < module_->sources->size()) {
      const SourceFile& source = *(*module_->sources)[node->span.file];
      binding.file = node->span.file;
      binding.line = source.lineColumn(node->span.begin).line;
      binding.lastLine = source.lineColumn(std::max(node->span.begin, node->span.end ? node->span.end - 1 : 0)).line;
    }
    binding.sites = node->origin && !node->origin->sites.empty()
                        ? node->origin->sites
                        : Array<OriginSite>{{name, blockNumber.back(), inBlock, node->var->name, node->span}};
    if (node->origin) binding.pass = node->origin->pass;
    flow.describe(*node, row.bindings, &binding);
    row.bindings.push_back(std::move(binding));
    int ordinal = row.bindings.back().ordinal;
    for (const relax::SeqExpr* sequence : inside(valueOf(node))) {
      open.push_back({sequence, ordinal});
      blockNumber.push_back(0);
    }
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

StagePlace Stage::placeAtLine(uint32_t file, uint32_t line) const {
  StagePlace inner, after;
  uint32_t afterLine = 0;
  for (size_t f = 0; f < functions_.size(); ++f) {
    for (const StageBinding& row : functions_[f].bindings) {
      if (row.file != file || row.line == 0) continue;
      StagePlace place{static_cast<int>(f), row.ordinal};
      if (row.line <= line && line <= row.lastLine) inner = place;  // a later one that covers the line is nested deeper
      if (row.line > line && (!after.known() || row.line < afterLine)) {
        after = place;
        afterLine = row.line;
      }
    }
  }
  return inner.known() ? inner : after;
}

}  // namespace rx::debug
