// What a kernel is lowered to before it runs: no block in either form, init values for reductions over nothing, and the
// buffers whose accesses need no check.
#include <QtTest>

#include "core/ir/reflect.h"
#include "core/lower/host_lowering.h"
#include "core/lower/proven_accesses.h"
#include "core/script/parse.h"
#include "core/script/print.h"

using namespace rx;

class TestHostLowering : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void leavesNoBlock_data();
  void leavesNoBlock();
  void initsReductionsOverNothing();
  void provesWhatStaysInside_data();
  void provesWhatStaysInside();
  void provesPieces_data();
  void provesPieces();
  void provesVectors_data();
  void provesVectors();
  void refusesWhatAPassRefuses();
  void stopsWhenCancelled();
};

namespace {

tir::PrimFuncRef kernel(const std::string& params, const std::string& body) {
  const std::string text =
      fmt::format("from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef k({}):\n{}", params, body);
  auto module = script::parseModule(make<SourceFile>("k.py", text));
  if (!module) qWarning("%s", module.diagnostics()[0].message.c_str());
  return module ? refAs<tir::PrimFunc>((*module)->functions[0]) : nullptr;
}

tir::PrimFuncRef rowSum(const char* columns) {
  return kernel("var_x: T.handle, var_y: T.handle", fmt::format(R"(    n = T.int64()
    x = T.match_buffer(var_x, (T.int64(4), {0}), "float32")
    y = T.match_buffer(var_y, (T.int64(4),), "float32")
    for i, k in T.grid(T.int64(4), {0}):
        with T.sblock("sum"):
            vi, vk = T.axis.remap("SR", [i, k])
            with T.init():
                y[vi] = T.float32(0)
            y[vi] = y[vi] + x[vi, vk]
)",
                                                                columns));
}

int countOf(const tir::PrimFunc& function, Kind kind) {
  int count = 0;
  walk(*function.body, Into::Parts, [&](const Node& node) {
    count += node.kind() == kind;
    return true;
  });
  return count;
}

}  // namespace

void TestHostLowering::leavesNoBlock_data() {
  QTest::addColumn<int>("form");
  QTest::newRow("loops") << static_cast<int>(lower::HostForm::Loops);
  QTest::newRow("flat") << static_cast<int>(lower::HostForm::Flat);
}
void TestHostLowering::leavesNoBlock() {
  QFETCH(int, form);
  const auto lowered = lower::loweredForHost(rowSum("T.int64(8)"), static_cast<lower::HostForm>(form), {});
  QVERIFY(lowered.ok());
  QCOMPARE(countOf(*lowered->function, Kind::tir_Block), 0);
  QCOMPARE(countOf(*lowered->function, Kind::tir_For), 2);
  // What is lowered stays as it is.
  const auto again = lower::loweredForHost(lowered->function, lower::HostForm::Loops, {});
  QVERIFY(again.ok());
  QVERIFY(again->function == lowered->function);
}

void TestHostLowering::initsReductionsOverNothing() {
  const auto known = lower::loweredForHost(rowSum("T.int64(8)"), lower::HostForm::Loops, {});
  const auto symbolic = lower::loweredForHost(rowSum("n"), lower::HostForm::Loops, {});
  QVERIFY(known.ok() && symbolic.ok());
  // One branch is the first step of the sum; the other one is for n = 0.
  QCOMPARE(countOf(*known->function, Kind::tir_IfThenElse), 1);
  QCOMPARE(countOf(*symbolic->function, Kind::tir_IfThenElse), 2);
}

void TestHostLowering::provesWhatStaysInside_data() {
  QTest::addColumn<QString>("value");
  QTest::addColumn<bool>("proven");
  QTest::newRow("the loop") << "x[i]" << true;
  QTest::newRow("reversed") << "x[7 - i]" << true;
  QTest::newRow("part") << "x[i // 2]" << true;
  QTest::newRow("wrapped") << "x[(i + 5) % 8]" << true;
  QTest::newRow("beyond") << "x[i + 1]" << false;
  QTest::newRow("before") << "x[i - 1]" << false;
  QTest::newRow("by data") << "x[T.Cast(\"int32\", z[i])]" << false;
  QTest::newRow("guarded") << "T.if_then_else(i < 7, x[i + 1], T.float32(0))" << true;
}
void TestHostLowering::provesWhatStaysInside() {
  QFETCH(QString, value);
  QFETCH(bool, proven);
  const auto function =
      kernel("x: T.Buffer((8,), \"float32\"), z: T.Buffer((8,), \"int64\"), y: T.Buffer((8,), \"float32\")",
             fmt::format("    for i in range(8):\n        y[i] = {}\n", value.toStdString()));
  QVERIFY(function);
  const auto pointers = lower::provenAccesses(*function).proven;
  auto has = [&](int param) {
    return std::find(pointers.begin(), pointers.end(), function->buffers[static_cast<size_t>(param)]->data) !=
           pointers.end();
  };
  QCOMPARE(has(0), proven);
  QVERIFY(has(2));
  const auto flat = lower::loweredForHost(function, lower::HostForm::Flat, {});
  QVERIFY(flat.ok());
  QCOMPARE(flat->proven.size(), pointers.size());
}

