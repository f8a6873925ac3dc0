// Line and word differences; the view of them; with RX_SCREENSHOTS set it leaves pictures in that folder.
#include "views/text/text_diff.h"

#include <QDir>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>
#include <random>

#include "core/support/sequence_diff.h"
#include "views/text/diff_view.h"
#include "views/text/text_view.h"

using namespace rx;

namespace {

/// Edits of the shortest script, the slow and certain way.
size_t shortest(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<size_t> common((a.size() + 1) * (b.size() + 1));
  auto at = [&](size_t i, size_t j) -> size_t& { return common[i * (b.size() + 1) + j]; };
  for (size_t i = a.size(); i-- > 0;)
    for (size_t j = b.size(); j-- > 0;)
      at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
  return a.size() + b.size() - 2 * at(0, 0);
}

/// Number of edits; -1 where what is left does not pair up.
int check(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b, uint32_t effort = 512) {
  const auto diff = diffSequences(a, b, CancelToken(), effort);
  std::vector<uint32_t> restA, restB;
  for (size_t i = 0; i < a.size(); ++i)
    if (!diff->left[i]) restA.push_back(a[i]);
  for (size_t i = 0; i < b.size(); ++i)
    if (!diff->right[i]) restB.push_back(b[i]);
  return restA == restB ? int(a.size() + b.size() - 2 * restA.size()) : -1;
}

TextDiff diffOf(const std::string& a, const std::string& b) {
  return *diffTexts(TextBuffer(a), TextBuffer(b), CancelToken());
}

}  // namespace

class TextDiffTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void shortestScripts() {
    QCOMPARE(check({}, {}), 0);
    QCOMPARE(check({1, 2}, {}), 2);
    QCOMPARE(check({}, {1, 2}), 2);
    QCOMPARE(check({1, 2, 3}, {1, 2, 3}), 0);
    QCOMPARE(check({1, 2}, {2, 1}), 2);
    std::mt19937 random(3);
    for (int round = 0; round < 600; ++round) {
      std::vector<uint32_t> a(random() % 24), b(random() % 24);
      const uint32_t letters = 2 + random() % 6;
      for (uint32_t& v : a) v = random() % letters;
      for (uint32_t& v : b) v = random() % letters;
      QCOMPARE(check(a, b), int(shortest(a, b)));
    }
  }
  void boundedEffortStillPairsUp() {
    std::mt19937 random(5);
    for (int round = 0; round < 50; ++round) {
      std::vector<uint32_t> a(200 + random() % 200), b(200 + random() % 200);
      for (uint32_t& v : a) v = random() % 8;
      for (uint32_t& v : b) v = random() % 8;
      const int edits = check(a, b, 4);
      QVERIFY(edits >= int(shortest(a, b)));
    }
  }
  void cancelled() {
    CancelToken token;
    token.cancel();
    const std::vector<uint32_t> a = {1, 2}, b = {2, 1};
    QVERIFY(!diffSequences(a, b, token));
    QVERIFY(!diffTexts(TextBuffer("a\nb"), TextBuffer("b\na"), token));
  }
  void equalTexts() {
    const TextDiff diff = diffOf("a\nb\n", "a\nb\n");
    QVERIFY(diff.changes.empty());
    QCOMPARE(diff.rows.size(), size_t(2));
  }
  void changedWordsAreMarked() {
    const std::string a = "x\nlv = R.matmul(x, w)\ny\n", b = "x\nlv = R.add(x, w)\ny\n";
    const TextDiff diff = diffOf(a, b);
    QCOMPARE(diff.changes.size(), size_t(1));
    QVERIFY(diff.rows[1] == (DiffRow{1, 1, true}));
    QCOMPARE(diff.leftWords.size(), size_t(1));
    QCOMPARE(a.substr(diff.leftWords[0].begin, diff.leftWords[0].end - diff.leftWords[0].begin), std::string("matmul"));
    QCOMPARE(b.substr(diff.rightWords[0].begin, diff.rightWords[0].end - diff.rightWords[0].begin), std::string("add"));
    QCOMPARE(diff.edited, 1u);
  }
  /// A line of which little stayed is marked whole, not in spots.
  void aLineThatChangedNearlyAllHasNoWords() {
    const TextDiff diff = diffOf("x\nlv: R.Tensor((4, n), \"float16\") = R.matmul(q, w)\ny\n",
                                 "x\nlv = call_tir(cls.kernel7, (q, w), out_sinfo=Shape([4]))\ny\n");
    QCOMPARE(diff.edited, 1u);
    QVERIFY(diff.leftWords.empty() && diff.rightWords.empty());
  }
  void similarLinesStandBesideEachOther() {
    const TextDiff diff = diffOf("head\nq = matmul(x, wq)\nk = matmul(x, wk)\ntail\n",
                                 "head\ncls = Module\nq = matmul(x, wq, o)\nk = matmul(x, wk, o)\ntail\n");
    QVERIFY(diff.rows[1] == (DiffRow{-1, 1, true}));
    QVERIFY(diff.rows[2] == (DiffRow{1, 2, true}));
    QVERIFY(diff.rows[3] == (DiffRow{2, 3, true}));
    QCOMPARE(diff.added, 1u);
    const TextDiff unlike = diffOf("alpha beta\n", "gamma delta\n");
    QCOMPARE(unlike.rows.size(), size_t(2));
  }
  void everyLineHasItsRow() {
    std::mt19937 random(11);
    for (int round = 0; round < 40; ++round) {
      std::string a, b;
      for (int i = 0; i < 80; ++i) {
        const std::string line = "lv" + std::to_string(random() % 30) + " = op" + std::to_string(random() % 5) + "()\n";
        if (random() % 4) a += line;
        if (random() % 4) b += line;
      }
      const TextBuffer left(a), right(b);
      const auto diff = diffTexts(left, right, CancelToken());
      int32_t l = 0, r = 0;
      for (const DiffRow& row : diff->rows) {
        if (row.left >= 0) QCOMPARE(row.left, l++);
        if (row.right >= 0) QCOMPARE(row.right, r++);
        if (!row.changed) QCOMPARE(left.line(uint32_t(row.left)), right.line(uint32_t(row.right)));
      }
      QCOMPARE(l, int32_t(left.lineCount()));
      QCOMPARE(r, int32_t(right.lineCount()));
    }
  }
  void largeUnrelatedTexts() {
    std::mt19937 random(2);
    std::string a, b;
    for (int i = 0; i < 50'000; ++i) {
      a += std::to_string(random() % 2000) + "\n";
      b += std::to_string(random() % 2000) + "\n";
    }
    const auto diff = diffTexts(TextBuffer(a), TextBuffer(b), CancelToken());
    QVERIFY(diff && !diff->changes.empty());
  }
  void viewOfADifference() {
    std::string a = "class Module:\n", b = a;
    for (int i = 0; i < 60; ++i) {
      const std::string line = "    lv" + std::to_string(i) + ": R.Tensor((n, 512), dtype=\"float16\") = ";
      a += line + "R.matmul(x, w" + std::to_string(i) + ")\n";
      b += line + (i == 20 ? "R.call_tir(cls.matmul, (x, w20))\n" : "R.matmul(x, w" + std::to_string(i) + ")\n");
      if (i == 22) b += "    inserted = R.add(lv22, lv22)\n";
      if (i == 40) a += "    removed = R.add(lv40, lv40)\n";
    }
    DiffView view;
    view.resize(1200, 460);
    view.show();
    view.compare(TextBuffer::from(a), TextBuffer::from(b), "0 imported", "1 LegalizeOps");
    QVERIFY(view.busy());
    QTRY_VERIFY(!view.busy());
    QCOMPARE(view.diff()->changes.size(), size_t(3));
    QCOMPARE(view.currentChange(), 0);
    QVERIFY(view.left()->rows().rowCount() < 40);
    QCOMPARE(view.left()->rows().rowCount(), view.right()->rows().rowCount());
    shoot(view, "diff_light");
    QVERIFY(view.goToChange(-1));
    QCOMPARE(view.currentChange(), 2);
    QTest::keyClick(view.right(), Qt::Key_F7);
    QCOMPARE(view.currentChange(), 0);
    const uint32_t before = view.left()->rows().rowCount();
    Q_EMIT view.right()->collapsedActivated(0);
    QVERIFY(view.left()->rows().rowCount() > before);
    view.setCollapsed(false);
    QCOMPARE(view.left()->rows().rowCount(), uint32_t(view.diff()->rows.size()));
    view.right()->verticalScrollBar()->setValue(100);
    QCOMPARE(view.left()->verticalScrollBar()->value(), 100);
    view.setCollapsed(true);
    view.setTheme(Palette::darkTheme());
    shoot(view, "diff_dark");
    view.showMessage("nothing to compare");
    QCOMPARE(view.message(), QString("nothing to compare"));
    view.showMessage({});
    view.compare(TextBuffer::from(a), TextBuffer::from(a), "a", "a");
    QTRY_VERIFY(!view.busy());
    QVERIFY(!view.goToChange(1));
    view.compare(TextBuffer::from(a), TextBuffer::from(b), "a", "b");  // destroyed while it runs
  }

 private:
  static void shoot(QWidget& view, const QString& name) {
    const QString folder = qEnvironmentVariable("RX_SCREENSHOTS");
    if (folder.isEmpty()) return;
    QDir().mkpath(folder);
    QVERIFY(view.grab().save(folder + "/" + name + ".png"));
  }
};

QTEST_MAIN(TextDiffTest)
#include "text_diff_test.moc"
