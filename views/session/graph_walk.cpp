#include "views/session/graph_walk.h"

#include <algorithm>

#include "views/session/op_kinds.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

using Form = ir::TextValue::Form;

class GraphWalk {
 public:
  GraphWalk(const GraphFunction& function, const NodeRanges& ranges, const StageIndex& index, RowTexts* texts,
            FunctionRow* row)
      : function_(function), ranges_(ranges), index_(index), texts_(*texts), row_(row) {}

  BufferFlow::Names run() {
    addParams();
    const std::vector<ir::TextBinding>& bindings = function_.text.bindings;
    row_->bindings.reserve(bindings.size());
    addBlocks();
    for (size_t i = 0; i < bindings.size(); ++i) addBinding(i);
    nameBlocks();
    for (size_t i = 0; i < bindings.size(); ++i) {
      // What stands in a branch is read by who chooses between them.
      for (const relax::ExprNode* node : values_[i].yields) {
        row_->bindings[i].yields.push_back(operandOf(*node));
        addOperand(node, &row_->bindings[i].operands);
      }
    }
    if (function_.text.result) addOperand(function_.text.result, &row_->results);
    finish();
    for (const ir::TextValue& value : values_)
      for (const relax::ExprNode* part : value.defines) names_.erase(part);
    BufferFlow::Names names;
    for (const auto& [node, place] : names_) names.set(node, place);
    return names;
  }

 private:
  /// Of the same function with types, where it binds the same.
  const relax::ExprNode& typed(size_t binding) const {
    const auto& all = function_.typed.bindings;
    return *(all.size() == function_.text.bindings.size() ? all : function_.text.bindings)[binding].value;
  }

  void addParams() {
    const auto& params = function_.text.params;
    for (size_t i = 0; i < params.size(); ++i) {
      const bool same = function_.typed.params.size() == params.size();
      const RowTexts::Type& type = texts_.of((same ? function_.typed.params : params)[i].variable->sinfo);
      ParamRow param;
      param.name = qtText(params[i].name);
      param.info = type.info;
      param.shape = type.shape;
      param.dtype = type.dtype;
      row_->params.push_back(std::move(param));
      names_[params[i].variable] = {OperandRow::Kind::Param, static_cast<int>(i)};
    }
  }

  void addBinding(size_t at) {
    const ir::TextBinding& written = function_.text.bindings[at];
    const ir::TextValue& value = values_.emplace_back(function_.language.value(*written.value));
    const auto ordinal = static_cast<int>(at);
    BindingRow& row = row_->bindings.emplace_back();
    row.ordinal = ordinal;
    row.parent = written.parent;
    row.branch = written.branch;
    row.name = row.called = qtText(written.name);
    if (!written.variable && !row.name.startsWith('%')) row.called = qtText(value.label);  // what a block gives
    const RowTexts::Type& type = texts_.of(typed(at).sinfo);
    row.info = type.info;
    row.shape = type.shape;
    row.dtype = type.dtype;
    row.block = function_.scopes.of[at];
    row_->blocks[static_cast<size_t>(row.block)].bindings.push_back(ordinal);
    row.pass = qtText(written.pass);
    if (!written.sites.empty()) row.origins = texts_.of(written.sites);
    describe(value, &row);
    addPlace(written, &row);
    for (const relax::ExprNode* operand : value.operands) addOperand(operand, &row.operands);
    nameParts(value);
    if (written.variable) names_[written.variable] = {OperandRow::Kind::Binding, ordinal};
    // A variable, a number or a function is what it is wherever it stands.
    const bool isLeaf = value.operands.size() == 1 && value.operands.front() == written.value;
    if (!isLeaf) names_.try_emplace(written.value, RowPlace{OperandRow::Kind::Binding, ordinal});
  }

  /// What the branches name of the values that a binding reads is those values; parameters of a local function have no
  /// row.
  void nameParts(const ir::TextValue& value) {
    RowPlace place{OperandRow::Kind::Param, -1};
    if (value.form == Form::Branches && !value.operands.empty()) {
      const auto read = names_.find(value.operands.front());
      if (read != names_.end()) place = read->second;
    }
    for (const relax::ExprNode* part : value.defines) names_[part] = place;
  }

