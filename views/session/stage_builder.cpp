#include "views/session/stage_builder.h"

#include <QSet>
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "core/analysis/symbols.h"
#include "core/ir/attrs.h"
#include "core/ir/structural_hash.h"
#include "core/op/op_table.h"
#include "core/script/print.h"
#include "core/tensor/host_tensor.h"
#include "core/tensor/sample.h"
#include "views/models/numbers.h"
#include "views/models/outline.h"
#include "views/models/value_flow.h"
#include "views/models/value_text.h"
#include "views/session/buffer_flow.h"
#include "views/session/op_kinds.h"
#include "views/session/prim_summary.h"
#include "views/session/stage_names.h"

namespace rx::views {
namespace {

QString qt(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }
QString qt(const Str& text) { return qt(text.view()); }
QString qt(const std::string& text) { return QString::fromStdString(text); }

struct ShapeText {
  QString shape;
  QString dtype;
};

/// Most dimensions are a number or a name: a printer for each would take longer than all the rest of their row.
QString dimText(const tir::PrimExpr& dim) {
  if (const auto* number = as<tir::IntImm>(dim)) return QString::number(number->value);
  if (const auto* var = as<tir::Var>(dim)) return qt(var->name);
  return qt(script::printPrimExpr(dim));
}

/// The shape alone, "(n, 512)", and the dtype of a tensor; "ndim 2" where only that is known.
ShapeText shapeOf(const relax::StructInfo& info) {
  ShapeText text;
  const auto* tensor = as<relax::TensorStructInfo>(info);
  if (!tensor) return text;
  text.dtype = qt(tensor->dtype.str());
  if (const auto* shape = as<relax::ShapeExpr>(tensor->shape)) {
    QStringList parts;
    for (const tir::PrimExpr& dim : shape->values) parts << dimText(dim);
    text.shape = shapeText(parts);
  } else if (tensor->ndim >= 0) {
    text.shape = QStringLiteral("ndim %1").arg(tensor->ndim);
  }
  return text;
}

QString infoText(const relax::StructInfo& info) { return info ? qt(script::printStructInfo(info)) : QString(); }

/// Texts that thousands of rows have alike, each kept once.
class RowTexts {
 public:
  struct Type {
    QString info;
    QString shape;
    QString dtype;
  };
  const QString& of(const QString& text) { return *texts_.insert(text); }
  const QString& of(const Str& text) {
    const auto [at, fresh] = strings_.try_emplace(text);
    if (fresh) at->second = qt(text);
    return at->second;
  }
  const Type& of(const relax::StructInfo& info) {
    const auto [at, fresh] = types_.try_emplace(info.get());
    if (!fresh) return at->second;
    const ShapeText shape = shapeOf(info);
    at->second = {of(infoText(info)), of(shape.shape), of(shape.dtype)};
    return at->second;
  }

 private:
  QSet<QString> texts_;
  std::unordered_map<Str, QString> strings_;
  std::unordered_map<const Node*, Type> types_;
};

using Anchors = std::unordered_map<const Node*, TextRange>;

/// Walks one function. Nesting (branches, local functions) uses a stack of its own.
class FunctionWalk {
 public:
  FunctionWalk(const ir::IRModule& module, const Anchors& anchors, StageIndex* index, FunctionRow* row)
      : module_(module), anchors_(anchors), index_(index), row_(row), flow_(module) {}

  /// `places` are the names in the function's text.
  void run(const relax::Function& function, std::span<const script::NamePlace> places) {
    size_t place = 0;
    for (size_t i = 0; i < function.params.size(); ++i) {
      const relax::VarRef& param = function.params[i];
      while (place < places.size() && places[place].node != param.get()) ++place;
      const bool found = place < places.size();
      addParam(
          param, static_cast<int>(i),
          found ? TextRange{static_cast<int>(places[place].begin), static_cast<int>(places[place].end)} : TextRange{});
    }
    size_t count = 0;  // of those outside of branches
    for (const relax::BlockRef& block : function.body->blocks) count += block->bindings.size();
    row_->bindings.reserve(count);
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
      const int blockRow = frame.row;
      const int parent = frame.parent;
      const int branch = frame.branch;
      ++frame.binding;
      // `frame` is not used below: pushing may move it.
      const int ordinal = addBinding(binding, block.isDataflow(), blockRow, parent, branch);
      if (const auto* value = as<relax::VarBinding>(&binding)) enter(&stack, *value, ordinal);
    }
    addOperands(function.body->body, &row_->results);
    addSymbolTable(function);
    finish();
  }

