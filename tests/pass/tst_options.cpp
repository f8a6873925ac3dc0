// Options and config keys of passes: what their rows say of those that are left out is what passes get, and values that
// no row allows are refused before anything runs.
#include <QtTest>

#include "core/compile/request/passes.h"
#include "core/ir/structural_equal.h"
#include "core/pass/config.h"
#include "core/pass/literal.h"
#include "core/pass/options.h"
#include "core/pass/runner.h"

using namespace rx;
using namespace rx::pass;

namespace {

/// Says, as a note, with which options it was called.
Result<ir::Module> echo(const ir::Module& module, const ir::Attrs& options, PassContext& context) {
  context.messages.push_back({Severity::Note, "test.options", literalText(options ? NodeRef(options) : nullptr)});
  return module;
}

constexpr OptionSpec kOptions[] = {
    {"size", OptionKind::Int, "3", "a number"},
    {"strict", OptionKind::Bool, "True", "a flag"},
    {"target", OptionKind::Any, "None", "absent"},
    {"item", OptionKind::Any, "\"set_item\"", "a name, or None"},
};
constexpr PassRow kRows[] = {{"Echo", "says its options", kOptions, Contract::None, echo}};

/// What the pass got, behind what the step is called.
QString told(const char* pipeline) {
  const PassTable table{kRows};
  const auto calls = parsePipeline(table, pipeline);
  if (!calls) return QString::fromStdString(calls.diagnostics()[0].message);
  const ir::Module module = make<ir::IRModule>(std::vector<ir::IRModule::Entry>{}, nullptr, nullptr, SourceList{});
  const StepRecord step = runStep(module, (*calls)[0], {});
  return QString::fromStdString(step.call + " " + step.messages.at(0).message);
}

/// A line for each thing that is refused.
QString refusal(const char* json) {
  const Result<ir::Attrs> config = readConfig(json);
  QStringList lines;
  for (const Diagnostic& error : config.diagnostics()) {
    lines << QString::fromStdString(error.rule + ": " + error.message + (error.fix.empty() ? "" : "; " + error.fix));
  }
  return lines.join('\n');
}

PassContext contextOf(const char* json) {
  PassContext context;
  context.config = readConfig(json).value();
  return context;
}

void checkSpec(const OptionSpec& spec, const char* owner) {
  size_t at = 0;
  const Result<NodeRef> value = readLiteral(spec.fallback, at);
  QVERIFY2(value && at == std::string_view(spec.fallback).size(), qPrintable(QString("%1: %2").arg(owner, spec.name)));
  QVERIFY2(isa<ir::NullAttr>(*value) || !misfit(spec.kind, *value),
           qPrintable(QString("%1: %2").arg(owner, spec.name)));
}

}  // namespace

class OptionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void passesGetFallbacks() {
    QCOMPARE(told("Echo()"), R"(Echo() {"size": 3, "strict": True, "item": "set_item"})");
    QCOMPARE(told("Echo(size=4)"), R"(Echo(size=4) {"size": 4, "strict": True, "item": "set_item"})");
    QCOMPARE(told("Echo(strict=False, target='llvm')"),
             R"(Echo(strict=False, target="llvm") {"strict": False, "target": "llvm", "size": 3, "item": "set_item"})");
  }
  void noneIsAValueOnlyWhereAnyIs() {
    QCOMPARE(told("Echo(size=None, item=None)"),
             R"(Echo(size=None, item=None) {"size": 3, "item": None, "strict": True})");
  }
  void fallbacksAreValuesOfTheirKind() {
    for (const PassRow& row : compile::passTable().rows()) {
      for (const OptionSpec& spec : row.options) checkSpec(spec, row.name);
    }
    for (const ConfigKey& key : configKeys()) {
      checkSpec(key.spec, "config");
      for (const OptionSpec& field : key.fields) checkSpec(field, key.spec.name);
    }
  }
  void configFallsBackToTheTable() {
    const PassContext none;
    QCOMPARE(configNumber(none, "relax.FuseOps.max_depth"), 256);
    QCOMPARE(configFlag(none, "s_tir.instr_siblings"), true);
    QCOMPARE(configNumber(none, "tirx.UnrollLoop", "auto_max_depth"), 8);
    QVERIFY(!configOf(none, "tirx.enable_buffer_level_predication"));
    const PassContext some = contextOf(R"({"tirx.UnrollLoop": {"auto_max_step": 16, "explicit_unroll": 0},
                                           "tirx.enable_buffer_level_predication": false})");
    QCOMPARE(configNumber(some, "tirx.UnrollLoop", "auto_max_step"), 16);
    QCOMPARE(configFlag(some, "tirx.UnrollLoop", "explicit_unroll"), false);
    QCOMPARE(configNumber(some, "tirx.UnrollLoop", "auto_max_depth"), 8);
    QVERIFY(configOf(some, "tirx.enable_buffer_level_predication"));
  }
  void refusesKeysAndTypes_data() {
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* json, const char* expected) { QTest::newRow(json) << QString(expected); };
    row("[1]", "pass.config: this is not a JSON object");
    row(R"({"tirx.UnrolLoop": {}})",
        "pass.config: the config of passes has no key 'tirx.UnrolLoop'; did you mean 'tirx.UnrollLoop'?");
    row(R"({"relax.FuseOps.max_depth": "deep"})", "pass.config: the key 'relax.FuseOps.max_depth' takes an integer");
    row(R"({"s_tir.lwp_max_depth": null})", "pass.config: the key 's_tir.lwp_max_depth' takes an integer");
    row(R"({"tirx.UnrollLoop": 8})", "pass.config: the key 'tirx.UnrollLoop' takes a dictionary");
    row(R"({"tirx.RemoveNoOp": {"steps": 1, "ignore_profiler_call": "no"}, "tirx.noalias": []})",
        "pass.config: tirx.RemoveNoOp has no field 'steps'; its fields: max_simplification_steps, "
        "ignore_profiler_call\n"
        "pass.config: tirx.RemoveNoOp: field 'ignore_profiler_call' takes True or False\n"
        "pass.config: the key 'tirx.noalias' takes True or False");
    row("{}", "");
  }
  void refusesKeysAndTypes() {
    QFETCH(QString, expected);
    QCOMPARE(refusal(QTest::currentDataTag()), expected);
  }
};

QTEST_GUILESS_MAIN(OptionsTest)
#include "tst_options.moc"
