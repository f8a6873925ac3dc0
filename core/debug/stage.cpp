#include "core/debug/stage.h"

#include <algorithm>

#include "core/debug/stage_flow.h"
#include "core/debug/stage_lines.h"
#include "core/support/best_share.h"

namespace rx::debug {

namespace {

/// A sequence that is being numbered; sequences wait on a stack of ours, so nesting costs no native stack.
struct Open {
  const relax::SeqExpr* sequence;
  int parent;
  int number = -1;  ///< once its first binding is reached
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

void Stage::addFunction(Str name, const relax::FunctionRef& function) {
  StageFunction row{name, {}, {}};
  for (const relax::VarRef& param : function->params) row.params.push_back(param->name);
  linesOf(function->span, &row.file, &row.line, &row.lastLine);
  StageFlow flow;
  uint32_t blocks = 0;
  int sequences = 0;
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
    if (top.number < 0) top.number = sequences++;
    binding.sequence = top.number;
    linesOf(node->span, &binding.file, &binding.line, &binding.lastLine);
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
