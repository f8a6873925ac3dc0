#include <QTemporaryDir>
#include <QTest>

#include "core/debug/first_difference.h"
#include "small_program.h"

using namespace rx;
using namespace rx::debug;

namespace {

/// The kernels of the small program, with another quotient.
class OtherKernels final : public test::SmallKernels {
 public:
  explicit OtherKernels(double quotient) : quotient_(quotient) {}
  Result<Ref<vm::Callable>> find(std::string_view name) override {
    if (name != "over") return SmallKernels::find(name);
    return vm::makeCallable("over", [this](vm::CallContext&, vm::Arguments args) -> Result<vm::Value> {
      for (int64_t i = 0; i < 2; ++i) args[1].tensor().set(i, i == 0 ? 1.0 : quotient_);
      return vm::Value();
    });
  }

 private:
  double quotient_;
};

}  // namespace

class FirstDifferenceTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;

  std::unique_ptr<Recording> recorded(const char* name, double quotient) {
    vm::MachineOptions options;
    options.kernels = std::make_shared<OtherKernels>(quotient);
    options.record = true;
    auto machine = *vm::Machine::create(test::smallExecutable(), options);
    RX_ASSERT(machine->start("main", {test::smallInput()}).ok(), "the program has a function main of one parameter");
    const std::string path = folder_.filePath(name).toStdString();
    auto recorder = *RunRecorder::create(path, programOf(machine->executable(), {test::smallStage()}), *machine, {});
    while (machine->step() != vm::MachineStatus::Finished) recorder->step({1, 0});
    recorder->step({1, 0});
    recorder->finish();
    return *Recording::open(path);
  }

 private Q_SLOTS:
  void agrees() {
    const auto left = recorded("left", 3), right = recorded("right", 3.0001);
    const auto compared = firstDifference(*left, *right);
    QVERIFY(compared.ok());
    QVERIFY(!compared->first);
    QCOMPARE(compared->agree, size_t{5});  // lv, r, h, lv1, lv2
    QVERIFY(compared->absent.empty());
  }

  void namesTheFirst() {
    const auto left = recorded("left", 3), right = recorded("right", 4);
    const auto compared = firstDifference(*left, *right);
    QVERIFY(compared.ok());
    QVERIFY(compared->first);
    QCOMPARE(compared->first->function, std::string("main"));
    QCOMPARE(compared->first->binding, std::string("lv1"));
    QCOMPARE(compared->first->callee, std::string("over"));
    QCOMPARE(compared->first->what, std::string("element (1,): [3.] and [4.]"));
    QCOMPARE(compared->agree, size_t{3});
    QCOMPARE(compared->first->cause, Cause::Own);  // all before it is the same
  }

  /// What the other makes of the same inputs tells where a difference comes from.
  void asksForTheCause() {
    const auto left = recorded("left", 3), right = recorded("right", 4);
    const auto asked = [&](double element, bool knows) {
      return *firstDifference(*left, *right, [=](uint32_t, uint32_t) -> Result<Made> {
        if (!knows) return Made{};
        auto tensor = *HostTensor::allocate({2}, DataType::Float(32));
        for (int64_t i = 0; i < 2; ++i) tensor->set(i, i == 0 ? 1 : element);
        return Made{std::move(tensor)};
      });
    };
    QCOMPARE(asked(4, true).first->cause, Cause::Own);
    QCOMPARE(asked(0, false).first->cause, Cause::Own);
    // lv1 is what it is by its inputs; lv2, made by another kernel, is asked for in the same way.
    const RunComparison inherited = asked(3, true);
    QCOMPARE(inherited.inherited.size(), size_t{1});
    QCOMPARE(inherited.inherited.front().binding, std::string("lv1"));
    QVERIFY(inherited.first);
    QCOMPARE(inherited.first->binding, std::string("lv2"));
  }

  void cancelled() {
    const auto run = recorded("left", 3);
    CancelToken cancel;
    cancel.cancel();
    QCOMPARE(firstDifference(*run, *run, {}, cancel).diagnostics().front().rule, std::string("vm.cancelled"));
  }
};

QTEST_APPLESS_MAIN(FirstDifferenceTest)
#include "tst_first_difference.moc"
