// Modules as JSON with something wrong in them: the engine refuses them, or runs them to an end or a fault, and lives.
#include <QTemporaryDir>
#include <QtTest>
#include <random>

#include "../support/program.h"
#include "engine_process.h"

using namespace rx;
using namespace rx::dap;
using rx::test::Engine;
using rx::test::samplePath;

namespace {

/// Takes fields away, exchanges them with those of other nodes, and puts wrong values into them.
class Mutator {
 public:
  explicit Mutator(uint32_t seed) : random_(seed) {}
  Json mutated(Json document) {
    Json& nodes = document["nodes"];
    for (size_t i = below(2) + 1; i > 0; --i) change(nodes, nodes[below(nodes.size())]);
    return document;
  }
  size_t below(size_t limit) { return std::uniform_int_distribution<size_t>(0, limit - 1)(random_); }

 private:
  void change(const Json& nodes, Json& node) {
    auto field = node.begin();
    std::advance(field, below(node.size()));
    const Json& other = nodes[below(nodes.size())];
    switch (below(5)) {
      case 0:
        node.erase(field);
        break;
      case 1: {
        auto from = other.begin();
        std::advance(from, below(other.size()));
        *field = Json(*from);
        break;
      }
      case 2:
        if (other.contains(field.key())) *field = Json(other[field.key()]);
        break;
      case 3:
        if (field->is_array() && !field->empty()) (*field)[below(field->size())] = below(nodes.size());
        if (field->is_number_integer()) *field = below(nodes.size());
        break;
      default:
        *field = kWrong[below(std::size(kWrong))];
    }
  }
  static inline const Json kWrong[] = {nullptr,        0,    -1, int64_t{1} << 40, "", "x", Json::array(),
                                       Json::object(), true, 1.5};
  std::mt19937 random_;
};

}  // namespace

class TestDapMutations : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void engineLives_data() {
    QTest::addColumn<QString>("sample");
    for (const char* name : {"mlp", "branch", "dynamic", "scan"}) QTest::newRow(name) << name;
  }
  /// Another seed every time: what one finds goes into missingAndExchanged().
  void engineLives() {
    QFETCH(QString, sample);
    const auto seed = static_cast<uint32_t>(QDateTime::currentSecsSinceEpoch());
    qInfo("seed %u", seed);
    Mutator mutator(seed);
    const Json document = written(sample);
    Engine engine;
    QVERIFY(engine.ask("initialize").ok());
    int refused = 0;
    for (int i = 0; i < 60; ++i) {
      const std::string text = mutator.mutated(document).dump();
      const auto answer = engine.ask("launch", launch(text));
      QVERIFY2(alive(engine), qPrintable(kept(text)));
      refused += !answer;
      if (!answer) continue;
      QVERIFY(engine.ask("configurationDone").ok());
      engine.stop();
      QVERIFY2(alive(engine), qPrintable(kept(text)));
    }
    // What is changed is not always wrong.
    QVERIFY(refused > 10 && refused < 60);
  }

  void missingAndExchanged_data() {
    QTest::addColumn<QByteArray>("kind");
    QTest::addColumn<QByteArray>("field");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<bool>("refused");
    auto row = [](const char* kind, const char* field, const char* value, bool refused = true) {
      QTest::addRow("%s.%s", kind, field) << QByteArray(kind) << QByteArray(field) << QByteArray(value) << refused;
    };
    row("relax.expr.Call", "args", "");
    row("relax.TensorStructInfo", "dtype", "", false);  // of no type is a type
    row("relax.TensorStructInfo", "ndim", "1099511627776");
    row("relax.expr.Call", "attrs", "", false);  // the defaults
    row("relax.expr.Var", "struct_info_", "-1");
    row("relax.expr.Function", "body", "");
  }
  /// One field of the last node of a kind is taken away, or has another value.
  void missingAndExchanged() {
    QFETCH(QByteArray, kind);
    QFETCH(QByteArray, field);
    QFETCH(QByteArray, value);
    QFETCH(bool, refused);
    Json document = written("decoder");
    bool found = false;
    for (auto node = document["nodes"].rbegin(); node != document["nodes"].rend() && !found; ++node) {
      if ((*node)["node"] != Json(kind.toStdString()) || !node->contains(field.toStdString())) continue;
      found = true;
      if (value.isEmpty()) {
        node->erase(field.toStdString());
      } else {
        (*node)[field.toStdString()] = Json::parse(value.toStdString());
      }
    }
    QVERIFY(found);
    Engine engine;
    QVERIFY(engine.ask("initialize").ok());
    const auto answer = engine.ask("launch", launch(document.dump()));
    QVERIFY(alive(engine));
    QCOMPARE(!answer, refused);
    if (!answer) QVERIFY(!answer.diagnostics().front().rule.starts_with("test."));
  }

 private:
  static Json written(const QString& sample) {
    const QString module = QString::fromStdString(samplePath(sample, "module.py"));
    return Json::parse(rx::test::rxs({"print", "--json", module}).out.toStdString());
  }
  static Json launch(const std::string& text) {
    return {{"ir", text}, {"seed", 1}, {"stopOnEnd", true}, {"maxInstructions", 100000}, {"maxMemory", 1 << 28}};
  }
  static bool alive(Engine& engine) {
    engine.process.waitForReadyRead(0);
    return engine.process.state() == QProcess::Running && engine.ask("threads").ok();
  }
  /// Where the document that killed the engine is.
  static QString kept(const std::string& text) {
    const QString path = QDir::temp().filePath("rxs_killer.json");
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) file.write(text.data(), qint64(text.size()));
    return "the engine died of " + path;
  }
};

QTEST_GUILESS_MAIN(TestDapMutations)
#include "tst_dap_mutations.moc"
