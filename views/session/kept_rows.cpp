#include "views/session/kept_rows.h"

#include <algorithm>

#include "core/ir/attrs.h"
#include "views/session/stage_names.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

/// Whether a row of a caller says the same of both (BufferFlow): what a kernel stores into, and that it is one.
bool calledAlike(const ir::BaseFunc& one, const ir::BaseFunc& other) {
  if (one == other) return true;
  if (!one || !other || one->kind() != other->kind()) return false;
  const auto* kernel = as<tir::PrimFunc>(one);
  const auto* then = as<tir::PrimFunc>(other);
  if (!kernel || !then) return true;
  const auto forHost = [](const tir::PrimFunc& f) { return ir::boolAttrOf(f.attrs, "tirx.is_host_func", false); };
  return kernel->body == then->body && kernel->params.same(then->params) && kernel->buffers.same(then->buffers) &&
         forHost(*kernel) == forHost(*then);
}

}  // namespace

KeptRows::KeptRows(const ir::IRModule& module, const StageBefore& before)
    : module_(module), index_(before.index.get()), rows_(module.size()) {
  built_ = index_ ? dynamic_cast<const BuiltModule*>(index_->patterns.get()) : nullptr;
  if (!built_ || built_->module()->sources != module.sources) return;
  findChanged();
  for (const script::PrintedBody& body : built_->bodies()) bodiesThen_.emplace(body.function.get(), &body);
  size_t same = 0;
  for (size_t i = 0; i < module.size(); ++i) {
    const std::string_view name = module.vars[i]->name.view();
    const script::PrintedBody* body = bodyBefore(module.functions[i], name);
    const FunctionRow* row = body ? index_->function(qtText(name)) : nullptr;
    if (!row || callsChanged(*row)) continue;
    const auto number = static_cast<int>(row - &index_->functions.front());
    rows_[i] = {row, body, number};
    bodies_.push_back(*body);
    same += number == static_cast<int>(i);
  }
  // Kernels bind nothing; functions of other languages bind, and are walked at every stage.
  const size_t binding =
      static_cast<size_t>(std::count_if(module.functions.begin(), module.functions.end(), [](const auto& f) {
        return !isa<tir::PrimFunc>(f) && !isa<relax::ExternFunc>(f);
      }));
  all_ = same == binding && index_->functions.size() == module.size() + (module.types ? module.types->size() : 0);
}

script::PrintedBefore KeptRows::printed() const {
  if (bodies_.empty()) return {};
  return {built_->module(), std::string_view(index_->text.constData(), static_cast<size_t>(index_->text.size())),
          bodies_};
}

/// Where the text has the body of the function of that name, and all that its row says is of the same objects.
const script::PrintedBody* KeptRows::bodyBefore(const ir::BaseFunc& function, std::string_view name) const {
  const auto* now = as<relax::Function>(function);
  const auto* then = as<relax::Function>(built_->module()->find(name));
  if (!now || !then || now->body != then->body || !now->params.same(then->params)) return nullptr;
  if (now->retSinfo != then->retSinfo) return nullptr;
  const auto found = bodiesThen_.find(then);
  return found == bodiesThen_.end() ? nullptr : found->second;
}

void KeptRows::findChanged() {
  const ir::IRModule& before = *built_->module();
  const FunctionNumbers numbers = numbersOf(module_);
  for (size_t i = 0; i < before.size(); ++i) {
    const auto found = numbers.find(before.vars[i]->name.view());
    numbers_.push_back(found == numbers.end() ? -1 : found->second);
    const bool alike = found != numbers.end() &&
                       calledAlike(before.functions[i], module_.functions[static_cast<size_t>(found->second)]);
    if (!alike) changed_.insert(qtText(before.vars[i]->name));
  }
}

bool KeptRows::callsChanged(const FunctionRow& row) const {
  if (changed_.empty()) return false;
  const auto changed = [this](const OperandRow& operand) {
    return operand.kind == OperandRow::Kind::Global && changed_.contains(operand.name);
  };
  return std::any_of(row.bindings.begin(), row.bindings.end(), [&](const BindingRow& binding) {
    return std::any_of(binding.operands.begin(), binding.operands.end(), changed);
  });
}

void KeptRows::place(size_t number, const script::PrintedBody& printed, const StageIndex& index,
                     const std::vector<NameRow>& head, FunctionRow* row) const {
  const Kept& kept = rows_[number];
  const int bytes = static_cast<int>(printed.begin) - static_cast<int>(kept.body->begin);
  // A body begins with a break: the line in which it begins is the last one in front of it.
  const int firstThen = index_->lineOf(static_cast<int>(kept.body->begin));
  const int lines = index.lineOf(static_cast<int>(printed.begin)) - firstThen;
  const int headLines = row->headLine - kept.row->headLine;
  const auto moveRange = [bytes](TextRange* range) {
    if (range->empty()) return;
    range->begin += bytes;
    range->end += bytes;
  };
  const auto moveLine = [lines](int* line) { *line += *line > 0 ? lines : 0; };
  for (BindingRow& binding : row->bindings) {
    moveRange(&binding.range);
    moveLine(&binding.line);
    moveLine(&binding.lastLine);
  }
  for (BlockRow& block : row->blocks) {
    moveLine(&block.firstLine);
    moveLine(&block.lastLine);
  }
  for (SymbolRow& symbol : row->symbols)
    if (symbol.line > 0) symbol.line += symbol.line > firstThen ? lines : headLines;
  const auto isHead = [&](const NameRow& name) { return name.range.begin < static_cast<int>(kept.body->begin); };
  const auto inBody = std::find_if_not(row->names.begin(), row->names.end(), isHead);
  for (auto name = inBody; name != row->names.end(); ++name) {
    moveRange(&name->range);
    if (name->kind == NameRow::Kind::Function) name->target = numbers_[static_cast<size_t>(name->target)];
  }
  row->names.insert(row->names.erase(row->names.begin(), inBody), head.begin(), head.end());
  for (const NameRow& name : head) {
    if (name.kind == NameRow::Kind::Param) row->params[static_cast<size_t>(name.target)].nameRange = name.range;
  }
}

void KeptRows::addTo(BuiltModule* built, size_t number) const {
  built->addSame(static_cast<int>(number), *built_, rows_[number].number);
}

}  // namespace rx::views
