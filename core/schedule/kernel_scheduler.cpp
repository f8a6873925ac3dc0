#include "core/schedule/kernel_scheduler.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/arith/fold.h"
#include "core/ir/all_nodes.h"
#include "core/ir/reflect.h"
#include "core/lower/new_buffer.h"
#include "core/lower/own_code.h"
#include "core/lower/rewriter.h"
#include "core/lower/scope.h"
#include "core/lower/statements.h"
#include "core/schedule/block_facts.h"
#include "core/schedule/group_axes.h"
#include "core/schedule/nest_parts.h"
#include "core/schedule/new_buffers.h"
#include "core/schedule/packed_weight.h"
#include "core/schedule/pieces.h"
#include "core/schedule/row_division.h"
#include "core/schedule/size_forms.h"
#include "core/schedule/thread_grain.h"
#include "core/schedule/vector_math.h"

namespace rx::schedule {

using namespace tir;

namespace {

/// The attribute that lists, by their numbers, the parameters that are weights (AttachAttrLayoutFreeBuffers).
constexpr std::string_view kFreeLayouts = "layout_free_buffers";
/// Elements of a tile of rows that one stage hands to the next: a part of what a core's own cache holds. And most rows.
constexpr int64_t kElementsOfTile = int64_t{1} << 15, kMostRows = 128;
/// Sizes that have forms of their own for some numbers.
constexpr size_t kMostSizes = 2;
/// Most rows of a tile where a run alone knows how many there are, and of those that what is left goes in.
constexpr int64_t kRowsOfAny = 32, kRowsLeft = 8;

bool reads(const Stmt& statement, const Buffer& buffer) {
  bool found = false;
  walk(*statement, Into::Parts, [&](const Node& node) {
    const auto* load = as<BufferLoad>(&node);
    found = found || (load && load->buffer.get() == &buffer);
    return !found && !isa<Buffer>(&node);
  });
  return found;
}

/// The stage behind one of a row that alone reads what it makes, where nobody else does; null where there is none.
const Stage* nextAlone(const RowGroup& group, size_t stage) {
  const BufferRef& buffer = group.stages[stage].buffer;
  const bool own = std::find(group.own.begin(), group.own.end(), buffer) != group.own.end();
  const std::span<const Stage> behind = std::span(group.stages).subspan(stage + 1);
  const auto readsIt = [&](const Stage& other) {
    return reads(storeTo(other.buffer, other.indices, other.value), *buffer);
  };
  if (!own || behind.empty() || std::any_of(behind.begin() + 1, behind.end(), readsIt)) return nullptr;
  return &behind.front();
}

/// The name of the first block of a statement.
std::string_view blockName(const Stmt& statement) {
  const auto blocks = blocksBelow(statement);
  return blocks.empty() ? std::string_view("a statement") : blocks.front()->block->name.view();
}

/// What a rule made, out of its block.
const Stmt& bodyOf(const Stmt& made) {
  const auto* realize = as<BlockRealize>(made);
  return realize ? realize->block->body : made;
}

}  // namespace

KernelScheduler::KernelScheduler(const PrimFuncRef& function, std::span<const HostRuleRow* const> rules,
                                 VectorShape vectors)
    : function_(function),
      root_(cast<BlockRealize>(function->body)),
      rules_(rules),
      vectors_(vectors),
      inStages_(BlockScope(*root_->block).whyNoPipeline().empty()),
      own_(root_->block->allocBuffers.vector()) {
  for (const Stmt& statement : statementsOf(root_->block->body)) {
    std::vector<Stage> stages = stagesOf(statement);
    if (stages.empty()) parts_.push_back({statement, std::nullopt});
    for (Stage& stage : stages) {
      // Sums of products with lanes of their own are quicker than those of one group after the other.
      stage = withGroupsApart(stage, vectors_.lanes(stage.buffer->dtype));
      const Stmt alone = stages.size() == 1 ? statement : inBlock(stage.name, plainNest(stage));
      parts_.push_back({alone, std::move(stage)});
    }
  }
  if (inStages_ && !vectors_.inOrder) leaveZerosOut();
}

void KernelScheduler::leaveZerosOut() {
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!parts_[i].stage || !parts_[i].stage->reduces()) continue;
    const auto readers = [&](const BufferRef& buffer) -> std::optional<std::vector<size_t>> {
      if (!isOwn(buffer)) return std::nullopt;
      std::vector<size_t> found;
      for (size_t other = 0; other < parts_.size(); ++other)
        if (other != i || buffer != parts_[i].stage->buffer)
          if (reads(parts_[other].statement, *buffer)) found.push_back(other);
      return found;
    };
    WithoutZeros made = withoutZeros(stagesFrom(0, std::vector<bool>(parts_.size())), i, readers);
    if (!made.why.empty()) note(parts_[i].statement, made.why);
    if (made.stages.empty()) continue;
    made_.push_back(fmt::format("{}: without the zeros between steps", parts_[i].stage->name.view()));
    own_.insert(own_.end(), made.own.begin(), made.own.end());
    gone_.insert(gone_.end(), made.gone.begin(), made.gone.end());
    i = replaceParts(std::move(made));
  }
}

