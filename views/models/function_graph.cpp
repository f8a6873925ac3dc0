#include "views/models/function_graph.h"

#include <QCoreApplication>
#include <QHash>
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "views/models/memory_plan.h"
#include "views/models/numbers.h"
#include "views/models/scopes.h"
#include "views/models/tensor_type.h"
#include "views/models/value_flow.h"
#include "views/models/weights.h"

namespace rx::views {
namespace {

constexpr int kIndexBits = 40;

QString text(const char* source) { return QCoreApplication::translate("Graph", source); }

QString shapeAndType(const QString& shape, const QString& dtype, const QString& info) {
  if (!shape.isEmpty()) return dtype.isEmpty() ? shape : shape + QLatin1Char(' ') + shortDtype(dtype);
  // Of several values the first is what most readers want.
  const QLatin1String kTuple("R.Tuple(");
  const std::optional<ConstantType> first =
      info.startsWith(kTuple) ? constantType(info.mid(kTuple.size())) : std::nullopt;
  if (first) return shapeAndType(first->shape, first->dtype, {}) + QStringLiteral(", …");
  return info.size() > 28 ? info.left(27) + QChar(0x2026) : info;
}

/// A name without the digits at its end. By hand: it is asked of every binding of a stage.
QString withoutNumber(const QString& name) {
  qsizetype end = name.size();
  while (end > 0 && name[end - 1].isDigit()) --end;
  return name.left(end);
}

class Builder {
 public:
  Builder(const FunctionRow& function, bool machine, const SymbolSizes& sizes, bool drawn)
      : function_(function), sizes_(sizes), drawn_(drawn), flow_(function, machine) {}

  FunctionGraph run() {
    const size_t most = function_.bindings.size() + function_.params.size() + 1;
    model_.nodes.reserve(most);
    nodes_.reserve(most);
    graph_.shownBy.reserve(function_.bindings.size());
    if (function_.kind == FunctionKind::Graph) addScopes();
    for (size_t p = 0; p < function_.params.size(); ++p)
      if (!hasFields(static_cast<int>(p))) addParam(static_cast<int>(p));
    for (const BindingRow& binding : function_.bindings)
      if (flow_.shown(binding.ordinal)) addBinding(binding);
    for (const BindingRow& binding : function_.bindings)
      if (flow_.shown(binding.ordinal)) addEdges(binding);
    addResult();
    graph_.folded = flow_.folded();
    for (const BindingRow& binding : function_.bindings) {
      const int shown = flow_.shownBy(binding.ordinal);
      graph_.shownBy.push_back(shown < 0 ? 0 : nodeId({NodeTarget::Kind::Binding, shown}));
      if (shown >= 0 && shown != binding.ordinal) ++model_.nodes[nodes_.at(graph_.shownBy.back())].bindings;
    }
    return std::move(graph_);
  }

 private:
  uint32_t addNode(const NodeTarget& target, GraphNode node) {
    node.id = nodeId(target);
    nodes_[node.id] = static_cast<uint32_t>(model_.nodes.size());
    model_.nodes.push_back(std::move(node));
    return static_cast<uint32_t>(model_.nodes.size() - 1);
  }

  void addParam(int index) {
    const ParamRow& param = function_.params[static_cast<size_t>(index)];
    GraphNode node;
    node.title = param.name.toStdString();
    node.subtitle = shapeAndType(param.shape, param.dtype, param.info).toStdString();
    node.kind = OpKind::Parameter;
    node.shape = NodeShape::Pill;
    node.stubOnly = isWeight(function_, index);
    if (node.stubOnly) node.bytes = tensorSize(param.shape, param.dtype).bytes;
    node.placeKey = node.title;
    addNode({NodeTarget::Kind::Param, index}, std::move(node));
  }

  /// Weights in a tuple are read one by one: each field that somebody reads is a weight, the tuple is none.
  bool hasFields(int param) const {
    return isWeight(function_, param) && !function_.params[static_cast<size_t>(param)].fields.empty();
  }

