#include "views/session/function_walk.h"

#include <algorithm>

#include "core/analysis/symbols.h"
#include "views/models/numbers.h"
#include "views/session/beside.h"
#include "views/session/constant_rows.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

/// Lines of places that are asked for in text order.
class LineCursor {
 public:
  explicit LineCursor(const StageIndex& index) : index_(index), starts_(index.lineStarts) {}
  int lineOf(int offset) {
    if (next_ == 0) next_ = static_cast<size_t>(index_.lineOf(offset));
    while (next_ < starts_.size() && starts_[next_] <= offset) ++next_;
    return static_cast<int>(next_);
  }
  /// Of a place at or behind the one asked for last, which may lie behind the next one asked for.
  int lineBehind(int offset) const {
    const bool here = next_ >= starts_.size() || offset < starts_[next_];
    return here ? static_cast<int>(next_) : index_.lineOf(offset);
  }

 private:
  const StageIndex& index_;
  const std::vector<int>& starts_;
  size_t next_ = 0;
};

/// Walks one function. Nesting (branches, local functions) uses a stack of its own.
class FunctionWalk {
 public:
  FunctionWalk(const ir::IRModule& module, RowTexts* texts) : texts_(*texts), flow_(module, texts) {}

  WalkedFunction run(const relax::Function& function) {
    // Of a long function beside the walk, which it does not need.
    const size_t count = bindingCount(function);
    Beside<std::vector<analysis::Symbol>> symbols =
        beside(count, [&function] { return analysis::symbolTable(function); });
    reserve(function, count);
    addParams(function);
    std::vector<Frame> stack;
    push(&stack, function.body.get(), -1, 0);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.block >= frame.seq->blocks.size()) {
        if (frame.parent >= 0) addOperands(frame.seq->body, &row_->bindings[static_cast<size_t>(frame.parent)].yields);
        stack.pop_back();
        continue;
      }
      const relax::BindingBlock& block = *frame.seq->blocks[frame.block];
      if (frame.binding == 0) frame.row = openBlock(block, frame.parent, frame.branch);
      if (frame.binding >= block.bindings.size()) {
        ++frame.block;
        frame.binding = 0;
        continue;
      }
      const relax::BindingNode& binding = *block.bindings[frame.binding];
      const Place place{block.isDataflow(), frame.row, frame.parent, frame.branch};
      ++frame.binding;
      // `frame` is not used below: pushing may move it.
      const int ordinal = addBinding(binding, place);
      if (const auto* value = as<relax::VarBinding>(&binding)) enter(&stack, *value, ordinal);
    }
    addOperands(function.body->body, &row_->results);
    addSymbolTable(symbols.get());
    finish();
    return std::move(walked_);
  }

 private:
  struct Frame {
    const relax::SeqExpr* seq;
    int parent;
    int branch;
    size_t block = 0;
    size_t binding = 0;
    int row = -1;
  };
  /// Where a binding stands.
  struct Place {
    bool dataflow;
    int block;
    int parent;
    int branch;
  };

  static void push(std::vector<Frame>* stack, const relax::SeqExpr* seq, int parent, int branch) {
    if (seq) stack->push_back({seq, parent, branch});
  }

  void enter(std::vector<Frame>* stack, const relax::VarBinding& binding, int ordinal) {
    if (const auto* branch = as<relax::If>(binding.value)) {
      push(stack, branch->falseBranch.get(), ordinal, 1);
      push(stack, branch->trueBranch.get(), ordinal, 0);
    } else if (const auto* local = as<relax::Function>(binding.value)) {
      for (const relax::VarRef& param : local->params) names_.set(param.get(), {OperandRow::Kind::Param, -1});
      push(stack, local->body.get(), ordinal, 0);
    }
  }

  void reserve(const relax::Function& function, size_t count) {
    row_->bindings.reserve(count);
    walked_.bindings.reserve(count);
    names_.reserve(count + function.params.size());
  }

  void addParams(const relax::Function& function) {
    for (size_t i = 0; i < function.params.size(); ++i) addParam(function.params[i], static_cast<int>(i));
  }

  void addParam(const relax::VarRef& param, int position) {
    names_.set(param.get(), {OperandRow::Kind::Param, position});
    ParamRow row;
    row.name = qtText(param->name);
    const RowTexts::Type& type = texts_.of(param->sinfo);
    row.info = type.info;
    row.shape = type.shape;
    row.dtype = type.dtype;
    if (const auto* tuple = as<relax::TupleStructInfo>(param->sinfo)) {
      for (const relax::StructInfo& field : tuple->items) {
        const RowTexts::Type& held = texts_.of(field);
        row.fields.push_back({held.shape, held.dtype});
      }
    }
    addSymbols(param->sinfo, row.name, {OperandRow::Kind::Param, position});
    row_->params.push_back(std::move(row));
  }

  /// A symbolic variable is bound where it stands alone as a dimension for the first time.
  void addSymbols(const relax::StructInfo& info, const QString& what, RowPlace binder) {
    const auto* tensor = as<relax::TensorStructInfo>(info);
    const auto* shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
    const auto* shapeInfo = as<relax::ShapeStructInfo>(info);
    const Array<tir::PrimExpr> dims = shape                           ? shape->values
                                      : shapeInfo && shapeInfo->known ? shapeInfo->values
                                                                      : Array<tir::PrimExpr>();
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      const auto* var = as<tir::Var>(dims[axis]);
      if (!var || !symbols_.emplace(var, row_->symbols.size()).second) continue;
      row_->symbols.push_back({qtText(var->name), QStringLiteral("%1 axis %2").arg(what, QString::number(axis)), 0});
      walked_.symbolBinders.push_back(binder);
    }
  }

  /// Uses and bounds, and the variables that the walk did not meet as a dimension.
  void addSymbolTable(const std::vector<analysis::Symbol>& table) {
    for (const analysis::Symbol& symbol : table) {
      auto [at, fresh] = symbols_.emplace(symbol.var.get(), row_->symbols.size());
      if (fresh) {
        const QString where = symbol.binder == analysis::SymbolBinder::Nothing ? QString() : qtText(symbol.boundAt);
        row_->symbols.push_back({qtText(symbol.var->name), where, 0});
        const BindingRow* binding = row_->bindingNamed(qtText(symbol.binderVariable));
        walked_.symbolBinders.push_back({OperandRow::Kind::Binding, binding ? binding->ordinal : -1});
      }
      SymbolRow& row = row_->symbols[at->second];
      row.binder = qtText(symbol.binderVariable);
      if (symbol.lower) row.bounds = grouped(*symbol.lower) + QStringLiteral(" ≤ ");
      if (symbol.lower || symbol.upper) row.bounds += row.name;
      if (symbol.upper) row.bounds += QStringLiteral(" ≤ ") + grouped(*symbol.upper);
      for (const analysis::SymbolUse& use : symbol.uses) {
        // Most uses say the same as the one before: they share its text.
        const bool again = !row.uses.empty() && row.uses.back().text == QLatin1String(use.text);
        row.uses.push_back({qtText(use.variable), again ? row.uses.back().text : qtText(use.text)});
      }
    }
  }

  int openBlock(const relax::BindingBlock& block, int parent, int branch) {
    BlockRow row;
    row.index = static_cast<int>(row_->blocks.size());
    row.parent = parent;
    row.branch = branch;
    row.dataflow = block.isDataflow();
    row.bindings.reserve(block.bindings.size());
    row_->blocks.push_back(std::move(row));
    return static_cast<int>(row_->blocks.size()) - 1;
  }

  int addBinding(const relax::BindingNode& binding, const Place& place) {
    const int ordinal = static_cast<int>(row_->bindings.size());
    BindingRow& row = row_->bindings.emplace_back();
    row.ordinal = ordinal;
    row.block = place.block;
    row.parent = place.parent;
    row.branch = place.branch;
    row.name = qtText(binding.var->name);
    const RowTexts::Type& type = texts_.of(binding.var->sinfo);
    row.info = type.info;
    row.shape = type.shape;
    row.dtype = type.dtype;
    row.dataflowVar = isa<relax::DataflowVar>(binding.var);
    walked_.bindings.push_back(&binding);
    if (binding.origin) {
      row.pass = texts_.of(binding.origin->pass);
      row.origins = texts_.of(binding.origin->sites);
    }
    if (const auto* cast = as<relax::MatchCast>(&binding)) {
      row.form = BindingForm::MatchCast;
      row.label = "match_cast";
      row.kind = OpKind::Other;
      addOperands(cast->value, &row.operands);
      addSymbols(cast->structInfo, QStringLiteral("match_cast ") + row.name, {OperandRow::Kind::Binding, ordinal});
    } else if (const auto* value = as<relax::VarBinding>(&binding)) {
      describe(value->value, &row);
      flow_.describe(*value, names_, &row);
    }
    if (row.kind == OpKind::Other && !place.dataflow && row.impure) row.kind = OpKind::Impure;
    names_.set(binding.var.get(), {OperandRow::Kind::Binding, ordinal});
    BlockRow& blockRow = row_->blocks[static_cast<size_t>(place.block)];
    blockRow.bindings.push_back(ordinal);
    if (place.dataflow && !row.dataflowVar) blockRow.outputs.push_back(ordinal);
    return ordinal;
  }

  void describe(const relax::Expr& value, BindingRow* row) {
    if (const auto* call = as<relax::Call>(value)) {
      describeCall(*call, row);
    } else {
      describeForm(value, row);
    }
    const auto isConstant = [](const OperandRow& operand) { return operand.kind == OperandRow::Kind::Constant; };
    if (std::any_of(row->operands.begin(), row->operands.end(), isConstant)) row->constants = constantRows(value);
  }

  void describeForm(const relax::Expr& value, BindingRow* row) {
    struct FormRow {
      Kind kind;
      const char* label;
      OpKind color;
      BindingForm form;
    };
    static constexpr FormRow kForms[] = {
        {Kind::relax_If, "if", OpKind::Control, BindingForm::If},
        {Kind::relax_Function, "function", OpKind::Control, BindingForm::Function},
        {Kind::relax_Constant, "constant", OpKind::Constant, BindingForm::Var},
        {Kind::relax_Tuple, "tuple", OpKind::Tuple, BindingForm::Var},
        {Kind::relax_TupleGetItem, "item", OpKind::Tuple, BindingForm::Var},
        {Kind::relax_ShapeExpr, "shape", OpKind::Other, BindingForm::Var},
        {Kind::relax_PrimValue, "number", OpKind::Constant, BindingForm::Var},
    };
    row->label = "alias";
    for (const FormRow& form : kForms) {
      if (value->kind() != form.kind) continue;
      row->label = QString::fromLatin1(form.label);
      row->kind = form.color;
      row->form = form.form;
    }
    if (const auto* branch = as<relax::If>(value)) {
      ifs_.push_back({row->ordinal, branch});
      return addOperands(branch->cond, &row->operands);
    }
    if (!isa<relax::Function>(value)) addOperands(value, &row->operands);
  }

  void describeCall(const relax::Call& call, BindingRow* row) {
    addOperands(call, &row->operands);
    if (const auto* op = as<relax::Op>(call.op)) {
      const bool takesFunction = texts_.of(*op).takesFunction && !call.args.empty();
      const RowTexts::Called& called = texts_.of(*op, takesFunction ? as<relax::GlobalVar>(call.args[0]) : nullptr);
      row->op = called.op;
      row->label = called.label;
      row->callee = called.callee;
      row->kind = called.kind;
      row->impure = called.impure;
      if (const auto* packed = takesFunction ? as<relax::ExternFunc>(call.args[0]) : nullptr)
        row->callee = texts_.of(packed->globalSymbol);
      if (row->impure && row->kind == OpKind::Other) row->kind = OpKind::Impure;
      return;
    }
    row->kind = OpKind::Control;
    if (const auto* global = as<relax::GlobalVar>(call.op)) row->label = row->callee = texts_.of(global->name);
    if (const auto* var = as<relax::Var>(call.op)) row->label = qtText(var->name);
    if (const auto* external = as<relax::ExternFunc>(call.op)) {
      row->label = row->callee = texts_.of(external->globalSymbol);
      row->impure = true;
      row->kind = OpKind::Impure;
    }
    if (const auto* info = call.op->sinfo ? as<relax::FuncStructInfo>(call.op->sinfo) : nullptr)
      row->impure = !info->purity;
  }

  void addOperands(const relax::Expr& root, std::vector<OperandRow>* out) {
    if (root) addOperands(*root, out);
  }

  /// What an expression reads, in text order, each once. Tuples are looked into without recursion.
  void addOperands(const relax::ExprNode& root, std::vector<OperandRow>* out) {
    left_.assign(1, &root);
    const auto add = [out](OperandRow row) {
      if (std::find(out->begin(), out->end(), row) == out->end()) out->push_back(std::move(row));
    };
    while (!left_.empty()) {
      const relax::ExprNode* expr = left_.back();
      left_.pop_back();
      if (!expr) continue;
      if (const auto* var = as<relax::Var>(expr)) {
        add(operandOf(*var));
      } else if (const auto* global = as<relax::GlobalVar>(expr)) {
        add({OperandRow::Kind::Global, -1, texts_.of(global->name)});
      } else if (isa<relax::Constant>(expr)) {
        add({OperandRow::Kind::Constant, -1, texts_.of(expr->sinfo).info});
      } else if (const auto* call = as<relax::Call>(expr)) {
        for (size_t i = call->args.size(); i-- > 0;) left_.push_back(call->args[i].get());
        left_.push_back(call->op.get());
      } else if (const auto* tuple = as<relax::Tuple>(expr)) {
        for (size_t i = tuple->items.size(); i-- > 0;) left_.push_back(tuple->items[i].get());
      } else if (const auto* item = as<relax::TupleGetItem>(expr)) {
        left_.push_back(item->tuple.get());
      } else if (const auto* shape = as<relax::ShapeExpr>(expr)) {
        for (const tir::PrimExpr& dim : shape->values) {
          if (const auto* symbol = as<tir::Var>(dim)) add({OperandRow::Kind::Symbol, -1, texts_.of(symbol->name)});
        }
      }
    }
  }

  /// A variable that the walk has not met is unknown: its name is all there is.
  OperandRow operandOf(const relax::Var& var) {
    const RowPlace* known = names_.find(&var);
    const RowPlace place = known ? *known : RowPlace{};
    if (place.index < 0) return {place.kind, -1, qtText(var.name)};
    const auto at = static_cast<size_t>(place.index);
    const bool isParam = place.kind == OperandRow::Kind::Param;
    return {place.kind, place.index, isParam ? row_->params[at].name : row_->bindings[at].name};
  }

  /// Uses are the operands seen from the other side.
  void finish() {
    // An `if` gives the value of one of its branches: it is a user of both. Their names are known only now.
    for (const auto& [ordinal, branch] : ifs_) {
      std::vector<OperandRow>& operands = row_->bindings[static_cast<size_t>(ordinal)].operands;
      for (const relax::SeqRef& sequence : {branch->trueBranch, branch->falseBranch})
        if (sequence) addOperands(sequence->body, &operands);
    }
    for (const BindingRow& row : row_->bindings) {
      for (const OperandRow& operand : row.operands) {
        if (operand.index < 0) continue;
        const size_t at = static_cast<size_t>(operand.index);
        if (operand.kind == OperandRow::Kind::Binding) row_->bindings[at].usedBy.push_back(row.ordinal);
        if (operand.kind == OperandRow::Kind::Param) row_->params[at].usedBy.push_back(row.ordinal);
      }
    }
  }

  RowTexts& texts_;
  BufferFlow flow_;
  WalkedFunction walked_;
  FunctionRow* const row_ = &walked_.row;
  BufferFlow::Names& names_ = walked_.names;
  std::unordered_map<const tir::Var*, size_t> symbols_;  // to the place in row_->symbols
  std::vector<std::pair<int, const relax::If*>> ifs_;    // by ordinal
  std::vector<const relax::ExprNode*> left_;             // of the expression that is looked into
};

