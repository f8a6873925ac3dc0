// Every legalization on random arguments: interpreted, compiled at both levels, packaged. What the interpreter gives is
// what is expected. RX_SEED chooses other arguments; the seed is printed.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <array>
#include <future>
#include <map>
#include <mutex>
#include <set>

#include "cases.h"
#include "core/legalize/families.h"
#include "core/tensor/stats.h"
#include "ways.h"

using namespace rx;
using namespace rx::test;

namespace {

constexpr uint64_t kSeed = 20260;
constexpr std::array<const char*, 4> kWays{"interpreted", "compiled at level 0", "compiled at level 2", "packaged"};
/// Functions of a package: more of them make fewer links, and longer loading of the program for each call.
constexpr size_t kPartSize = 150;
constexpr int kMaxFaults = 40;  ///< that are written

struct Excuse {
  std::string_view op, reason;
};
constexpr Excuse kNotCalled[] = {
    {"relax.dist.redistribute", "takes distributed tensors, which one process has none of"},
    {"relax.dist.redistribute_replica_to_shard", "takes distributed tensors"},
    {"relax.dist.call_tir_local_view", "takes distributed tensors"},
    {"relax.call_tir_with_grad", "takes a kernel; tests/golden/run/marks.py runs it"},
};

std::vector<legalize::LegalizeRow> allRows() {
  std::vector<legalize::LegalizeRow> rows;
  for (auto family : {legalize::allLegalizations(), legalize::sortScanRows(), legalize::ownRows()}) {
    rows.insert(rows.end(), family.begin(), family.end());
  }
  return rows;
}

uint64_t seed() {
  const QByteArray given = qgetenv("RX_SEED");
  return given.isEmpty() ? kSeed : given.toULongLong();
}

std::string why(const std::vector<Diagnostic>& diagnostics) {
  return diagnostics.empty() ? "" : diagnostics[0].rule + ": " + diagnostics[0].message;
}

/// The mean of no integers, the median of nothing: there is no right answer, every way refuses to give one.
bool hasNoValue(const Case& each, const std::vector<Diagnostic>& refused) {
  const std::string& rule = refused[0].rule;
  return each.what.ends_with("zero") && (rule == "kernel.division" || rule == "kernel.bounds");
}

/// Where two results differ, or empty.
std::string difference(const Outputs& got, const Outputs& wanted) {
  if (got.size() != wanted.size()) return fmt::format("{} results, not {}", got.size(), wanted.size());
  for (size_t i = 0; i < got.size(); ++i) {
    const HostTensor &a = *got[i], &b = *wanted[i];
    if (a.shape() != b.shape() || a.dtype() != b.dtype())
      return fmt::format("result {}: {} {}, not {} {}", i, shapeText(a.shape()), a.dtype().str(), shapeText(b.shape()),
                         b.dtype().str());
    const int64_t at = firstBeyondRounding(a, b);
    if (at >= 0) return fmt::format("result {}, element {}: {} and {}", i, at, a.at(at), b.at(at));
  }
  return {};
}

}  // namespace

class LegalizeTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyRowRunsInEveryWay();
  void whatDiffersIsFound();

 private:
  struct Part {
    std::vector<ir::IRModule::Entry> functions;
    std::vector<size_t> cases;
    compile::Program program;
    RunFunction packaged;
  };
  void collect();
  /// The rule that lowering the case ends with, empty where it does not.
  std::string lowerAlone(const Case& each, const ir::Module& module);
  void lowerAll();
  void joinParts();
  /// Builds the packages of all parts.
  void package(const QString& folder);
  void runHere(const Part& part);
  void run(const Part& part, size_t way, const RunFunction& function);
  void complain(const Case& each, const std::string& what);
  /// RX_SHOW_REFUSED writes what operators do not take.
  void noteRefused(const std::string& what);

  std::vector<CallRow> rows_;
  std::vector<Case> cases_;
  std::map<const CallRow*, int> accepted_;
  std::vector<Part> parts_;
  std::map<size_t, Outputs> wanted_;                          ///< by case
  std::map<std::string, std::array<int, kWays.size()>> ran_;  ///< by operator
  std::set<size_t> valueless_;                                ///< cases whose result nothing defines
  int refused_ = 0, faults_ = 0;
  std::mutex mutex_;
};

