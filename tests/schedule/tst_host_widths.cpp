// Rules for processors on numbers of few bits: matrices that are unpacked where a product reads them, and halves, whose
// sums are made in float32.
#include <QtTest>
#include <cmath>
#include <random>

#include "core/compile/request/weights.h"
#include "core/schedule/stage.h"
#include "core/script/parse.h"
#include "core/support/processor.h"
#include "host_programs.h"

using namespace rx;
using namespace rx::test;

class TestHostWidths : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void unpacksInProducts_data();
  void unpacksInProducts();
  void addsWholeNumbers_data();
  void addsWholeNumbers();
  void addsHalvesInSingle_data();
  void addsHalvesInSingle();
  void addsByTiles_data();
  void addsByTiles();
  void addsByTilesOfWeights_data();
  void addsByTilesOfWeights();
  void dotsOfWords();
  void choosesWordsOfHalves();
  void dotsOfTiles();
  void powersOfTwo();
};

namespace {

/// A product of x with a matrix of so many sums and places that a kernel unpacks: of bytes, or of words with eight
/// numbers of four bits, with a scale for each 32 sums. `turned`: the sums of a place lie in order.
std::string packedModule(const QString& packed, int rows, int sums, int places, bool turned, bool more) {
  const auto both = [&](int k, int n) {
    return QString(turned ? "(T.int64(%2), T.int64(%1))" : "(T.int64(%1), T.int64(%2))").arg(k).arg(n).toStdString();
  };
  const auto sizes = [&](int k, int n) {
    return QString(turned ? "(%2, %1)" : "(%1, %2)").arg(k).arg(n).toStdString();
  };
  const bool words = packed == "words";
  const std::string type = words ? "uint32" : "int8", sum = turned ? "vj" : "vi";
  const int divisor = words ? 8 : 1;
  const auto at = [&](int n) {
    const std::string index = fmt::format("{} // T.int64({})", sum, n);
    return turned ? "vi, " + index : index + ", vj";
  };
  const std::string value =
      words ? fmt::format(
                  "T.Cast(\"float32\", T.bitwise_and(T.shift_right(w[{}], T.Cast(\"uint32\", {} % T.int64(8) * "
                  "T.int64(4))), T.uint32(15))) - T.float32(7)",
                  at(8), sum)
            : "T.Cast(\"float32\", w[vi, vj])";
  std::string text = fmt::format(
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n"
      "    def unpack(w: T.Buffer({}, \"{}\"), s: T.Buffer({}, \"float32\"), out: T.Buffer({}, \"float32\")):\n"
      "        for i, j in T.grid{}:\n            with T.block(\"unpack\"):\n"
      "                vi, vj = T.axis.remap(\"SS\", [i, j])\n                out[vi, vj] = ({}) * s[{}]\n\n",
      both(sums / divisor, places), type, both(sums / 32, places), both(sums, places), both(sums, places), value,
      at(32));
  text += fmt::format(
      "    @R.function\n    def main(x: R.Tensor(({}, {}), dtype=\"float32\"), w: R.Tensor({}, dtype=\"{}\"), s: "
      "R.Tensor({}, "
      "dtype=\"float32\"), b: R.Tensor(({},), dtype=\"float32\")):\n        cls = Module\n        with R.dataflow():\n"
      "            u = R.call_tir(cls.unpack, (w, s), out_sinfo=R.Tensor({}, dtype=\"float32\"))\n"
      "            lv = R.matmul(x, {})\n            out = {}\n            R.output(out)\n        return out\n",
      rows, sums, sizes(sums / divisor, places), type, sizes(sums / 32, places), places, sizes(sums, places),
      turned ? "R.permute_dims(u)" : "u", more ? "R.nn.relu(R.add(lv, b))" : "R.negative(lv)");
  return text;
}

/// Whether code with registers of tiles runs here; else it is said that it was not run.
bool hasTiles() {
  const bool has = missingFeature("amx-int8 amx-bf16 avx512f avx512vl").empty() && mayUseTiles();
  if (!has) qInfo("not compiled and run: this machine has no registers of tiles, or its system does not give them");
  return has;
}

/// A product of numbers of these types, summed in another, for each of some matrices.
std::string productModule(const QString& rows, const QString& across, const QString& sums, const QList<int>& sizes) {
  const QString text = QStringLiteral(
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n"
      "    def product(x: T.Buffer((%4, %5, %6), \"%1\"), w: T.Buffer((%4, %6, %7), \"%2\"), y: T.Buffer((%4, %5, %7), "
      "\"%3\")):\n"
      "        for b, i, j, k in T.grid(%4, %5, %7, %6):\n            with T.block(\"product\"):\n"
      "                vb, vi, vj, vk = T.axis.remap(\"SSSR\", [b, i, j, k])\n                with T.init():\n"
      "                    y[vb, vi, vj] = T.%3(0)\n"
      "                y[vb, vi, vj] = y[vb, vi, vj] + T.Cast(\"%3\", x[vb, vi, vk]) * T.Cast(\"%3\", w[vb, vk, vj])\n"
      "    @R.function\n    def main(x: R.Tensor((%4, %5, %6), \"%1\"), w: R.Tensor((%4, %6, %7), \"%2\")):\n"
      "        cls = Module\n        with R.dataflow():\n"
      "            y = R.call_tir(cls.product, (x, w), out_sinfo=R.Tensor((%4, %5, %7), \"%3\"))\n"
      "            z = R.nn.relu(y)\n            R.output(z)\n        return z\n");
  return text.arg(rows, across, sums).arg(sizes[0]).arg(sizes[1]).arg(sizes[2]).arg(sizes[3]).toStdString();
}

}  // namespace