/// Where the rows of a function stand in the text.
class Placer {
 public:
  Placer(const FunctionText& text, const StageIndex& index, WalkedFunction* walked)
      : text_(text), index_(index), lines_(index), walked_(*walked), row_(walked->row) {}

  void run(const relax::Function& function) {
    placeParams(function);
    for (BindingRow& row : row_.bindings) place(*walked_.bindings[static_cast<size_t>(row.ordinal)], &row);
    for (BlockRow& block : row_.blocks) place(&block);
    for (size_t i = 0; i < row_.symbols.size(); ++i) row_.symbols[i].line = lineOf(walked_.symbolBinders[i]);
  }

 private:
  void placeParams(const relax::Function& function) {
    size_t place = 0;
    for (size_t i = 0; i < function.params.size(); ++i) {
      while (place < text_.names.size() && text_.names[place].node != function.params[i].get()) ++place;
      if (place == text_.names.size()) return;
      row_.params[i].nameRange = {static_cast<int>(text_.names[place].begin), static_cast<int>(text_.names[place].end)};
    }
  }

  /// The walk met the bindings in the order of the text.
  void place(const Node& binding, BindingRow* row) {
    if (printed_ >= text_.bindings.size() || text_.bindings[printed_].node != &binding) return;
    const script::Anchor& anchor = text_.bindings[printed_++];
    row->range = {static_cast<int>(anchor.begin), static_cast<int>(anchor.end)};
    if (row->range.empty()) return;
    row->line = lines_.lineOf(row->range.begin);
    row->lastLine = lines_.lineBehind(row->range.end - 1);
    if (const QString written = writtenName(binding, *row); !written.isEmpty()) row->called = written;
  }

