// Every rule that a diagnostic can carry is explained; nothing else is.
#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>

#include "core/support/rule_help.h"

using namespace rx;

namespace {

/// The rules that the sources name where they make diagnostics, with the file that does.
QMap<QString, QString> rulesOfSources() {
  static const QRegularExpression kMade(
      QStringLiteral("\\b(?:fail|errorAt|warningAt|error|warning)\\s*\\((?:[^\"();]|\\([^()]*\\))*?"
                     "\"([a-z][a-z0-9]*\\.[a-z0-9-]+)\""));
  QMap<QString, QString> rules;
  for (const char* folder : {"/core", "/app/rxs"}) {
    QDirIterator files(QStringLiteral(RX_SOURCE_DIR) + folder, {"*.cpp", "*.h"}, QDir::Files,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
      QFile file(files.next());
      if (!file.open(QIODevice::ReadOnly)) continue;
      QRegularExpressionMatchIterator found = kMade.globalMatch(QString::fromUtf8(file.readAll()));
      while (found.hasNext()) rules.insert(found.next().captured(1), file.fileName());
    }
  }
  return rules;
}

}  // namespace

class RuleHelpTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void explainsEveryRule() {
    const QMap<QString, QString> rules = rulesOfSources();
    QVERIFY2(rules.size() > 150, "the sources are not searched as they are written");
    for (auto at = rules.begin(); at != rules.end(); ++at) {
      QVERIFY2(ruleHelp(at.key().toStdString()),
               qPrintable(at.key() + " of " + at.value() + " has no row in core/support/rules_*.def"));
    }
  }

  void saysWhatItMeans() {
    QSet<QString> names;
    for (const RuleHelp& row : allRuleHelp()) {
      const QString name = QString::fromUtf8(row.name.data(), static_cast<qsizetype>(row.name.size()));
      QVERIFY2(!names.contains(name), qPrintable(name + " has two rows"));
      names.insert(name);
      QVERIFY2(row.meaning.size() > 20 && row.meaning.ends_with('.'), qPrintable(name));
      QVERIFY2(row.wrong.empty() == row.right.empty(), qPrintable(name + " has half an example"));
    }
  }

  void findsFamiliesAndNothingElse() {
    QCOMPARE(ruleHelp("relax.if-in-dataflow")->name, std::string_view("relax.if-in-dataflow"));
    QCOMPARE(ruleHelp("vm.shape-mismatch")->name, std::string_view("vm."));
    QVERIFY(!ruleHelp("relax.no-such-rule"));
    QVERIFY(!ruleHelp(""));
    const std::string text = ruleHelpText("relax.branch", *ruleHelp("relax.branch"));
    QVERIFY(text.find("Wrong:\n    if c:\n        y = R.add(x, x)\n") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(RuleHelpTest)
#include "tst_rule_help.moc"