void TestHostWidths::unpacksInProducts_data() {
  QTest::addColumn<QString>("packed");
  QTest::addColumn<int>("rows");
  QTest::addColumn<int>("sums");
  QTest::addColumn<int>("places");
  QTest::addColumn<bool>("turned");
  QTest::addColumn<QString>("rules");
  auto row = [](const char* packed, int rows, int sums, int places, bool turned, const char* rules) {
    QTest::addRow("%s %d x %d x %d%s", packed, rows, sums, places, turned ? " turned" : "")
        << QString(packed) << rows << sums << places << turned << QString(rules);
  };
  for (const char* packed : {"bytes", "words"}) {
    for (const int rows : {1, 3}) row(packed, rows, 256, 37, true, "matmul: host.PackedSums");
    row(packed, 9, 256, 37, true, "matmul: host.Products");
    row(packed, 1, 256, 300, false, "matmul: host.VectorMatrix");
    row(packed, 7, 256, 70, false, "matmul: host.Products");
    row(packed, 40, 256, 70, false, "matmul: host.Products");
  }
  row("words", 1, 96, 37, true, "matmul: host.Products");  // words that fill no vector
}

/// What unpacks a matrix goes into the product that reads it, and no unpacked matrix is left.
void TestHostWidths::unpacksInProducts() {
  QFETCH(QString, packed);
  QFETCH(int, rows);
  QFETCH(int, sums);
  QFETCH(int, places);
  QFETCH(bool, turned);
  QFETCH(QString, rules);
  for (const bool more : {false, true}) {
    const std::string text = packedModule(packed, rows, sums, places, turned, more);
    const auto before = programOf(text, "llvm"), here = programOf(text, "llvm", "optimized");
    QVERIFY2(before, before ? "" : before.diagnostics()[0].message.c_str());
    QVERIFY2(here, here ? "" : here.diagnostics()[0].message.c_str());
    QCOMPARE(rulesOf(*here), rules);
    auto arguments = argumentsOf(*before, 1).value();
    std::mt19937 random(3);
    const auto weights = HostTensor::allocate(arguments[1].tensor().shape(), arguments[1].tensor().dtype()).value();
    for (int64_t i = 0; i < weights->count(); ++i)
      weights->set(i, packed == "words" ? static_cast<double>(random()) : static_cast<double>(random() % 256) - 128);
    arguments[1] = vm::Value::of(weights);
    const auto plain = machineOf(*before, false), compiled = machineOf(*here, false),
               interpreted = machineOf(*here, true);
    QVERIFY(plain && compiled && interpreted);
    const auto expected = resultOn(**plain, arguments), got = resultOn(**compiled, arguments),
               slow = resultOn(**interpreted, arguments);
    QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
    QVERIFY2(slow, slow ? "" : slow.diagnostics()[0].message.c_str());
    QVERIFY((*got)->identical(**slow));
    QCOMPARE_LE(apart(**expected, **got), 1e-5);
    for (const char* target : {"llvm -mcpu=x86-64-v2", "llvm -mcpu=x86-64-v3"}) {
      const auto other = programOf(text, target, "optimized");
      QVERIFY2(other, other ? "" : other.diagnostics()[0].message.c_str());
      const auto machine = machineOf(*other, true);
      const auto result = resultOn(**machine, arguments);
      QVERIFY2(result, result ? "" : result.diagnostics()[0].message.c_str());
      QCOMPARE_LE(apart(**expected, **result), 1e-5);
    }
    // In their order, sums have the bits of the kernels as they were.
    const auto precise = programOf(text, "llvm", "optimized_precise");
    QVERIFY(precise);
    const auto inOrder = machineOf(*precise, false);
    const auto same = resultOn(**inOrder, arguments);
    QVERIFY(same && (*same)->identical(**expected));
  }
}

