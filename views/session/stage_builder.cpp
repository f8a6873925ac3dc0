#include "views/session/stage_builder.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/compile/request/languages.h"
#include "core/ir/attrs.h"
#include "core/ir/structural_hash.h"
#include "core/script/print.h"
#include "views/models/outline.h"
#include "views/models/value_flow.h"
#include "views/models/worker.h"
#include "views/session/beside.h"
#include "views/session/built_module.h"
#include "views/session/function_walk.h"
#include "views/session/graph_walk.h"
#include "views/session/kept_rows.h"
#include "views/session/prim_badge.h"
#include "views/session/prim_summary.h"
#include "views/session/stage_names.h"
#include "views/theme/qt_text.h"

namespace rx::views {
namespace {

FunctionKind kindOf(const ir::BaseFunc& function) {
  if (isa<relax::Function>(function)) return FunctionKind::Relax;
  if (isa<tir::PrimFunc>(function)) return FunctionKind::Prim;
  return ir::languageOf(*function).value ? FunctionKind::Graph : FunctionKind::Extern;
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
      names << qtText(buffer ? prim->buffers[i]->name : prim->params[i]->name);
    }
    return '(' + names.join(", ") + ')';
  }
  if (const auto* external = as<relax::ExternFunc>(function)) return qtText(external->globalSymbol);
  return {};
}

/// A call that only writes into buffers has no name of its own: it goes by what it writes, and who reads what it wrote
/// uses it.
void nameCalls(FunctionRow* row) {
  std::optional<ValueFlow> flow;  // most stages have no such call
  for (BindingRow& binding : row->bindings) {
    binding.called = binding.name;
    if (binding.writes.empty()) continue;
    if (!flow) flow.emplace(*row, false);
    binding.usedBy.clear();
    if (!binding.name.startsWith('_')) continue;
    if (const QString written = flow->nameOf(binding.ordinal); !written.isEmpty()) binding.called = written;
  }
  for (size_t reader = 0; flow && reader < row->bindings.size(); ++reader) {
    const auto ordinal = static_cast<int>(reader);
    for (const FlowSource& source : flow->inputs(ordinal)) {
      if (source.kind != OperandRow::Kind::Binding || source.index == ordinal) continue;
      BindingRow& maker = row->bindings[static_cast<size_t>(source.index)];
      const bool known = !maker.usedBy.empty() && maker.usedBy.back() == ordinal;
      if (!maker.writes.empty() && !known) maker.usedBy.push_back(ordinal);
    }
  }
}

/// Ranges of functions, type definitions and expressions in the text and, in text order, of all bindings.
struct Anchors {
  NodeRanges nodes;
  std::vector<script::Anchor> bindings;

  explicit Anchors(const std::vector<script::Anchor>& printed) {
    for (const script::Anchor& anchor : printed) {
      if (isa<relax::ExprNode>(anchor.node) || isa<relax::StructInfoNode>(anchor.node))
        nodes.emplace(anchor.node, TextRange{static_cast<int>(anchor.begin), static_cast<int>(anchor.end)});
      else if (isa<relax::BindingNode>(anchor.node))
        bindings.push_back(anchor);
    }
  }

  std::span<const script::Anchor> bindingsIn(TextRange range) const {
    const auto before = [](const script::Anchor& anchor, int offset) {
      return static_cast<int>(anchor.begin) < offset;
    };
    const auto first = std::lower_bound(bindings.begin(), bindings.end(), range.begin, before);
    return {first, std::lower_bound(first, bindings.end(), range.end, before)};
  }
};

class StageBuilder {
 public:
  StageBuilder(const ir::Module& module, const StageIndex* first, const StageBefore& before,
               const target::TargetRef& target, StageIndex* index)
      : module_(*module),
        first_(first),
        before_(before),
        target_(target),
        built_(std::make_shared<BuiltModule>(module)),
        index_(index),
        texts_(*module),
        kept_(*module, before),
        walked_(beside(bindingsOf(*module), [this] { return walkFunctions(); })),
        printed_(printStage(module)),
        anchors_(printed_.anchors),
        numbers_(numbersOf(*module)) {
    index->text = QByteArray(printed_.text.data(), static_cast<qsizetype>(printed_.text.size()));
    findLines(index);
  }

  void run() {
    made_ = walked_.get();
    for (const script::PrintedBody& body : bodies_)
      if (body.copied) copied_.emplace(body.function.get(), &body);
    for (size_t i = 0; i < module_.size(); ++i) index_->functions.push_back(rowOf(i, &made_.functions[i]));
    for (size_t i = 0; module_.types && i < module_.types->size(); ++i)
      index_->functions.push_back(typeRow(module_.types->keys[i], module_.types->values[i]));
    if (kept_.all() && before_.index) {
      index_->sites = before_.index->sites;
    } else {
      indexOrigins(index_);
    }
    built_->setBodies(std::move(bodies_));
    index_->patterns = built_;
  }

