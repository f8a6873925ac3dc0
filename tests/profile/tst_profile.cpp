// What a kernel does in a call, what a machine can do, and the profile of a run as rxs tells it. No test looks at how
// long anything took.
#include <QTemporaryDir>
#include <QtTest>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "../support/program.h"
#include "core/analysis/kernel_work.h"
#include "core/profile/hardware.h"
#include "core/profile/measure.h"
#include "core/profile/other_work.h"
#include "core/profile/rows.h"
#include "core/script/parse.h"
#include "core/support/file.h"
#include "core/support/thread_pool.h"

using namespace rx;
using rx::test::Answer;
using rx::test::rxs;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kModule = R"(from tvm.script import ir as I, tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def product(a: T.handle, b: T.Buffer((4, 5), "float32"), c: T.handle, k: T.int64):
        n = T.int64()
        A = T.match_buffer(a, (n, 4))
        C = T.match_buffer(c, (n, 5))
        for i, j, l in T.grid(n, 5, 4):
            with T.sblock("product"):
                vi, vj, vl = T.axis.remap("SSR", [i, j, l])
                with T.init():
                    C[vi, vj] = T.float32(0)
                C[vi, vj] = C[vi, vj] + A[vi, vl] * b[vl, vj]
        for i in T.parallel(k):
            C[0, i] = T.exp(C[0, i])
            C[0, i] = T.fma(C[0, i], C[0, i], C[0, i])

    @T.prim_func
    def twice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            B[i] = T.exp(A[i])
        for i in range(4):
            B[i] = B[i] * T.float32(2)

    @T.prim_func
    def words(f: T.Buffer((4,), "float32"), a: T.Buffer((4,), "int32")):
        for i in range(4):
            f[i] = T.rx_dot_halves(f[i], a[i], a[i])

    @T.prim_func
    def forms(a: T.handle, B: T.Buffer((8,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (n, 8))
        if n == 1:
            for i in range(8):
                B[i] = T.exp(A[0, i])
        else:
            for j, i in T.grid(n, 8):
                if i < 4:
                    B[i] = T.exp(A[j, i]) + A[j, i]

    @T.prim_func
    def ragged(a: T.handle, B: T.Buffer((8,), "float32")):
        n = T.int64()
        A = T.match_buffer(a, (n, 8))
        for tile in range(n // 8):
            for j, i in T.grid(8, 8):
                B[i] = T.exp(A[tile * 8 + j, i])
        left: T.let[T.int64] = n // 8 * 8
        if left < n:
            if n <= left + 1:
                for i in range(8):
                    B[i] = T.exp(A[left, i])
            else:
                for j, i in T.grid(n - left, 8):
                    B[i] = T.exp(A[left + j, i])

    @T.prim_func
    def rows(table: T.Buffer((1000, 8), "float32"), at: T.Buffer((3,), "int64"), B: T.Buffer((3, 8), "float32")):
        for i, j in T.grid(3, 8):
            B[i, j] = T.if_then_else(i < 2, table[at[i], j], T.float32(0))

    @T.prim_func
    def outside(A: T.Buffer((16,), "float32")):
        T.evaluate(T.call_packed("some.function", T.tvm_stack_make_array(A.data, T.tvm_stack_make_shape(16), 0, 1, T.float32(0), 0)))
)";

/// Columns that are read one by one: each element is of another line of the cache.
constexpr const char* kTransposed = R"(from tvm.script import ir as I, tir as T, relax as R

@I.ir_module
class Module:
    @T.prim_func
    def transpose(A: T.Buffer((2048, 2048), "float32"), B: T.Buffer((2048, 2048), "float32")):
        for i, j in T.grid(2048, 2048):
            with T.block("t"):
                vi, vj = T.axis.remap("SS", [i, j])
                B[vi, vj] = A[vj, vi]

    @R.function
    def main(x: R.Tensor((2048, 2048), "float32")):
        y = R.call_tir(Module.transpose, (x,), out_sinfo=R.Tensor((2048, 2048), "float32"))
        return y
)";

constexpr const char* kSymbolic = R"(from tvm.script import ir as I, tir as T, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 64), "float32"), a: R.Tensor((64, 64), "int8"), b: R.Tensor((64, 64), "int8")):
        n = T.int64()
        y = R.exp(x)
        z = R.matmul(a, b, out_dtype="int32")
        return y, z
)";

