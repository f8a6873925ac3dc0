// PTX of kernels: what is in it, and that the vendor's assembler takes it. ptxas is looked for in RX_PTXAS and the
// path; RX_PTX_ARCHS names the architectures ("sm_75 sm_80 sm_90").
#include <QDir>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryFile>
#include <QtTest>

#include "core/codegen/device_text.h"
#include "tests/device/device_modules.h"
#include "tests/support/compiled_text.h"

using namespace rx;

class TestPtx : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void holds_data();
  void holds();
  void isTheSameEachTime();
  void loopsStayWhereRegistersAllow();
  void tensorCores_data();
  void tensorCores();
  void productsUseThem();
  void groupsOfWarps_data();
  void groupsOfWarps();
  void assembles_data();
  void assembles();
  void refuses();
  void cleanupTestCase();

 private:
  int kernels_ = 0, mostRegisters_ = 0;
  QStringList spilled_;
};

namespace {

QString ptxas() {
  const QString given = qEnvironmentVariable("RX_PTXAS");
  return given.isEmpty() ? QStandardPaths::findExecutable("ptxas") : given;
}

QStringList architectures() { return qEnvironmentVariable("RX_PTX_ARCHS", "sm_80").split(' ', Qt::SkipEmptyParts); }

std::string readText(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// The text of all kernels; what has none is not allowed.
Result<QByteArray> textOf(const std::string& module, const QString& arch, const char* pipeline = "default") {
  RX_TRY(program, test::programOf(module, "cuda -arch=" + arch.toStdString(), pipeline));
  RX_TRY(made, compile::deviceTextOf(program, {}));
  if (!made.left.empty()) return fail(made.left);
  return QByteArray::fromStdString(made.code.text);
}

/// What the assembler says; nothing where it is not installed. It ends with "error" where it refuses.
QString assembled(const QByteArray& text, const QString& arch) {
  if (ptxas().isEmpty()) return {};
  QTemporaryFile file;
  if (!file.open()) return "error";
  file.write(text);
  file.flush();
  QProcess assembler;
  assembler.setProcessChannelMode(QProcess::MergedChannels);
  assembler.start(ptxas(), {"-arch=" + arch, "-v", "-o", "/dev/null", file.fileName()});
  const bool done = assembler.waitForFinished(120000) && assembler.exitCode() == 0;
  return QString::fromUtf8(assembler.readAll()) + (done ? "" : "\nerror");
}

/// Every function that a device computes itself, in each type of floats.
void functionRows(const std::function<void(const QString&, const std::string&)>& add) {
  for (const char* type : {"float32", "float64", "float16", "bfloat16", "float8_e5m2"}) {
    QString one, two;
    for (const char* name : {"exp",  "exp2",  "exp10",   "log",   "log2", "log10", "log1p", "sin",   "cos",   "tan",
                             "asin", "acos",  "atan",    "sinh",  "cosh", "tanh",  "asinh", "acosh", "atanh", "erf",
                             "sqrt", "rsqrt", "sigmoid", "floor", "ceil", "trunc", "round", "fabs"})
      one += QString("    y[i] = y[i] + T.%1(x[i])\n").arg(name);
    for (const char* name : {"pow", "atan2", "hypot", "fmod", "copysign", "nextafter"})
      two += QString("    y[i] = y[i] + T.%1(x[i], y[i])\n").arg(name);
    const QString loop = "for i in range(8):\n    y[i] = x[i]\n";
    const QString types = QString("%1 %1").arg(type);
    add(QString("functions of one %1").arg(type), kernelOf(types, (loop + one).chopped(1)));
    add(QString("functions of two %1").arg(type), kernelOf(types, loop + two + "    y[i] = T.ldexp(y[i], 3)"));
  }
}

}  // namespace

void TestPtx::holds_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("words");
  QTest::newRow("shuffles") << QString::fromStdString(movingKernel("_xor", "float16")) << "shfl.sync.bfly.b32";
  QTest::newRow("shuffles of 64 bits") << QString::fromStdString(movingKernel("_down", "int64"))
                                       << "shfl.sync.down.b32";
  QTest::newRow("barriers") << QString::fromStdString(sharingKernel()) << "bar.sync";
  QTest::newRow("shared memory") << QString::fromStdString(sharingKernel()) << ".shared .align 16";
  QTest::newRow("dynamic shared memory")
      << QString::fromStdString(sharingKernel()).replace("\"shared\"", "\"shared.dyn\"") << ".extern .shared";
  QTest::newRow("the length of a group") << QString::fromStdString(sharingKernel()) << ".maxntid 8";
  QTest::newRow("checks") << QString::fromStdString(kernelOf("int32 int32", "for i in range(8):\n    y[i] = x[x[i]]"))
                          << "atom";
  QTest::newRow("atomic additions")
      << QString::fromStdString(
             kernelOf("int32 int32", "for i in T.parallel(8):\n    T.evaluate(T.atomic_add(T.address_of(y[0]), x[i]))"))
      << ".add.u32";
  QTest::newRow("steps side by side") << QString::fromStdString(
                                             kernelOf("int32 int32", "for i in T.parallel(8):\n    y[i] = x[i]"))
                                      << ".maxntid 64";
  QTest::newRow("halves") << QString::fromStdString(
                                 kernelOf("float16 float16", "for i in range(8):\n    y[i] = x[i] + x[i]"))
                          << "add.rn.f16";
}

