// The parts of the text view that need no window: lines, tokens, folds, search.
#include <QFontDatabase>
#include <QtTest>

#include "views/text/decorations.h"
#include "views/text/folding.h"
#include "views/text/line_wrap.h"
#include "views/text/row_heights.h"
#include "views/text/short_types.h"
#include "views/text/text_buffer.h"
#include "views/text/text_search.h"
#include "views/text/tokenizer.h"

using namespace rx;

namespace {

QStringList tokensOf(const char* line, bool inString = false) {
  std::vector<Token> tokens;
  tokenizeLine(line, inString, tokens);
  const char* names[] = {"keyword", "decorator", "type", "operator", "callee", "string", "number", "comment"};
  QStringList list;
  for (const Token& t : tokens)
    list += QString("%1:%2").arg(names[int(t.kind)], QString::fromUtf8(line).mid(t.begin, t.end - t.begin));
  return list;
}

std::vector<TextMatch> search(const TextBufferPtr& buffer, const QString& pattern, SearchOptions options,
                              uint32_t slice = 3) {
  TextSearch run(buffer, pattern, options);
  while (!run.step(slice)) {
  }
  return run.matches();
}

}  // namespace

class TextPartsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void shortTypes_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("shown");
    QTest::newRow("annotation") << "q: R.Tensor((n, 32), dtype=\"float32\") = R.add(x, y)"
                                << "q: (n, 32) f32 = R.add(x, y)";
    QTest::newRow("quoted symbols") << "def f(x: R.Tensor((\"n * 4\", 2), dtype=\"bfloat16\"))"
                                    << "def f(x: (n * 4, 2) bf16)";
    QTest::newRow("nested") << "t: R.Tuple(R.Tensor((T.max(n, 2),), dtype=\"int64\"), R.Tensor((), dtype=\"bool\")) = y"
                            << "t: R.Tuple((T.max(n, 2),) i64, () bool) = y";
    QTest::newRow("no element type") << "x: R.Tensor((n, m))"
                                     << "x: (n, m)";
    QTest::newRow("other elements") << "x: R.Tensor((2,), dtype=\"float8_e4m3fn\")"
                                    << "x: (2,) float8_e4m3fn";
    QTest::newRow("buffers of a kernel")
        << "def f(A: T.Buffer((T.int64(1), T.int64(784)), \"float32\"), B: T.Buffer((n, T.int64(-1)), \"int8\")):"
        << "def f(A: (1, 784) f32, B: (n, -1) i8):";
    QTest::newRow("numbers of a kernel")
        << "for i, k in T.grid(T.int64(128), n + T.int64(1)): A[i, T.int64(0)] = T.int64()"
        << "for i, k in T.grid(128, n + 1): A[i, 0] = T.int64()";
    for (const char* whole :
         {"T.int64(n)", "T.int64(-)", "x = T.int64(12",
          "def f(A: T.Buffer((1,), \"float32\", strides=(2,))):", "def f(A: T.Buffer((T.int64(",
          "x: R.Tensor(dtype=\"float32\", ndim=2)", "x: R.Tensor((n,), dtype=\"float32\", vdevice=\"cuda:0\")",
          "x: R.Tensor((n, dtype=\"float32\"", "x: R.Tensor((n), dtype=\"float", "R.Tensor((", ""})
      QTest::newRow(whole) << whole << whole;
  }
  void shortTypes() {
    QFETCH(QString, line);
    QFETCH(QString, shown);
    QString text = line;
    const auto parts = rx::shortTypes(line.toStdString());
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      text.replace(int(part->begin), int(part->end - part->begin), part->text);
    QCOMPARE(text, shown);
  }
  void tuplesFold() {
    const std::string line = "t: R.Tuple(R.Tensor((n,), dtype=\"int64\"), R.Tensor((), dtype=\"bool\")) = R.f(x)";
    const auto shown = [&line](TypeForm form) {
      QString text = QString::fromStdString(line);
      const auto parts = typesAs(form, line);
      for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        text.replace(int(part->begin), int(part->end - part->begin), part->text);
      return text;
    };
    QCOMPARE(shown(TypeForm::Whole), QString::fromStdString(line));
    QCOMPARE(shown(TypeForm::Short), QString("t: R.Tuple(…) = R.f(x)"));
    QCOMPARE(shown(TypeForm::Hidden), QString("t = R.f(x)"));
  }
  void typesOfGraphs_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("brief");
    QTest::newRow("comment") << "  %0 = exp(%x) /* ty=Tensor[(1, ?), float32] */;"
                             << "  %0 = exp(%x);";
    QTest::newRow("said before") << "let %y: Tensor[(4), float16] /* ty=Tensor[(4), float16] */ = %x;"
                                 << "let %y: (4) f16 = %x;";
    QTest::newRow("nested") << "f(%l: List[(Tensor[(4), int64], bool)], %x: Tensor[(2, 2), bool])"
                            << "f(%l: List[((4) i64, bool)], %x: (2, 2) bool)";
    QTest::newRow("no tensor") << "%1 = Nil /* ty=List[int32] */;"
                               << "%1 = Nil;";
    for (const char* whole :
         {"%x: Tensor[(n, 2), float", "%x: Tensor[(n, 2)]", "Tensor[(", "%0 = f(%x) /* ty=Tensor[("})
      QTest::newRow(whole) << whole << whole;
  }
  void typesOfGraphs() {
    QFETCH(QString, line);
    QFETCH(QString, brief);
    const std::string bytes = line.toStdString();
    for (const TypeForm form : {TypeForm::Short, TypeForm::Hidden}) {
      QString text = line;
      const auto parts = typesAs(form, bytes);
      for (auto part = parts.rbegin(); part != parts.rend(); ++part)
        text.replace(int(part->begin), int(part->end - part->begin), part->text);
      QCOMPARE(text, brief);
    }
  }
  void linesOfEveryEnding() {
    const TextBuffer buffer("a\r\nbc\n\nd");
    QCOMPARE(buffer.lineCount(), 4u);
    QCOMPARE(buffer.line(0), std::string_view("a"));
    QCOMPARE(buffer.line(1), std::string_view("bc"));
    QCOMPARE(buffer.line(2), std::string_view(""));
    QCOMPARE(buffer.line(3), std::string_view("d"));
    QCOMPARE(buffer.line(4), std::string_view());
    QCOMPARE(buffer.lineOf(0), 0u);
    QCOMPARE(buffer.lineOf(3), 1u);
    QCOMPARE(buffer.lineOf(99), 3u);
    QCOMPARE(buffer.longestLine(), 2u);
    QCOMPARE(TextBuffer("").lineCount(), 1u);
    QCOMPARE(TextBuffer("x\n").lineCount(), 1u);
  }
  void tripleStringsSpanLines() {
    const TextBuffer buffer("a = \"\"\"one\ntwo\nthree\"\"\"\nb");
    QVERIFY(!buffer.beginsInString(0));
    QVERIFY(buffer.beginsInString(1));
    QVERIFY(buffer.beginsInString(2));
    QVERIFY(!buffer.beginsInString(3));
  }
  void tokens() {
    QCOMPARE(tokensOf("lv = R.call_tir(cls.matmul, (x,), out_sinfo=R.Tensor((n, 4), \"float16\"))  # c"),
             QStringList({"callee:matmul", "type:R.Tensor", "number:4", "string:\"float16\"", "comment:# c"}));
    QCOMPARE(tokensOf("with R.dataflow():"), QStringList({"keyword:with"}));
    QCOMPARE(tokensOf("@R.function"), QStringList({"decorator:@R.function"}));
    QCOMPARE(tokensOf("lv: R.Tensor = R.nn.relu(x)"), QStringList({"type:R.Tensor", "operator:R.nn.relu"}));
    QCOMPARE(tokensOf("def main(x):"), QStringList({"keyword:def", "callee:main"}));
    QCOMPARE(tokensOf("  let %f = fn (%x: int32) {"), QStringList({"keyword:let", "keyword:fn"}));
    QCOMPARE(tokensOf("match? (%t) {"), QStringList({"keyword:match"}));
    QCOMPARE(tokensOf("add(%x) /* ty=bool */;"), QStringList({"comment:/* ty=bool */"}));
    QCOMPARE(tokensOf("x /* open"), QStringList({"comment:/* open"}));
    QCOMPARE(tokensOf("type List[A] {"), QStringList({"keyword:type"}));
    QCOMPARE(tokensOf("let = match.fn(type, extern)"), QStringList());
    QCOMPARE(tokensOf("x = -1.5e-3 + 7"), QStringList({"number:1.5e-3", "number:7"}));
    QCOMPARE(tokensOf("b'a\\'b' if"), QStringList({"string:b'a\\'b'", "keyword:if"}));
    QCOMPARE(tokensOf("still\"\"\" def", true), QStringList({"string:still\"\"\"", "keyword:def"}));
    QCOMPARE(tokensOf("\"not closed"), QStringList({"string:\"not closed"}));
    QCOMPARE(tokensOf("R."), QStringList());
    QCOMPARE(tokensOf("defx(with_)"), QStringList());
    QCOMPARE(tokensOf("\\"), QStringList());
  }
  void tokensNeverLeaveTheLine() {
    // Every prefix of a line with all kinds of token is scanned to its end.
    const std::string line = "@R.x \"a\\\"b\" 'c\\' 1e+ \"\"\"x\"\"\" b\"q R.Tensor cls.a é # \\";
    std::vector<Token> tokens;
    for (size_t length = 0; length <= line.size(); ++length) {
      for (bool inString : {false, true}) {
        tokenizeLine(std::string_view(line).substr(0, length), inString, tokens);
        uint32_t at = 0;
        for (const Token& token : tokens) {
          QVERIFY(token.begin >= at && token.end > token.begin && token.end <= length);
          at = token.end;
        }
      }
    }
  }
  void foldsFollowIndentation() {
    const TextBuffer buffer("class M:\n    def f():\n        a\n\n        b\n    def g():\n        c\nend\n");
    const std::vector<FoldRegion> expected = {{0, 6}, {1, 4}, {5, 6}};
    QVERIFY(foldRegions(buffer) == expected);
    QVERIFY(foldRegions(TextBuffer("a\nb\n")).empty());
  }
  void rowsOfFoldedText() {
    const TextBuffer buffer("class M:\n    def f():\n        a\n        b\n    def g():\n        c\nend\n");
    const auto regions = foldRegions(buffer);
    RowMap rows;
    rows.setFolded(buffer.lineCount(), regions, {1});
    QCOMPARE(rows.rowCount(), 5u);
    QCOMPARE(rows.row(2).line, 4u);
    QCOMPARE(rows.rowOf(3), 1u);  // hidden: its header
    QCOMPARE(rows.rowOf(4), 2u);
    rows.setFolded(buffer.lineCount(), regions, {0, 1});
    QCOMPARE(rows.rowCount(), 2u);
    QCOMPARE(rows.row(1).line, 6u);
    rows.setFolded(buffer.lineCount(), regions, {2});  // not a header: nothing happens
    QCOMPARE(rows.rowCount(), buffer.lineCount());
  }
  /// Guesses are corrected one by one; rows and visual lines lead to one another after each.
  void heightsOfRows() {
    RowHeights heights;
    QVERIFY(heights.empty());
    std::vector<uint32_t> truth(37, 1);
    heights.guess(truth);
    QCOMPARE(heights.total(), 37u);
    QVERIFY(!heights.measured(4));
    QVERIFY(!heights.measure(4, 1));
    QVERIFY(heights.measured(4));
    for (uint32_t row = 0; row < truth.size(); row += 3) {
      truth[row] = 1 + row % 5;
      heights.measure(row, truth[row]);
    }
    heights.measure(9, truth[9] = 1);  // narrower rows become lower again
    uint32_t visual = 0;
    for (uint32_t row = 0; row < truth.size(); ++row) {
      QCOMPARE(heights.top(row), visual);
      for (uint32_t part = 0; part < truth[row]; ++part, ++visual) {
        QCOMPARE(heights.at(visual).row, row);
        QCOMPARE(heights.at(visual).part, part);
      }
    }
    QCOMPARE(heights.total(), visual);
    QCOMPARE(heights.at(visual + 9).row, 36u);
    heights.clear();
    QVERIFY(heights.empty());
  }
  void wrappedLines_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("columns");
    QTest::addColumn<QStringList>("parts");
    QTest::newRow("fits") << "a = b" << 5 << QStringList{"a = b"};
    QTest::newRow("at blanks") << "ab cd ef gh ij kl" << 9 << QStringList{"ab cd ef ", "gh ij ", "kl"};
    QTest::newRow("a blank may hang over") << "abcdefgh ij" << 8 << QStringList{"abcdefgh ", "ij"};
    QTest::newRow("in a call") << "a.bcdefghij(klmnopq)" << 14 << QStringList{"a.bcdefghij(", "klmnopq)"};
    QTest::newRow("anywhere") << "abcdefghijklmnopqrst" << 8 << QStringList{"abcdefgh", "ijkl", "mnop", "qrst"};
    QTest::newRow("letters of two bytes")
        << QString::fromUtf8("éééé éééé") << 4
        << QStringList{QString::fromUtf8("éééé "), QString::fromUtf8("éé"), QString::fromUtf8("éé")};
    QTest::newRow("nothing") << "" << 8 << QStringList{""};
  }
  void wrappedLines() {
    QFETCH(QString, line);
    QFETCH(int, columns);
    QFETCH(QStringList, parts);
    const QFont font = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    const QFontMetricsF metrics(font);
    const qreal letter = metrics.horizontalAdvance(QLatin1Char('0'));
    const std::string bytes = line.toStdString();
    const LineParts found = wrapLine(bytes, LineMetrics(bytes, letter, metrics), columns * letter, letter);
    QStringList texts;
    for (uint32_t part = 0; part < found.count(); ++part) {
      const uint32_t end = found.endOf(part, uint32_t(bytes.size()));
      texts += QString::fromStdString(bytes.substr(found.starts[part], end - found.starts[part]));
      if (found.starts[part] < bytes.size()) QCOMPARE(found.partOf(found.starts[part]), part);
    }
    QCOMPARE(texts, parts);
  }
  /// A type that is written short stands in one part.
  /// Of a type alone all of it is written short, tuples and tensors of a known rank too.
  void aTypeAlone() {
    QCOMPARE(rx::shortType(R"(R.Tensor((n, 4), dtype="float32"))"), QString("(n, 4) f32"));
    QCOMPARE(rx::shortType(R"(R.Tuple(R.Tensor((n * 4,), dtype="float32"), R.Tensor(dtype="float32", ndim=2)))"),
             QString("((n * 4,) f32, ndim 2 f32)"));
    // Many equal ones are counted.
    const QString one = R"(R.Tensor((2, 24), dtype="float32"))";
    QCOMPARE(rx::shortType("R.Tuple(" + QStringList(40, one).join(", ") + ", R.Object)"),
             QString("(40 × (2, 24) f32, R.Object)"));
    QCOMPARE(rx::shortType("R.Tuple(" + QStringList(3, one).join(", ") + ")"),
             QString("((2, 24) f32, (2, 24) f32, (2, 24) f32)"));
    QCOMPARE(rx::shortType(R"(R.Tensor((2, 2, 2, 2), dtype="float32"))"), QString("(2, 2, 2, 2) f32"));
    QCOMPARE(rx::shortType("Tree[Tensor[(1, 4), float32]]"), QString("Tree[(1, 4) f32]"));
    for (const char* kept : {"R.Object", R"(R.Tensor(dtype="float32"))", R"(R.Tensor(dtype="float32", ndim=)", ""})
      QCOMPARE(rx::shortType(kept), QString(kept));
  }

  void shortTypesAreNotBroken() {
    const QFontMetricsF metrics(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    const qreal letter = metrics.horizontalAdvance(QLatin1Char('0'));
    const std::string line =
        "q: R.Tensor((n, 32, 64), dtype=\"float32\") = R.add(x, R.Tensor((n, 32), dtype=\"float16\"), y)";
    const LineMetrics measured(line, letter, metrics, rx::shortTypes(line));
    for (int columns = 8; columns < 60; ++columns) {
      const LineParts parts = wrapLine(line, measured, columns * letter, letter);
      for (const uint32_t start : parts.starts)
        for (const Shortening& part : measured.shortened()) QVERIFY(start <= part.begin || start >= part.end);
    }
  }
  void searchInSlices() {
    const auto buffer = TextBuffer::from("Relu relu\nrelux unrelu relu");
    const std::vector<TextMatch> all = {{0, 4}, {5, 9}, {10, 14}, {18, 22}, {23, 27}};
    for (uint32_t slice : {1u, 2u, 7u, 1000u}) QVERIFY(search(buffer, "relu", {}, slice) == all);
    QCOMPARE(search(buffer, "relu", {true, false, false}).size(), 4u);
    const std::vector<TextMatch> words = {{0, 4}, {5, 9}, {23, 27}};
    QVERIFY(search(buffer, "relu", {false, true, false}) == words);
    QVERIFY(search(buffer, "", {}).empty());
    QVERIFY(search(buffer, "gelu", {}).empty());
    QCOMPARE(search(TextBuffer::from("aaaa"), "aa", {}, 1).size(), 2u);
  }
  void searchByExpression() {
    const auto buffer = TextBuffer::from("lv1 = é lv22\nlv = 3");
    const std::vector<TextMatch> expected = {{0, 3}, {9, 13}};
    for (uint32_t slice : {1u, 1000u}) QVERIFY(search(buffer, "lv\\d+", {false, false, true}, slice) == expected);
    TextSearch broken(buffer, "lv(", {false, false, true});
    QVERIFY(broken.done());
    QVERIFY(!broken.error().isEmpty());
    QVERIFY(search(buffer, "z*", {false, false, true}).empty());  // empty matches do not count
  }
  void decorationsByPlace() {
    TextDecorations d;
    d.links = {{0, 3, 1, LinkRole::Definition}, {5, 7, 2, LinkRole::Use}};
    d.bands = {{2, 4}};
    d.notes = LineNotes({{3, {}, {}}});
    QCOMPARE(d.linkAt(1)->id, 1u);
    QCOMPARE(d.linkAt(7)->id, 2u);
    QVERIFY(!d.linkAt(4));
    QVERIFY(!d.linkAt(8));
    QCOMPARE(d.definitionIn(0, 9)->id, 1u);
    QVERIFY(!d.definitionIn(4, 9));
    QVERIFY(d.bandOf(2) && d.bandOf(4) && !d.bandOf(5) && !d.bandOf(1));
    QVERIFY(d.noteOf(3) && !d.noteOf(2));
  }
};

QTEST_MAIN(TextPartsTest)
#include "text_parts_test.moc"
