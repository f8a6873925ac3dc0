// --unchecked: what is not checked then, in a run and in a package, and that the manifest says so. The element that is
// read lies behind the tensor, and inside of the block of memory that it is in.
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <nlohmann/json.hpp>

#include "../support/program.h"
#include "core/tensor/npy.h"

using namespace rx;
using rx::test::Answer;
using rx::test::rxs;

namespace {

constexpr const char* kModule = R"(from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((5,), dtype="float32"), i: R.Tensor((1,), dtype="int64")) -> R.Tensor((1,), dtype="float32"):
        a = R.take(x, i, axis=0, mode="fast")
        return a
)";

}  // namespace

class TestUnchecked : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  QString at(const QString& name) const { return folder_.filePath(name); }
  /// The files of the inputs, with this index.
  QStringList inputs(int64_t index) const {
    const auto x = HostTensor::fromDoubles({5}, DataType::Float(32), std::vector<double>{1, 2, 3, 4, 5});
    const auto i = HostTensor::fromInts({1}, DataType::Int(64), std::vector<int64_t>{index});
    const bool written = writeNpy(at("x.npy").toStdString(), **x) && writeNpy(at("i.npy").toStdString(), **i);
    return written ? QStringList{at("x.npy"), at("i.npy")} : QStringList();
  }

 private Q_SLOTS:
  void initTestCase() {
    QFile file(at("module.py"));
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(kModule) > 0);
  }

  void runs() {
    const auto run = [&](int64_t index, QStringList more) {
      for (const QString& file : inputs(index)) more << "--inputs" << file;
      return rxs(QStringList{"run", at("module.py")} + more);
    };
    const Answer checked = run(5, {});
    QCOMPARE(checked.code, 1);
    QVERIFY2(checked.err.contains("error["), qPrintable(checked.err));
    const Answer unchecked = run(5, {"--unchecked"});
    QVERIFY2(unchecked.code == 0, qPrintable(unchecked.err));
    QCOMPARE(run(3, {"--unchecked"}).out, run(3, {}).out);
    QVERIFY(run(3, {}).out.contains('4'));
  }

  void packages() {
    for (const bool checks : {true, false}) {
      const QString package = at(checks ? "checked" : "unchecked");
      QStringList build{"build", at("module.py"), "-o", package};
      if (!checks) build << "--unchecked";
      const Answer built = rxs(build);
      QVERIFY2(built.code == 0, qPrintable(built.err));
      QFile file(package + "/manifest.json");
      QVERIFY(file.open(QIODevice::ReadOnly));
      const auto manifest = nlohmann::json::parse(file.readAll().toStdString());
      QCOMPARE(QString::fromStdString(manifest["checks"]), QString(checks ? "accesses that are not proven" : "none"));
      const Answer outside = rxs(QStringList{"package", package} + inputs(5));
      QVERIFY2(outside.code == (checks ? 1 : 0), qPrintable(outside.err));
      QCOMPARE(outside.err.contains("error["), checks);
      const Answer inside = rxs(QStringList{"package", package} + inputs(3));
      QVERIFY2(inside.code == 0 && inside.out.contains('4'), qPrintable(inside.out + inside.err));
    }
  }
};

QTEST_GUILESS_MAIN(TestUnchecked)
#include "tst_unchecked.moc"