  uint32_t fieldNode(const ParamField& field) {
    if (const auto known = fields_.find(field); known != fields_.end()) return known->second;
    const ParamRow& param = function_.params[static_cast<size_t>(field.param)];
    const FieldRow& row = param.fields[static_cast<size_t>(field.element)];
    GraphNode node;
    node.title = QStringLiteral("%1[%2]").arg(param.name, QString::number(field.element)).toStdString();
    node.subtitle = shapeAndType(row.shape, row.dtype, {}).toStdString();
    node.kind = OpKind::Parameter;
    node.shape = NodeShape::Pill;
    node.stubOnly = true;
    node.bytes = tensorSize(row.shape, row.dtype).bytes;
    node.placeKey = node.title;
    const auto number = static_cast<int>(graph_.fields.size());
    graph_.fields.push_back(field);
    return fields_[field] = addNode({NodeTarget::Kind::Field, number}, std::move(node));
  }

  /// Blocks of such a function are scopes, the outer ones first. One alone is the function, which needs no box.
  void addScopes() {
    if (function_.blocks.size() < 2) return;
    for (const BlockRow& block : function_.blocks) {
      const BindingRow* owner = function_.binding(block.parent);
      if (owner && block.bindings.empty()) continue;  // what it gives is computed around it
      GraphRegion region{scopeTitle(function_, block).toStdString(), RegionKind::Scope, -1};
      region.brief = scopeName(block).toStdString();
      if (owner) {
        region.branch = block.branch;
        region.parent = regionOfBlock(owner->block);
      }
      blockRegions_[block.index] = static_cast<int>(model_.regions.size());
      model_.regions.push_back(std::move(region));
    }
  }

  /// Region of a block, made when its first binding comes; -1 for what stands directly in the function.
  int regionOfBlock(int index) {
    if (index < 0 || index >= static_cast<int>(function_.blocks.size())) return -1;
    if (auto it = blockRegions_.find(index); it != blockRegions_.end()) return it->second;
    if (function_.kind == FunctionKind::Graph) return -1;
    const BlockRow& block = function_.blocks[static_cast<size_t>(index)];
    int region = block.parent < 0 ? -1 : regionOfBranch(block.parent, block.branch);
    if (block.dataflow) {
      model_.regions.push_back(
          {text("dataflow %1").arg(++dataflowBlocks_).toStdString(), RegionKind::Dataflow, region});
      region = static_cast<int>(model_.regions.size()) - 1;
    }
    return blockRegions_[index] = region;
  }

  int regionOfBranch(int parent, int branch) {
    if (auto it = branchRegions_.find({parent, branch}); it != branchRegions_.end()) return it->second;
    const BindingRow* owner = function_.binding(parent);
    // Blocks stand after the block of their owner in the text, but a broken index must not make a loop.
    int outer = -1;
    if (owner && !open_.contains(parent)) {
      open_.insert(parent, true);
      outer = regionOfBlock(owner->block);
      open_.remove(parent);
    }
    const bool isIf = owner && owner->form == BindingForm::If;
    const QString name = owner ? owner->name : QString();
    const QString title = !isIf         ? text("function %1").arg(name)
                          : branch == 0 ? text("if %1: true").arg(name)
                                        : text("if %1: false").arg(name);
    model_.regions.push_back({title.toStdString(), isIf ? RegionKind::Branch : RegionKind::Function, outer});
    return branchRegions_[{parent, branch}] = static_cast<int>(model_.regions.size()) - 1;
  }