void LegalizeTest::complain(const Case& each, const std::string& what) {
  std::lock_guard lock(mutex_);
  if (++faults_ <= kMaxFaults) qWarning("%s: %s\n%s", each.what.c_str(), what.c_str(), each.text.c_str());
}

void LegalizeTest::noteRefused(const std::string& what) {
  ++refused_;
  if (qEnvironmentVariableIsSet("RX_SHOW_REFUSED")) qInfo("refused: %s", what.c_str());
}

/// Every row has calls, every call has cases.
void LegalizeTest::collect() {
  Random random(seed());
  for (const legalize::LegalizeRow& row : allRows()) {
    const op::OpRow* op = op::findOp(row.op);
    QVERIFY2(op, std::string(row.op).c_str());
    std::vector<CallRow> calls = callsOf(*op, random);
    const bool excused =
        std::any_of(std::begin(kNotCalled), std::end(kNotCalled), [&](const Excuse& e) { return e.op == row.op; });
    QVERIFY2(calls.empty() == excused, ("calls.def needs a row for " + std::string(row.op)).c_str());
    rows_.insert(rows_.end(), calls.begin(), calls.end());
    if (!excused) ran_[std::string(row.op)] = {};
  }
  size_t counter = 0;
  for (const CallRow& row : rows_) {
    Cases made = casesOf(row, counter, random);
    for (Case& each : made.accepted) cases_.push_back(std::move(each));
    for (const std::string& refused : made.refused) noteRefused(refused);
  }
}

std::string LegalizeTest::lowerAlone(const Case& each, const ir::Module& module) {
  Result<compile::Program> program = lowered(module);
  if (!program) return program.diagnostics()[0].rule;
  if (each.row->refusal.empty()) return {};
  Result<RunFunction> run = interpreted(*program);
  return run ? std::string() : run.diagnostics()[0].rule;
}

/// Reads and lowers each case by itself: an operator may refuse types and sizes, anything else is a fault.
void LegalizeTest::lowerAll() {
  for (size_t i = 0; i < cases_.size(); ++i) {
    const Case& each = cases_[i];
    const ir::Module module = *moduleOf(each);
    const std::string rule = lowerAlone(each, module);
    if (rule == each.row->refusal) {
      ++accepted_[each.row];
    } else if (rule == "legalize.refused" && each.row->refusal.empty()) {
      noteRefused(each.what + "\n" + each.text);
    } else {
      complain(each, fmt::format("ends with \"{}\", not with \"{}\"", rule, each.row->refusal));
    }
    if (!rule.empty()) continue;
    if (parts_.empty() || parts_.back().cases.size() == kPartSize) parts_.emplace_back();
    for (ir::IRModule::Entry& entry : module->entries()) parts_.back().functions.push_back(std::move(entry));
    parts_.back().cases.push_back(i);
  }
  for (const CallRow& row : rows_) {
    if (!row.derived && !accepted_[&row]) QFAIL(("no case of this call can be made: " + row.call).c_str());
  }
}

void LegalizeTest::joinParts() {
  for (Part& part : parts_) {
    Result<compile::Program> program = lowered(make<ir::IRModule>(part.functions, nullptr, nullptr, SourceList{}));
    QVERIFY2(program.ok(), why(program.diagnostics()).c_str());
    part.program = std::move(*program);
  }
}

void LegalizeTest::package(const QString& folder) {
  for (Part& part : parts_) {
    const QString path = folder + QStringLiteral("/%1").arg(&part - parts_.data());
    Result<RunFunction> made = packaged(part.program, path.toStdString());
    if (made) {
      part.packaged = std::move(*made);
    } else {
      complain(cases_[part.cases[0]], "its part can not be packaged: " + why(made.diagnostics()));
    }
  }
}