void TestPtx::holds() {
  QFETCH(QString, body);
  QFETCH(QString, words);
  const auto text = textOf(body.toStdString(), "sm_80");
  QVERIFY2(text, text ? "" : text.diagnostics()[0].message.c_str());
  QVERIFY2(text->contains(words.toUtf8()), text->constData());
  QVERIFY(text->contains(".target sm_80"));
}

/// A driver keeps what it compiled by the text.
void TestPtx::isTheSameEachTime() {
  const std::string module = kernelOf("int32 int32", "for i in range(8):\n    y[i] = x[x[i]] // x[x[i] + 1]");
  const auto first = textOf(module, "sm_80"), second = textOf(module, "sm_80");
  QVERIFY(first && second);
  QCOMPARE(*first, *second);
}

/// The sums of a thread are registers, and the loop over what threads share is one still.
void TestPtx::loopsStayWhereRegistersAllow() {
  const auto text = textOf(moduleOf("R.matmul(p0, p1)", "512, 512: float32; 512, 512: float32"), "sm_80", "cuda");
  QVERIFY2(text, text ? "" : text.diagnostics()[0].message.c_str());
  QVERIFY(!text->contains("__local_depot"));
  QVERIFY2(text->size() < 40000, qPrintable(QString::number(text->size())));
}