void TestHostWidths::addsWholeNumbers_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<QString>("rules");
  auto row = [](const char* text, const char* shapes, const char* rules) {
    QTest::addRow("%s of %s", text, shapes) << QString(text) << QString(shapes) << QString(rules);
  };
  const char* product = "R.matmul(p0, p1, out_dtype=\"int32\")";
  row(product, "21, 300; 300, 70", "matmul: host.Products");
  row(product, "140, 1100; 1100, 331", "matmul: host.Products");
  row(product, "1, 300; 300, 1301", "matmul: host.VectorMatrix");
  row("R.matmul(p0, R.permute_dims(p1), out_dtype=\"int32\")", "33, 300; 70, 300",
      "T_transpose: host.Transposes; matmul: host.Products");
  row("R.nn.relu(R.add(R.matmul(p0, p1, out_dtype=\"int32\"), R.const(7, \"int32\")))", "2, 33, 30; 2, 30, 71",
      "matmul: host.Products");
  // Words of all channels, of whole ones and of what is left, around each place.
  const char* windows =
      "R.nn.conv2d(p0, p1, strides=[2, 1], padding=[1, 1, 1, 1], data_layout=\"NHWC\", out_dtype=\"int32\")";
  row(windows, "2, 9, 11, 8; 40, 8, 3, 3", "pad_temp: host.Elementwise; conv2d_nhwc: host.Products");
  row(windows, "1, 7, 20, 3; 70, 3, 3, 3", "pad_temp: host.Elementwise; conv2d_nhwc: host.Products");
  row("R.sum(R.astype(p0, \"int32\"), axis=[-1])", "3, 200", "lv_red: by rows, compute and lv_red host.Reductions");
  row("R.max(R.astype(p0, \"int32\"), axis=[0])", "30, 200", "compute: host.Elementwise; lv_red: host.Reductions");
}