  /// Rows of the variables that the walk met.
  BufferFlow::Names takeVariables() { return std::move(names_); }

 private:
  struct Frame {
    const relax::SeqExpr* seq;
    int parent;
    int branch;
    size_t block = 0;
    size_t binding = 0;
    int row = -1;
  };

  static void push(std::vector<Frame>* stack, const relax::SeqExpr* seq, int parent, int branch) {
    if (seq) stack->push_back({seq, parent, branch});
  }

  void enter(std::vector<Frame>* stack, const relax::VarBinding& binding, int ordinal) {
    if (const auto* branch = as<relax::If>(binding.value)) {
      push(stack, branch->falseBranch.get(), ordinal, 1);
      push(stack, branch->trueBranch.get(), ordinal, 0);
    } else if (const auto* local = as<relax::Function>(binding.value)) {
      for (const relax::VarRef& param : local->params)
        names_[param.get()] = {OperandRow::Kind::Param, -1, qt(param->name)};
      push(stack, local->body.get(), ordinal, 0);
    }
  }

  TextRange rangeOf(const Node* node) const {
    const auto found = anchors_.find(node);
    return found == anchors_.end() ? TextRange{} : found->second;
  }

  void addParam(const relax::VarRef& param, int position, TextRange nameRange) {
    names_[param.get()] = {OperandRow::Kind::Param, position, qt(param->name)};
    ParamRow row;
    row.name = qt(param->name);
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
    row.nameRange = nameRange;
    row_->params.push_back(row);
    addSymbols(param->sinfo, row.name, index_->lineOf(row.nameRange.begin));
  }

  /// A symbolic variable is bound where it stands alone as a dimension for the first time.
  void addSymbols(const relax::StructInfo& info, const QString& what, int line) {
    const auto* tensor = as<relax::TensorStructInfo>(info);
    const auto* shape = tensor ? as<relax::ShapeExpr>(tensor->shape) : nullptr;
    const auto* shapeInfo = as<relax::ShapeStructInfo>(info);
    const Array<tir::PrimExpr> dims = shape                           ? shape->values
                                      : shapeInfo && shapeInfo->known ? shapeInfo->values
                                                                      : Array<tir::PrimExpr>();
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      const auto* var = as<tir::Var>(dims[axis]);
      if (!var || !symbols_.emplace(var, row_->symbols.size()).second) continue;
      row_->symbols.push_back({qt(var->name), QStringLiteral("%1 axis %2").arg(what).arg(axis), line});
    }
  }

  /// Uses and bounds, and the variables that the walk did not meet as a dimension.
  void addSymbolTable(const relax::Function& function) {
    for (const analysis::Symbol& symbol : analysis::symbolTable(function)) {
      auto [at, fresh] = symbols_.emplace(symbol.var.get(), row_->symbols.size());
      if (fresh) {
        const QString where = symbol.binder == analysis::SymbolBinder::Nothing ? QString() : qt(symbol.boundAt);
        row_->symbols.push_back({qt(symbol.var->name), where, 0});
      }
      SymbolRow& row = row_->symbols[at->second];
      row.binder = qt(symbol.binderVariable);
      if (row.line == 0) {
        if (const BindingRow* binding = row_->bindingNamed(row.binder)) row.line = binding->line;
      }
      if (symbol.lower) row.bounds = grouped(*symbol.lower) + QStringLiteral(" ≤ ");
      if (symbol.lower || symbol.upper) row.bounds += row.name;
      if (symbol.upper) row.bounds += QStringLiteral(" ≤ ") + grouped(*symbol.upper);
      for (const analysis::SymbolUse& use : symbol.uses) row.uses.push_back({qt(use.variable), qt(use.text)});
    }
  }

  int openBlock(const relax::BindingBlock& block, int parent, int branch) {
    BlockRow row;
    row.index = static_cast<int>(row_->blocks.size());
    row.parent = parent;
    row.branch = branch;
    row.dataflow = block.isDataflow();
    const TextRange range = rangeOf(&block);
    if (!range.empty()) {
      row.firstLine = index_->lineOf(range.begin);
      row.lastLine = index_->lineOf(range.end - 1);
    }
    row_->blocks.push_back(row);
    return row.index;
  }