void TestHostLowering::provesPieces_data() {
  QTest::addColumn<QString>("pieces");
  QTest::addColumn<QString>("place");
  QTest::addColumn<bool>("proven");
  auto row = [](const char* pieces, const char* place, bool proven) {
    QTest::addRow("%s of %s", place, pieces) << QString(pieces) << QString(place) << proven;
  };
  row("n // 8", "p * 8 + l", true);
  row("n // 8", "p * 8 + l + 1", false);
  row("n // 8", "p * 9 + l", false);
  row("n // 7", "p * 8 + l", false);
  row("(n + 7) // 8", "p * 8", true);
  row("(n + 7) // 8", "p * 8 + l", false);
  row("(n + 8) // 8", "p * 8", false);
  row("(n - n // 64 * 64) // 8", "n // 64 * 64 + p * 8 + l", true);
  row("(n - n // 64 * 64 + 7) // 8", "n // 64 * 64 + p * 8", true);
  row("(n - n // 64 * 64 + 7) // 8", "n // 64 * 64 + p * 8 + l", false);
}

/// A loop over whole pieces of an axis tells where they end.
void TestHostLowering::provesPieces() {
  QFETCH(QString, pieces);
  QFETCH(QString, place);
  QFETCH(bool, proven);
  const auto typed = [](QString text) {
    return text.replace(QRegularExpression("(\\d+)"), "T.int64(\\1)").toStdString();
  };
  const auto function =
      kernel("a: T.handle, y: T.Buffer((1,), \"float32\")",
             fmt::format("    n = T.int64()\n    x = T.match_buffer(a, (n,), \"float32\")\n    for p in range({}):\n"
                         "        for l in range(T.int64(8)):\n            x[{}] = T.float32(1)\n",
                         typed(pieces), typed(place)));
  QVERIFY(function);
  QCOMPARE(lower::provenAccesses(*function).all, proven);
}

void TestHostLowering::provesVectors_data() {
  QTest::addColumn<QString>("pieces");
  QTest::addColumn<QString>("size");
  QTest::addColumn<QString>("place");
  QTest::addColumn<bool>("proven");
  auto row = [](const char* pieces, const char* size, const char* place, bool proven) {
    QTest::addRow("%s of %s in %s", place, pieces, size)
        << QString(pieces) << QString(size) << QString(place) << proven;
  };
  row("n // 8", "n", "p * 8", true);
  row("n // 8", "n", "p * 8 + 1", false);
  row("n // 8", "n", "p * 8 - 1", false);
  row("n // 8", "n * 2", "p * 16 + 8", true);
  row("n // 8", "n * 2", "p * 16 + 9", false);
  row("(n - n // 8 * 8 + 7) // 8", "n", "T.min(n // 8 * 8 + p * 8, n - 8)", true);
  row("(n - n // 8 * 8 + 7) // 8", "n", "T.min(n // 8 * 8 + p * 8, n - 7)", false);
  row("(n - n // 8 * 8 + 7) // 8", "n * 2", "T.min(n // 8 * 8 + p * 8, n - 8) * 2 + 8", true);
  row("(n - n // 8 * 8 + 7) // 8", "n * 2", "T.min(n // 8 * 8 + p * 8, n - 8) * 2 + 9", false);
}

/// The lanes of an index are proven by the first and the last of them.
void TestHostLowering::provesVectors() {
  QFETCH(QString, pieces);
  QFETCH(QString, size);
  QFETCH(QString, place);
  QFETCH(bool, proven);
  const auto typed = [](QString text) {
    return text.replace(QRegularExpression("(\\d+)"), "T.int64(\\1)").toStdString();
  };
  const auto function = kernel("a: T.handle, b: T.handle",
                               fmt::format("    n = T.int64()\n    x = T.match_buffer(a, (n,), \"float32\")\n"
                                           "    y = T.match_buffer(b, ({},), \"float32\")\n    if n >= T.int64(8):\n"
                                           "        for p in range({}):\n"
                                           "            y[T.Ramp({}, T.int64(1), 8)] = T.Broadcast(T.float32(1), 8)\n",
                                           typed(size), typed(pieces), typed(place)));
  QVERIFY(function);
  QCOMPARE(lower::provenAccesses(*function).all, proven);
}

/// In every form: what can not be built is not stepped as something else.
void TestHostLowering::refusesWhatAPassRefuses() {
  for (const char* kind : {"vectorized", "unroll"}) {
    for (const char* extent : {"n", "8"}) {
      const auto function =
          kernel("x: T.Buffer((8,), \"float32\"), n: T.int32",
                 fmt::format("    for i in T.{}({}):\n        x[i] = T.float32(1)\n", kind, extent).c_str());
      for (const auto form : {lower::HostForm::Flat, lower::HostForm::Loops}) {
        const auto lowered = lower::loweredForHost(function, form, {});
        QCOMPARE(lowered.ok(), *extent == '8');
        QVERIFY(lowered.ok() || lowered.diagnostics()[0].span.known());
      }
    }
  }
}

void TestHostLowering::stopsWhenCancelled() {
  CancelToken token;
  token.cancel();
  const auto stopped = lower::loweredForHost(rowSum("n"), lower::HostForm::Flat, token);
  QVERIFY(!stopped.ok());
  QCOMPARE(stopped.diagnostics()[0].rule, std::string("pass.cancelled"));
}

QTEST_APPLESS_MAIN(TestHostLowering)
#include "tst_host_lowering.moc"