size_t KernelScheduler::replaceParts(WithoutZeros by) {
  // Where the last of them stood: what that reads beside them is there by then.
  const size_t last = *std::max_element(by.replaced.begin(), by.replaced.end());
  std::vector<Part> before = std::move(parts_);
  parts_.clear();
  size_t end = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    if (std::find(by.replaced.begin(), by.replaced.end(), i) == by.replaced.end())
      parts_.push_back(std::move(before[i]));
    if (i != last) continue;
    if (by.layout) by.stages.insert(by.stages.begin(), *by.layout);
    for (Stage& stage : by.stages) parts_.push_back({inBlock(stage.name, plainNest(stage)), std::move(stage)});
    end = parts_.size();
  }
  if (!by.layout) return end - 1;
  const size_t layout = end - by.stages.size();
  if (weightsOf(layout).empty()) return end - 1;
  weights_.push_back({by.layout->buffer, asWeightCopy(parts_[layout].statement)});
  std::erase(own_, by.layout->buffer);
  parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(layout));
  return end - 2;
}

KernelScheduler::KernelScheduler(const KernelScheduler& any, const VarRef& size, int64_t number)
    : function_(any.function_), root_(any.root_), rules_(any.rules_), vectors_(any.vectors_), inStages_(any.inStages_) {
  const arith::VarMap sizes{{size.get(), arith::constantInt(size->dtype, number)}};
  for (const Part& part : any.parts_) {
    if (part.stage) {
      parts_.push_back({nullptr, atSize(*part.stage, size, number)});
    } else {
      parts_.push_back({atSize(part.statement, size, number), std::nullopt});
    }
  }
  // What parts hand on has a known size then, too, and needs no memory of the host.
  for (const BufferRef& buffer : any.own_) {
    std::vector<PrimExpr> shape;
    for (const PrimExpr& extent : buffer->shape) shape.push_back(arith::substitute(extent, sizes));
    const BufferRef known = lower::newBuffer(buffer->name, buffer->dtype, Array<PrimExpr>(std::move(shape)));
    own_.push_back(known);
    const auto element = [&](const BufferLoad& load) { return elementOf(known, load.indices.vector()); };
    for (Part& part : parts_) {
      if (!part.stage) {
        part.statement = withBuffer(part.statement, buffer, known);
        continue;
      }
      part.stage->value = withLoads(part.stage->value, *buffer, element);
      if (part.stage->buffer == buffer) part.stage->buffer = known;
    }
  }
  for (Part& part : parts_)
    if (part.stage) part.statement = inBlock(part.stage->name, plainNest(*part.stage));
}

std::vector<Stage> KernelScheduler::allStages() const {
  std::vector<Stage> stages;
  for (const Part& part : parts_) {
    std::vector<Stage> some = part.stage ? std::vector<Stage>{*part.stage} : coupledStagesOf(part.statement);
    if (some.empty()) return {};
    std::move(some.begin(), some.end(), std::back_inserter(stages));
  }
  return stages;
}

std::vector<VarRef> KernelScheduler::sizes(std::span<const Stage> stages) {
  std::vector<VarRef> found;
  for (const Stage& stage : stages) {
    for (const StageAxis& axis : stage.axes) {
      for (const VarRef& size : arith::freeVars(axis.extent))
        if (std::find(found.begin(), found.end(), size) == found.end()) found.push_back(size);
    }
  }
  return found;
}

PrimFuncRef KernelScheduler::run() {
  const Stmt made = scheduled();
  return some_ ? withStatement(withForms(made)) : nullptr;
}

