// Loops that add products up are done at once where they can be: the same elements, bit by bit, and the same faults as
// one step after the other.
#include <QTest>
#include <cstring>

#include "core/interpret/product_sums.h"
#include "core/interpret/program.h"
#include "core/ir/module.h"
#include "core/script/parse.h"

using namespace rx;
using interpret::Value;

namespace {

/// A kernel of a nest over A, B, C and a scratch tensor S. `alone`: the sum is all that it does in each step.
QString kernel(const QString& buffers, const QString& loops, const QString& begin, const QString& sum, bool alone) {
  const QString head =
      "# from tvm.script import ir as I\n# from tvm.script import tirx as T\n@I.ir_module\nclass Module:\n"
      "    @T.prim_func\n    def main(%1, S: T.Buffer((1,), \"float32\")):\n        for %2:\n";
  QString text = head.arg(buffers, loops);
  if (!begin.isEmpty())
    text += "            if " + begin + ":\n                " + sum.section(" =", 0, 0) + " = T.float32(0.5)\n";
  text += "            " + sum + "\n";
  if (!alone) text += "            S[0] = T.float32(1)\n";
  return text;
}

Result<tir::PrimFuncRef> functionOf(const QString& text) {
  RX_TRY(module, script::parseModule(make<SourceFile>("k.py", text.toStdString())));
  return refAs<tir::PrimFunc>(module->find("main"));
}

size_t sumsOf(const tir::PrimFuncRef& function) {
  const auto program = interpret::compile(function, "main");
  if (!program) return SIZE_MAX;
  return static_cast<size_t>(std::count_if(program->code.begin(), program->code.end(), [](const interpret::Instr& in) {
    return in.code == interpret::Code::SumProducts;
  }));
}

/// Numbers whose products and sums are rounded.
Ref<HostTensor> numbers(const std::vector<int64_t>& shape, int seed, DataType type) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  std::vector<double> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(std::sin(static_cast<double>(seed + 1) * (static_cast<double>(i) + .7)));
  return *HostTensor::fromDoubles(shape, type, values);
}

std::string bytesOf(const HostTensor& tensor) {
  return std::string(reinterpret_cast<const char*>(tensor.data()), static_cast<size_t>(tensor.bytes()));
}

/// The bytes of C after a run on tensors of the parameters' shapes, or what was wrong. `shared`: A is C as well.
std::string outcome(const tir::PrimFuncRef& function, bool shared, const interpret::Options& options = {}) {
  std::vector<Value> args;
  for (size_t i = 0; i < function->params.size(); ++i) {
    std::vector<int64_t> shape;
    for (const tir::PrimExpr& dim : function->buffers[i]->shape) shape.push_back(as<tir::IntImm>(dim)->value);
    args.push_back(Value::of(numbers(shape, static_cast<int>(i), function->buffers[i]->dtype)));
  }
  if (shared) args[0] = args[2];
  const auto done = interpret::runPrimFunc(function, args, options);
  return done ? bytesOf(args[2].tensor()) : done.diagnostics().front().rule + done.diagnostics().front().message;
}

}  // namespace

class ProductSumsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void givesWhatTheLoopsGive_data();
  void givesWhatTheLoopsGive();
  void endsWithinItsBudget();
  void isCancelled();
};

