// The engine's requests about whole tensors: statistics, pictures, searches, comparisons with values and files.
#include <QFile>
#include <QTemporaryDir>
#include <limits>

#include "core/tensor/npy.h"
#include "engine_pair.h"

using namespace rx;
using namespace rx::dap;
using rx::test::EnginePair;

class MeasuresTest : public QObject {
  Q_OBJECT

  // x = (1, 0) as smallInput() has it, lv = 2x, lv1 = lv-of-helper / 0
  std::unique_ptr<EnginePair> pair_;

 private Q_SLOTS:
  void init() {
    pair_ = std::make_unique<EnginePair>();
    const Json options = {{"stopOnEntry", true}, {"stopOnEnd", true}};
    pair_->launch("small", options);
    QCOMPARE(pair_->event("stopped")["reason"], Json("entry"));
    QVERIFY(pair_->ask("continue").ok());
    QCOMPARE(pair_->event("stopped")["reason"], Json("end"));
  }

  void statistics() {
    auto slice = pair_->ask("rxs/slice", {{"expression", "lv1"}});
    QVERIFY(slice.ok());
    QCOMPARE((*slice)["bytes"].get<std::string>().size(), size_t(12));  // two float32
    auto body = pair_->ask("rxs/statistics", {{"expression", "lv1"}, {"bins", 4}, {"fractions", {0.5}}});
    QVERIFY(body.ok());
    QCOMPARE((*body)["looked"], Json(2));
    const int64_t bad =
        (*body)["nan"].get<int64_t>() + (*body)["positiveInf"].get<int64_t>() + (*body)["negativeInf"].get<int64_t>();
    QVERIFY(bad >= 1);
    auto found = pair_->ask("rxs/findElement", {{"expression", "lv1"}});
    QVERIFY((*found)["index"].get<int64_t>() >= 0);
    QCOMPARE((*found)["count"], Json(2));
    // What earlier parts looked at is not looked at again.
    auto rest = pair_->ask("rxs/findElement", {{"expression", "lv1"}, {"looked", 2}});
    QCOMPARE((*rest)["index"], Json(-1));
    QCOMPARE((*rest)["looked"], Json(2));
    auto plane = pair_->ask("rxs/plane", {{"expression", "lv1"}, {"columnAxis", 0}, {"at", {0}}});
    QVERIFY(plane.ok());
    QCOMPARE((*plane)["columns"], Json(2));
    QCOMPARE((*plane)["rows"], Json(1));
  }

  void comparedWithAnotherValue() {
    auto body = pair_->ask("rxs/compare", {{"expression", "x"}, {"against", {{"expression", "h"}}}});
    QVERIFY(body.ok());
    QCOMPARE((*body)["count"], Json(2));
    QVERIFY((*body)["different"].get<int64_t>() > 0);
    auto slice = pair_->ask("rxs/slice", {{"expression", "x"}, {"against", {{"expression", "x"}}}});
    QCOMPARE((*slice)["values"], Json({0.0, 0.0}));
    QCOMPARE((*slice)["bytes"], Json(""));
  }

  void comparedWithFiles() {
    QTemporaryDir folder;
    const std::string npy = folder.filePath("x.npy").toStdString(), npz = folder.filePath("all.npz").toStdString();
    QVERIFY(pair_->ask("rxs/saveValue", {{"expression", "x"}, {"path", npy}}).ok());
    auto saved = readNpy(npy);
    QVERIFY(saved.ok());
    (*saved)->set(1, (*saved)->at(1) + 2);
    QVERIFY(writeNpz(npz, {{"moved", *saved}, {"wrong", HostTensor::scalar(DataType::Float(32), 1)}}).ok());
    auto same = pair_->ask("rxs/compare", {{"expression", "x"}, {"against", {{"file", npy}}}});
    QVERIFY(same.ok());
    QCOMPARE((*same)["different"], Json(0));
    auto moved = pair_->ask("rxs/compare", {{"expression", "x"}, {"against", {{"file", npz}, {"array", "moved"}}}});
    QCOMPARE((*moved)["worst"][0], Json(2.0));
    QCOMPARE((*moved)["worstIndex"][0], Json(1));
    auto arrays = pair_->ask("rxs/arrays", {{"path", npz}});
    QCOMPARE((*arrays)["arrays"][1]["name"], Json("wrong"));
    for (const auto& [against, rule] : std::initializer_list<std::pair<Json, const char*>>{
             {{{"file", npz}, {"array", "nobody"}}, "dap.value"},
             {{{"file", npz}, {"array", "wrong"}}, "tensor.compare"},
             {{{"file", npz}, {"array", "moved"}, {"distance", "miles"}}, "dap.arguments"},
             {{{"file", "/nowhere/x.npy"}}, "file.read"}})
      QCOMPARE(pair_->refusal("rxs/compare", {{"expression", "x"}, {"against", against}}), std::string(rule));
    // Another file of the same name is read again.
    QVERIFY(writeNpy(npy, **saved).ok());
    std::filesystem::last_write_time(npy, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
    auto again = pair_->ask("rxs/compare", {{"expression", "x"}, {"against", {{"file", npy}}}});
    QCOMPARE((*again)["different"], Json(1));
  }

  void refusals() {
    for (const auto& [command, arguments, rule] : std::initializer_list<std::tuple<const char*, Json, const char*>>{
             {"rxs/statistics", {{"expression", "x"}, {"bins", 0}}, "dap.arguments"},
             {"rxs/statistics", {{"reference", 99}}, "dap.reference"},
             {"rxs/plane", {{"expression", "x"}, {"rowAxis", 1}, {"at", {0}}}, "tensor.plane"},
             {"rxs/plane", {{"expression", "x"}, {"rowAxis", 0}}, "tensor.plane"},
             {"rxs/findElement", {{"expression", "x"}, {"low", 1.0}}, "dap.arguments"}})
      QCOMPARE(QString::fromStdString(command + (" " + pair_->refusal(command, arguments))),
               QString("%1 %2").arg(command, rule));
  }
};

QTEST_GUILESS_MAIN(MeasuresTest)
#include "tst_dap_measures.moc"