Stmt KernelScheduler::scheduled() {
  std::vector<Stmt> made = partByPart();
  std::erase_if(made, [](const Stmt& statement) { return !statement; });
  for (Stmt& statement : made) {
    Stmt plain = withVectorMath(statement, vectors_.fused);
    some_ = some_ || plain != statement;
    statement = std::move(plain);
  }
  return seq(made);
}

Stmt KernelScheduler::withForms(Stmt any) {
  // A weight is laid out in one way, for all sizes.
  if (!weights_.empty()) return any;
  const std::vector<Stage> stages = allStages();
  const std::vector<VarRef> unknown = sizes(stages);
  struct Form {
    PrimExpr is;
    Stmt made;
  };
  std::vector<Form> forms;
  for (size_t i = 0; i < std::min(unknown.size(), kMostSizes); ++i) {
    std::vector<int64_t> numbers = numbersWithForms(stages, unknown[i], vectors_);
    std::reverse(numbers.begin(), numbers.end());
    for (const int64_t number : numbers) {
      KernelScheduler form(*this, unknown[i], number);
      // Where no rule takes any of it, it is as a kernel of that size would be left.
      const Stmt made = form.scheduled();
      if (!form.weights_.empty()) continue;
      for (const std::string_view rule : form.used_) use(rule);
      const PrimExpr is = arith::eq(unknown[i], arith::constantInt(unknown[i]->dtype, number));
      forms.push_back({is, form.apart(made)});
    }
  }
  if (forms.empty()) return any;
  any = apart(any);
  own_.clear();
  for (const Form& form : forms) any = make<IfThenElse>(form.is, form.made, any);
  return any;
}

Stmt KernelScheduler::apart(const Stmt& made) const {
  const Ref<BlockRealize> all = cast<BlockRealize>(inBlock(root_->block->name, made));
  const std::vector<BufferRef> own = left();
  const auto others = [&](const Array<Ref<BufferRegion>>& regions) {
    std::vector<Ref<BufferRegion>> kept;
    for (const Ref<BufferRegion>& region : regions)
      if (std::find(own.begin(), own.end(), region->buffer) == own.end()) kept.push_back(region);
    return Array<Ref<BufferRegion>>(std::move(kept));
  };
  auto* block = new tir::Block(*all->block);
  const Ref<tir::Block> holding(block);
  block->reads = others(block->reads);
  block->writes = others(block->writes);
  block->allocBuffers = Array<BufferRef>(own);
  const PrimExpr one = intImm(1, DataType::Int(32));
  return make<AttrStmt>(one, Str(lower::kOwnCode), one, make<BlockRealize>(Array<PrimExpr>(), boolImm(true), holding));
}

std::vector<BufferRef> KernelScheduler::left() const {
  std::vector<BufferRef> left = own_;
  std::erase_if(left,
                [&](const BufferRef& buffer) { return std::find(gone_.begin(), gone_.end(), buffer) != gone_.end(); });
  return left;
}

std::vector<Stmt> KernelScheduler::partByPart() {
  std::vector<Stmt> made(parts_.size());
  std::vector<bool> folded(parts_.size());
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (folded[i]) continue;
    size_t count = 0;
    if (Stmt tiles = inTiles(i, folded, count)) {
      i += count - 1;
      made[i] = std::move(tiles);
      some_ = true;
      continue;
    }
    if (const auto group = groupAt(i, folded)) {
      if (Stmt rows = inRows(*group)) {
        gone_.insert(gone_.end(), group->replaced.begin(), group->replaced.end());
        i += group->stages.size() - 1;
        made[i] = std::move(rows);
        some_ = true;
        continue;
      }
    }
    const Part& part = parts_[i];
    if (part.stage && part.stage->axes.empty() && !part.stage->reduces()) {
      made[i] = inBlock(part.stage->name, storeTo(part.stage->buffer, part.stage->indices, part.stage->value));
      continue;
    }
    const auto reader = onlyReader(i);
    const std::vector<BufferRef> weights = weightsOf(i);
    const StageOutcome outcome =
        part.stage ? byRules({*part.stage, reader ? &*parts_[*reader].stage : nullptr, vectors_, true, weights})
                   : byRules(part.statement);
    if (!outcome.made && !outcome.why.empty()) note(part.statement, outcome.why);
    some_ = some_ || outcome.made;
    if (outcome.made) made_.push_back(fmt::format("{}: {}", nameOf(part), outcome.rule));
    if (outcome.weight) weights_.push_back(*outcome.weight);
    // Both run where the reader stands: what it reads beside this one is there by then.
    if (outcome.tookBehind) {
      folded[*reader] = true;
      gone_.push_back(part.stage->buffer);
    }
    made[outcome.tookBehind ? *reader : i] = outcome.made ? outcome.made : part.statement;
  }
  return made;
}