  int addBinding(const relax::BindingNode& binding, bool dataflow, int block, int parent, int branch) {
    const int ordinal = static_cast<int>(row_->bindings.size());
    BindingRow row;
    row.ordinal = ordinal;
    row.block = block;
    row.parent = parent;
    row.branch = branch;
    row.name = texts_.of(binding.var->name);
    const RowTexts::Type& type = texts_.of(binding.var->sinfo);
    row.info = type.info;
    row.shape = type.shape;
    row.dtype = type.dtype;
    row.dataflowVar = isa<relax::DataflowVar>(binding.var);
    row.range = rangeOf(&binding);
    row.line = row.range.empty() ? 0 : index_->lineOf(row.range.begin);
    row.lastLine = row.range.empty() ? 0 : index_->lineOf(row.range.end - 1);
    addOrigins(binding, &row);
    if (const auto* cast = as<relax::MatchCast>(&binding)) {
      row.form = BindingForm::MatchCast;
      row.label = "match_cast";
      row.kind = OpKind::Other;
      addOperands(cast->value, &row.operands);
      addSymbols(cast->structInfo, QStringLiteral("match_cast ") + row.name, row.line);
    } else if (const auto* value = as<relax::VarBinding>(&binding)) {
      describe(value->value, &row);
      flow_.describe(*value, names_, &row);
    }
    if (row.kind == OpKind::Other && !dataflow && row.impure) row.kind = OpKind::Impure;
    names_[binding.var.get()] = {OperandRow::Kind::Binding, ordinal, row.name};
    BlockRow& blockRow = row_->blocks[static_cast<size_t>(block)];
    blockRow.bindings.push_back(ordinal);
    if (dataflow && !row.dataflowVar) blockRow.outputs.push_back(ordinal);
    row_->bindings.push_back(std::move(row));
    return ordinal;
  }

  void addOrigins(const relax::BindingNode& binding, BindingRow* row) {
    if (!binding.origin) return;
    const SourceList& sources = *module_.sources;
    row->pass = texts_.of(binding.origin->pass);
    row->origins.reserve(binding.origin->sites.size());
    for (const OriginSite& site : binding.origin->sites) {
      OriginRow origin;
      origin.function = texts_.of(site.function);
      origin.variable = texts_.of(site.name);
      origin.key = originKeyOf(site.function.view(), site.block, site.binding);
      if (site.span.known() && site.span.file < sources.size()) {
        const SourceFile& file = *sources[site.span.file];
        origin.file = fileName(site.span.file, file);
        origin.line = static_cast<int>(file.lineColumn(site.span.begin).line);
      }
      row->origins.push_back(origin);
    }
  }

  const QString& fileName(size_t number, const SourceFile& file) {
    if (files_.size() <= number) files_.resize(number + 1);
    if (files_[number].isNull()) files_[number] = texts_.of(qt(file.name()));
    return files_[number];
  }

  void describe(const relax::Expr& value, BindingRow* row) {
    addConstants(value, &row->constants);
    if (const auto* call = as<relax::Call>(value)) return describeCall(*call, row);
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
    addOperands(Ref<relax::ExprNode>(&call), &row->operands);
    if (const auto* op = as<relax::Op>(call.op)) {
      row->op = texts_.of(op->name);
      row->label = row->op.startsWith("relax.") ? texts_.of(row->op.mid(6)) : row->op;
      row->kind = opKindOf(op->name);
      if (const op::OpRow* known = op::rowOf(op)) {
        row->impure = !known->pure();
        const bool calls = known->has(op::kCallsFunction) && !call.args.empty();
        const auto* callee = calls ? as<relax::GlobalVar>(call.args[0]) : nullptr;
        if (const auto* packed = calls ? as<relax::ExternFunc>(call.args[0]) : nullptr)
          row->callee = texts_.of(packed->globalSymbol);
        if (callee) {
          row->callee = texts_.of(callee->name);
          row->label = texts_.of(row->label + ' ' + row->callee);
          if (row->kind == OpKind::Compute) row->kind = kernelKindOf(callee->name);
        }
      }
      if (row->impure && row->kind == OpKind::Other) row->kind = OpKind::Impure;
      return;
    }
    row->kind = OpKind::Control;
    if (const auto* global = as<relax::GlobalVar>(call.op)) row->label = row->callee = texts_.of(global->name);
    if (const auto* var = as<relax::Var>(call.op)) row->label = qt(var->name);
    if (const auto* external = as<relax::ExternFunc>(call.op)) {
      row->label = row->callee = texts_.of(external->globalSymbol);
      row->impure = true;
      row->kind = OpKind::Impure;
    }
    if (const auto* info = call.op->sinfo ? as<relax::FuncStructInfo>(call.op->sinfo) : nullptr)
      row->impure = !info->purity;
  }

