// Rows of a stage that were taken from the stage before are those that are made of its module alone.
#include <QTest>

#include "core/compile/request/languages.h"
#include "core/compile/request/passes.h"
#include "core/ir/attrs.h"
#include "core/op/op_table.h"
#include "core/pass/runner.h"
#include "core/support/file.h"
#include "core/support/source.h"
#include "core/target/target.h"
#include "views/graph/layer_fold.h"
#include "views/models/function_graph.h"
#include "views/models/outline.h"
#include "views/session/kept_rows.h"
#include "views/session/op_kinds.h"
#include "views/session/stage_builder.h"

using namespace rx;
using namespace rx::views;

namespace {

const std::string kSamples = RX_SOURCE_DIR "/samples/";

QString said(TextRange range) { return QStringLiteral("[%1 %2]").arg(range.begin).arg(range.end); }

QString said(const std::vector<OperandRow>& operands) {
  QStringList all;
  for (const OperandRow& operand : operands)
    all << QStringLiteral("%1/%2/%3").arg(static_cast<int>(operand.kind)).arg(operand.index).arg(operand.name);
  return all.join(' ');
}

QString said(const std::vector<int>& numbers) {
  QStringList all;
  for (const int number : numbers) all << QString::number(number);
  return all.join(' ');
}

/// All that a row says of a function, a line each.
QStringList linesOf(const FunctionRow& row) {
  QStringList lines{row.name + ' ' + row.signature + ' ' + row.result, QStringLiteral("%1 %2 %3 %4 %5 %6")
                                                                           .arg(row.isPrivate)
                                                                           .arg(row.pure)
                                                                           .arg(row.numInput)
                                                                           .arg(row.firstLine)
                                                                           .arg(row.headLine)
                                                                           .arg(row.lastLine)};
  for (const ParamRow& param : row.params)
    lines << param.name + ' ' + param.info + said(param.nameRange) + said(param.usedBy);
  for (const BlockRow& block : row.blocks)
    lines << QStringLiteral("block %1 %2 %3 ").arg(block.parent).arg(block.firstLine).arg(block.lastLine) +
                 said(block.bindings) + '|' + said(block.outputs);
  for (const BindingRow& binding : row.bindings) {
    lines << binding.name + ' ' + binding.called + ' ' + binding.label + ' ' + binding.info + ' ' + binding.bytes;
    lines << QStringLiteral("%1 %2 %3 %4 %5 ")
                     .arg(binding.line)
                     .arg(binding.lastLine)
                     .arg(static_cast<int>(binding.kind))
                     .arg(static_cast<int>(binding.role))
                     .arg(binding.storage) +
                 said(binding.range) + said(binding.operands) + '|' + said(binding.usedBy) + '|' +
                 said(binding.writes) + '|' + said(binding.yields) + binding.pass;
    for (const OriginRow& origin : binding.origins) lines << QString::number(origin.key);
  }
  for (const SymbolRow& symbol : row.symbols)
    lines << QStringLiteral("%1 %2 %3 %4").arg(symbol.name, symbol.boundBy).arg(symbol.line).arg(symbol.uses.size());
  for (const OutlineRow& block : row.outline)
    lines << QStringLiteral("%1 %2 %3").arg(block.name).arg(block.first).arg(block.last);
  for (const NameRow& name : row.names)
    lines << said(name.range) + QStringLiteral(" %1 %2 %3 %4")
                                    .arg(name.target)
                                    .arg(static_cast<int>(name.kind))
                                    .arg(name.defines)
                                    .arg(static_cast<int>(name.color));
  return lines;
}

ir::Module sample(const std::string& name) {
  const auto text = readFile(kSamples + name + "/module.py");
  if (!text) return nullptr;
  const auto unit = compile::readUnit(make<SourceFile>(name, *text));
  return unit ? unit->module : nullptr;
}

/// A function of so many layers of three bindings: more than are walked and outlined on the thread that prints.
ir::Module longFunction(int layers) {
  QString text =
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
      "    @R.function\n    def main(x: R.Tensor((8, 64), dtype=\"float32\"), w: R.Tensor((64, 64), "
      "dtype=\"float32\")):\n        with R.dataflow():\n";
  QString last = "x";
  for (int i = 0; i < layers * 3; ++i) {
    const char* calls[] = {"R.matmul(%1, w, out_dtype=\"void\")", "R.add(%1, %1)", "R.nn.gelu(%1)"};
    const QString name = QStringLiteral("lv%1").arg(i);
    text += QStringLiteral("            %1 = %2\n").arg(name, QString::fromLatin1(calls[i % 3]).arg(last));
    last = name;
  }
  text += QStringLiteral("            R.output(%1)\n        return %1\n").arg(last);
  const auto unit = compile::readUnit(make<SourceFile>("long", text.toStdString()));
  return unit ? unit->module : nullptr;
}

/// The module with an attribute more in each of its functions.
ir::Module withAttribute(const ir::IRModule& module, const char* key) {
  std::vector<ir::IRModule::Entry> entries;
  for (size_t i = 0; i < module.size(); ++i) {
    const auto* function = as<relax::Function>(module.functions[i]);
    ir::BaseFunc changed = module.functions[i];
    if (function) {
      changed = make<relax::Function>(function->params, function->body, function->retSinfo, function->isPure,
                                      ir::withAttr(function->attrs, key, ir::intAttr(1)));
    }
    entries.push_back({module.vars[i], changed});
  }
  return module.with(std::move(entries));
}

void compareStages(const StageIndex& made, const StageIndex& alone) {
  QCOMPARE(made.text, alone.text);
  QCOMPARE(made.lineStarts, alone.lineStarts);
  QCOMPARE(made.functions.size(), alone.functions.size());
  for (size_t i = 0; i < alone.functions.size(); ++i) QCOMPARE(linesOf(made.functions[i]), linesOf(alone.functions[i]));
  QVERIFY(made.sites == alone.sites);
  CancelToken cancel;
  const QString everything = QStringLiteral("is_op(\"relax.call_tir\")");
  QVERIFY(made.patterns->find(everything, cancel) == alone.patterns->find(everything, cancel));
}

}  // namespace

class StageRowsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyStageOfEverySample_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"attention", "branch", "decoder", "dynamic", "mlp", "simplenet"})
      QTest::newRow(name) << QString(name);
  }
  void everyStageOfEverySample() {
    QFETCH(QString, name);
    ir::Module module = sample(name.toStdString());
    QVERIFY(module);
    const auto calls = compile::stepsFor(*module, compile::defaultPipeline());
    QVERIFY(calls);
    pass::RunOptions options;
    options.context.target = *target::parseTarget("llvm");
    const StageIndexPtr first = buildStage(0, "imported", module);
    StageBefore before{module, first};
    size_t kept = 0;
    int number = 0;
    for (const pass::PassCall& call : *calls) {
      const pass::StepRecord record = pass::runStep(module, call, options);
      QVERIFY(!record.failed());
      const KeptRows rows(*record.after, before);
      for (size_t i = 0; i < record.after->size(); ++i) kept += rows.of(i) != nullptr;
      const StageIndexPtr made = buildStage(++number, "a pass", record.after, first, before);
      const StageIndexPtr alone = buildStage(number, "a pass", record.after, first);
      compareStages(*made, *alone);
      if (QTest::currentTestFailed()) return;
      module = record.after;
      before = {module, made};
    }
    QVERIFY(kept > 0);  // AttachGlobalSymbol changes no more than attributes
  }

  /// In graph, tree and text an operator without a kind looks like no operator.
  void everyOperatorHasAKind() {
    // What asks about shapes and layouts is of no family.
    const QStringList none{"inspect.", "match_shape", "shape_of", "shape_to_tensor", "size", "tensor_to_shape"};
    QStringList without;
    for (const op::OpRow& row : op::allOps()) {
      const QString name = QString::fromUtf8(row.name().data(), static_cast<qsizetype>(row.name().size())).mid(6);
      const bool asks = std::ranges::any_of(none, [&](const QString& one) { return name.startsWith(one); });
      if (!asks && opKindOf(row.name()) == OpKind::Other) without << name;
    }
    QVERIFY2(without.isEmpty(), qPrintable(without.join(' ')));
  }

  /// A long text is there before its rows, a short one with them.
  void longTextsComeFirst() {
    for (const int layers : {10, 1500}) {
      std::vector<StageIndexPtr> texts;
      const auto keep = [&texts](StageIndexPtr text) { texts.push_back(std::move(text)); };
      const StageIndexPtr made = buildStage(3, "long", longFunction(layers), {}, {}, {}, keep);
      QVERIFY(made && made->function("main"));
      QCOMPARE(texts.size(), size_t(layers > 10));
      for (const StageIndexPtr& text : texts) {
        QCOMPARE(text->stage, 3);
        QCOMPARE(text->title, made->title);
        QCOMPARE(text->text.constData(), made->text.constData());  // the bytes are shared
        QVERIFY(text->lineStarts == made->lineStarts);
        QVERIFY(text->functions.empty());
      }
    }
  }

  /// Blocks are looked for in a graph without its titles, and before there is a text.
  void blocksAreThoseOfTheDrawing() {
    ir::Module module = longFunction(500);
    QVERIFY(module);
    pass::RunOptions options;
    options.context.target = *target::parseTarget("llvm");
    const auto calls = compile::stepsFor(*module, "LegalizeOps(), CallTIRRewrite()");
    QVERIFY(calls);
    for (size_t stage = 0; stage <= calls->size(); ++stage) {
      if (stage > 0) module = pass::runStep(module, (*calls)[stage - 1], options).after;
      const StageIndexPtr index = buildStage(static_cast<int>(stage), "long", module);
      const FunctionRow* row = index->function("main");
      QVERIFY(row);
      const std::vector<LayerRun> drawn = findLayers(buildGraph(*row).model);
      QVERIFY(!drawn.empty());
      QVERIFY(findLayers(undrawnGraph(*row).model) == drawn);
      const std::vector<OutlineRow> alone = outlineOf(*row);
      QCOMPARE(row->outline.size(), alone.size());
      for (size_t i = 0; i < alone.size(); ++i) {
        QCOMPARE(row->outline[i].name, alone[i].name);
        QCOMPARE(row->outline[i].first, alone[i].first);
        QCOMPARE(row->outline[i].last, alone[i].last);
      }
    }
  }

  /// Lines are added in front of the bodies, and taken away again.
  void attributesMoveABody() {
    const ir::Module module = sample("dynamic");
    QVERIFY(module);
    const StageIndexPtr first = buildStage(0, "imported", module);
    const ir::Module longer = withAttribute(*module, "num_input");
    const StageIndexPtr moved = buildStage(1, "longer", longer, first, {module, first});
    QVERIFY(moved->lineCount() > first->lineCount());
    compareStages(*moved, *buildStage(1, "longer", longer, first));
    const StageIndexPtr back = buildStage(2, "shorter", module, first, {longer, moved});
    QCOMPARE(back->text, first->text);
    compareStages(*back, *first);
  }

  /// A caller says of a call what its kernel writes: with another kernel it is walked again.
  void anotherKernelIsLookedAt() {
    ir::Module module = sample("mlp");
    QVERIFY(module);
    pass::RunOptions options;
    options.context.target = *target::parseTarget("llvm");
    const auto calls = compile::stepsFor(*module, "LegalizeOps(), CallTIRRewrite()");
    QVERIFY(calls);
    const ir::Module legal = pass::runStep(module, calls->front(), options).after;
    const ir::Module lowered = pass::runStep(legal, calls->back(), options).after;
    const StageBefore before{lowered, buildStage(1, "LegalizeOps", lowered)};
    std::vector<ir::IRModule::Entry> entries;
    for (size_t i = 0; i < lowered->size(); ++i) {
      const auto* kernel = as<tir::PrimFunc>(lowered->functions[i]);
      ir::BaseFunc changed = lowered->functions[i];
      if (kernel)
        changed = make<tir::PrimFunc>(kernel->params, kernel->buffers, make<tir::Evaluate>(tir::intImm(0)),
                                      kernel->retType, kernel->attrs);
      entries.push_back({lowered->vars[i], changed});
    }
    const ir::Module other = lowered->with(std::move(entries));
    const KeptRows same(*lowered, before), changed(*other, before);
    bool sawCaller = false;
    for (size_t i = 0; i < other->size(); ++i) {
      if (!isa<relax::Function>(other->functions[i])) continue;
      sawCaller = true;
      QVERIFY(same.of(i));
      QVERIFY(!changed.of(i));
    }
    QVERIFY(sawCaller);
    compareStages(*buildStage(2, "other", other, {}, before), *buildStage(2, "other", other));
  }
};

QTEST_GUILESS_MAIN(StageRowsTest)
#include "tst_stage_rows.moc"