void KernelScheduler::use(std::string_view rule) {
  if (std::find(used_.begin(), used_.end(), rule) == used_.end()) used_.push_back(rule);
}

StageOutcome KernelScheduler::byRules(const StageInput& input) {
  std::string why;
  for (const HostRuleRow* rule : rules_) {
    if (!rule->apply) continue;
    StageOutcome outcome = rule->apply(input);
    if (outcome.made) {
      outcome.rule = rule->name;
      use(rule->name);
      return outcome.onlyIf ? withOthers(input, *rule, std::move(outcome)) : outcome;
    }
    if (rules_.size() == 1) return outcome;  // which needs no name
    why += fmt::format("{}{}: {}", why.empty() ? "" : "; ", rule->name, outcome.why);
  }
  return stageStays(why.empty() ? "it is a stage, and what is asked for takes none" : std::move(why));
}

StageOutcome KernelScheduler::withOthers(const StageInput& input, const HostRuleRow& rule, StageOutcome outcome) {
  // All do the work of this stage alone: what one of them took beside it, another may not.
  const StageInput alone{input.stage, nullptr, input.vectors, input.threads};
  if (outcome.tookBehind || outcome.tookAhead || outcome.weight) outcome = rule.apply(alone);
  StageOutcome other = stageStays({});
  for (size_t i = 0; i < rules_.size() && !other.made; ++i) {
    if (!rules_[i]->apply || rules_[i]->apply == rule.apply) continue;
    other = rules_[i]->apply(alone);
    if (other.made && !other.onlyIf) use(rules_[i]->name);
  }
  const Stmt otherwise = other.made && !other.onlyIf ? other.made : plainNest(input.stage);
  return {.made = inBlock(input.stage.name, make<IfThenElse>(outcome.onlyIf, outcome.made, otherwise)),
          .why = {},
          .rule = rule.name};
}

StageOutcome KernelScheduler::byRules(const Stmt& statement) {
  std::string whyNot;
  for (const HostRuleRow* rule : rules_) {
    std::string why;
    if (Stmt made = rule->make ? rule->make(statement, vectors_, why) : nullptr) {
      use(rule->name);
      return {.made = std::move(made), .why = {}, .rule = rule->name};
    }
    if (whyNot.empty()) whyNot = std::move(why);
  }
  return stageStays(whyNot.empty() ? "it is no stage of one store for each place of its axes" : std::move(whyNot));
}

std::string_view KernelScheduler::nameOf(const Part& part) const {
  if (part.stage) return part.stage->name.view();
  return blocksBelow(part.statement).empty() ? root_->block->name.view() : blockName(part.statement);
}

/// What a rule made of a stage of rows, or where that divides by a sum of the row, and sums may round in any order,
/// what it makes with one division, where that rounds no more.
Stmt KernelScheduler::withOneDivision(const RowGroup& group, size_t stage, const Stmt& made) {
  if (vectors_.inOrder) return made;
  const auto division = divisionOfRow(group, stage, vectors_.lanes(group.stages[stage].buffer->dtype));
  if (!division) return made;
  const StageOutcome products = byRules({division->stage, nullptr, vectors_, false});
  if (!products.made) return made;
  const Stmt once = seq(
      std::vector<Stmt>{make<AllocBuffer>(division->reciprocal), division->storesReciprocal, bodyOf(products.made)});
  return make<IfThenElse>(division->isInRange, once, made);
}