  /// The constants that an expression reads. Tuples and arguments are looked into without recursion.
  static void addConstants(const relax::Expr& root, std::vector<ConstantRow>* out) {
    constexpr size_t kMostConstants = 32;  // of one binding
    std::vector<relax::Expr> left{root};
    while (!left.empty() && out->size() < kMostConstants) {
      const relax::Expr expr = left.back();
      left.pop_back();
      if (const auto* constant = as<relax::Constant>(expr)) {
        out->push_back(constantRow(*constant));
      } else if (const auto* call = as<relax::Call>(expr)) {
        for (size_t i = call->args.size(); i-- > 0;) left.push_back(call->args[i]);
      } else if (const auto* tuple = as<relax::Tuple>(expr)) {
        for (size_t i = tuple->items.size(); i-- > 0;) left.push_back(tuple->items[i]);
      }
    }
  }

  static ConstantRow constantRow(const relax::Constant& constant) {
    constexpr int64_t kMostLooked = 1 << 16;
    ConstantRow row;
    row.info = infoText(constant.sinfo);
    if (!constant.data || !isStorable(constant.data->dtype())) return row;
    const HostTensor& tensor = *constant.data;
    const Sample sample(tensor.count(), kMostLooked);
    row.count = tensor.count();
    row.looked = sample.size();
    qint64 finite = 0;
    for (int64_t k = 0; k < sample.size(); ++k) {
      const double value = tensor.at(sample[k]);
      if (!std::isfinite(value)) {
        ++(std::isnan(value) ? row.nan : row.inf);
        continue;
      }
      row.min = finite == 0 ? value : std::min(row.min, value);
      row.max = finite == 0 ? value : std::max(row.max, value);
      row.mean += value;
      ++finite;
    }
    if (finite > 0) row.mean /= static_cast<double>(finite);
    return row;
  }

  /// What an expression reads, in text order, each once. Tuples are looked into without recursion.
  void addOperands(const relax::Expr& root, std::vector<OperandRow>* out) {
    std::vector<relax::Expr> left{root};
    const auto add = [out](OperandRow row) {
      for (const OperandRow& have : *out) {
        if (have == row) return;
      }
      out->push_back(std::move(row));
    };
    while (!left.empty()) {
      const relax::Expr expr = left.back();
      left.pop_back();
      if (!expr) continue;
      if (isa<relax::Var>(expr)) {
        const auto known = names_.find(expr.get());
        add(known != names_.end() ? known->second
                                  : OperandRow{OperandRow::Kind::Binding, -1, qt(cast<relax::Var>(expr)->name)});
      } else if (const auto* global = as<relax::GlobalVar>(expr)) {
        add({OperandRow::Kind::Global, -1, texts_.of(global->name)});
      } else if (isa<relax::Constant>(expr)) {
        add({OperandRow::Kind::Constant, -1, texts_.of(expr->sinfo).info});
      } else if (const auto* call = as<relax::Call>(expr)) {
        for (size_t i = call->args.size(); i-- > 0;) left.push_back(call->args[i]);
        left.push_back(call->op);
      } else if (const auto* tuple = as<relax::Tuple>(expr)) {
        for (size_t i = tuple->items.size(); i-- > 0;) left.push_back(tuple->items[i]);
      } else if (const auto* item = as<relax::TupleGetItem>(expr)) {
        left.push_back(item->tuple);
      } else if (const auto* shape = as<relax::ShapeExpr>(expr)) {
        for (const tir::PrimExpr& dim : shape->values) {
          if (const auto* var = as<tir::Var>(dim)) add({OperandRow::Kind::Symbol, -1, texts_.of(var->name)});
        }
      }
    }
  }

  /// Uses are the operands seen from the other side; blocks without an anchor span their bindings' lines.
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
    for (BlockRow& block : row_->blocks) {
      if (block.firstLine > 0 || block.bindings.empty()) continue;
      block.firstLine = row_->bindings[static_cast<size_t>(block.bindings.front())].line - (block.dataflow ? 1 : 0);
      const TextRange& last = row_->bindings[static_cast<size_t>(block.bindings.back())].range;
      block.lastLine = last.empty() ? block.firstLine : index_->lineOf(last.end - 1) + (block.dataflow ? 1 : 0);
    }
  }

  const ir::IRModule& module_;
  const Anchors& anchors_;
  StageIndex* index_;
  FunctionRow* row_;
  BufferFlow::Names names_;
  std::unordered_map<const tir::Var*, size_t> symbols_;  // to the place in row_->symbols
  RowTexts texts_;
  std::vector<QString> files_;                         // names of the module's sources, by their number
  std::vector<std::pair<int, const relax::If*>> ifs_;  // by ordinal
  BufferFlow flow_;
};