/// Sums of whole numbers are the same in any order.
void TestHostWidths::addsWholeNumbers() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  QFETCH(QString, rules);
  std::string module = moduleOf(text, shapes);
  for (size_t at; (at = module.find("float32")) != std::string::npos;) module.replace(at, 7, "int8");
  const auto plain = programOf(module, "llvm"), here = programOf(module, "llvm -mcpu=x86-64-v2", "optimized");
  QVERIFY2(here, here ? "" : here.diagnostics()[0].message.c_str());
  QCOMPARE(rulesOf(*here), rules);
  // Where the processor has no products of bytes, by those of shorts.
  for (const char* target : {"llvm -mcpu=cascadelake", "llvm -mcpu=x86-64-v4", "llvm -mcpu=x86-64-v3"}) {
    const auto byWords = programOf(module, target, "optimized");
    QVERIFY2(byWords, byWords ? "" : byWords.diagnostics()[0].message.c_str());
    QCOMPARE(rulesOf(*byWords), QString(rules).replace("host.Products", "host.WordProducts"));
  }
  std::mt19937 random(3);
  std::vector<vm::Value> arguments;
  const auto given = argumentsOf(*here, 1).value();
  for (const vm::Value& value : given) {
    const auto bytes = HostTensor::allocate(value.tensor().shape(), value.tensor().dtype()).value();
    for (int64_t i = 0; i < bytes->count(); ++i) bytes->set(i, static_cast<double>(random() % 256) - 128);
    arguments.push_back(vm::Value::of(bytes));
  }
  const auto machine = machineOf(*plain, false);
  const auto expected = resultOn(**machine, arguments);
  QVERIFY2(expected, expected ? "" : expected.diagnostics()[0].message.c_str());
  for (const char* pipeline : {"optimized", "optimized_precise"}) {
    const auto program = programOf(module, "llvm", pipeline);
    QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
    const auto compiled = resultOn(**machineOf(*program, false), arguments);
    QVERIFY(compiled && (*compiled)->identical(**expected));
  }
  constexpr int64_t kMostInterpreted = 20000;  // each step takes the interpreter its time
  for (const char* target : {"llvm -mcpu=x86-64-v2", "llvm -mcpu=x86-64-v3", "llvm -mcpu=x86-64-v4",
                             "llvm -mcpu=alderlake", "llvm -mcpu=cascadelake"}) {
    if ((*expected)->count() > kMostInterpreted) break;
    const auto program = programOf(module, target, "optimized");
    QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
    const auto got = resultOn(**machineOf(*program, true), arguments);
    QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
    QVERIFY((*got)->identical(**expected));
  }
}

void TestHostWidths::addsHalvesInSingle_data() {
  QTest::addColumn<QString>("type");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  for (const char* type : {"float16", "bfloat16"}) {
    for (const auto& [text, shapes] :
         {std::pair("R.matmul(p0, p1)", "21, 300; 300, 70"), std::pair("R.matmul(p0, p1)", "1, 300; 300, 301"),
          std::pair("R.matmul(p0, R.permute_dims(p1))", "1, 300; 33, 300"),
          std::pair("R.nn.relu(R.matmul(p0, p1))", "140, 600; 600, 150"),
          std::pair("R.sum(R.multiply(p0, p0), axis=[-1])", "3, 200")})
      QTest::addRow("%s %s of %s", type, text, shapes) << QString(type) << QString(text) << QString(shapes);
  }
}

/// Sums of halves are rounded once, at their end: they are nearer to those of float32 than one step of a half. In their
/// order they keep the bits of the kernel.
void TestHostWidths::addsHalvesInSingle() {
  QFETCH(QString, type);
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  const std::string single = moduleOf(text, shapes);
  std::string half = single;
  for (size_t at; (at = half.find("float32")) != std::string::npos;) half.replace(at, 7, type.toStdString());
  const auto wide = programOf(single, "llvm"), plain = programOf(half, "llvm"),
             here = programOf(half, "llvm", "optimized"), precise = programOf(half, "llvm", "optimized_precise");
  QVERIFY2(here, here ? "" : here.diagnostics()[0].message.c_str());
  QVERIFY(wide && plain && precise);
  const auto arguments = argumentsOf(*here, 1).value();
  std::vector<vm::Value> widened;
  for (const vm::Value& value : arguments) {
    const auto tensor = HostTensor::allocate(value.tensor().shape(), DataType::Float(32)).value();
    const auto halves = value.tensor().copy().value();
    for (int64_t i = 0; i < tensor->count(); ++i) tensor->set(i, halves->at(i));
    widened.push_back(vm::Value::of(tensor));
  }
  const auto exact = machineOf(*wide, false), compiled = machineOf(*here, false), interpreted = machineOf(*here, true);
  const auto expected = resultOn(**exact, widened), got = resultOn(**compiled, arguments),
             slow = resultOn(**interpreted, arguments);
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY(expected && slow && (*got)->identical(**slow));
  QCOMPARE_LE(apart(**expected, **got), type == "float16" ? 0x1p-11 : 0x1p-8);
  QVERIFY(rulesOf(*here).contains("host."));
  const auto asBefore = machineOf(*plain, false), inOrder = machineOf(*precise, false);
  const auto bits = resultOn(**asBefore, arguments), same = resultOn(**inOrder, arguments);
  QVERIFY(bits && same && (*bits)->identical(**same));
}

