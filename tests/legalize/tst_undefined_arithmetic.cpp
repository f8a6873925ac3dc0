// Arithmetic that processors leave undefined, or trap at, means the same in every way to run a kernel: divisions by
// zero, quotients and casts that do not fit, shifts by more bits than there are.
#include <QTemporaryDir>
#include <QtTest>

#include "core/script/parse.h"
#include "ways.h"

using namespace rx;
using namespace rx::test;

namespace {

constexpr const char* kText = R"(from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @T.prim_func
    def k(a: T.Buffer((4,), "{type}"), b: T.Buffer((4,), "{type}"), c: T.Buffer((4,), "{out}")):
        for i in {loop}(4):
            c[i] = {value}

    @R.function
    def main(x: R.Tensor((4,), dtype="{type}"), y: R.Tensor((4,), dtype="{type}")) -> R.Tensor((4,), dtype="{out}"):
        cls = Module
        z = R.call_tir(cls.k, (x, y), out_sinfo=R.Tensor((4,), dtype="{out}"))
        return z
)";

struct Row {
  const char* name;
  const char* type;
  const char* value;
  std::vector<double> a, b;
  std::vector<double> wanted;  ///< empty: the run is refused, by a message that names the division
  const char* out = nullptr;   ///< type of the result, where it is another
};

const std::vector<Row>& rows() {
  static const double least = -2147483648.0, nan = std::nan("");
  static const std::vector<Row> kRows = {
      {"floor division by zero", "int32", "a[i] // b[i]", {1, 2, 3, 4}, {1, 1, 0, 1}, {}},
      {"remainder by zero", "int32", "a[i] % b[i]", {1, 2, 3, 4}, {1, 1, 0, 1}, {}},
      {"truncated by zero", "int64", "T.truncdiv(a[i], b[i])", {1, 2, 3, 4}, {1, 1, 0, 1}, {}},
      {"truncated remainder by zero", "int16", "T.truncmod(a[i], b[i])", {1, 2, 3, 4}, {1, 1, 0, 1}, {}},
      {"unsigned by zero", "uint8", "a[i] // b[i]", {1, 2, 3, 4}, {1, 1, 0, 1}, {}},
      {"zero by zero", "int32", "a[i] // b[i]", {0, 0, 0, 0}, {0, 1, 1, 1}, {}},
      {"a choice against zero",
       "int32",
       "T.Select(b[i] != 0, a[i] // b[i], -1)",
       {7, -7, 7, 7},
       {2, 2, 0, 3},
       {3, -4, -1, 2}},
      {"a lazy choice against zero",
       "int32",
       "T.if_then_else(b[i] == 0, -1, a[i] % b[i])",
       {7, -7, 7, 7},
       {2, 2, 0, 4},
       {1, 1, -1, 3}},
      {"a choice inside of a choice",
       "int32",
       "T.Select(b[i] != 0, T.Select(a[i] != 0, T.truncdiv(b[i], a[i]) + a[i] // b[i], 5), 6)",
       {0, 4, 0, 9},
       {2, 2, 0, 3},
       {5, 2, 6, 3}},
      {"a guard against zero",
       "int32",
       "T.Cast(\"int32\", b[i] != 0 and a[i] // b[i] > 2)",
       {7, 7, 7, -7},
       {2, 3, 0, 1},
       {1, 0, 0, 0}},
      {"a way around zero",
       "int32",
       "T.Cast(\"int32\", b[i] == 0 or a[i] // b[i] > 2)",
       {7, 7, 7, -7},
       {2, 3, 0, 1},
       {1, 0, 1, 0}},
      {"the wrong side of a guard", "int32", "T.Select(b[i] == 0, a[i] // b[i], -1)", {7, 7, 7, 7}, {2, 3, 0, 1}, {}},
      {"the smallest by minus one",
       "int32",
       "a[i] // b[i]",
       {least, 5, least, 0},
       {-1, -1, 1, -1},
       {least, -5, least, 0}},
      {"its remainder", "int32", "a[i] % b[i]", {least, 5, least, 0}, {-1, -1, 1, -1}, {0, 0, 0, 0}},
      {"powers that wrap",
       "int32",
       "T.pow(a[i], b[i])",
       {7, -3, 2, 10},
       {13, 21, -1, 9},
       {-1895237401.0, -1870418611.0, 0, 1e9}},
      {"the absolute value of the smallest", "int32", "T.abs(a[i])", {least, -5, 5, 0}, {0, 0, 0, 0}, {least, 5, 5, 0}},
      {"products that come back",
       "int32",
       "a[i] * 1073741824 // 1073741824",
       {1, 2, 3, 4},
       {0, 0, 0, 0},
       {1, -2, -1, 0}},
      {"shifts to the left", "int32", "T.shift_left(a[i], b[i])", {3, 3, 3, 3}, {1, 32, 40, -1}, {6, 0, 0, 0}},
      {"shifts to the right", "int32", "T.shift_right(a[i], b[i])", {-8, -8, 8, -8}, {1, 32, 64, -1}, {-4, -1, 0, -1}},
      {"unsigned shifts to the right",
       "uint16",
       "T.shift_right(a[i], b[i])",
       {65535, 65535, 65535, 8},
       {15, 16, 300, 1},
       {1, 0, 0, 4}},
      {"casts that do not fit",
       "float32",
       "T.Cast(\"int32\", a[i] + b[i])",
       {1e20, -1e20, nan, -1.75},
       {0, 0, 0, 0},
       {2147483647.0, least, 0, -1},
       "int32"},
      {"casts to what has no sign",
       "float64",
       "T.Cast(\"uint8\", a[i] + b[i])",
       {-3, 255.75, 1e10, nan},
       {0, 0, 0, 0},
       {0, 255, 255, 0},
       "uint8"},
  };
  return kRows;
}