void LegalizeTest::run(const Part& part, size_t way, const RunFunction& function) {
  for (size_t i : part.cases) {
    const Case& each = cases_[i];
    Result<Outputs> got = function(each.name, each.args);
    if (valueless_.contains(i)) {
      if (got) complain(each, fmt::format("{}: has a result, which the interpreter refuses", kWays[way]));
      continue;
    }
    if (!got) {
      if (way == 0 && hasNoValue(each, got.diagnostics())) {
        valueless_.insert(i);
      } else {
        complain(each, fmt::format("{}: {}", kWays[way], why(got.diagnostics())));
      }
      continue;
    }
    if (way == 0) wanted_[i] = *got;
    auto wanted = wanted_.find(i);
    if (wanted == wanted_.end()) continue;
    const std::string differs = difference(*got, wanted->second);
    if (!differs.empty()) complain(each, fmt::format("{}: {}", kWays[way], differs));
    ++ran_[each.row->op][way];
  }
}

void LegalizeTest::runHere(const Part& part) {
  const Result<RunFunction> functions[] = {interpreted(part.program), compiled(part.program, compile::Mode::Step),
                                           compiled(part.program, compile::Mode::Release)};
  for (size_t way = 0; way < std::size(functions); ++way) {
    if (functions[way]) {
      run(part, way, *functions[way]);
    } else {
      complain(cases_[part.cases[0]], fmt::format("its part, {}: {}", kWays[way], why(functions[way].diagnostics())));
    }
  }
}

void LegalizeTest::everyRowRunsInEveryWay() {
  qInfo("seed %llu (RX_SEED chooses another)", static_cast<unsigned long long>(seed()));
  collect();
  if (QTest::currentTestFailed()) return;
  lowerAll();
  if (QTest::currentTestFailed()) return;
  joinParts();
  if (QTest::currentTestFailed()) return;
  QTemporaryDir folder;
  std::future<void> packages = std::async(std::launch::async, [&] { package(folder.path()); });
  for (const Part& part : parts_) runHere(part);
  packages.get();
  for (const Part& part : parts_) {
    if (part.packaged) run(part, 3, part.packaged);
  }
  std::array<size_t, kWays.size()> rows{};
  std::string idle;
  for (const auto& [op, counts] : ran_) {
    const bool refused = std::any_of(rows_.begin(), rows_.end(),
                                     [&](const CallRow& row) { return row.op == op && !row.refusal.empty(); });
    for (size_t way = 0; way < kWays.size(); ++way) {
      rows[way] += counts[way] > 0;
      if (!counts[way] && !refused) idle += fmt::format("\n{} did not run {}", op, kWays[way]);
    }
  }
  qInfo("%zu cases, %zu of them without a value, and %d refused by their operator; of %zu operators ran:",
        cases_.size(), valueless_.size(), refused_, ran_.size());
  for (size_t way = 0; way < kWays.size(); ++way) qInfo("  %zu %s", rows[way], kWays[way]);
  for (const Excuse& excuse : kNotCalled)
    qInfo("  without a call: %s: %s", std::string(excuse.op).c_str(), std::string(excuse.reason).c_str());
  QVERIFY2(idle.empty(), idle.c_str());
  QCOMPARE(faults_, 0);
}

/// The comparison is no formality: a number, a shape, a type and a count that differ are said.
void LegalizeTest::whatDiffersIsFound() {
  auto of = [](std::vector<double> values, DataType type) {
    return Outputs{*HostTensor::fromDoubles({static_cast<int64_t>(values.size())}, type, values)};
  };
  const DataType single = DataType::Float(32);
  QVERIFY(difference(of({1, 2}, single), of({1, 2.00001}, single)).empty());
  QCOMPARE(difference(of({1, 2}, single), of({1, 2.5}, single)).c_str(), "result 0, element 1: 2 and 2.5");
  QVERIFY(!difference(of({1}, DataType::Int(32)), of({2}, DataType::Int(32))).empty());
  QVERIFY(!difference(of({1}, single), of({1, 1}, single)).empty());
  QVERIFY(!difference(of({1}, single), of({1}, DataType::Float(64))).empty());
  QVERIFY(!difference(of({1}, single), {}).empty());
}

QTEST_GUILESS_MAIN(LegalizeTest)
#include "tst_legalize.moc"