  /// The name that the text gives the variable, which is another where the variable's own was taken; empty where it is
  /// its own. It is defined where the binding begins, that of an `if` where its branches end.
  QString writtenName(const Node& binding, const BindingRow& row) const {
    const auto* bound = as<relax::VarBinding>(&binding);
    const auto* cast = as<relax::MatchCast>(&binding);
    const Node* var = bound ? bound->var.get() : cast ? cast->var.get() : nullptr;
    const bool last = row.form == BindingForm::If;
    const auto place = std::partition_point(text_.names.begin(), text_.names.end(), [&](const script::NamePlace& name) {
      return static_cast<int>(name.begin) < (last ? row.range.end : row.range.begin);
    });
    constexpr int kLooked = 3;  // names of one line, the defined one among them
    for (int i = 0; i < kLooked && (last ? place - i > text_.names.begin() : place + i < text_.names.end()); ++i) {
      const script::NamePlace& name = last ? *(place - i - 1) : *(place + i);
      if (name.node != var || name.role != script::NameRole::Definition) continue;
      const QString written = QString::fromUtf8(index_.text.mid(name.begin, name.end - name.begin));
      return written == row.name ? QString() : written;
    }
    return {};
  }

  /// A block spans its bindings' lines.
  void place(BlockRow* block) const {
    if (block->bindings.empty()) return;
    block->firstLine = row_.bindings[static_cast<size_t>(block->bindings.front())].line - (block->dataflow ? 1 : 0);
    const TextRange& last = row_.bindings[static_cast<size_t>(block->bindings.back())].range;
    block->lastLine = last.empty() ? block->firstLine : index_.lineOf(last.end - 1) + (block->dataflow ? 1 : 0);
  }

  int lineOf(const RowPlace& binder) const {
    if (binder.index < 0) return 0;
    const auto at = static_cast<size_t>(binder.index);
    return binder.kind == OperandRow::Kind::Param ? index_.lineOf(row_.params[at].nameRange.begin)
                                                  : row_.bindings[at].line;
  }

  const FunctionText& text_;
  const StageIndex& index_;
  LineCursor lines_;
  WalkedFunction& walked_;
  FunctionRow& row_;
  size_t printed_ = 0;  // bindings that were found in the text
};

}  // namespace

size_t bindingCount(const relax::Function& function) {
  size_t count = 0;
  for (const relax::BlockRef& block : function.body->blocks) count += block->bindings.size();
  return count;
}

WalkedFunction walkFunction(const ir::IRModule& module, const relax::Function& function, RowTexts* texts) {
  return FunctionWalk(module, texts).run(function);
}

void placeRows(const relax::Function& function, const FunctionText& text, const StageIndex& index,
               WalkedFunction* walked) {
  Placer(text, index, walked).run(function);
}

}  // namespace rx::views