FunctionKind kindOf(const ir::BaseFunc& function) {
  if (isa<relax::Function>(function)) return FunctionKind::Relax;
  if (isa<tir::PrimFunc>(function)) return FunctionKind::Prim;
  return FunctionKind::Extern;
}

/// "(n, 32) f32" of a tensor, as it is written of what has no such short form.
QString shortInfo(const relax::StructInfo& info) {
  const ShapeText shape = shapeOf(info);
  return shape.shape.isEmpty() ? infoText(info) : shape.shape + ' ' + shortDtype(shape.dtype);
}

QString signatureOf(const ir::BaseFunc& function) {
  if (const auto* relaxFunction = as<relax::Function>(function)) {
    const auto* tuple = as<relax::TupleStructInfo>(relaxFunction->retSinfo);
    if (!tuple) return shortInfo(relaxFunction->retSinfo);
    QStringList fields;
    for (const relax::StructInfo& field : tuple->items) fields << shortInfo(field);
    return '(' + fields.join(", ") + ')';
  }
  if (const auto* prim = as<tir::PrimFunc>(function)) {
    QStringList names;
    for (size_t i = 0; i < prim->params.size(); ++i) {
      const bool buffer = i < prim->buffers.size() && prim->buffers[i];
      names << qt(buffer ? prim->buffers[i]->name : prim->params[i]->name);
    }
    return '(' + names.join(", ") + ')';
  }
  if (const auto* external = as<relax::ExternFunc>(function)) return qt(external->globalSymbol);
  return {};
}

/// A call that only writes into buffers has no name of its own: it goes by what it writes.
void nameCalls(FunctionRow* row) {
  std::optional<ValueFlow> flow;  // most stages have no such call
  for (BindingRow& binding : row->bindings) {
    binding.called = binding.name;
    if (binding.writes.empty() || !binding.name.startsWith('_')) continue;
    if (!flow) flow.emplace(*row, false);
    if (const QString written = flow->nameOf(binding.ordinal); !written.isEmpty()) binding.called = written;
  }
}

}  // namespace

StageIndexPtr buildStage(int number, const QString& title, const ir::Module& module, const StageIndexPtr& first) {
  auto index = std::make_shared<StageIndex>();
  index->stage = number;
  index->title = title;
  script::PrintOptions options;
  options.wantAnchors = true;
  const script::PrintResult printed = script::printModule(module, options);
  index->text = QByteArray(printed.text.data(), static_cast<qsizetype>(printed.text.size()));
  findLines(index.get());
  Anchors anchors;
  for (const script::Anchor& anchor : printed.anchors) {
    // What stands inside kernels has no row.
    if (isa<tir::StmtNode>(anchor.node)) continue;
    anchors.emplace(anchor.node, TextRange{static_cast<int>(anchor.begin), static_cast<int>(anchor.end)});
  }
  const FunctionNumbers numbers = numbersOf(*module);
  for (size_t i = 0; i < module->size(); ++i) {
    const ir::BaseFunc& function = module->functions[i];
    FunctionRow row;
    row.name = qt(module->vars[i]->name);
    row.kind = kindOf(function);
    row.signature = signatureOf(function);
    std::span<const script::NamePlace> places;
    if (const auto found = anchors.find(function.get()); found != anchors.end()) {
      places = placesIn(printed.names, found->second);
      row.firstLine = index->lineOf(found->second.begin);
      row.lastLine = index->lineOf(found->second.end - 1);
      row.headLine = places.empty() ? row.firstLine : index->lineOf(static_cast<int>(places.front().begin));
    }
    BufferFlow::Names variables;
    if (const auto* prim = as<tir::PrimFunc>(function)) row.prim = summaryOf(*prim);
    if (const auto* relaxFunction = as<relax::Function>(function)) {
      row.result = infoText(relaxFunction->retSinfo);
      row.pure = relaxFunction->isPure;
      row.isPrivate = !ir::attrOf(relaxFunction->attrs, "global_symbol");
      row.numInput = static_cast<int>(ir::intAttrOf(relaxFunction->attrs, "num_input", -1));
      FunctionWalk walk(*module, anchors, index.get(), &row);
      walk.run(*relaxFunction, places);
      variables = walk.takeVariables();
      row.outline = outlineOf(row, first.get());
      nameCalls(&row);
    }
    row.names = nameRows(places, numbers, static_cast<int>(i), variables, row);
    index->functions.push_back(std::move(row));
  }
  indexOrigins(index.get());
  index->hash = QString::number(structuralHash(module), 16);
  return index;
}

}  // namespace rx::views