/// Null where a stage is left that no rule takes.
Stmt KernelScheduler::inRows(const RowGroup& group, bool threads) {
  std::vector<Stmt> row;
  std::string said = fmt::format("{}: by rows", group.stages.back().name.view());
  std::vector<BufferRef> own = group.own;
  double steps = 0;
  std::vector<StageAxis> most;  ///< of the stage with the most steps, and of the rows
  for (size_t i = 0; i < group.stages.size(); ++i) {
    const Stage& stage = group.stages[i];
    if (stage.axes.empty() && !stage.reduces()) {
      row.push_back(storeTo(stage.buffer, stage.indices, stage.value));
      continue;
    }
    const double here = static_cast<double>(stage.usualSteps(false)) * static_cast<double>(stage.usualSteps(true));
    if (here > steps) most = stage.axes;
    steps = std::max(steps, here);
    StageOutcome outcome;
    if (i + 1 < group.stages.size() && !stage.reduces())
      outcome = byRules({group.stages[i + 1], nextAlone(group, i + 1), vectors_, false, {}, &stage});
    if (outcome.tookAhead) {
      said += fmt::format(", {} and", stage.name.view());
      ++i;
    } else {
      outcome = byRules({stage, nextAlone(group, i), vectors_, false});
      said += ",";
    }
    if (!outcome.made) return nullptr;
    const Stage& done = group.stages[i];
    said += fmt::format(" {} {}", done.name.view(), outcome.rule);
    row.push_back(outcome.tookAhead || outcome.tookBehind ? bodyOf(outcome.made)
                                                          : withOneDivision(group, i, bodyOf(outcome.made)));
    if (!outcome.tookBehind) continue;
    std::erase(own, done.buffer);
    ++i;
  }
  std::vector<Stmt> parts;
  for (const BufferRef& buffer : own) parts.push_back(make<AllocBuffer>(buffer));
  parts.insert(parts.end(), row.begin(), row.end());
  most.insert(most.end(), group.rows.begin(), group.rows.end());
  made_.push_back(std::move(said));
  const Stmt nest =
      overAxes(group.rows, [&](const arith::VarMap& places) { return lower::substitute(seq(parts), places); });
  return inBlock(group.stages.back().name, ThreadGrain(most, vectors_.choices.elementsShared, threads).outermost(nest));
}

Stmt KernelScheduler::inTiles(size_t first, const std::vector<bool>& folded, size_t& count) {
  if (!inStages_) return nullptr;
  const std::vector<std::optional<Stage>> stages = stagesFrom(first, folded);
  const auto group =
      tileGroupAt(stages, [&](const BufferRef& buffer, size_t others) { return isOwnOf(buffer, first, others); });
  if (!group) return nullptr;
  count = group->size();
  const auto known = group->tiled().steps();
  const int64_t most = known ? std::min(kMostRows, *known) : kRowsOfAny;
  const int64_t rows = std::clamp<int64_t>(kElementsOfTile / group->elementsOfRow(), 1, most);
  Cut cut{"rows", rows};
  cut.leftIn = std::min(rows, kRowsLeft);
  std::string said;
  std::optional<RowGroup> last;
  bool whole = true;
  const Stmt tiles = inPieces(group->tiled().extent, cut, [&](const Piece& piece) {
    last = group->tile(piece);
    said.clear();
    Stmt made = oneTile(*last, said);
    whole = whole && made;
    return made ? made : seq(std::vector<Stmt>());
  });
  if (!whole) return nullptr;
  made_.push_back(fmt::format("{}: by tiles of {} rows{}", last->stages.back().name.view(), rows, said));
  gone_.insert(gone_.end(), last->replaced.begin(), last->replaced.end());
  const Stmt nest = overAxes(last->rows, [&](const arith::VarMap& places) { return lower::substitute(tiles, places); });
  const ThreadGrain grain(stages.front()->axes, vectors_.choices.productsShared, true);
  return inBlock(last->stages.back().name, grain.outermost(nest));
}