void TestPtx::tensorCores_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("words");
  QTest::addColumn<QString>("tooOld");
  QTest::addColumn<QString>("arch");
  const auto row = [](const char* name, const char* body, const char* words, const char* tooOld = "sm_75",
                      const char* arch = "sm_80") {
    QTest::newRow(name) << QString(body) << QString(words) << QString(tooOld) << QString(arch);
  };
  row("a copy ahead", "T.evaluate(T.ptx.cp_async(\"float16\", a.data, t * 8, x.data, 0, 16))",
      "cp.async.cg.shared.global");
  row("a small copy ahead", "T.evaluate(T.ptx.cp_async(\"float16\", a.data, t * 2, x.data, 0, 4))",
      "cp.async.ca.shared.global");
  row("a copy ahead where there is something",
      "T.evaluate(T.ptx.cp_async(\"float16\", a.data, t * 8, x.data, 0, 16, t < 16))", "16, %r");
  row("the end of a group", "T.evaluate(T.ptx.cp_async.commit_group())", "cp.async.commit_group;");
  row("waiting for copies", "T.evaluate(T.ptx.cp_async.wait_group(1))", "cp.async.wait_group 1;");
  row("matrices", "T.evaluate(T.ptx.ldmatrix_legacy(T.bool(False), 4, \".b16\", r.data, 0, a.data, t * 8))",
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "sm_70");
  row("matrices by columns", "T.evaluate(T.ptx.ldmatrix_legacy(T.bool(True), 2, \".b16\", b.data, 0, a.data, t * 8))",
      "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16", "sm_70");
  row("a product of float16",
      "T.evaluate(T.ptx.mma.legacy(\"m16n8k16\", \"row\", \"col\", \"fp16\", \"fp16\", \"fp32\", r.data, 0, b.data, 0, "
      "c.data, 0, T.bool(False)))",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32");
  row("a product of bfloat16",
      "T.evaluate(T.ptx.mma.legacy(\"m16n8k16\", \"row\", \"col\", \"bf16\", \"bf16\", \"fp32\", r.data, 0, b.data, 0, "
      "c.data, 0, T.bool(False)))",
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32");
  row("a product of int8 that saturates",
      "T.evaluate(T.ptx.mma.legacy(\"m16n8k32\", \"row\", \"col\", \"int8\", \"int8\", \"int32\", r.data, 0, b.data, "
      "0, "
      "c.data, 0, T.bool(True)))",
      "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32");
  const auto barrier = [&](const char* name, const char* call, const char* words, const char* tooOld) {
    const QByteArray body = QByteArray("T.evaluate(T.create_barriers(2))\n        T.evaluate(") + call + ")";
    row(name, body.constData(), words, tooOld, "sm_90a");
  };
  barrier("a barrier begins", "T.ptx_init_barrier_thread_count(1, 32)", "mbarrier.init.shared.b64", "sm_75");
  barrier("a thread arrives", "T.ptx_arrive_barrier(0)", "mbarrier.arrive.shared.b64", "sm_75");
  barrier("copies arrive", "T.ptx_cp_async_barrier(0)", "cp.async.mbarrier.arrive.shared.b64", "sm_75");
  barrier("bytes are expected", "T.ptx_arrive_barrier_expect_tx(0, 512)", "mbarrier.arrive.expect_tx.shared.b64",
          "sm_90");
  barrier("waiting for a phase", "T.ptx_wait_barrier(t % 2, 1)", "mbarrier.try_wait.parity.shared.b64", "sm_80");
  barrier("a copy of a block", "T.ptx_cp_async_bulk(\"float16\", a.data, 8, x.data, 0, 16, 0)",
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes", "sm_90");
  barrier("a copy of a box", "T.rx_copy_tile(\"float16\", a.data, 0, x.data, 0, 0, 8, 8, 0)",
          "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes", "sm_90");
  row("what threads wrote for the cores", "T.evaluate(T.rx_fence_async())", "fence.proxy.async.shared::cta", "sm_90",
      "sm_90a");
  row("products of a group of warps begin", "T.evaluate(T.ptx.wgmma.fence())", "wgmma.fence.sync.aligned", "sm_90",
      "sm_90a");
  row("they end", "T.evaluate(T.ptx.wgmma.commit_group())", "wgmma.commit_group.sync.aligned", "sm_90", "sm_90a");
  row("waiting for them", "T.evaluate(T.ptx.wgmma.wait_group(1))", "wgmma.wait_group.sync.aligned 1", "sm_90",
      "sm_90a");
  row("a product of a group of warps",
      "T.evaluate(T.rx_wgmma(\"m64n8k16\", \"bf16\", T.bool(False), T.bool(True), a.data, 0, 16, 1024, a.data, 64, "
      "1024, "
      "1024, 128, c.data, 0))",
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16", "sm_90", "sm_90a");
}

/// What a user's own TIR says of them is in the text, the assembler takes it, and older devices are told.
void TestPtx::tensorCores() {
  QFETCH(QString, body);
  QFETCH(QString, words);
  QFETCH(QString, tooOld);
  QFETCH(QString, arch);
  const std::string module =
      kernelOf("float16 float16", QString("for t in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
                                          "    with T.sblock(\"\"):\n"
                                          "        a = T.sblock_alloc_buffer((256,), \"float16\", scope=\"shared\")\n"
                                          "        r = T.sblock_alloc_buffer((8,), \"float16\", scope=\"local\")\n"
                                          "        b = T.sblock_alloc_buffer((4,), \"float16\", scope=\"local\")\n"
                                          "        c = T.sblock_alloc_buffer((4,), \"float32\", scope=\"local\")\n"
                                          "        ") +
                                      body +
                                      "\n        if t < 8:\n"
                                      "            y[t] = a[t] + r[t] + b[t % 4] + T.Cast(\"float16\", c[t % 4])");
  const auto text = textOf(module, arch);
  QVERIFY2(text, text ? "" : text.diagnostics()[0].message.c_str());
  QVERIFY2(text->contains(words.toUtf8()), text->constData());
  const QString said = assembled(*text, arch);
  QVERIFY2(!said.endsWith("error"), qPrintable(said));
  const auto old = textOf(module, tooOld);
  QVERIFY(!old);
  QCOMPARE(old.diagnostics()[0].rule, std::string("codegen.unsupported"));
}

/// A rule takes them where there are some; its sums stay in registers.
void TestPtx::productsUseThem() {
  const std::string module = moduleOf("R.matmul(p0, p1)", "512, 512: float16; 512, 512: float16");
  const auto text = textOf(module, "sm_80", "cuda");
  QVERIFY2(text, text ? "" : text.diagnostics()[0].message.c_str());
  for (const char* words : {"mma.sync.aligned.m16n8k16", "ldmatrix.sync.aligned.m8n8.x4.trans", "cp.async.cg.shared"})
    QVERIFY2(text->contains(words), words);
  QVERIFY(!text->contains("__local_depot"));
  const auto old = textOf(module, "sm_75", "cuda");
  QVERIFY(old);
  QVERIFY(!old->contains("mma.sync"));
}

void TestPtx::groupsOfWarps_data() {
  QTest::addColumn<QString>("tensors");
  QTest::addColumn<QString>("words");
  QTest::newRow("float16") << "512, 512: float16; 512, 512: float16"
                           << "m64n128k16.f32.f16.f16";
  QTest::newRow("bfloat16") << "n, 512: bfloat16; 512, 512: bfloat16"
                            << "m64n128k16.f32.bf16.bf16";
  QTest::newRow("wide tiles") << "4096, 4096: float16; 4096, 4096: float16"
                              << "m64n256k16.f32.f16.f16";
}

/// Their sums stay in registers, and products of one step go on while the next ones begin: the assembler says where it
/// has to wait for each of them.
void TestPtx::groupsOfWarps() {
  QFETCH(QString, tensors);
  QFETCH(QString, words);
  const auto text = textOf(moduleOf("R.matmul(p0, p1)", tensors), "sm_90a", "cuda");
  QVERIFY2(text, text ? "" : text.diagnostics()[0].message.c_str());
  QVERIFY2(text->contains(words.toUtf8()), text->constData());
  QVERIFY(text->contains(".align 1024"));
  // A map is read where the launch has it.
  if (!tensors.contains('n')) QVERIFY(text->contains(".param .align 64 .b8") && text->contains("cvta.param.u64"));
  QVERIFY(!text->contains("__local_depot"));
  const QString said = assembled(*text, "sm_90a");
  if (said.isEmpty()) return;
  QVERIFY2(said.contains(" 0 bytes spill stores") && !said.contains("serialized"), qPrintable(said));
}

void TestPtx::assembles_data() {
  QTest::addColumn<QString>("arch");
  QTest::addColumn<QString>("module");
  QTest::addColumn<QString>("pipeline");
  const auto add = [](const QString& name, const std::string& module, const char* pipeline = "default") {
    for (const QString& arch : architectures())
      QTest::newRow(qPrintable(name + ", " + arch)) << arch << QString::fromStdString(module) << pipeline;
  };
  const QDir golden(RX_SOURCE_DIR "/tests/golden/opencl");
  for (const QString& name : golden.entryList({"*.py"})) {
    if (!name.startsWith("bad-")) add(name, readText(golden.filePath(name)));
  }
  for (const ModuleRow& row : moduleRows()) add(row.text, moduleOf(row.text, row.tensors));
  for (const ModuleRow& row : scheduledRows())
    add(QString("scheduled %1 of %2").arg(row.text, row.tensors), moduleOf(row.text, row.tensors), "cuda");
  for (const ModuleRow& row : dispatchedRows())
    add(QString("%1 of %2").arg(row.text, row.tensors), moduleOf(row.text, row.tensors));
  for (const KernelRow& row : kernelRows()) add(row.name, kernelOf(row.types, row.body));
  for (const char* ending : {"", "_up", "_down", "_xor"}) {
    for (const char* type : {"float16", "float64", "int8"})
      add(QString("shuffle%1 of %2").arg(ending, type), movingKernel(ending, type));
  }
  add("shared memory", sharingKernel());
  add("dynamic shared memory",
      QString::fromStdString(sharingKernel()).replace("\"shared\"", "\"shared.dyn\"").toStdString());
  functionRows(add);
}

void TestPtx::assembles() {
  QFETCH(QString, arch);
  QFETCH(QString, module);
  QFETCH(QString, pipeline);
  const auto text = textOf(module.toStdString(), arch, pipeline.toUtf8());
  QVERIFY2(text, text ? "" : text.diagnostics()[0].message.c_str());
  if (ptxas().isEmpty()) QSKIP("ptxas is not installed, and RX_PTXAS does not say where it is");
  const QString said = assembled(*text, arch);
  QVERIFY2(!said.endsWith("error"), qPrintable(said));
  static const QRegularExpression registers("Used (\\d+) registers"), spills("(\\d+) bytes spill stores");
  for (auto match = registers.globalMatch(said); match.hasNext();) {
    ++kernels_;
    mostRegisters_ = std::max(mostRegisters_, match.next().captured(1).toInt());
  }
  for (auto match = spills.globalMatch(said); match.hasNext();) {
    const QString bytes = match.next().captured(1);
    if (bytes != "0") spilled_ << QString("%1: %2 bytes").arg(QTest::currentDataTag(), bytes);
  }
}

void TestPtx::refuses() {
  const auto packed = textOf(readText(RX_SOURCE_DIR "/tests/golden/opencl/bad-packed-call.py"), "sm_80");
  QVERIFY(!packed);
  QCOMPARE(packed.diagnostics()[0].rule, std::string("codegen.unsupported"));
  const auto narrow =
      textOf(kernelOf("int8 int8", "for i in T.parallel(8):\n    T.evaluate(T.atomic_add(T.address_of(y[0]), x[i]))"),
             "sm_80");
  QVERIFY(!narrow);
  QCOMPARE(narrow.diagnostics()[0].rule, std::string("codegen.unsupported"));
  const auto old = textOf(moduleOf("R.exp(p0)", "3: float32"), "sm_20");
  QVERIFY(!old);
  QCOMPARE(old.diagnostics()[0].rule, std::string("codegen.target"));
}

void TestPtx::cleanupTestCase() {
  if (kernels_ > 0)
    qInfo("%d functions assembled, at most %d registers, %lld with spills%s", kernels_, mostRegisters_,
          static_cast<long long>(spilled_.size()),
          qPrintable(spilled_.join("\n  ").prepend(spilled_.empty() ? "" : "\n  ")));
}

QTEST_GUILESS_MAIN(TestPtx)
#include "tst_ptx.moc"