 private:
  script::PrintResult printStage(const ir::Module& module) {
    script::PrintOptions options;
    options.wantAnchors = true;
    return compile::printAgain(module, options, kept_.printed(), &bodies_);
  }

  static size_t bindingsOf(const ir::IRModule& module) {
    size_t count = 0;
    for (const ir::BaseFunc& function : module.functions)
      if (const auto* relaxFunction = as<relax::Function>(function)) count += bindingCount(*relaxFunction);
    return count;
  }

  using OutlineBeside = Beside<std::vector<OutlineRow>>;
  /// One a function. Outlines read the rows, and so go first.
  struct WalkedModule {
    std::vector<WalkedFunction> functions;
    std::vector<OutlineBeside> outlines;  // none where its function was not walked
  };

  /// Of functions that are not Relax there is nothing to walk, and rows that hold again are copied. An outline begins
  /// when its function has been walked: it needs no text either.
  WalkedModule walkFunctions() {
    WalkedModule walked{std::vector<WalkedFunction>(module_.size()), std::vector<OutlineBeside>(module_.size())};
    for (size_t i = 0; i < module_.size(); ++i) {
      WalkedFunction& one = walked.functions[i];
      const auto* function = as<relax::Function>(module_.functions[i]);
      if (const FunctionRow* kept = kept_.of(i)) {
        one.row = *kept;
        for (size_t k = 0; k < function->params.size(); ++k)
          one.names.set(function->params[k].get(), {OperandRow::Kind::Param, static_cast<int>(k)});
      } else if (function) {
        walk(i, *function, &one);
        walked.outlines[i] = outline(module_.functions[i], one.row);
      }
    }
    return walked;
  }

  /// All that a row says without a text.
  void walk(size_t number, const relax::Function& function, WalkedFunction* walked) {
    *walked = walkFunction(module_, function, &texts_);
    describe(number, &walked->row);
    nameCalls(&walked->row);
  }

  /// What is said of a function as a whole.
  void describe(size_t number, FunctionRow* row) const {
    const ir::BaseFunc& function = module_.functions[number];
    row->name = qtText(module_.vars[number]->name);
    row->kind = kindOf(function);
    row->language = qtText(ir::languageOf(*function).title);
    row->signature = signatureOf(function);
    const auto* relaxFunction = as<relax::Function>(function);
    if (!relaxFunction) return;
    row->result = infoText(relaxFunction->retSinfo);
    row->pure = relaxFunction->isPure;
    row->isPrivate = !ir::attrOf(relaxFunction->attrs, "global_symbol");
    row->numInput = static_cast<int>(ir::intAttrOf(relaxFunction->attrs, "num_input", -1));
  }

  /// The outline of a function beside all else. `row`, which it reads, stays where it is; places may be filled in.
  OutlineBeside outline(const ir::BaseFunc& function, const FunctionRow& row) const {
    return beside(row.bindings.size(), [this, function, &row] {
      const FunctionRow* same = unchanged(function, row.name);
      return same && same->bindings.size() == row.bindings.size() && same->numInput == row.numInput
                 ? same->outline
                 : outlineOf(row, first_);
    });
  }

  FunctionRow rowOf(size_t number, WalkedFunction* walked) {
    const ir::BaseFunc& function = module_.functions[number];
    const auto* relaxFunction = as<relax::Function>(function);
    const auto body = kept_.of(number) ? copied_.find(relaxFunction) : copied_.end();
    const script::PrintedBody* copied = body == copied_.end() ? nullptr : body->second;
    OutlineBeside outlined = std::move(made_.outlines[number]);
    FunctionRow& row = walked->row;
    if (kept_.of(number) && !copied) walk(number, *relaxFunction, walked);
    if (!outlined.valid()) describe(number, &row);
    FunctionText text;
    if (const auto found = anchors_.nodes.find(function.get()); found != anchors_.nodes.end()) {
      const TextRange range = found->second;
      text = {anchors_.bindingsIn(range), placesIn(printed_.names, range)};
      row.firstLine = index_->lineOf(range.begin);
      row.lastLine = index_->lineOf(range.end - 1);
      row.headLine = text.names.empty() ? row.firstLine : index_->lineOf(static_cast<int>(text.names.front().begin));
    }
    const FunctionRow* same = unchanged(function, row.name);
    if (const auto prim = refAs<tir::PrimFunc>(function)) {
      row.prim = same ? same->prim : summaryOf(*prim);
      row.badge = same ? same->badge : badgeIn(row, prim);
    }
    if (relaxFunction) {
      if (copied) {
        const std::vector<NameRow> head = nameRows(text.names, numbers_, static_cast<int>(number), walked->names, row);
        kept_.place(number, *copied, *index_, head, &row);
        kept_.addTo(built_.get(), number);
      } else {
        placeRows(*relaxFunction, text, *index_, walked);
        built_->add(static_cast<int>(number), text.bindings, row);
      }
      if (!outlined.valid()) outlined = outline(function, row);
    }
    if (row.kind == FunctionKind::Graph) {
      if (functions_.empty()) readGraphs();
      const ir::TextScopes scopes = compile::scopesOf(function, functions_[number]);
      const GraphFunction graph{ir::languageOf(*function), functions_[number], typed_[number], scopes};
      walked->names = walkGraph(graph, anchors_.nodes, *index_, &texts_, &row);
      row.result = graph.typed.result ? texts_.of(graph.typed.result->sinfo).info : QString();
      row.signature = graph.typed.result ? texts_.shortOf(graph.typed.result->sinfo) : QString();
      outlined = outline(function, row);
    }
    if (!copied) row.names = nameRows(text.names, numbers_, static_cast<int>(number), walked->names, row);
    if (outlined.valid()) row.outline = outlined.get();
    return std::move(row);
  }