std::string textOf(const Row& row, const char* loop) {
  std::string text = kText;
  const std::pair<std::string, const char*> holes[] = {
      {"{type}", row.type}, {"{out}", row.out ? row.out : row.type}, {"{loop}", loop}, {"{value}", row.value}};
  for (const auto& [hole, with] : holes) {
    for (size_t at = text.find(hole); at != std::string::npos; at = text.find(hole))
      text.replace(at, hole.size(), with);
  }
  return text;
}

Result<vm::Value> argument(const Row& row, const std::vector<double>& numbers) {
  RX_TRY(tensor, HostTensor::fromDoubles({static_cast<int64_t>(numbers.size())}, *DataType::parse(row.type), numbers));
  return vm::Value::of(tensor);
}

}  // namespace

class UndefinedArithmeticTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void isTheSameInEveryWay_data();
  void isTheSameInEveryWay();
};

void UndefinedArithmeticTest::isTheSameInEveryWay_data() {
  QTest::addColumn<int>("row");
  QTest::addColumn<QString>("loop");
  for (size_t i = 0; i < rows().size(); ++i) {
    for (const char* loop : {"range", "T.vectorized"}) {
      QTest::newRow(qPrintable(QStringLiteral("%1, %2").arg(rows()[i].name, loop))) << static_cast<int>(i) << loop;
    }
  }
}

void UndefinedArithmeticTest::isTheSameInEveryWay() {
  QFETCH(int, row);
  QFETCH(QString, loop);
  const Row& each = rows()[static_cast<size_t>(row)];
  const auto module = script::parseModule(make<SourceFile>("k.py", textOf(each, loop.toUtf8().constData())));
  QVERIFY2(module.ok(), module ? "" : module.diagnostics()[0].message.c_str());
  const auto program = lowered(*module);
  QVERIFY(program.ok());
  QTemporaryDir folder;
  const std::pair<const char*, Result<RunFunction>> ways[] = {
      {"interpreted", interpreted(*program)},
      {"stepped", compiled(*program, compile::Mode::Step)},
      {"released", compiled(*program, compile::Mode::Release)},
      {"packaged", packaged(*program, folder.path().toStdString())}};
  const std::vector<vm::Value> args{*argument(each, each.a), *argument(each, each.b)};
  for (const auto& [name, function] : ways) {
    QVERIFY2(function.ok(), name);
    const Result<Outputs> got = (*function)("main", args);
    if (each.wanted.empty()) {
      QVERIFY2(!got.ok(), name);
      const std::string said = got.diagnostics()[0].message;
      QVERIFY2(said.find("an integer is divided by zero: ") != std::string::npos, said.c_str());
      continue;
    }
    QVERIFY2(got.ok(), got ? name : (name + (": " + got.diagnostics()[0].message)).c_str());
    for (size_t i = 0; i < each.wanted.size(); ++i) {
      const double number = (*got)[0]->at(static_cast<int64_t>(i));
      QVERIFY2(number == each.wanted[i], qPrintable(QStringLiteral("%1, element %2: %3").arg(name).arg(i).arg(number)));
    }
  }
}

QTEST_GUILESS_MAIN(UndefinedArithmeticTest)
#include "tst_undefined_arithmetic.moc"