/// Processors with tiles take for two numbers of a word as long as for four of float32, and widen them instead.
void TestHostWidths::choosesWordsOfHalves() {
  for (const auto& [processor, expected] : {std::pair("cooperlake", true), std::pair("znver4", true),
                                            std::pair("sapphirerapids", false), std::pair("cascadelake", false)}) {
    const auto target = target::parseTarget(fmt::format("llvm -mcpu={}", processor));
    QVERIFY(target);
    QCOMPARE(schedule::vectorShapeOf(**target).halfDots, expected);
  }
}

void TestHostWidths::addsByTiles_data() {
  QTest::addColumn<QString>("rows");
  QTest::addColumn<QString>("across");
  QTest::addColumn<QList<int>>("sizes");
  QTest::addColumn<QString>("rule");
  const auto row = [](const char* rows, const char* across, const QList<int>& sizes, const char* rule) {
    QTest::addRow("%s by %s, %d x %d x %d x %d", rows, across, sizes[0], sizes[1], sizes[2], sizes[3])
        << QString(rows) << QString(across) << sizes << QString(rule);
  };
  for (const auto& [rows, across] : {std::pair("int8", "int8"),
                                     {"int8", "uint8"},
                                     {"uint8", "int8"},
                                     {"uint8", "uint8"},
                                     {"bfloat16", "bfloat16"}}) {
    row(rows, across, {1, 128, 64, 32}, "host.TileProducts");   // tiles that are full
    row(rows, across, {1, 133, 30, 7}, "host.TileProducts");    // less than a step, and than a tile of columns
    row(rows, across, {1, 145, 133, 70}, "host.TileProducts");  // an odd number of tiles, and of numbers in a word
    row(rows, across, {2, 130, 65, 40}, "host.TileProducts");
  }
  row("int8", "int8", {1, 270, 70, 40}, "host.TileProducts");     // groups of rows
  row("int8", "int8", {1, 129, 1200, 300}, "host.TileProducts");  // steps in parts, and blocks
  row("bfloat16", "bfloat16", {1, 129, 1100, 300}, "host.TileProducts");
  row("int8", "int8", {1, 127, 64, 32}, "host.WordProducts");  // few rows
  row("bfloat16", "bfloat16", {1, 127, 64, 32}, "host.Products");
}

/// Tensors of any numbers of the types of these.
static std::vector<vm::Value> randomLike(const std::vector<vm::Value>& values) {
  std::vector<vm::Value> made;
  std::mt19937 random(3);
  for (const vm::Value& value : values) {
    const DataType type = value.tensor().dtype();
    const auto tensor = HostTensor::allocate(value.tensor().shape(), type).value();
    for (int64_t i = 0; i < tensor->count(); ++i)
      tensor->set(i, static_cast<double>(random() % 256) - (type.isUInt() ? 0 : 128));
    made.push_back(vm::Value::of(tensor));
  }
  return made;
}

/// Sums of bytes are those of the kernel as it was; of bfloat16 they have another order. Compiled and interpreted they
/// are the same.
void TestHostWidths::addsByTiles() {
  QFETCH(QString, rows);
  QFETCH(QString, across);
  QFETCH(QList<int>, sizes);
  QFETCH(QString, rule);
  const bool halves = rows == "bfloat16";
  const std::string text = productModule(rows, across, halves ? "float32" : "int32", sizes);
  const auto plain = programOf(text, "llvm"), tiles = programOf(text, "llvm -mcpu=sapphirerapids", "optimized"),
             precise = programOf(text, "llvm -mcpu=sapphirerapids", "optimized_precise");
  QVERIFY2(tiles, tiles ? "" : tiles.diagnostics()[0].message.c_str());
  QVERIFY(plain && precise);
  QVERIFY2(rulesOf(*tiles).contains(rule), qPrintable(rulesOf(*tiles)));
  QCOMPARE(rulesOf(*precise).contains("host.TileProducts"), rulesOf(*tiles).contains("host.TileProducts") && !halves);
  const std::vector<vm::Value> arguments = randomLike(argumentsOf(*plain, 1).value());
  const auto before = resultOn(**machineOf(*plain, false), arguments),
             slow = resultOn(**machineOf(*tiles, true), arguments);
  QVERIFY2(slow, slow ? "" : slow.diagnostics()[0].message.c_str());
  QVERIFY(before && (halves ? apart(**before, **slow) < 1e-5 : (*before)->identical(**slow)));
  if (!hasTiles()) return;
  const auto got = resultOn(**machineOf(*tiles, false), arguments);
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY((*got)->identical(**slow));
}