const QString kSample = QStringLiteral(RX_SOURCE_DIR "/samples/mlp");

Json profileOf(const QStringList& more) {
  const Answer answer = rxs(QStringList{"run", kSample, "--profile", "--profile-runs", "3", "--json"} + more);
  return Json::parse(answer.out.toStdString(), nullptr, false).value("profile", Json());
}

}  // namespace

class ProfileTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder_;
  std::string at(const char* name) const { return folder_.filePath(name).toStdString(); }

 private Q_SLOTS:
  void workOfAKernel() {
    auto module = script::parseModule(make<SourceFile>("m.py", kModule));
    QVERIFY2(module.ok(), module.ok() ? "" : module.diagnostics().front().message.c_str());
    const auto kernel = refAs<tir::PrimFunc>((*module)->find("product"));
    QVERIFY(kernel);
    const analysis::KernelWork work = analysis::workOf(*kernel);
    QVERIFY(analysis::runsOnThreads(work, {}));
    QCOMPARE(work.buffers.size(), size_t{3});
    QVERIFY(work.buffers[1].param && work.buffers[1].read && !work.buffers[1].written);
    QVERIFY(work.buffers[2].param && work.buffers[2].read && work.buffers[2].written);
    // Not known without the sizes that callers give, and then exactly: two for each step and fma, one for each exp.
    QVERIFY(!analysis::flopsOf(work, {}));
    const auto* n = as<tir::Var>(kernel->buffers[0]->shape[0]);
    QVERIFY(n);
    QVERIFY(!analysis::flopsOf(work, {{n, 3}}));
    QCOMPARE(analysis::flopsOf(work, {{n, 3}, {kernel->params[3].get(), 2}}).value_or(-1), 3.0 * 5 * 4 * 2 + 2 * 3);
    QCOMPARE(analysis::flopsOf(work, {{n, 0}, {kernel->params[3].get(), 0}}).value_or(-1), 0.0);
    // Of a table no more is moved than the rows that are gathered, and of all else no more than there is.
    const auto picks = refAs<tir::PrimFunc>((*module)->find("rows"));
    QVERIFY(picks);
    const analysis::KernelWork gathered = analysis::workOf(*picks);
    QVERIFY(gathered.buffers[1].read);
    QCOMPARE(analysis::flopsOf(gathered, {}).value_or(-1), 0.0);  // to choose is no arithmetic
    QCOMPARE(analysis::bytesMoved(gathered.buffers[0], 32000, {}), 96.0);
    QCOMPARE(analysis::bytesMoved(gathered.buffers[1], 24, {}), 24.0);
    QCOMPARE(analysis::bytesMoved(gathered.buffers[2], 96, {}), 96.0);
    // What a function does that is not of the text nobody knows; its operands are moved.
    const auto outside = refAs<tir::PrimFunc>((*module)->find("outside"));
    QVERIFY(outside);
    const analysis::KernelWork handed = analysis::workOf(*outside);
    QVERIFY(handed.opaque && !analysis::flopsOf(handed, {}));
    QCOMPARE(analysis::bytesMoved(handed.buffers[0], 64, {}), 64.0);
    // What it has written itself comes from no caller.
    const auto twice = refAs<tir::PrimFunc>((*module)->find("twice"));
    QVERIFY(twice);
    const analysis::KernelWork own = analysis::workOf(*twice);
    QVERIFY(own.buffers[1].written && !own.buffers[1].read);
    // A word of two numbers: two products and two sums.
    const auto words = refAs<tir::PrimFunc>((*module)->find("words"));
    QVERIFY(words);
    QCOMPARE(analysis::flopsOf(analysis::workOf(*words), {}).value_or(-1), 4.0 * 4);
    // Of the forms for some sizes the one that runs; a condition that sizes do not decide is taken to hold.
    const auto forms = refAs<tir::PrimFunc>((*module)->find("forms"));
    QVERIFY(forms);
    const analysis::KernelWork either = analysis::workOf(*forms);
    const auto* rows = as<tir::Var>(forms->buffers[0]->shape[0]);
    QVERIFY(rows && !analysis::flopsOf(either, {}));
    QCOMPARE(analysis::flopsOf(either, {{rows, 1}}).value_or(-1), 8.0);
    QCOMPARE(analysis::flopsOf(either, {{rows, 3}}).value_or(-1), 3.0 * 8 * 2);
    // A name for a number of sizes alone is that number: what is left behind whole tiles counts where it runs.
    const auto ragged = refAs<tir::PrimFunc>((*module)->find("ragged"));
    QVERIFY(ragged);
    const analysis::KernelWork parts = analysis::workOf(*ragged);
    const auto* all = as<tir::Var>(ragged->buffers[0]->shape[0]);
    for (const int n : {1, 7, 8, 9, 19}) QCOMPARE(analysis::flopsOf(parts, {{all, n}}).value_or(-1), 8.0 * n);
  }

  /// What runs on a device is held against what that does.
  void ofADevice() {
    const Json profile = profileOf({"--target", "opencl"});
    QVERIFY2(profile.is_object(), "no profile");
    const Json& hardware = profile["hardware"];
    QVERIFY2(hardware["processor"].get<std::string>().starts_with("opencl:"), hardware.dump().c_str());
    QVERIFY(hardware["one"]["flops_per_second"].get<double>() > 0);
    QCOMPARE(hardware["one"], hardware["all"]);
    QVERIFY(!profile["kernels"].empty());
    // Each kernel's own time, without starting it and waiting for it; what is the host's has none.
    for (const Json& row : profile["kernels"]) {
      const bool kernel = row["kernel"].get<bool>();
      QCOMPARE(row["device_nanoseconds"].is_number(), kernel);
      if (kernel) QVERIFY2(row["device_nanoseconds"] < row["nanoseconds"], row.dump().c_str());
    }
    QVERIFY(profileOf({})["kernels"][0]["device_nanoseconds"].is_null());
  }

  /// Each loop reads all of the memory, and each element once: in one stream, and in several beside each other.
  void memoryIsRead() {
    struct alignas(64) Line {
      std::array<float, 16> floats;
    };
    std::vector<Line> lines(8 * 32 * 3);
    const std::span<float> memory(lines.front().floats.data(), lines.size() * 16);
    for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 5);
    for (size_t length = memory.size(); length > 0; length -= memory.size() / 3) {
      const float expected = std::accumulate(memory.begin(), memory.begin() + static_cast<ptrdiff_t>(length), 0.0F);
      for (const float sum : profile::sumsAsRead(memory.first(length))) QCOMPARE(sum, expected);
    }
    for (const float sum : profile::sumsAsRead({})) QCOMPARE(sum, 0.0F);
  }

  void hardwareIsKept() {
    const std::string file = at("machine/limits.json");
    const profile::Hardware measured = profile::hardwareOf(file, false, {});
    QVERIFY(measured.one.flops > 0 && measured.one.bytes > 0 && !measured.processor.empty());
    QCOMPARE(measured.threads, static_cast<int>(processorCount()));  // those that kernels get
    // What is kept is told again, word for word; what is damaged, or of another processor, is not.
    auto kept = Json::parse(*readFile(file));
    QVERIFY(kept["busy"].is_number());
    kept["busy"] = 0;
    kept["one"]["flops_per_second"] = 12.5;
    QVERIFY(writeFile(file, kept.dump()));
    QCOMPARE(profile::hardwareOf(file, false, {}).one.flops, 12.5);
    kept["processor"] = "another";
    QVERIFY(writeFile(file, kept.dump()));
    QVERIFY(profile::hardwareOf(file, false, {}).one.flops > 12.5);
    QVERIFY(writeFile(file, "{\"processor\": 1"));
    QVERIFY(profile::hardwareOf(file, false, {}).one.flops > 12.5);
    QVERIFY(profile::hardwareFrom(Json::parse(*readFile(file))).ok());
    // What was measured beside others is measured again, and says so as long as it is all there is.
    kept["processor"] = measured.processor;
    kept["busy"] = 0.5;
    QVERIFY(writeFile(file, kept.dump()));
    QVERIFY(profile::hardwareOf(file, false, {}).one.flops > 12.5);
    profile::Hardware shared = measured;
    shared.busy = 0.61;
    QVERIFY(profile::hardwareText(shared).find("while other programs took 61 % of the processors' time") !=
            std::string::npos);
    shared.busy = 0.01;
    QVERIFY(profile::hardwareText(shared).find("busy") == std::string::npos);
  }

  /// What all processors did, of the text that the system gives.
  void otherWork() {
    const auto time = profile::processorTime("cpu  10 20 30 400 50 6 7 8 90 90\ncpu0 1 1 1 1 1\n");
    QVERIFY(time);
    QCOMPARE(time->worked, int64_t{10 + 20 + 30 + 6 + 7 + 8});
    QCOMPARE(time->idle, int64_t{400 + 50});
    QCOMPARE(profile::processorTime("cpu  1 2 3 4 5")->worked, int64_t{6});
    for (const char* bad : {"", "cpu", "cpu ", "cpu  1 2 3 4", "cpu  1 2 x 4 5", "cpu  1 2 -3 4 5", "cpu0 1 2 3 4 5",
                            "cpu  1 2 99999999999999999999 4 5"})
      QVERIFY2(!profile::processorTime(bad), bad);
    const double part = profile::OtherWork().part();
    QVERIFY(part >= 0 && part <= 1);
  }

  /// Each kernel says what it was given, by which rules it was made, and what of the import it does.
  void howKernelsWereMade() {
    const Json optimized = profileOf({"--passes", "optimized"});
    const auto named = [](const Json& profile, const std::string& name) {
      for (const Json& row : profile["kernels"])
        if (row["name"] == name) return row;
      return Json();
    };
    const Json product = named(optimized, "fused_matmul1_add1");
    QVERIFY2(product.is_object(), optimized.dump().c_str());
    QCOMPARE(product["rules"], Json::parse(R"(["matmul: host.Products"])"));
    QCOMPARE(product["arguments"][1]["type"], Json("(128, 10) float32"));
    QCOMPARE(product["arguments"][1]["shape"], Json({128, 10}));
    QCOMPARE(product["arguments"][3]["written"], Json(true));
    QCOMPARE(product["parts"].size(), size_t{2});
    QCOMPARE(product["parts"][0]["variable"], Json("lv4"));
    QVERIFY(product["no_rule"].is_null() && !product["weights_only"].get<bool>());
    const Json repacked = named(optimized, "fused_matmul_add_relu_weight_prepack");
    QVERIFY2(repacked.is_object() && repacked["weights_only"].get<bool>(), repacked.dump().c_str());
    QVERIFY(named(profileOf({}), "matmul")["rules"].empty());
    // What the compiler added is apart from what else is no kernel.
    QVERIFY(named(optimized, "allocation and checks")["calls"] > 1);
    QVERIFY(named(optimized, "builtins, moves and jumps").is_object());
  }
  void hardwareIsRefused_data() {
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::newRow("no threads") << "/threads"
                                << "0";
    QTest::newRow("threads in words") << "/threads"
                                      << "\"two\"";
    QTest::newRow("no limits") << "/one"
                               << "null";
    QTest::newRow("a limit of nothing") << "/all/bytes_per_second"
                                        << "0";
    QTest::newRow("a limit in words") << "/all/bytes_per_second"
                                      << "\"fast\"";
    QTest::newRow("busy in words") << "/busy"
                                   << "\"very\"";
    QTest::newRow("caches that are none") << "/caches"
                                          << "[1]";
  }
  void hardwareIsRefused() {
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    profile::Hardware hardware{"processor", 2, 256, {{1, 32768, 1}}, {1, 1, 1}, {2, 2, 2}, "2026-01-31"};
    Json json = profile::toJson(hardware);
    QVERIFY(profile::hardwareFrom(json).ok());
    json[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const auto read = profile::hardwareFrom(json);
    QVERIFY(!read);
    QCOMPARE(read.diagnostics().front().rule, std::string("profile.hardware"));
  }

  /// By what the vendor's assembler says of registers, where it is there; else why nobody knows. The driver is a
  /// double, whose kernels do nothing.
  void occupancyOnDevices() {
    QTemporaryDir folder;
    QVERIFY(QFile::link(RX_BINARY_DIR "/tests/cuda_double.so", folder.filePath("libcuda.so.1")));
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert("LD_LIBRARY_PATH", folder.path());
    environment.insert("RX_CUDA_DOUBLE", "none=1");
    const auto profile = [&](const char* target) {
      return rxs({"run", kSample, "--target", target, "--profile", "--profile-runs", "1"},
                 {.environment = environment});
    };
    const bool assembles = !QStandardPaths::findExecutable("ptxas").isEmpty();
    const QString cuda = profile("cuda -arch=sm_80").out;
    QVERIFY2(cuda.contains(assembles ? "on device  occupancy" : "not known without the vendor's assembler"),
             qPrintable(cuda));
    const QString opencl = profile("opencl").out;
    QVERIFY2(opencl.contains("occupancy not available: no vendor publishes"), qPrintable(opencl));
  }

  /// Rows by kernel hold all that was done, once; 784 x 128 and 128 x 10 are the products of this network.
  void byKernel() {
    const Json profile = profileOf({});
    QVERIFY(profile.is_object());
    QCOMPARE(profile["runs"], Json(3));
    int64_t sum = 0;
    QStringList names;
    double products = 0, shares = 0;
    for (const Json& row : profile["kernels"]) {
      sum += row["nanoseconds"].get<int64_t>();
      shares += row["share"].get<double>();
      const std::string name = row["name"];
      names << QString::fromStdString(name);
      if (name.starts_with("matmul")) products += row["flops"].get<double>();
      if (name.starts_with("matmul")) QVERIFY(row["of_limit"].get<double>() > 0);
      if (!row["kernel"].get<bool>()) QVERIFY(row["limited_by"].is_null());
    }
    QCOMPARE(profile["sum_nanoseconds"].get<int64_t>(), sum);
    // That is decided once: the window says what this says.
    const auto wall = profile["wall_nanoseconds"].get<double>();
    QCOMPARE(profile["apart"].is_null(), std::abs(static_cast<double>(sum) - wall) <= 0.05 * wall);
    QVERIFY(std::abs(shares - 1) < 1e-9);
    QCOMPARE(products, 2.0 * (784 * 128 + 128 * 10));
    QCOMPARE(names.count("builtins, moves and jumps"), 1);
    QCOMPARE(names.removeDuplicates(), 0);
  }
  void byCall() {
    const Json profile = profileOf({});
    QVERIFY(profile.is_object());
    bool found = false;
    for (const Json& row : profile["calls"]) {
      if (row["callee"] != Json("softmax")) continue;
      found = true;
      QCOMPARE(row["calls"], Json(1));
      QCOMPARE(row["from"], Json::array({{{"function", "main"}, {"binding", 6}, {"variable", "gv"}, {"line", 16}}}));
    }
    QVERIFY(found);
    // Every event is of a row, and comes after the one before it.
    int64_t end = 0;
    for (const Json& event : profile["flame"]) {
      QVERIFY(event[0].get<size_t>() < profile["calls"].size());
      QVERIFY(event[1].get<int64_t>() >= end);
      end = event[1].get<int64_t>() + event[2].get<int64_t>();
    }
    QVERIFY(end > 0);
    const Answer text = rxs({"run", kSample, "--profile", "--profile-runs", "3", "--profile-by", "call"});
    QVERIFY2(text.out.contains("gv, line 16"), qPrintable(text.out));
  }
  /// Two and three runs differ as well as many do.
  void spreadOfRuns() {
    const auto module = script::parseModule(make<SourceFile>("m.py", kModule));
    QVERIFY(module.ok());
    debug::Program program;
    program.stages.push_back(std::make_shared<debug::Stage>("imported", *module));
    const auto spread = [&](std::vector<int64_t> wall) {
      profile::Profile measured;
      measured.wall = std::move(wall);
      return profile::tableOf(measured, program, profile::By::Kernel, {}).spread;
    };
    QCOMPARE(spread({100}), 0.0);
    QCOMPARE(spread({100, 100, 160}), 0.3);
    QVERIFY(spread({100, 140}) > 0);
    // What disturbs a few of many runs does not count.
    QCOMPARE(spread({100, 90, 110, 900, 100, 100, 20, 100}), 0.0);
  }

  /// What watching takes is in no row: where runs that are watched take longer, each instruction was so much quicker,
  /// and by no more than the clock could take.
  void watchingIsTakenOff() {
    profile::Profile measured;
    measured.wall = {1000, 1000, 1000};
    const auto put = [&](size_t at, int64_t calls, std::vector<int64_t> nanoseconds) {
      measured.instructions[at].calls = calls;
      measured.instructions[at].nanoseconds = std::move(nanoseconds);
    };
    put(0, 10, {700, 700, 700});
    put(1, 1, {520, 520, 5});
    profile::Profile most = measured;
    profile::takeWatchingOff(measured, 25);
    QCOMPARE(measured.instructions[0].nanoseconds, (std::vector<int64_t>{500, 500, 500}));
    QCOMPARE(measured.instructions[1].nanoseconds, (std::vector<int64_t>{500, 500, 0}));
    profile::takeWatchingOff(most, 4);
    QCOMPARE(most.instructions[0].nanoseconds.front(), int64_t{660});
    // Runs that are watched may be the quicker ones.
    most.wall = {2000, 2000, 2000};
    profile::takeWatchingOff(most, 25);
    QCOMPARE(most.instructions[0].nanoseconds.front(), int64_t{660});
  }
  /// Rows that do not add up to the wall clock say so, and by how much runs differed.
  void rowsApartFromTheWallClock() {
    profile::Table table;
    table.wall = 1000;
    table.spread = 0.21;
    for (const int64_t sum : {951, 1049}) {
      table.sum = sum;
      QCOMPARE(profile::apartText(table), std::string());
    }
    for (const int64_t sum : {900, 1100}) {
      table.sum = sum;
      QVERIFY(profile::tableText(table, {}).find("runs differed by 21 %") != std::string::npos);
    }
  }

  /// What ports do not explain is not put down to them: most of a turn is waited for memory.
  void slowByMemory() {
    const QString file = folder_.filePath("transposed.py");
    QVERIFY(writeFile(file.toStdString(), kTransposed).ok());
    const Answer answer =
        rxs({"kernel", file, "--passes", "default", "--function", "transpose", "--samples", "400", "--json"});
    const Json kernel = Json::parse(answer.out.toStdString(), nullptr, false)["kernel"];
    const Json& turns = kernel["samples"]["turns"];
    QVERIFY2(turns.size() == 1, qPrintable(answer.out.right(400)));
    const Json& loop = kernel["machine"]["loops"][turns[0]["loop"].get<size_t>()];
    QVERIFY(loop["innermost"].get<bool>());
    // Each turn does so many elements of a row as divide it.
    const auto count = turns[0]["count"].get<int64_t>();
    QVERIFY2(count >= 2048 && 2048 * 2048 % count == 0, qPrintable(QString::number(count)));
    const std::string waits = turns[0]["waits"].is_null() ? std::string() : turns[0]["waits"].get<std::string>();
    QVERIFY2(waits.starts_with("it waits for memory: a turn takes "), waits.c_str());
    QVERIFY2(waits.find("its tensors have 32768 KiB") != std::string::npos, waits.c_str());
  }

  /// A profile says with what sizes kernels ran, and with these they are looked at.
  void sizesOfAKernel() {
    const QString file = folder_.filePath("symbolic.py");
    QVERIFY(writeFile(file.toStdString(), kSymbolic).ok());
    const Answer run =
        rxs({"run", file, "--seed", "1", "--symbol", "n=7", "--profile", "--profile-runs", "1", "--json"});
    const Json profile = Json::parse(run.out.toStdString(), nullptr, false)["profile"];
    for (const Json& row : profile["kernels"]) {
      if (row["name"] == Json("tir_exp")) QCOMPARE(row["sizes"], Json({{"n", 7}}));
      if (row["name"] != Json("matmul")) continue;
      // Whole numbers have a limit of their own.
      QCOMPARE(row["flops"], Json(0.0));
      QCOMPARE(row["integers"], Json(2.0 * 64 * 64 * 64));
      QVERIFY(row["of_limit"].get<double>() > 0);
      QVERIFY(!row.contains("sizes"));
    }
    QVERIFY(profile["hardware"]["one"]["integers_per_second"].get<double>() > 0);
    // Threads share what is large: of so few elements one does all, and it is what that one can do that counts.
    const Answer small = rxs({"run", file, "--seed", "1", "--symbol", "n=7", "--passes", "optimized", "--profile",
                              "--profile-runs", "1", "--json"});
    for (const Json& row : Json::parse(small.out.toStdString(), nullptr, false)["profile"]["kernels"])
      if (row["name"] == Json("tir_exp")) QCOMPARE(row["parallel"], Json(false));
    const QStringList question{"kernel", file, "--passes", "default", "--function", "tir_exp", "--samples", "20"};
    const Answer refused = rxs(question);
    QCOMPARE(ruleOf(refused), QString("kernel.samples"));
    QVERIFY2(refused.err.contains("fix: --symbol n=SIZE"), qPrintable(refused.err));
    const Answer looked = rxs(question + QStringList{"--symbol", "n=7"});
    QVERIFY2(looked.code == 0 && looked.out.contains(" samples in "), qPrintable(looked.err));
    QCOMPARE(rxs(question + QStringList{"--symbol", "n"}).code, 1);
  }

  void chromeTrace() {
    const QString file = folder_.filePath("trace.json");
    QVERIFY(profileOf({"--profile-trace", file}).is_object());
    const Json trace = Json::parse(*readFile(file.toStdString()), nullptr, false);
    QVERIFY(trace.is_object());
    double end = 0;
    int kernels = 0;
    for (const Json& event : trace["traceEvents"]) {
      QCOMPARE(event["ph"], Json("X"));
      QVERIFY(event["ts"].get<double>() >= end);
      end = event["ts"].get<double>() + event["dur"].get<double>() - 1e-6;
      kernels += event["cat"] == Json("kernel");
    }
    QVERIFY(kernels >= 6);
  }
  void text() {
    const Answer answer = rxs({"run", kSample, "--profile", "--profile-runs", "3"});
    QVERIFY2(answer.code == 0, qPrintable(answer.err));
    QVERIFY2(answer.out.contains("% of the wall clock") && answer.out.contains("limited by"), qPrintable(answer.out));
    // The result is still that of a run.
    QVERIFY2(answer.out.contains(": equal"), qPrintable(answer.out));
    const Answer machine = rxs({"machine"});
    QVERIFY2(machine.code == 0 && machine.out.contains("GFLOP/s"), qPrintable(machine.out));
  }
  void refused() {
    for (const char* engine : {"stepped", "package"})
      QCOMPARE(ruleOf(rxs({"run", kSample, "--profile", "--engine", engine})), QString("run.profile"));
    QCOMPARE(rxs({"run", kSample, "--profile", "--profile-runs", "0"}).code, 2);
    QCOMPARE(rxs({"run", kSample, "--profile-by", "call"}).code, 2);
    QCOMPARE(rxs({"run", kSample, "--profile", "--record", folder_.filePath("r.rxtrace")}).code, 2);
    QCOMPARE(ruleOf(rxs({"run", kSample, "--profile", "--profile-trace", "/nowhere/trace.json"})),
             QString("file.write"));
  }
};

QTEST_GUILESS_MAIN(ProfileTest)
#include "tst_profile.moc"