  /// What bindings with one label and one type have alike: a long function has few of them, which share their texts.
  struct Likeness {
    QString label;
    std::string subtitle, foldKey, foldFamily;
  };
  const Likeness& likenessOf(const BindingRow& binding, const BindingRow& value) {
    const bool isIf = binding.form == BindingForm::If;
    const bool isKernel = std::any_of(binding.operands.begin(), binding.operands.end(),
                                      [](auto& operand) { return operand.kind == OperandRow::Kind::Global; });
    const auto [at, fresh] =
        alike_.try_emplace(std::tuple(binding.label.constData(), value.info.constData(), isIf, isKernel));
    if (!fresh) return at->second;
    QString label = binding.label;
    // "call_tir fused_add", "nn.conv2d": the last word says what happens.
    label = label.mid(std::max(label.lastIndexOf(QLatin1Char(' ')), label.lastIndexOf(QLatin1Char('.'))) + 1);
    if (isIf && label.isEmpty()) label = QStringLiteral("if");
    // Kernels of one operation are numbered by their shapes and attributes: matmul, matmul1, strided_slice7. Layers
    // that are equal as operations are equal as kernels: neither says the attributes.
    const QString family = withoutNumber(label);
    at->second = {label, shapeAndType(value.shape, value.dtype, value.info).toStdString(),
                  ((isKernel ? family : label) + '|' + value.info).toStdString(), family.toStdString()};
    return at->second;
  }

  void addBinding(const BindingRow& binding) {
    GraphNode node;
    // What a call wrote has its type in the buffer.
    const std::vector<int> buffers = flow_.buffersOf(binding.ordinal);
    const BindingRow& value = buffers.empty() ? binding : *function_.binding(buffers.front());
    const Likeness& alike = likenessOf(binding, value);
    node.subtitle = alike.subtitle;
    node.kind = binding.kind;
    node.impure = binding.impure && binding.writes.empty() && binding.role == FlowRole::Computes;
    node.region = regionOfBlock(binding.block);
    node.foldKey = alike.foldKey;
    node.foldFamily = alike.foldFamily;
    if (drawn_) tell(binding, alike.label, buffers, &node);
    addNode({NodeTarget::Kind::Binding, binding.ordinal}, std::move(node));
  }

  /// What only a drawing says of an operation.
  void tell(const BindingRow& binding, const QString& label, const std::vector<int>& buffers, GraphNode* node) const {
    const QString written = flow_.nameOf(binding.ordinal), name = written.isEmpty() ? binding.name : written;
    const bool unnamed = !label.isEmpty() && binding.called == binding.label && binding.called != binding.name;
    const QString& shown = written.isEmpty() ? binding.called : written;
    node->title = (label.isEmpty() ? shown : unnamed ? label : shown + QLatin1Char(' ') + label).toStdString();
    for (const int buffer : buffers) node->chip += (node->chip.empty() ? "" : ", ") + chipOf(buffer).toStdString();
    node->placeKey = name.toStdString();
  }

  /// "s4 · 288 B": the storage where memory is planned, the buffer itself where it is not.
  QString chipOf(int buffer) const {
    const BindingRow& row = *function_.binding(buffer);
    const BindingRow* storage = function_.binding(row.storage);
    const QString name = storage ? shortStorage(storage->name) : row.name;
    const QString& bytes = row.bytes.isEmpty() && storage ? storage->bytes : row.bytes;
    return bytes.isEmpty() ? name : name + QStringLiteral(" · ") + bytesTextWith(bytes, sizes_);
  }

