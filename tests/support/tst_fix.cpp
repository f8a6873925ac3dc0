// What a fix says to write: the exact bytes, and none where somebody has to think. And diagnostics as text, told by
// this process or another.
#include <QtTest>
#include <nlohmann/json.hpp>

#include "core/support/diagnostic_json.h"
#include "core/support/fix.h"
#include "core/support/near_names.h"

using namespace rx;

class FixTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void edits_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("marked");  // what the diagnostic stands at
    QTest::addColumn<QString>("message");
    QTest::addColumn<QString>("fix");
    QTest::addColumn<QString>("after");  // empty: no edit
    const QString call = "y = R.sum(x, axes=1)";
    const QString meant = QString::fromStdString(didYouMean("axis"));
    QTest::newRow("operator") << "y = R.rellu(x)"
                              << "R.rellu"
                              << "R.rellu is not an operator" << QString::fromStdString(didYouMean("R.relu"))
                              << "y = R.relu(x)";
    QTest::newRow("name of an argument") << call << "R.sum(x, axes=1)"
                                         << "relax.sum: has no parameter 'axes'" << meant << "y = R.sum(x, axis=1)";
    QTest::newRow("said twice") << "y = R.sum(axes, axes=1)"
                                << "R.sum(axes, axes=1)"
                                << "has no parameter 'axes'" << meant << "";
    QTest::newRow("part of a name") << "y = R.sum(maxes)"
                                    << "R.sum(maxes)"
                                    << "has no parameter 'axes'" << meant << "";
    QTest::newRow("member") << "R.call_tir(cls.scael, x)"
                            << "cls.scael"
                            << "the module has no function 'scael'" << QString::fromStdString(didYouMean("scale"))
                            << "R.call_tir(cls.scale, x)";
    QTest::newRow("decorator") << "@R.functino(pure=False)\ndef f(x):"
                               << "@R.functino(pure=False)\ndef f(x):"
                               << "'f' is a Python function" << QString::fromStdString(didYouMean("@R.function"))
                               << "@R.function(pure=False)\ndef f(x):";
    QTest::newRow("no decorator") << "def f(x):"
                                  << "def f(x):"
                                  << "'f' is a Python function" << QString::fromStdString(didYouMean("@R.function"))
                                  << "";
    QTest::newRow("literal") << "keepdims=true"
                             << "true"
                             << "'true' is not defined here" << QString::fromStdString(writeInstead("True"))
                             << "keepdims=True";
    QTest::newRow("advice") << "f(x)"
                            << "f"
                            << "'f' is not defined"
                            << "write a comma before '('"
                            << "";
    QTest::newRow("other advice") << "f(x)"
                                  << "f"
                                  << "'f' is not defined"
                                  << "it has scale, main"
                                  << "";
    QTest::newRow("is there already") << "R.relu(x)"
                                      << "R.relu"
                                      << "refused" << QString::fromStdString(writeInstead("R.relu")) << "";
  }
  void edits() {
    QFETCH(QString, text);
    QFETCH(QString, marked);
    QFETCH(QString, message);
    QFETCH(QString, fix);
    QFETCH(QString, after);
    const std::string bytes = text.toStdString();
    const auto begin = static_cast<uint32_t>(bytes.find(marked.toStdString()));
    Diagnostic diagnostic =
        errorAt({begin, begin + static_cast<uint32_t>(marked.size()), 0}, "rule", message.toStdString());
    diagnostic.fix = fix.toStdString();
    const Ref<SourceFile> source = make<SourceFile>("f.py", bytes);
    const std::optional<Edit> edit = editOf(diagnostic, *source);
    QCOMPARE(edit.has_value(), !after.isEmpty());
    if (edit) QCOMPARE(QString::fromStdString(applyEdits(bytes, {*edit})), after);
    diagnostic.span = {};
    QVERIFY(!editOf(diagnostic, *source));
    diagnostic.span = {0, static_cast<uint32_t>(bytes.size()) + 1, 0};  // of another text
    QVERIFY(!editOf(diagnostic, *source));
  }
  void severalEdits() {
    const std::string text = "abcdef";
    QCOMPARE(applyEdits(text, {{{4, 5, 0}, "E"}, {{0, 1, 0}, "AA"}, {{0, 3, 0}, "lost"}, {{5, 99, 0}, "lost"}}),
             std::string("AAbcdEf"));
    QCOMPARE(applyEdits(text, {{{6, 6, 0}, "!"}}), std::string("abcdef!"));
    QCOMPARE(applyEdits(text, {}), text);
  }
  /// What another process tells is written like one's own, and no more of it reaches the terminal.
  void toldByAnother() {
    Diagnostic own = errorAt({}, "rule", "clears\x1b[2J");
    own.context = "main\r";
    own.fix = "write\x07";
    own.notes.push_back({"defined\x1b", {}});
    const std::string written = renderDiagnostics({own}, {});
    QCOMPARE(written,
             std::string("error[rule]: clears\\x1b[2J\n  in main\\x0d\nnote: defined\\x1b\n  fix: write\\x07\n"));
    auto told = diagnosticsJson({own}, {});
    QCOMPARE(renderDiagnosticsJson(told), written);
    told[0].update({{"file", "a\x1b.py"}, {"line", 3}, {"column", 5}});
    QCOMPARE(renderDiagnosticsJson(told), "a\\x1b.py:3:5: " + written);
    told[0].update({{"line", "three"}, {"message", 7}, {"notes", "none"}});
    QCOMPARE(renderDiagnosticsJson(told), std::string("error[rule]: \n  in main\\x0d\n  fix: write\\x07\n"));
    QCOMPARE(renderDiagnosticsJson("nothing"), std::string());
  }
  void nearOnes() {
    const std::vector<std::string> keys{"relax.FuseOps.max_depth", "tir.vectorize", "relax.backend.use_cuda_graph",
                                        "seed", "params"};
    const auto near = [&](const char* name, size_t most = 3) { return nearNames(name, keys, most); };
    const std::vector<std::string> none;
    QCOMPARE(near("sed"), std::vector<std::string>{"seed"});
    QCOMPARE(near("vectorise"), std::vector<std::string>{"tir.vectorize"});
    QCOMPARE(near("relax.fuse_depth"), std::vector<std::string>{"relax.FuseOps.max_depth"});
    QCOMPARE(near("relax.max_depth_of_fusion"), std::vector<std::string>{"relax.FuseOps.max_depth"});
    QCOMPARE(near("PARAM"), std::vector<std::string>{"params"});
    QCOMPARE(near("relax"), (std::vector<std::string>{"relax.FuseOps.max_depth", "relax.backend.use_cuda_graph"}));
    QCOMPARE(near("relax", 1), std::vector<std::string>{"relax.FuseOps.max_depth"});
    QCOMPARE(near("zzz"), none);
    QCOMPARE(near(""), none);
    QCOMPARE(near(std::string(10000, 'x').c_str()), none);
  }
};

QTEST_APPLESS_MAIN(FixTest)
#include "tst_fix.moc"