  std::shared_ptr<const PrimBadge> badgeIn(const FunctionRow& row, const tir::PrimFuncRef& function) {
    return badgeOf(row.name.toStdString(), function, target_, [&](const Node* place) {
      if (begins_.empty())
        for (const script::Anchor& anchor : printed_.anchors) begins_.emplace(anchor.node, anchor.begin);
      const auto begin = begins_.find(place);
      return begin == begins_.end() ? -1 : index_->lineOf(static_cast<int>(begin->second)) - row.firstLine;
    });
  }

  /// The row of a function in the stage before whose body was this one; null where there is none.
  const FunctionRow* unchanged(const ir::BaseFunc& function, const QString& name) const {
    if (!before_.index || !before_.module) return nullptr;
    const ir::BaseFunc then = before_.module->find(name.toStdString());
    const auto* one = as<relax::Function>(function);
    const auto* other = as<relax::Function>(then);
    const bool same =
        one && other ? one->body == other->body && one->params.same(other->params) : then.get() == function.get();
    return same ? before_.index->function(name) : nullptr;
  }

  /// A type that the module defines: "[A] { Cons(A, List[A]), Nil, }".
  FunctionRow typeRow(const Str& name, const NodeRef& type) const {
    FunctionRow row;
    row.name = qtText(name);
    row.kind = FunctionKind::Type;
    row.language = qtText(ir::languageOf(module_).title);
    if (const auto found = anchors_.nodes.find(type.get()); found != anchors_.nodes.end()) {
      const TextRange range = found->second;
      row.firstLine = row.headLine = index_->lineOf(range.begin);
      row.lastLine = index_->lineOf(range.end - 1);
      const QString text = QString::fromUtf8(index_->text.mid(range.begin, range.end - range.begin)).simplified();
      row.signature = text.mid(text.indexOf(row.name) + row.name.size()).trimmed();
    }
    return row;
  }

  void readGraphs() {
    typedModule_ = compile::typedForm(ir::Module(&module_));
    functions_ = ir::textFunctions(module_);
    typed_ = ir::textFunctions(*typedModule_);
  }

  const ir::IRModule& module_;
  const StageIndex* first_;
  const StageBefore& before_;
  const target::TargetRef target_;
  std::shared_ptr<BuiltModule> built_;
  StageIndex* index_;
  RowTexts texts_;
  const KeptRows kept_;
  std::vector<script::PrintedBody> bodies_;
  std::unordered_map<const Node*, const script::PrintedBody*> copied_;  // by their functions
  Beside<WalkedModule> walked_;                                         // beside the printing
  WalkedModule made_;
  const script::PrintResult printed_;
  const Anchors anchors_;
  std::unordered_map<const Node*, uint32_t> begins_;  // of all anchors, once a badge speaks of a place
  const FunctionNumbers numbers_;
  // Of modules in a language whose functions are graphs.
  ir::Module typedModule_;
  std::vector<ir::TextFunction> functions_;
  std::vector<ir::TextFunction> typed_;
};

}  // namespace

StageIndexPtr buildStage(int number, const QString& title, const ir::Module& module, const StageIndexPtr& first,
                         const StageBefore& before, const target::TargetRef& target,
                         const std::function<void(StageIndexPtr)>& printed) {
  // Of a shorter text the rows are there before a person sees that they were not.
  constexpr qsizetype kLongText = 256 << 10;
  auto index = std::make_shared<StageIndex>();
  index->stage = number;
  index->title = title;
  auto builder = std::make_unique<StageBuilder>(module, first.get(), before, target, index.get());
  if (printed && index->text.size() >= kLongText) printed(std::make_shared<const StageIndex>(*index));
  builder->run();
  releaseOnWorker(*QThreadPool::globalInstance(), std::move(builder));  // what it went by is as large as the stage
  if (number == 0) index->hash = QString::number(structuralHash(module), 16);
  return index;
}

}  // namespace rx::views
