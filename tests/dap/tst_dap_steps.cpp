// Requests about the steps of a run: rows of some, bars of all, times by instruction, the step of a binding.
#include <QtTest>

#include "engine_pair.h"

using namespace rx;
using namespace rx::dap;
using rx::test::EnginePair;

class TestDapSteps : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void barsAndTimes() {
    EnginePair pair;
    QCOMPARE(pair.refusal("rxs/timelineBars"), std::string("dap.sequence"));
    pair.launch("small", {{"stopOnEnd", true}});
    pair.event("stopped");
    const Json rows = (*pair.ask("rxs/timeline"))["steps"];
    const Json program = (*pair.ask("rxs/program"))["instructions"];
    const auto all = pair.ask("rxs/timelineBars", {{"equal", true}, {"bars", 1000}, {"state", 3}});
    QCOMPARE((*all)["more"], Json(false));
    QCOMPARE((*all)["recorded"], Json(rows.size()));
    QCOMPARE((*all)["length"], Json(static_cast<double>(rows.size())));
    QCOMPARE((*all)["place"], Json(3.0));
    QCOMPARE((*all)["steps"].size(), rows.size());
    QCOMPARE((*all)["places"].size(), rows.size() + 1);
    double microseconds = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      QCOMPARE((*all)["steps"][i], rows[i]["step"]);
      QCOMPARE((*all)["instructions"][i], rows[i]["instruction"]);
      QCOMPARE((*all)["times"][i], rows[i]["microseconds"]);
      const bool kernel = !rows[i]["builtin"].get<bool>();
      QCOMPARE((*all)["marks"][i],
               Json((kernel ? kBarKernel : 0) | (rows[i]["nonFinite"].get<bool>() ? kBarMadeNonFinite : 0) |
                    (kernel && rows[i]["holdsNonFinite"].get<bool>() ? kBarHoldsNonFinite : 0)));
      microseconds += rows[i]["microseconds"].get<double>();
    }
    QVERIFY(std::abs((*all)["microseconds"].get<double>() - microseconds) < 1e-6);
    QVERIFY(std::abs((*pair.ask("rxs/result"))["microseconds"].get<double>() - microseconds) < 1e-6);
    // Few bars cover the same steps; none are only the measures.
    const auto few = pair.ask("rxs/timelineBars", {{"equal", true}, {"bars", 3}});
    QVERIFY((*few)["steps"].size() <= 4);
    QCOMPARE((*few)["steps"][0], Json(0));
    QCOMPARE((*few)["last"], Json(rows.size() - 1));
    const auto none = pair.ask("rxs/timelineBars", {{"from", -5}, {"to", 1e300}});
    QVERIFY((*none)["steps"].empty());
    QCOMPARE((*none)["from"], Json(0.0));
    QCOMPARE((*none)["to"], (*none)["length"]);
    const auto part = pair.ask("rxs/timelineBars", {{"equal", true}, {"bars", 100}, {"from", 4.5}, {"to", 6}});
    QCOMPARE((*part)["steps"], Json({4, 5}));
    QCOMPARE(pair.refusal("rxs/timelineBars", {{"bars", -1}}), std::string("dap.arguments"));
    QCOMPARE(pair.refusal("rxs/timelineBars", {{"bars", 1 << 20}}), std::string("dap.arguments"));
    const auto times = pair.ask("rxs/instructionTimes");
    QCOMPARE((*times)["total"], Json(program.size()));
    double sum = 0;
    for (const Json& time : (*times)["microseconds"]) sum += time.get<double>();
    QVERIFY(std::abs(sum - microseconds) < 1e-6);
    const auto one = pair.ask("rxs/instructionTimes", {{"start", 4}, {"count", 1}});
    QCOMPARE((*one)["microseconds"], Json::array({(*times)["microseconds"][4]}));
    QVERIFY((*pair.ask("rxs/instructionTimes", {{"start", 4000}}))["microseconds"].empty());
  }

  void stepsOfBindings() {
    EnginePair pair;
    pair.launch("small", {{"stopOnEnd", true}});
    pair.event("stopped");
    const Json rows = (*pair.ask("rxs/timeline"))["steps"];
    for (const auto& [binding, variable] : {std::pair(0, "lv"), {2, "lv1"}, {3, "lv2"}}) {
      const auto found = pair.ask("rxs/bindingStep", {{"function", "main"}, {"binding", binding}});
      const Json& row = rows[(*found)["step"].get<size_t>()];
      QCOMPARE(row["variable"], Json(variable));
      QCOMPARE(row["builtin"], Json(false));
    }
    // The call of a function of the program is no kernel; it still is what works for its binding.
    const auto call = pair.ask("rxs/bindingStep", {{"function", "main"}, {"binding", 1}});
    QCOMPARE(rows[(*call)["step"].get<size_t>()]["variable"], Json("h"));
    // Before the first step everything comes behind.
    const auto last = pair.ask("rxs/bindingStep", {{"function", "main"}, {"binding", 3}});
    QVERIFY(pair.ask("rxs/goto", {{"step", 0}}).ok());
    pair.event("stopped");
    QCOMPARE((*pair.ask("rxs/bindingStep", {{"function", "main"}, {"binding", 3}}))["step"], (*last)["step"]);
    QCOMPARE(pair.refusal("rxs/bindingStep", {{"function", "main"}, {"binding", 9}}), std::string("debug.place"));
    QCOMPARE(pair.refusal("rxs/bindingStep", {{"function", "no"}, {"binding", 0}}), std::string("debug.place"));
  }

  /// What made a piece of memory, told with it.
  void whoMadeMemory() {
    EnginePair pair;
    pair.launch("small", {{"stopOnEnd", true}});
    pair.event("stopped");
    QVERIFY(pair.ask("rxs/goto", {{"step", 6}}).ok());
    pair.event("stopped");
    const Json rows = (*pair.ask("rxs/timeline"))["steps"];
    const Json storages = (*pair.ask("rxs/memory"))["storages"];
    int made = 0;
    for (const Json& storage : storages) {
      const auto step = storage["step"].get<int64_t>();
      if (step < 0) continue;
      ++made;
      QCOMPARE(storage["instruction"], rows[static_cast<size_t>(step)]["instruction"]);
    }
    QVERIFY(made > 0);
  }
};

QTEST_GUILESS_MAIN(TestDapSteps)
#include "tst_dap_steps.moc"