  void describe(const ir::TextValue& value, BindingRow* row) {
    row->label = qtText(value.label);
    row->op = qtText(value.op);
    row->item = static_cast<int>(value.item);
    if (value.callee) row->callee = texts_.of(value.callee->name);
    row->kind = row->op.isEmpty() ? OpKind::Control : opKindOf(value.op);
    if (value.form == Form::Branches) row->form = BindingForm::If;
    if (value.form == Form::Function) row->form = BindingForm::Function;
    if (value.form != Form::Arranges) return;
    const bool isTuple = value.item < 0 && value.operands.size() != 1;
    row->role = isTuple ? FlowRole::Tuple : FlowRole::Names;
    row->kind = OpKind::Tuple;
  }

  void addPlace(const ir::TextBinding& written, BindingRow* row) {
    const auto found = ranges_.find(written.node);
    if (found == ranges_.end() || found->second.empty()) return;
    row->range = found->second;
    row->line = index_.lineOf(row->range.begin);
    row->lastLine = index_.lineOf(row->range.end - 1);
  }

  /// A block for each scope: what stands in it is computed there, wherever the text writes it.
  void addBlocks() {
    for (const ir::TextScope& scope : function_.scopes.scopes) {
      BlockRow block;
      block.index = static_cast<int>(row_->blocks.size());
      block.parent = scope.owner;
      block.branch = scope.block;
      row_->blocks.push_back(std::move(block));
    }
  }

  void nameBlocks() {
    for (BlockRow& block : row_->blocks) {
      if (block.parent < 0) continue;
      const std::vector<std::string>& titles = values_[static_cast<size_t>(block.parent)].branches;
      const auto branch = static_cast<size_t>(block.branch);
      if (branch < titles.size()) block.title = qtText(titles[branch]);
    }
  }

  void addOperand(const relax::ExprNode* node, std::vector<OperandRow>* out) {
    const OperandRow row = operandOf(*node);
    if (std::find(out->begin(), out->end(), row) == out->end()) out->push_back(row);
  }

  OperandRow operandOf(const relax::ExprNode& node) {
    if (const auto* global = as<relax::GlobalVar>(&node))
      return {OperandRow::Kind::Global, -1, texts_.of(global->name)};
    const auto known = names_.find(&node);
    if (known == names_.end()) return {OperandRow::Kind::Constant, -1, texts_.of(node.sinfo).info};
    const RowPlace place = known->second;
    if (place.index < 0) return {place.kind, -1, {}};
    const auto at = static_cast<size_t>(place.index);
    const bool isParam = place.kind == OperandRow::Kind::Param;
    return {place.kind, place.index, isParam ? row_->params[at].name : row_->bindings[at].name};
  }

  void finish() {
    for (const BindingRow& row : row_->bindings) {
      for (const OperandRow& operand : row.operands) {
        if (operand.index < 0) continue;
        const auto at = static_cast<size_t>(operand.index);
        if (operand.kind == OperandRow::Kind::Binding) row_->bindings[at].usedBy.push_back(row.ordinal);
        if (operand.kind == OperandRow::Kind::Param) row_->params[at].usedBy.push_back(row.ordinal);
      }
    }
    for (BlockRow& block : row_->blocks) {
      if (block.bindings.empty()) continue;  // all that it gives is computed around it
      block.firstLine = row_->bindings[static_cast<size_t>(block.bindings.front())].line;
      block.lastLine = row_->bindings[static_cast<size_t>(block.bindings.back())].lastLine;
    }
  }

  const GraphFunction& function_;
  const NodeRanges& ranges_;
  const StageIndex& index_;
  RowTexts& texts_;
  FunctionRow* row_;
  std::vector<ir::TextValue> values_;  // of the bindings
  std::unordered_map<const Node*, RowPlace> names_;
};

}  // namespace

BufferFlow::Names walkGraph(const GraphFunction& function, const NodeRanges& ranges, const StageIndex& index,
                            RowTexts* texts, FunctionRow* row) {
  return GraphWalk(function, ranges, index, texts, row).run();
}

}  // namespace rx::views