  void connect(const FlowSource& source, uint32_t to) {
    NodeTarget target{NodeTarget::Kind::None, source.index};
    if (source.kind == OperandRow::Kind::Binding) target.kind = NodeTarget::Kind::Binding;
    if (source.kind == OperandRow::Kind::Param) target.kind = NodeTarget::Kind::Param;
    if (source.kind == OperandRow::Kind::Constant && !source.name.isEmpty()) {
      GraphNode node;
      node.title = constantLabel(source.name).toStdString();
      node.kind = OpKind::Constant;
      node.stubOnly = true;
      if (const std::optional<ConstantType> type = constantType(source.name); type && type->shape.size() > 2) {
        node.subtitle = shapeAndType(type->shape, type->dtype, {}).toStdString();
        node.title = text("const").toStdString();
        node.bytes = tensorSize(type->shape, type->dtype).bytes;
      }
      const uint32_t from = addNode({NodeTarget::Kind::Constant, constants_++}, std::move(node));
      return model_.edges.push_back({from, to});
    }
    if (target.kind == NodeTarget::Kind::Param && hasFields(source.index)) {
      const auto& fields = function_.params[static_cast<size_t>(source.index)].fields;
      if (source.element >= 0 && source.element < static_cast<int>(fields.size()))
        return model_.edges.push_back({fieldNode({source.index, source.element}), to});
      if (!nodes_.contains(nodeId(target))) addParam(source.index);
    }
    auto it = nodes_.find(nodeId(target));
    if (target.kind == NodeTarget::Kind::None || it == nodes_.end() || it->second == to) return;
    GraphEdge edge{it->second, to};
    // The first element is what most readers want of a tuple; the others say which one they read.
    if (source.element > 0) edge.label = '[' + std::to_string(source.element) + ']';
    if (source.viewed) edge.label = text("reshaped").toStdString();
    model_.edges.push_back(std::move(edge));
  }

  void addEdges(const BindingRow& binding) {
    const uint32_t to = nodes_.at(nodeId({NodeTarget::Kind::Binding, binding.ordinal}));
    for (const FlowSource& source : flow_.inputs(binding.ordinal)) connect(source, to);
  }

  void addResult() {
    if (function_.results.empty()) return;
    GraphNode node;
    node.title = text("result").toStdString();
    node.kind = OpKind::Output;
    node.shape = NodeShape::Pill;
    node.subtitle = function_.signature.toStdString();
    node.placeKey = "result";
    const uint32_t to = addNode({NodeTarget::Kind::Result, 0}, std::move(node));
    for (const FlowSource& source : flow_.results()) connect(source, to);
  }

  const FunctionRow& function_;
  const SymbolSizes& sizes_;
  const bool drawn_;
  const ValueFlow flow_;
  FunctionGraph graph_;
  GraphModel& model_ = graph_.model;
  std::unordered_map<uint64_t, uint32_t> nodes_;
  std::map<std::tuple<const QChar*, const QChar*, bool, bool>, Likeness> alike_;  // by the texts of label and type
  std::map<ParamField, uint32_t> fields_;
  std::map<int, int> blockRegions_;
  std::map<std::pair<int, int>, int> branchRegions_;
  QHash<int, bool> open_;
  int dataflowBlocks_ = 0;
  int constants_ = 0;
};

}  // namespace

uint64_t nodeId(const NodeTarget& target) {
  return (uint64_t(target.kind) << kIndexBits) | (uint64_t(uint32_t(target.index)) + 1);
}

NodeTarget nodeTarget(uint64_t id) {
  const uint64_t kind = id >> kIndexBits;
  if (kind == 0 || kind > uint64_t(NodeTarget::Kind::Result)) return {};
  return {static_cast<NodeTarget::Kind>(kind), static_cast<int>(static_cast<uint32_t>(id) - 1)};
}

QString constantLabel(const QString& name) {
  const std::optional<ConstantType> type = constantType(name);
  if (!type) return name.size() > 24 ? name.left(23) + QChar(0x2026) : name;
  return (type->shape.size() == 2 ? QStringLiteral("const ") : QStringLiteral("const %1 ").arg(type->shape)) +
         shortDtype(type->dtype);
}

FunctionGraph buildGraph(const FunctionRow& function, bool machine, const SymbolSizes& sizes) {
  return Builder(function, machine, sizes, true).run();
}

FunctionGraph undrawnGraph(const FunctionRow& function) { return Builder(function, false, {}, false).run(); }

}  // namespace rx::views
