// Traces: what a rule prints, read and applied again, is what the rule made, and prints the same.
#include <QDir>
#include <QtTest>

#include "core/ir/all_nodes.h"
#include "core/ir/structural_equal.h"
#include "core/schedule/apply_schedules.h"
#include "core/schedule/host_schedule.h"
#include "core/schedule/primitives.h"
#include "core/schedule/trace_reader.h"
#include "core/script/parse.h"
#include "core/script/print.h"
#include "core/support/file.h"

using namespace rx;
using namespace rx::schedule;

class TestTraces : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyRuleOnEveryKernel_data();
  void everyRuleOnEveryKernel();
  void everyPrimitiveHasItsWords();

 private:
  /// How many kernels were scheduled by each rule.
  std::map<std::string, int> scheduled_;
};

namespace {

/// The targets that rules schedule for, as far as they make a difference.
constexpr const char* kTargets[] = {"llvm -mcpu=x86-64-v3", "cuda",  "cuda -arch=sm_80",
                                    "cuda -arch=sm_90a",    "metal", "opencl -device=adreno"};

/// Reads the text and applies it to the kernel again.
QString again(const ir::Module& module, const std::string& name, const Outcome& outcome) {
  const std::string text = std::string(kTraceHead) + traceLines(outcome.trace, name, "  ") + "  return\n";
  const auto source = make<SourceFile>("trace.py", text);
  const auto traced = applyTrace(module, *source, {});
  const QString shown = QString::fromStdString(text);
  if (!traced) return QString::fromStdString(renderDiagnostics(traced.diagnostics(), {source})) + shown;
  if (traced->size() != 1) return "another number of kernels\n" + shown;
  const TracedKernel& made = traced->front();
  if (!structuralEqual(made.kernel, outcome.kernel)) {
    return shown + QString::fromStdString(script::print(made.kernel).text + "\n--- by the rule\n" +
                                          script::print(outcome.kernel).text);
  }
  const std::string lines = traceLines(made.trace, name, "  ");
  return lines == traceLines(outcome.trace, name, "  ") ? QString() : shown + QString::fromStdString(lines);
}

}  // namespace

void TestTraces::everyRuleOnEveryKernel_data() {
  QTest::addColumn<QString>("path");
  const QDir folder(RX_SOURCE_DIR "/tests/golden/schedule");
  for (const QString& file : folder.entryList({"*.py"}, QDir::Files, QDir::Name)) {
    QTest::newRow(qPrintable(file)) << folder.filePath(file);
  }
}

void TestTraces::everyRuleOnEveryKernel() {
  QFETCH(QString, path);
  auto text = readFile(path.toStdString());
  QVERIFY(text.ok());
  const auto module = script::parseModule(make<SourceFile>("k.py", std::move(*text)));
  if (!module) return;  // a text of a case that is refused
  for (size_t i = 0; i < (*module)->size(); ++i) {
    const auto kernel = refAs<tir::PrimFunc>((*module)->functions[i]);
    if (!kernel || !isa<tir::BlockRealize>(kernel->body)) continue;
    const std::string name = (*module)->vars[i]->name.string();
    for (const char* each : kTargets) {
      const auto target = target::parseTarget(each);
      QVERIFY2(target.ok(), each);
      for (const RuleRow& rule : ruleRows()) {
        if (!rule.takes(**target)) continue;
        const auto outcome = rule.apply({kernel, **target, rule.fallback});
        if (!outcome || !outcome->kernel) continue;
        const QString bad = again(*module, name, *outcome);
        QVERIFY2(bad.isEmpty(), qPrintable(QString("%1 for %2\n%3").arg(rule.name, each, bad)));
        ++scheduled_[rule.name];
      }
    }
    HostRules rules;
    for (const HostRuleRow& row : hostRuleRows()) rules.push_back(&row);
    const auto outcome = hostSchedule(kernel, rules, {});
    QVERIFY(outcome.ok());
    if (!outcome->kernel) continue;
    const QString bad = again(*module, name, *outcome);
    QVERIFY2(bad.isEmpty(), qPrintable(bad));
    ++scheduled_["host"];
  }
}

/// Rows are sorted, and name as many arguments as their primitives take; each rule was tried.
void TestTraces::everyPrimitiveHasItsWords() {
  std::string_view before;
  for (const PrimitiveRow& row : primitiveRows()) {
    QVERIFY2(before < row.name, row.name);
    before = row.name;
    QCOMPARE(findPrimitive(row.name), &row);
    QVERIFY2(*row.help, row.name);
  }
  QCOMPARE(findPrimitive("get_block"), findPrimitive("get_sblock"));
  QVERIFY(!findPrimitive("sample_perfect_tile"));
  for (const RuleRow& rule : ruleRows()) QVERIFY2(scheduled_[rule.name] > 0, rule.name);
  QVERIFY(scheduled_["host"] > 4);
}

QTEST_GUILESS_MAIN(TestTraces)
#include "tst_traces.moc"