void TestHostWidths::addsByTilesOfWeights_data() {
  QTest::addColumn<QString>("rows");
  QTest::addColumn<QString>("across");
  QTest::addColumn<QList<int>>("sizes");
  QTest::addColumn<QString>("rule");
  const auto row = [](const char* rows, const char* across, const QList<int>& sizes, const char* rule) {
    QTest::addRow("%s by %s, %d x %d x %d", rows, across, sizes[1], sizes[2], sizes[3])
        << QString(rows) << QString(across) << sizes << QString(rule);
  };
  for (const auto& [rows, across] :
       {std::pair("int8", "int8"), {"int8", "uint8"}, {"uint8", "int8"}, {"uint8", "uint8"}}) {
    row(rows, across, {1, 4, 512, 256}, "host.TileProducts");   // tiles that are full
    row(rows, across, {1, 19, 650, 217}, "host.TileProducts");  // numbers, words, lanes and rows behind whole tiles
  }
  row("int8", "int8", {1, 270, 64, 2100}, "host.TileProducts");  // groups of rows, and blocks
  row("int8", "int8", {1, 5, 40000, 7}, "host.TileProducts");    // less than a tile of columns
  row("bfloat16", "bfloat16", {1, 3, 640, 211}, "host.TileProducts");
  row("bfloat16", "bfloat16", {1, 3, 650, 211}, "host.Products");  // what is behind the last number might be a NaN
  row("int8", "int8", {1, 17, 64, 32}, "host.WordProducts");       // a small weight
}

/// Weights lie in tiles before the run, which then pay for any number of rows.
void TestHostWidths::addsByTilesOfWeights() {
  QFETCH(QString, rows);
  QFETCH(QString, across);
  QFETCH(QList<int>, sizes);
  QFETCH(QString, rule);
  const bool halves = rows == "bfloat16";
  const std::string text = productModule(rows, across, halves ? "float32" : "int32", sizes);
  const auto plain = programOf(text, "llvm");
  const auto module = script::parseModule(make<SourceFile>("m.py", text));
  QVERIFY(plain && module);
  const std::vector<vm::Value> arguments = randomLike(argumentsOf(*plain, 1).value());
  compile::Request request;
  request.module = compile::withWeights(*module, "main", {{"w", arguments[1].asTensor()}}).value();
  request.passes = "optimized";
  request.target = target::parseTarget("llvm -mcpu=sapphirerapids").value();
  const auto tiles = compile::compile(request, {});
  QVERIFY2(tiles, tiles ? "" : tiles.diagnostics()[0].message.c_str());
  QVERIFY2(rulesOf(*tiles).contains(rule), qPrintable(rulesOf(*tiles)));
  // What laid the weight out ran while the module was compiled.
  for (const auto& var : tiles->module->vars) QVERIFY(!var->name.view().ends_with("_weight_prepack"));
  const auto before = resultOn(**machineOf(*plain, false), arguments);
  const auto slow = resultOn(**machineOf(*tiles, true), {arguments[0]});
  QVERIFY2(slow, slow ? "" : slow.diagnostics()[0].message.c_str());
  QVERIFY(before && (halves ? apart(**before, **slow) < 1e-5 : (*before)->identical(**slow)));
  if (!hasTiles()) return;
  const auto got = resultOn(**machineOf(*tiles, false), {arguments[0]});
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY((*got)->identical(**slow));
}