Stmt KernelScheduler::oneTile(const RowGroup& tile, std::string& said) {
  std::vector<BufferRef> own = tile.own;
  std::vector<Stmt> made;
  const std::vector<std::optional<Stage>> stages(tile.stages.begin(), tile.stages.end());
  for (size_t i = 0; i < stages.size(); ++i) {
    const auto inner = rowGroupAt(std::span(stages).subspan(i), [&](const BufferRef& buffer, size_t count) {
      for (size_t other = 0; other < tile.stages.size(); ++other) {
        const Stage& stage = tile.stages[other];
        if ((other < i || other >= i + count) && reads(storeTo(stage.buffer, stage.indices, stage.value), *buffer))
          return false;
      }
      return std::find(own.begin(), own.end(), buffer) != own.end();
    });
    if (inner) {
      const Stmt rows = inRows(*inner, false);
      if (!rows) return nullptr;
      said += ", " + made_.back();
      made_.pop_back();
      for (const BufferRef& buffer : inner->replaced) std::erase(own, buffer);
      made.push_back(bodyOf(rows));
      i += inner->stages.size() - 1;
      continue;
    }
    const StageOutcome outcome = byRules({*stages[i], nextAlone(tile, i), vectors_, false});
    if (!outcome.made) return nullptr;
    said += fmt::format(", {} {}", stages[i]->name.view(), outcome.rule);
    made.push_back(bodyOf(outcome.made));
    if (!outcome.tookBehind) continue;
    std::erase(own, stages[i]->buffer);
    ++i;
  }
  std::vector<Stmt> parts;
  for (const BufferRef& buffer : own) parts.push_back(make<AllocBuffer>(buffer));
  parts.insert(parts.end(), made.begin(), made.end());
  return seq(parts);
}

std::vector<std::optional<Stage>> KernelScheduler::stagesFrom(size_t first, const std::vector<bool>& folded) const {
  std::vector<std::optional<Stage>> stages;
  for (size_t i = first; i < parts_.size() && !folded[i]; ++i) stages.push_back(parts_[i].stage);
  return stages;
}

bool KernelScheduler::isOwnOf(const BufferRef& buffer, size_t first, size_t count) const {
  for (size_t i = 0; i < parts_.size(); ++i) {
    if ((i < first || i >= first + count) && reads(parts_[i].statement, *buffer)) return false;
  }
  return isOwn(buffer);
}

std::optional<RowGroup> KernelScheduler::groupAt(size_t first, const std::vector<bool>& folded) const {
  if (!inStages_) return std::nullopt;
  return rowGroupAt(stagesFrom(first, folded),
                    [&](const BufferRef& buffer, size_t count) { return isOwnOf(buffer, first, count); });
}

std::optional<size_t> KernelScheduler::onlyReader(size_t part) const {
  const auto& stage = parts_[part].stage;
  if (!stage || !inStages_ || !isOwn(stage->buffer)) return std::nullopt;
  std::optional<size_t> found;
  for (size_t other = 0; other < parts_.size(); ++other) {
    if (other == part || !reads(parts_[other].statement, *stage->buffer)) continue;
    if (found || other < part || !parts_[other].stage) return std::nullopt;
    found = other;
  }
  return found;
}

bool KernelScheduler::isOwn(const BufferRef& buffer) const {
  return std::find(own_.begin(), own_.end(), buffer) != own_.end();
}

std::vector<BufferRef> KernelScheduler::weightsOf(size_t part) const {
  std::vector<BufferRef> weights;
  const NodeRef listed = ir::attrOf(function_->attrs, kFreeLayouts);
  const auto* list = as<ir::ArrayAttr>(listed);
  for (size_t i = 0; list && i < list->items.size(); ++i) {
    const auto* index = as<ir::IntAttr>(list->items[i]);
    if (!index || index->value < 0 || index->value >= static_cast<int64_t>(function_->buffers.size())) continue;
    const BufferRef& buffer = function_->buffers[static_cast<size_t>(index->value)];
    if (!buffer || !reads(parts_[part].statement, *buffer)) continue;
    const auto readers =
        std::count_if(parts_.begin(), parts_.end(), [&](const Part& other) { return reads(other.statement, *buffer); });
    if (readers == 1) weights.push_back(buffer);
  }
  return weights;
}

void KernelScheduler::note(const Stmt& statement, const std::string& why) {
  why_ += fmt::format("{}{}: {}", why_.empty() ? "" : ". ", blockName(statement), why);
}

PrimFuncRef KernelScheduler::withStatement(const Stmt& statement) const {
  auto* block = new tir::Block(*root_->block);
  const Ref<tir::Block> made(block);
  std::vector<Stmt> all;
  std::vector<BufferRef> own;
  for (const LaidOut& weight : weights_) {
    all.push_back(weight.copy);
    own.push_back(weight.buffer);
  }
  all.push_back(statement);
  block->body = seq(all);
  const std::vector<BufferRef> kept = left();
  own.insert(own.end(), kept.begin(), kept.end());
  block->allocBuffers = Array<BufferRef>(std::move(own));
  return lower::withBody(function_, make<BlockRealize>(root_->iterValues, root_->predicate, made));
}

}  // namespace rx::schedule
