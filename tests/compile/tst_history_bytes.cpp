// What passes made of a module as bytes: all of it comes back, what stages share is shared again, and no damage is
// taken for a module.
#include <QtTest>

#include "core/compile/request/history_bytes.h"
#include "core/compile/request/languages.h"
#include "core/compile/request/passes.h"
#include "core/ir/origin.h"
#include "core/ir/structural_equal.h"
#include "core/script/ir_bytes.h"
#include "core/script/json.h"
#include "core/script/parse.h"
#include "core/support/file.h"
#include "core/support/text_names.h"

using namespace rx;

namespace {

/// A history of the default pipeline; one without an imported module where the text is refused.
pass::History historyOf(const std::string& path) {
  auto text = readFile(path);
  if (!text) return {};
  auto unit = compile::readUnit(make<SourceFile>(path, *text));
  if (!unit || !unit->module) return {};
  auto steps = compile::stepsFor(*unit->module, compile::defaultPipeline());
  if (!steps) return {};
  giveOwnOrigins(*unit->module);
  return pass::runPipeline(unit->module, *steps, {});
}

std::string bytesOf(const pass::History& history) {
  auto bytes = compile::historyToBytes(history, {});
  return bytes ? *bytes : std::string();
}

std::string samplePath(const QString& name) {
  return *moduleIn((QStringLiteral(RX_SOURCE_DIR "/samples/") + name).toStdString());
}

}  // namespace

class TestHistoryBytes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void comesBackWhole_data() {
    QTest::addColumn<QString>("sample");
    for (const char* name : {"attention", "branch", "dynamic", "mlp", "scan", "simplenet", "resnet18", "tree_lstm"})
      QTest::newRow(name) << name;
  }
  void comesBackWhole() {
    QFETCH(QString, sample);
    const pass::History written = historyOf(samplePath(sample));
    QVERIFY(written.imported && !written.steps.empty() && !written.steps.back().failed());
    auto read = compile::historyFromBytes(bytesOf(written), {});
    QVERIFY2(read, read ? "" : read.diagnostics().front().message.c_str());
    QCOMPARE(read->steps.size(), written.steps.size());
    for (size_t i = 0; i <= written.steps.size(); ++i) {
      const ir::Module &was = written.stage(i), &is = read->stage(i);
      QVERIFY(structuralEqual(was, is));
      // The JSON has every field of every node, places and origins too.
      QVERIFY2(script::moduleToJson(was) == script::moduleToJson(is), std::to_string(i).c_str());
      QCOMPARE(is->facts.missingConstants, was->facts.missingConstants);
      QCOMPARE(is->facts.beforePurity, was->facts.beforePurity);
      if (i == 0) continue;
      QCOMPARE(read->steps[i - 1].name, written.steps[i - 1].name);
      QCOMPARE(read->steps[i - 1].messages.size(), written.steps[i - 1].messages.size());
      QCOMPARE(is == read->stage(i - 1), was == written.stage(i - 1));
      for (size_t f = 0; f < was->size(); ++f)
        QCOMPARE(is->functions[f] == read->stage(i - 1)->find(is->vars[f].get()),
                 was->functions[f] == written.stage(i - 1)->find(was->vars[f].get()));
    }
  }

  void saysWhatPassesSaid() {
    pass::History history = historyOf(samplePath("mlp"));
    QVERIFY(!history.steps.empty());
    history.steps[3].messages = {warningAt({3, 7, 0}, "pass.test", "four words of it")};
    auto read = compile::historyFromBytes(bytesOf(history), {});
    QVERIFY(read);
    const std::vector<Diagnostic>& said = read->steps[3].messages;
    QCOMPARE(said.size(), size_t(1));
    QCOMPARE(said[0].message, std::string("four words of it"));
    QVERIFY(said[0].severity == Severity::Warning && said[0].rule == "pass.test");
    QVERIFY(said[0].span.begin == 3 && said[0].span.end == 7 && said[0].span.file == 0);
  }

  void refusesWhatIsCut() {
    const std::string whole = bytesOf(historyOf(samplePath("mlp")));
    QVERIFY(whole.size() > 10000);
    for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 997) {
      auto read = compile::historyFromBytes(std::string_view(whole).substr(0, size), {});
      QVERIFY2(!read && read.diagnostics().front().rule == "ir.bytes", std::to_string(size).c_str());
    }
    QVERIFY(!compile::historyFromBytes(whole + '\0', {}));
  }

  /// A damaged byte may give another module; it never gives one that breaks its reader.
  void livesWithEveryDamage() {
    const std::string whole = bytesOf(historyOf(samplePath("mlp")));
    int refused = 0, taken = 0;
    for (size_t at = 0; at < whole.size(); at += 1 + whole.size() / 4999) {
      for (const int flip : {0x01, 0x80}) {
        std::string damaged = whole;
        damaged[at] = static_cast<char>(damaged[at] ^ flip);
        if (auto read = compile::historyFromBytes(damaged, {})) {
          ++taken;
          QVERIFY(!script::moduleToJson(read->stage(read->steps.size())).empty());
        } else {
          ++refused;
          QCOMPARE(read.diagnostics().front().rule, std::string("ir.bytes"));
        }
      }
    }
    QVERIFY(refused > taken / 4);
  }

  void otherBuilds() {
    const pass::History history = historyOf(samplePath("mlp"));
    auto bytes = script::modulesToBytes(std::array{history.imported}, {});
    QVERIFY(bytes && script::modulesFromBytes(*bytes, {}));
    const size_t form = bytes->find(script::bytesHead());
    QVERIFY(form != std::string::npos);
    (*bytes)[form + script::bytesHead().size() - 1] ^= 1;
    auto read = script::modulesFromBytes(*bytes, {});
    QVERIFY(!read && read.diagnostics().front().message.find("this build") != std::string::npos);
  }

  void isCancelled() {
    const pass::History history = historyOf(samplePath("mlp"));
    const CancelToken cancelled;
    cancelled.cancel();
    auto bytes = compile::historyToBytes(history, cancelled);
    QVERIFY(!bytes && bytes.diagnostics().front().rule == "ir.cancelled");
    auto read = compile::historyFromBytes(bytesOf(history), cancelled);
    QVERIFY(!read && read.diagnostics().front().rule == "ir.cancelled");
  }
};

QTEST_GUILESS_MAIN(TestHistoryBytes)
#include "tst_history_bytes.moc"