/// Single words and vectors of them: the interpreter, the processor's instruction and what stands for it are the same
/// for any bits but those of NaNs.
void TestHostWidths::dotsOfWords() {
  const std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n"
      "    def dots(f: T.Buffer((64,), \"float32\"), a: T.Buffer((64,), \"int32\"), b: T.Buffer((64,), \"int32\"), "
      "o: T.Buffer((4, 64), \"float32\")):\n        T.func_attr({\"tirx.is_scheduled\": True})\n"
      "        for i in range(64):\n"
      "            o[0, i] = T.rx_dot_halves(f[i], a[i], b[i])\n"
      "            o[1, i] = T.Cast(\"float32\", T.rx_dot_bytes(a[63 - i], a[i], b[i]))\n"
      "        for j in range(4):\n            for k in T.vectorized(16):\n"
      "                o[2, j * 16 + k] = T.rx_dot_halves(f[j * 16 + k], a[j * 16 + k], b[j * 16 + k])\n"
      "                o[3, j * 16 + k] = T.Cast(\"float32\", T.rx_dot_bytes(a[63 - (j * 16 + k)], a[j * 16 + k], b[j "
      "* 16 "
      "+ k]))\n"
      "    @R.function\n    def main(f: R.Tensor((64,), \"float32\"), a: R.Tensor((64,), \"int32\"), b: "
      "R.Tensor((64,), \"int32\")):\n        return R.call_tir(Module.dots, (f, a, b), R.Tensor((4, 64), "
      "\"float32\"))\n";
  const auto program = programOf(text, "llvm", "optimized");
  QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
  std::mt19937 random(5);
  const auto sums = HostTensor::allocate({64}, DataType::Float(32)).value();
  const auto word = [&] { return HostTensor::allocate({64}, DataType::Int(32)).value(); };
  const Ref<HostTensor> words[] = {word(), word()};
  for (int64_t i = 0; i < 64; ++i) {
    // Some without an exponent.
    sums->set(i, i % 5 == 0 ? 1e-41 : (static_cast<double>(random() % 2000) - 1000) * 1e-3);
    for (const auto& each : words) {
      const uint32_t exponents = i % 3 == 0 ? 0 : 0x3f003f00;
      each->set(i, static_cast<double>(static_cast<int32_t>((random() & 0x80ff80ff) | exponents)));
    }
  }
  const std::vector<vm::Value> arguments{vm::Value::of(sums), vm::Value::of(words[0]), vm::Value::of(words[1])};
  const auto compiled = machineOf(*program, false), interpreted = machineOf(*program, true);
  const auto got = resultOn(**compiled, arguments), slow = resultOn(**interpreted, arguments);
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY2(slow, slow ? "" : slow.diagnostics()[0].message.c_str());
  QVERIFY((*got)->identical(**slow));
  for (int64_t i = 0; i < 64; ++i) {
    QCOMPARE((*got)->at(128 + i), (*got)->at(i));
    QCOMPARE((*got)->at(192 + i), (*got)->at(64 + i));
  }
  QCOMPARE((*got)->at(15), 0.0);
}

