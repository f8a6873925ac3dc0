// What holds for every pass of the table: results and well-formedness stay, what is done stays done, what changes
// nothing gives the same object, and a cancelled pass answers.
#include <QTest>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <ctime>
#include <limits>
#include <set>
#include <thread>

#include "core/compile/request/languages.h"
#include "core/compile/request/passes.h"
#include "core/evaluate/evaluate.h"
#include "core/ir/structural_equal.h"
#include "core/pass/options.h"
#include "core/script/parse.h"
#include "core/support/stack.h"
#include "core/transform/passes.h"
#include "random_module.h"

using namespace rx;
using vm::Value;

namespace {

using Names = std::set<std::string_view>;

/// Passes that refuse these modules: what they need is not there.
const Names kRefuse = {"AnnotateCustomMemoryScope", "Gradient",
                       "MetaScheduleApplyDatabase", "MetaScheduleTuneIRMod",
                       "MetaScheduleTuneTIR",       "UpdateVDevice"};
/// Passes after which `main` is called otherwise, or gives nothing itself.
const Names kOtherSignature = {"BundleModelParams", "LazyGetInput", "LazySetOutput", "LazyTransformParams"};
/// Passes that do more the second time: to names of what they found common, to functions that ask for their inputs, to
/// what follows values that are in float16 now, to kernels that are measured. TVM's do, too.
const Names kNotIdempotent = {"CompactBufferAllocation",
                              "HoistExpression",
                              "DecorateDeviceScope",
                              "EliminateCommonSubexpr",
                              "InstrumentProfileIntrinsics",
                              "KillAfterLastUse",
                              "LazyGetInput",
                              "LazySetOutput",
                              "ToMixedPrecision",
                              "VMShapeLower"};

/// Passes of Relax, or of TIR too, but not pipelines and not those of other languages.
std::vector<const pass::PassRow*> rowsOf(bool all) {
  std::vector<const pass::PassRow*> rows;
  auto add = [&](const pass::PassRow& row) {
    if (!*row.expandsTo && !*row.language && !kRefuse.contains(row.name)) rows.push_back(&row);
  };
  if (all) {
    std::ranges::for_each(compile::passTable().rows(), add);
  } else {
    std::ranges::for_each(transform::passRows(), add);
  }
  return rows;
}

Result<ir::Module> applied(const pass::PassRow& row, const ir::Module& module, CancelToken cancel = {}) {
  pass::PassContext context;
  context.cancel = std::move(cancel);
  const ir::Attrs options = pass::withFallbacks(row.options, nullptr);
  return withDeepStack([&] { return row.run(module, options, context); });
}

ir::Module parsed(const std::string& text) {
  const auto module = script::parseModule(make<SourceFile>("random.py", text));
  if (!module) qFatal("%s: %s", text.c_str(), module.diagnostics()[0].message.c_str());
  return *module;
}

const pass::PassRow& row(std::string_view name) { return *compile::passTable().find(name); }

/// The tensors that main gives; empty where it can not be run.
std::vector<double> resultsOf(const ir::Module& module, std::string* why) {
  std::vector<Value> args;
  for (int p = 0; p < 2; ++p) {
    auto tensor = *HostTensor::allocate({4, 4}, DataType::Float(32));
    for (int64_t i = 0; i < 16; ++i) tensor->set(i, std::sin(static_cast<double>(i * (p + 2) + p)));
    args.push_back(Value::of(tensor));
  }
  auto flag = *HostTensor::allocate({}, DataType::Bool());
  flag->set(0, 1);
  args.push_back(Value::of(flag));
  const Result<Value> result = evaluate::valueOf(module, "main", args);
  std::vector<double> values;
  if (!result) {
    *why = result.diagnostics()[0].message;
    return values;
  }
  for (const Value& field : result->asTuple()) {
    for (int64_t i = 0; i < field.tensor().count(); ++i) values.push_back(field.tensor().at(i));
  }
  return values;
}

/// Empty where both are the same but for rounding.
std::string difference(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  if (a.size() != b.size() || a.empty()) return "another number of results";
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(a[i]))))
      return "element " + std::to_string(i) + ": " + std::to_string(b[i]) + " instead of " + std::to_string(a[i]);
  }
  return {};
}

std::string finding(const ir::Module& module) {
  for (const Diagnostic& problem : compile::wellFormed(module)) {
    if (problem.severity == Severity::Error) return problem.message;
  }
  return {};
}

unsigned seed() { return qEnvironmentVariableIsSet("RX_SEED") ? qEnvironmentVariableIntValue("RX_SEED") : 1; }