void ProductSumsTest::givesWhatTheLoopsGive_data() {
  QTest::addColumn<QString>("buffers");
  QTest::addColumn<QString>("loops");
  QTest::addColumn<QString>("begin");
  QTest::addColumn<QString>("sum");
  QTest::addColumn<bool>("atOnce");
  QTest::addColumn<bool>("shared");
  const auto row = [](const char* name, const QString& shapes, const QString& loops, const QString& begin,
                      const QString& sum, bool atOnce = true, bool shared = false, const char* type = "float32") {
    QStringList buffers;
    const QStringList each = shapes.split(' ');
    for (int i = 0; i < each.size(); ++i)
      buffers << QString("%1: T.Buffer((%2,), \"%3\")").arg(QString("ABC").at(i)).arg(each[i], type);
    QTest::newRow(name) << buffers.join(", ") << loops << begin << sum << atOnce << shared;
  };
  row("product", "5,7 7,37 5,37", "i, j, k in T.grid(5, 37, 7)", "k == 0", "C[i, j] = C[i, j] + A[i, k] * B[k, j]");
  row("turned", "5,7 37,7 5,37", "i, j, k in T.grid(5, 37, 7)", "k == 0", "C[i, j] = C[i, j] + A[i, k] * B[j, k]");
  row("goes on", "5,7 7,37 5,37", "i, j, k in T.grid(5, 37, 7)", "", "C[i, j] = A[i, k] * B[k, j] + C[i, j]");
  row("convolution", "3,40 2,3,3 2,18", "f, x, c, r in T.grid(2, 18, 3, 3)", "c == 0 and r == 0",
      "C[f, x] = C[f, x] + A[c, x * 2 + r * 2] * B[f, c, r]");
  row("triangle", "40 40 40", "j in T.serial(33):\n         for k in T.serial(j + 1)", "", "C[j] = C[j] + A[k] * B[j]");
  row("rows of elements", "40 33 33", "x in T.serial(33)", "", "C[x] = C[x] + A[x + 3] * B[x]");
  row("one element", "40 40 1", "k in T.serial(40)", "k == 0", "C[0] = C[0] + A[k] * B[39 - k]");
  row("sums around elements", "9 9,33 33", "k, j in T.grid(9, 33)", "k == 0", "C[j] = C[j] + A[k] * B[k, j]");
  row("elements met again", "9 33 41", "i, j in T.grid(9, 33)", "", "C[i + j] = C[i + j] + A[i] * B[j]");
  row("begins are elements'", "3 33 33", "j, k, l in T.grid(33, 3, 1)", "k == 0", "C[j] = C[j] + A[k] * B[j]");
  row("a loop of one step", "1,9 9,33 1,33", "i, j, l, k in T.grid(1, 33, 1, 9)", "l == 0 and k == 0",
      "C[i, j] = C[i, j] + A[i, k] * B[k + l, j]");
  row("nothing", "4 4 4", "i, k in T.grid(4, 0)", "", "C[i] = C[i] + A[k] * B[i]");
  row("outside", "7 33 33", "j, k in T.grid(33, 7)", "k == 0", "C[j] = C[j] + A[k + 1] * B[j]");
  row("outside its axis", "2,7 33 33", "j, k in T.grid(33, 8)", "", "C[j] = C[j] + A[0, k] * B[j]");
  row("an operand is the result", "40 39 40", "i in T.serial(39)", "", "C[i + 1] = C[i + 1] + A[i] * B[i]", true, true);
  // These are not: they are of another type, begin again and again, or are of other forms.
  row("double", "7 33 33", "j, k in T.grid(33, 7)", "", "C[j] = C[j] + A[k] * B[j]", false, false, "float64");
  row("begins often", "7 3,33 33", "j, k, l in T.grid(33, 7, 3)", "k == 0", "C[j] = C[j] + A[k] * B[l, j]", false);
  row("another element", "7 33 34", "j, k in T.grid(33, 7)", "", "C[j] = C[j + 1] + A[k] * B[j]", false);
  row("difference", "7 33 33", "j, k in T.grid(33, 7)", "", "C[j] = C[j] - A[k] * B[j]", false);
  row("place in the result", "40 33 33", "j, k in T.grid(33, 7)", "",
      "C[j] = C[j] + A[T.Cast(\"int32\", C[j] * C[j]) + k] * B[j]", false);
  row("factor beyond 64 bits", "49 33 33", "j, k in T.grid(33, 7)", "",
      "C[j] = C[j] + A[k * 2147483647 * 2147483647 * 2147483647] * B[j]", false);
  row("index of a square", "49 33 33", "j, k in T.grid(33, 7)", "", "C[j] = C[j] + A[k * k] * B[j]", false);
}

void ProductSumsTest::givesWhatTheLoopsGive() {
  QFETCH(QString, buffers);
  QFETCH(QString, loops);
  QFETCH(QString, begin);
  QFETCH(QString, sum);
  QFETCH(bool, atOnce);
  QFETCH(bool, shared);
  const auto alone = functionOf(kernel(buffers, loops, begin, sum, true));
  const auto beside = functionOf(kernel(buffers, loops, begin, sum, false));
  QVERIFY2(alone && beside, alone ? "" : alone.diagnostics().front().message.c_str());
  QCOMPARE(sumsOf(*alone), size_t{atOnce});
  QCOMPARE(sumsOf(*beside), size_t{0});
  QVERIFY(outcome(*alone, shared) == outcome(*beside, shared));
}

void ProductSumsTest::endsWithinItsBudget() {
  const QString buffers =
      "A: T.Buffer((9,), \"float32\"), B: T.Buffer((9999,), \"float32\"), C: T.Buffer((9999,), \"float32\")";
  const auto function = functionOf(kernel(buffers, "j, k in T.grid(9999, 9)", "", "C[j] = C[j] + A[k] * B[j]", true));
  QVERIFY(function && sumsOf(*function) == 1);
  interpret::Options options;
  options.maxSteps = 9999 * 9 * 3;
  QVERIFY(outcome(*function, false, options).starts_with("interpret.budget"));
  options.maxSteps = 9999 * 9 * 20;
  QVERIFY(outcome(*function, false, options) == outcome(*function, false));
}

void ProductSumsTest::isCancelled() {
  std::vector<float> out(64), left(64, 1), right(1 << 16, 1);
  interpret::SumNest nest{
      {{64, 1, 1, 0, true}, {1 << 16, 0, 0, 1, false}}, out.data(), left.data(), right.data(), 0.0F, 1 << 22};
  int asked = 0;
  QVERIFY(!interpret::sumProducts(nest, [&] { return ++asked < 2; }));
  QCOMPARE(asked, 2);
  QVERIFY(interpret::sumProducts(nest, [] { return true; }));
  QCOMPARE(out.back(), 65536.0F);
}

QTEST_GUILESS_MAIN(ProductSumsTest)
#include "tst_product_sums.moc"