/// Tiles of any bits but NaNs, of each pair of types, more of them than there are registers: the interpreter and the
/// processor make the same sums.
void TestHostWidths::dotsOfTiles() {
  constexpr int kRowTiles = 3, kColumnTiles = 3, kSteps = 37, kWords = 256;
  std::mt19937 random(5);
  for (const auto& [rows, across] : {std::pair("int8", "int8"),
                                     {"int8", "uint8"},
                                     {"uint8", "int8"},
                                     {"uint8", "uint8"},
                                     {"bfloat16", "bfloat16"}}) {
    const bool halves = QString(rows) == "bfloat16";
    const std::string text = fmt::format(
        "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tir as T\n\n"
        "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n"
        "    def tiles(a: T.Buffer(({0},), \"int32\"), b: T.Buffer(({1},), \"int32\"), o: T.Buffer(({2},), \"{3}\")):\n"
        "        T.func_attr({{\"tirx.is_scheduled\": True}})\n"
        "        T.evaluate(T.rx_tile_products(\"{4}\", \"{5}\", T.address_of(o[0]), T.address_of(a[0]), "
        "T.address_of(b[0]), {6}, {7}, {8}))\n"
        "    @R.function\n    def main(a: R.Tensor(({0},), \"int32\"), b: R.Tensor(({1},), \"int32\")):\n"
        "        return R.call_tir(Module.tiles, (a, b), R.Tensor(({2},), \"{3}\"))\n",
        kRowTiles * kSteps * kWords, kColumnTiles * kSteps * kWords, kRowTiles * kColumnTiles * kWords,
        halves ? "float32" : "int32", rows, across, kRowTiles, kColumnTiles, kSteps);
    const auto program = programOf(text, "llvm -mcpu=sapphirerapids", "optimized");
    QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
    std::vector<vm::Value> arguments;
    for (const int tiles : {kRowTiles, kColumnTiles}) {
      const auto words = HostTensor::allocate({tiles * kSteps * kWords}, DataType::Int(32)).value();
      for (int64_t i = 0; i < words->count(); ++i) {
        // Of bfloat16 some without an exponent, and some whose products have none.
        const uint32_t exponents = i % 5 == 0 ? 0 : i % 3 == 0 ? 0x1f001f00 : 0x3f003f00;
        const auto bits = static_cast<uint32_t>(random());
        words->set(i, static_cast<double>(static_cast<int32_t>(halves ? (bits & 0x80ff80ff) | exponents : bits)));
      }
      arguments.push_back(vm::Value::of(words));
    }
    const auto slow = resultOn(**machineOf(*program, true), arguments);
    QVERIFY2(slow, slow ? "" : slow.diagnostics()[0].message.c_str());
    if (!hasTiles()) continue;
    const auto got = resultOn(**machineOf(*program, false), arguments);
    QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
    QVERIFY((*got)->identical(**slow));
  }
}

/// The same of a float times a power of two, also where the result is too small or too large for a whole exponent.
void TestHostWidths::powersOfTwo() {
  const std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\nfrom tvm.script import tir as T\n\n"
      "@I.ir_module\nclass Module:\n    @T.prim_func(private=True)\n"
      "    def scale(f: T.Buffer((64,), \"float32\"), a: T.Buffer((64,), \"int32\"), "
      "o: T.Buffer((2, 64), \"float32\")):\n        T.func_attr({\"tirx.is_scheduled\": True})\n"
      "        for i in range(64):\n            o[0, i] = T.rx_scaled(f[i], a[i])\n"
      "        for j in range(4):\n            for k in T.vectorized(16):\n"
      "                o[1, j * 16 + k] = T.rx_scaled(f[j * 16 + k], a[j * 16 + k])\n"
      "    @R.function\n    def main(f: R.Tensor((64,), \"float32\"), a: R.Tensor((64,), \"int32\")):\n"
      "        return R.call_tir(Module.scale, (f, a), R.Tensor((2, 64), \"float32\"))\n";
  const auto program = programOf(text, "llvm", "optimized");
  QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
  std::mt19937 random(5);
  const auto numbers = HostTensor::allocate({64}, DataType::Float(32)).value();
  const auto powers = HostTensor::allocate({64}, DataType::Int(32)).value();
  for (int64_t i = 0; i < 64; ++i) {
    numbers->set(i, 0.7 + static_cast<double>(random() % 1000) * 7e-4);
    powers->set(i, static_cast<double>(i * 5 - 155));
  }
  const std::vector<vm::Value> arguments{vm::Value::of(numbers), vm::Value::of(powers)};
  const auto compiled = machineOf(*program, false), interpreted = machineOf(*program, true);
  const auto got = resultOn(**compiled, arguments), slow = resultOn(**interpreted, arguments);
  QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
  QVERIFY2(slow, slow ? "" : slow.diagnostics()[0].message.c_str());
  QVERIFY((*got)->identical(**slow));
  for (int64_t i = 0; i < 64; ++i) {
    const auto wanted = std::ldexp(static_cast<float>(numbers->at(i)), static_cast<int>(powers->at(i)));
    QCOMPARE(static_cast<float>((*got)->at(i)), wanted);
    QCOMPARE(static_cast<float>((*got)->at(64 + i)), wanted);
  }
}

QTEST_GUILESS_MAIN(TestHostWidths)
#include "tst_host_widths.moc"