void keeps(const pass::PassRow& row, const ir::Module& module, unsigned number) {
  const auto made = applied(row, module);
  QVERIFY2(made, made ? "" : qPrintable(QString("seed %1: %2").arg(number).arg(made.diagnostics()[0].message.c_str())));
  QVERIFY2(finding(*made).empty(), qPrintable(QString("seed %1: %2").arg(number).arg(finding(*made).c_str())));
  if (kOtherSignature.contains(row.name)) return;
  std::string why;
  const std::vector<double> before = resultsOf(module, &why);
  QVERIFY2(!before.empty(), why.c_str());
  const std::vector<double> after = resultsOf(*made, &why);
  QVERIFY2(!after.empty(), qPrintable(QString("seed %1: %2").arg(number).arg(why.c_str())));
  const double tolerance = std::string_view(row.name) == "ToMixedPrecision" ? 5e-2 : 1e-4;
  const std::string differs = difference(before, after, tolerance);
  QVERIFY2(differs.empty(), qPrintable(QString("seed %1: %2").arg(number).arg(differs.c_str())));
}

/// Modules of every kind that passes meet: Relax as it is written, its kernels, what a build makes of them step by
/// step, and a function that gives back what it gets.
std::vector<ir::Module> stagesOfBuild() {
  std::vector<ir::Module> stages{
      parsed("from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
             "    @R.function\n    def main(x: R.Tensor((4, 4), \"float32\")) -> R.Tensor((4, 4), \"float32\"):\n"
             "        return x\n"),
      parsed(tests::randomModule(seed(), 12))};
  const auto calls = pass::parsePipeline(compile::passTable(), "zero, default_build");
  if (!calls) qFatal("%s", calls.diagnostics()[0].message.c_str());
  for (const pass::PassCall& call : *calls) {
    const auto made = applied(*call.row, stages.back());
    if (!made) qFatal("%s: %s", call.row->name, made.diagnostics()[0].message.c_str());
    if (made->get() != stages.back().get()) stages.push_back(*made);
  }
  return stages;
}

/// Milliseconds in which a cancelled pass has to answer.
constexpr double kAnswer = 50;

/// Milliseconds that this process spent on the processor: others may be busy, too.
double spent() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// `refusal`: the rule by which the pass refuses the module, "" where it does not.
double shortestTime(const pass::PassRow& row, const ir::Module& module, std::string& refusal) {
  double best = 1e9;
  for (int round = 0; round < 2; ++round) {
    const double start = spent();
    const auto made = applied(row, module);
    best = std::min(best, spent() - start);
    refusal = made ? "" : made.diagnostics()[0].rule;
    if (best <= kAnswer) break;
  }
  return best;
}

/// Milliseconds from the cancellation, `after` the start, to the answer; infinite where it is no answer. `refusal` is
/// the rule by which the pass refuses the module anyway, and may before it is cancelled.
double answerTime(const pass::PassRow& row, const ir::Module& module, double after, const std::string& refusal) {
  CancelToken cancel;
  std::atomic<double> cancelled = std::numeric_limits<double>::infinity();
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(after));
    cancelled = spent();
    cancel.cancel();
  });
  const auto made = applied(row, module, cancel);
  const double answered = spent();
  canceller.join();
  const std::string rule = made ? "pass.cancelled" : made.diagnostics()[0].rule;
  if (rule != "pass.cancelled" && rule != refusal) return std::numeric_limits<double>::infinity();
  return answered - cancelled;
}

void addRows(bool all) {
  QTest::addColumn<QString>("pass");
  for (const pass::PassRow* each : rowsOf(all)) QTest::addRow("%s", each->name) << QString::fromUtf8(each->name);
}

}  // namespace

class EveryPassTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void keepsResults_data() {
    QTest::addColumn<QString>("pass");
    for (const pass::PassRow* each : rowsOf(false)) {
      // Those that lower for the virtual machine need what stands before them in a build (buildKeepsResults).
      if (each->contract == pass::Contract::KeepsNormalForm) QTest::addRow("%s", each->name) << QString(each->name);
    }
  }
  /// On a module as it is written, and on one of kernels.
  void keepsResults() {
    QFETCH(QString, pass);
    const pass::PassRow& tested = row(pass.toStdString());
    for (unsigned i = 0; i < 3; ++i) {
      const ir::Module module = parsed(tests::randomModule(seed() + i, 8 + 4 * static_cast<int>(i)));
      keeps(tested, module, seed() + i);
      if (QTest::currentTestFailed()) return;
      const auto kernels = applied(row("LegalizeOps"), module);
      QVERIFY(kernels);
      keeps(tested, *kernels, seed() + i);
      if (QTest::currentTestFailed()) return;
    }
  }

  /// The passes of a build, one after the other.
  void buildKeepsResults() {
    std::string why;
    for (unsigned i = 0; i < 3; ++i) {
      ir::Module module = parsed(tests::randomModule(seed() + i, 12));
      const std::vector<double> before = resultsOf(module, &why);
      QVERIFY2(!before.empty(), why.c_str());
      const auto calls = pass::parsePipeline(compile::passTable(), "zero, default_build");
      QVERIFY(calls);
      for (const pass::PassCall& call : *calls) {
        const auto made = applied(*call.row, module);
        QVERIFY2(made, call.row->name);
        module = *made;
        QVERIFY2(finding(module).empty(), qPrintable(QString("%1: %2").arg(call.row->name, finding(module).c_str())));
        // From here on functions are the machine's: it tests them with all that it runs.
        if (std::string_view(call.row->name) == "VMShapeLower") break;
        const std::vector<double> after = resultsOf(module, &why);
        QVERIFY2(!after.empty(), qPrintable(QString("%1: %2").arg(call.row->name, why.c_str())));
        const std::string differs = difference(before, after, 1e-4);
        QVERIFY2(differs.empty(), qPrintable(QString("%1: %2").arg(call.row->name, differs.c_str())));
      }
    }
  }

  void doneStaysDone_data() { addRows(true); }
  /// A second run finds nothing to do, and gives back the very module.
  void doneStaysDone() {
    QFETCH(QString, pass);
    const pass::PassRow& tested = row(pass.toStdString());
    const ir::Module module = parsed(tests::randomModule(seed(), 12));
    const auto kernels = applied(row("LegalizeOps"), module);
    QVERIFY(kernels);
    for (const ir::Module& start : {module, *kernels}) {
      const auto once = applied(tested, start);
      if (!once) continue;  // of a pass of TIR that needs another stage
      const auto twice = applied(tested, *once);
      if (!twice && kNotIdempotent.contains(tested.name)) continue;
      QVERIFY2(twice, twice ? "" : twice.diagnostics()[0].message.c_str());
      const bool same = structuralEqual(*once, *twice);
      QVERIFY2(same || kNotIdempotent.contains(tested.name), "the second run changes something");
      QVERIFY2(!same || once->get() == twice->get(), "nothing is changed, but the module is another object");
    }
  }

  void nothingToDoGivesTheSame_data() { addRows(true); }
  /// Where a pass changes nothing its result is the module itself: on what is written, on each stage of a build, and on
  /// a function that has nothing for any pass.
  void nothingToDoGivesTheSame() {
    QFETCH(QString, pass);
    const pass::PassRow& tested = row(pass.toStdString());
    static const std::vector<ir::Module> stages = stagesOfBuild();
    for (const ir::Module& start : stages) {
      const auto made = applied(tested, start);
      if (!made) continue;  // needs another stage
      QVERIFY2(made->get() == start.get() || !structuralEqual(*made, start),
               "nothing is changed, but the module is another object");
    }
  }

  void answersWhenCancelled_data() { addRows(true); }
  /// Within 50 ms of being cancelled at any time of its work on a large module, with a module or the word that it was
  /// cancelled; the best of a few tries.
  void answersWhenCancelled() {
    QFETCH(QString, pass);
    const pass::PassRow& tested = row(pass.toStdString());
    static const ir::Module module = parsed(tests::randomModule(7, 20000));
    static const ir::Module kernels = *applied(row("LegalizeOps"), module);
    for (const ir::Module& start : {module, kernels}) {
      std::string refusal;
      const double whole = shortestTime(tested, start, refusal);
      for (const double part : {0.0, 0.15, 0.4, 0.65, 0.9}) {
        if (whole <= kAnswer) continue;
        double best = whole;
        for (int attempt = 0; attempt < 3 && best > kAnswer; ++attempt)
          best = std::min(best, answerTime(tested, start, part * whole, refusal));
        QVERIFY2(
            best <= kAnswer,
            qPrintable(
                QString("cancelled after %1 of %2 ms, answered after %3 ms").arg(part * whole).arg(whole).arg(best)));
      }
    }
  }

  void isCancelledAnywhere_data() { addRows(true); }
  /// At any moment of its work: what is half made is given up, not finished.
  void isCancelledAnywhere() {
    QFETCH(QString, pass);
    const pass::PassRow& tested = row(pass.toStdString());
    static const ir::Module module = parsed(tests::randomModule(7, 1000));
    static const ir::Module kernels = *applied(row("AnnotateTIROpPattern"), *applied(row("LegalizeOps"), module));
    for (const ir::Module& start : {module, kernels}) {
      std::string refusal;
      const double whole = shortestTime(tested, start, refusal);
      constexpr int kMoments = 50;
      for (int moment = 0; moment < kMoments; ++moment) {
        const double answered = answerTime(tested, start, whole * moment / kMoments, refusal);
        QVERIFY2(std::isfinite(answered), qPrintable(QString("at %1 of %2").arg(moment).arg(kMoments)));
      }
    }
  }
};

QTEST_APPLESS_MAIN(EveryPassTest)
#include "tst_every_pass.moc"
