// FirstOrderGradient and Gradient against finite differences: every operator with a gradient, in float64, and programs
// with branches, closures, references and lists for the second; and what has none.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/relay/passes/evaluate.h"
#include "core/relay/passes/op_gradients.h"
#include "core/relay/passes/passes.h"
#include "core/relay/text.h"

using namespace rx;
using relay::Expr;

namespace {

/// A use of an operator on float64 parameters; what it gives is multiplied with its sine and summed up.
struct Case {
  const char* op;
  std::vector<std::vector<int64_t>> params;  ///< shapes
  const char* body;                          ///< an expression over %x0, %x1
  double low = 0.3;                          ///< of the values of parameters
  double high = 1.7;
};
const Case kCases[] = {
    {"abs", {{2, 3}}, "abs(%x0)", -1.3, 1.1},
    {"acos", {{2, 3}}, "acos(%x0)", -0.7, 0.8},
    {"acosh", {{2, 3}}, "acosh(%x0)", 1.2, 2.1},
    {"add", {{2, 3}, {3}}, "add(%x0, %x1)"},
    {"asin", {{2, 3}}, "asin(%x0)", -0.7, 0.8},
    {"asinh", {{2, 3}}, "asinh(%x0)"},
    {"atan", {{2, 3}}, "atan(%x0)"},
    {"atanh", {{2, 3}}, "atanh(%x0)", -0.7, 0.8},
    {"broadcast_to", {{1, 3}}, "broadcast_to(%x0, shape=[2, 3])"},
    {"broadcast_to_like", {{1, 3}, {2, 3}}, "broadcast_to_like(%x0, %x1)"},
    {"cast", {{2, 3}}, "cast(%x0, dtype=\"float64\")"},
    {"clip", {{2, 3}}, "clip(%x0, a_min=0.5f, a_max=1.25f)"},
    {"cast_like", {{2, 3}, {2}}, "cast_like(%x0, %x1)"},
    {"collapse_sum_like", {{2, 3}, {1, 3}}, "collapse_sum_like(%x0, %x1)"},
    {"concatenate", {{2, 3}, {2, 1}}, "concatenate((%x0, %x1, %x0), axis=-1)"},
    {"concatenate", {{2, 3}}, "concatenate((%x0,))"},
    {"contrib_reverse_reshape", {{2, 3}}, "contrib_reverse_reshape(%x0, newshape=[3, 2])"},
    {"copy", {{2, 3}}, "copy(%x0)"},
    {"cos", {{2, 3}}, "cos(%x0)"},
    {"cosh", {{2, 3}}, "cosh(%x0)"},
    {"divide", {{2, 3}, {1, 3}}, "divide(%x0, %x1)"},
    {"erf", {{2, 3}}, "erf(%x0)"},
    {"exp", {{2, 3}}, "exp(%x0)"},
    {"expand_dims", {{2, 3}}, "expand_dims(%x0, axis=1)"},
    {"full", {{}}, "full(%x0, shape=[2, 3], dtype=\"float64\")"},
    {"full_like", {{2, 3}, {}}, "full_like(%x0, %x1)"},
    {"gather_nd", {{3, 4}, {2, 5}}, "gather_nd(%x0, cast(%x1, dtype=\"int64\"))"},
    {"log", {{2, 3}}, "log(%x0)"},
    {"log10", {{2, 3}}, "log10(%x0)"},
    {"log2", {{2, 3}}, "log2(%x0)"},
    {"maximum", {{2, 3}, {3}}, "maximum(%x0, %x1)"},
    {"mean", {{2, 3}}, "mean(%x0, axis=[1])"},
    {"minimum", {{2, 3}, {3}}, "minimum(%x0, %x1)"},
    {"multiply", {{2, 3}, {3}}, "multiply(%x0, %x1)"},
    {"negative", {{2, 3}}, "negative(%x0)"},
    {"nn.avg_pool2d", {{1, 2, 5, 5}}, "nn.avg_pool2d(%x0, pool_size=[2, 3], strides=[2, 1], padding=[1, 0, 0, 1])"},
    {"nn.avg_pool2d", {{1, 2, 4, 4}}, "nn.avg_pool2d(%x0, pool_size=[3, 3], padding=[1, 1], count_include_pad=True)"},
    {"nn.batch_flatten", {{2, 3, 2}}, "nn.batch_flatten(%x0)"},
    {"nn.batch_matmul", {{2, 3, 4}, {2, 5, 4}}, "nn.batch_matmul(%x0, %x1, transpose_b=True)"},
    {"nn.batch_matmul", {{2, 4, 3}, {2, 4, 5}}, "nn.batch_matmul(%x0, %x1, transpose_a=True)"},
    {"nn.batch_matmul", {{2, 4, 3}, {1, 5, 4}}, "nn.batch_matmul(%x0, %x1, transpose_a=True, transpose_b=True)"},
    {"nn.batch_matmul", {{1, 3, 4}, {2, 4, 5}}, "nn.batch_matmul(%x0, %x1)"},
    {"nn.bias_add", {{2, 3, 2}, {3}}, "nn.bias_add(%x0, %x1)"},
    {"nn.conv2d", {{2, 2, 5, 4}, {3, 2, 3, 2}}, "nn.conv2d(%x0, %x1)"},
    {"nn.conv2d",
     {{1, 2, 6, 5}, {2, 2, 3, 2}},
     "nn.conv2d(%x0, %x1, strides=[2, 2], padding=[1, 0, 0, 1], dilation=[1, 2])"},
    {"nn.conv2d", {{2, 4, 4, 4}, {6, 2, 2, 2}}, "nn.conv2d(%x0, %x1, padding=[1, 1], strides=[2, 1], groups=2)"},
    {"nn.conv2d", {{1, 3, 5, 5}, {3, 1, 3, 3}}, "nn.conv2d(%x0, %x1, padding=[1], groups=3)"},
    {"nn.cross_entropy", {{2, 3}, {2, 3}}, "nn.cross_entropy(%x0, %x1)"},
    {"nn.cross_entropy_with_logits", {{2, 3}, {2, 3}}, "nn.cross_entropy_with_logits(%x0, %x1)"},
    {"nn.dense", {{2, 3}, {4, 3}}, "nn.dense(%x0, %x1, units=4)"},
    {"nn.global_avg_pool2d", {{2, 3, 2, 4}}, "nn.global_avg_pool2d(%x0)"},
    {"nn.global_avg_pool2d", {{2, 2, 4, 3}}, "nn.global_avg_pool2d(%x0, layout=\"NHWC\")"},
    {"nn.log_softmax", {{2, 3}}, "nn.log_softmax(%x0, axis=1)"},
    {"nn.matmul", {{4, 2}, {3, 4}}, "nn.matmul(%x0, %x1, units=None, transpose_a=True, transpose_b=True)"},
    {"nn.matmul", {{2, 4}, {4, 3}}, "nn.matmul(%x0, %x1, units=None)"},
    {"nn.max_pool2d", {{1, 2, 5, 5}}, "nn.max_pool2d(%x0, pool_size=[3, 2], strides=[1, 2], padding=[1, 1])"},
    {"nn.relu", {{2, 3}}, "nn.relu(%x0)", -1.3, 1.1},
    {"nn.softmax", {{2, 3}}, "nn.softmax(%x0, axis=0)"},
    {"ones", {{2, 3}}, "multiply(ones(shape=[2, 3], dtype=\"float64\"), %x0)"},
    {"ones_like", {{2, 3}}, "multiply(ones_like(%x0), %x0)"},
    {"prod", {{2, 3, 2}}, "prod(%x0, axis=[0, 2])"},
    {"reshape", {{2, 3}}, "reshape(%x0, newshape=[3, 2])"},
    {"reshape_like", {{2, 3}, {6}}, "reshape_like(%x0, %x1)"},
    {"rsqrt", {{2, 3}}, "rsqrt(%x0)"},
    {"sigmoid", {{2, 3}}, "sigmoid(%x0)"},
    {"sin", {{2, 3}}, "sin(%x0)"},
    {"sinh", {{2, 3}}, "sinh(%x0)"},
    {"split", {{2, 6}}, "split(%x0, indices_or_sections=3, axis=-1).1"},
    {"split", {{5, 2}}, "add(split(%x0, indices_or_sections=[1, 3]).1, split(%x0, indices_or_sections=[3]).1)"},
    {"sqrt", {{2, 3}}, "sqrt(%x0)"},
    {"squeeze", {{2, 1, 3}}, "squeeze(%x0, axis=[1])"},
    {"stack", {{2, 3}, {2, 3}}, "stack((%x0, %x1, %x0), axis=-2)"},
    {"subtract", {{2, 3}, {2, 1}}, "subtract(%x0, %x1)"},
    {"sum", {{2, 3, 2}}, "sum(%x0, axis=[1], exclude=True)"},
    {"sum", {{2, 3}}, "sum(%x0, axis=[-1], keepdims=True)"},
    {"take", {{4, 3}, {2, 5}}, "take(%x0, cast(multiply(%x1, 3f64), dtype=\"int32\"), axis=0)"},
    {"take", {{3, 4}, {3}}, "take(%x0, cast(multiply(%x1, 9f64), dtype=\"int64\"), axis=-1, mode=\"wrap\")"},
    {"take", {{3, 4}, {2, 2}}, "take(%x0, cast(multiply(%x1, 3f64), dtype=\"int32\"), mode=\"fast\")"},
    {"take", {{3, 4}, {}}, "take(%x0, cast(%x1, dtype=\"int32\"), axis=1)"},
    {"tan", {{2, 3}}, "tan(%x0)", 0.1, 1.1},
    {"tanh", {{2, 3}}, "tanh(%x0)"},
    {"transpose", {{2, 3, 4}}, "transpose(%x0, axes=[2, 0, -2])"},
    {"transpose", {{2, 3}}, "transpose(%x0)"},
    {"variance", {{2, 3}, {2, 1}}, "variance(%x0, %x1, axis=[1])"},
    {"variance", {{2, 3}, {2, 1}}, "variance(%x0, %x1, axis=[1], keepdims=True, unbiased=True)"},
    {"where", {{2, 3}, {3}}, "where(less(%x0, %x1), multiply(%x0, %x1), %x1)"},
    {"zeros", {{2, 3}}, "add(zeros(shape=[3], dtype=\"float64\"), %x0)"},
    {"zeros_like", {{2, 3}}, "add(zeros_like(%x0), %x0)"},
    // A value that is used twice, and one that goes through a tuple.
    {"add", {{2, 3}}, "(multiply(%x0, %x0), %x0).0"},
    // One that is a tuple from an operator, whose items meet again.
    {"split", {{4, 3}}, "concatenate((split(%x0, indices_or_sections=2).1, %x0))"},
};

/// Programs of two scalars with more than operators.
struct Program {
  const char* name;
  const char* text;
};
const Program kPrograms[] = {
    {"branches",
     "def @main(%x: float64, %y: float64) { let %z = multiply(%x, %y); "
     "if (less(%x, %y)) { multiply(%z, %z) } else { exp(subtract(%z, %y)) } }"},
    {"recursion",
     "def @power(%x: float64, %n: int32) -> float64 { if (equal(%n, 0)) { 1f64 } else { "
     "multiply(%x, @power(%x, subtract(%n, 1))) } }\n"
     "def @main(%x: float64, %y: float64) { add(@power(%x, 3), multiply(@power(%y, 2), %x)) }"},
    {"closures",
     "def @main(%x: float64, %y: float64) { let %f = fn (%a: float64) -> float64 { multiply(%a, %y) }; "
     "let %twice = fn (%g: fn (float64) -> float64, %a: float64) -> float64 { %g(%g(%a)) }; "
     "sin(%twice(%f, %x)) }"},
    {"references",
     "def @main(%x: float64, %y: float64) { let %r = ref(%x); let %u = ref_write(%r, multiply(ref_read(%r), %y)); "
     "multiply(ref_read(%r), %x) }"},
    {"lists",
     "type List[A] { Cons(A, List[A]), Nil, }\n"
     "def @sum(%l: List[float64]) -> float64 { match (%l) { Cons(%h, %t) => add(multiply(%h, %h), @sum(%t)), "
     "Nil => 0f64, } }\n"
     "def @main(%x: float64, %y: float64) { @sum(Cons(%x, Cons(%y, Cons(multiply(%x, %y), Nil)))) }"},
    // A type of one's own with tensors in it, and one that holds such a type beside values of any type.
    {"trees",
     "type Shape { Leaf(float64), Both(Shape, Shape), }\n"
     "def @total(%s: Shape) -> float64 { match (%s) { Leaf(%x) => multiply(%x, %x), "
     "Both(%a, %b) => add(@total(%a), @total(%b)), } }\n"
     "def @main(%x: float64, %y: float64) { sin(@total(Both(Leaf(%x), Both(Leaf(%y), Leaf(multiply(%x, %y)))))) }"},
    {"types within types",
     "type Shape { Leaf(float64), Gone, }\ntype Held[A] { Of(A, Shape), Leaf_grad(A), }\n"
     "def @main(%x: float64, %y: float64) { let %h = Of(multiply(%x, %y), Leaf(%y)); "
     "match? (%h) { Of(%a, Leaf(%b)) => multiply(%a, exp(%b)), Of(%a, Gone) => %a, } }"},
    {"functions in data",
     "type Way { Way(fn (float64) -> float64), }\n"
     "def @main(%x: float64, %y: float64) { let %w = Way(fn (%a: float64) -> float64 { multiply(%a, %y) }); "
     "match (%w) { Way(%f) => %f(%f(%x)), } }"},
};
/// Two scalars as parameters, and nothing of a case but their values.
const Case kTwoScalars = {"", {{}, {}}, ""};

std::string textOf(const Case& test) {
  std::string params;
  for (size_t i = 0; i < test.params.size(); ++i) {
    std::string shape;
    for (const int64_t extent : test.params[i]) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
    params += (i ? ", %x" : "%x") + std::to_string(i) + ": Tensor[(" + shape + "), float64]";
  }
  return "def @main(" + params + ") {\n  %0 = " + test.body +
         ";\n  %1 = sin(%0);\n  %2 = multiply(%1, %0);\n  sum(%2)\n}";
}

Result<ir::Module> moduleOf(const std::string& text) {
  const auto source = make<SourceFile>("t.relay", "#[version = \"0.0.5\"]\n" + text);
  RX_TRY(read, relay::readText(source));
  return read.module;
}

Result<ir::Module> gradientOf(const ir::Module& module, std::string_view pass = "FirstOrderGradient") {
  pass::PassContext context;
  for (const pass::PassRow& row : relay::passRows())
    if (row.name == pass) return row.run(module, nullptr, context);
  return fail("test.pass", "there is no such pass");
}

Result<Expr> called(const ir::Module& module, const std::vector<Ref<HostTensor>>& values) {
  std::vector<Expr> args;
  for (const Ref<HostTensor>& value : values) args.push_back(relay::constantOf(value));
  const auto main = refAs<relay::Function>(module->find("main"));
  return relay::evaluateClosed(module, make<relay::Call>(main, Array<Expr>(args)));
}

double evaluated(const ir::Module& module, const std::vector<Ref<HostTensor>>& values) {
  const Result<Expr> result = called(module, values);
  const auto data = result ? relay::constantData(*result) : nullptr;
  return data ? data->at(0) : std::nan("");
}

}  // namespace

class RelayGradientTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyGradientHasACase() {
    for (const relay::OpGradientRow& row : relay::opGradients()) {
      const bool tested = std::ranges::any_of(kCases, [&](const Case& test) { return row.op == test.op; });
      QVERIFY2(tested && relay::findOperator(row.op), std::string(row.op).c_str());
    }
  }

  void slopes_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("index");
    QTest::addColumn<QString>("pass");
    for (const char* pass : {"FirstOrderGradient", "Gradient"})
      for (size_t i = 0; i < std::size(kCases); ++i)
        QTest::addRow("%s %zu %s", pass, i, kCases[i].op)
            << QString::fromStdString(textOf(kCases[i])) << static_cast<int>(i) << pass;
    for (const Program& program : kPrograms) QTest::newRow(program.name) << program.text << -1 << "Gradient";
  }
  void slopes() {
    QFETCH(QString, text);
    QFETCH(int, index);
    QFETCH(QString, pass);
    const Case& test = index < 0 ? kTwoScalars : kCases[index];
    const auto module = moduleOf(text.toStdString());
    QVERIFY2(module.ok(), module.ok() ? "" : module.diagnostics().front().message.c_str());
    const auto gradient = gradientOf(*module, pass.toStdString());
    QVERIFY2(gradient.ok(), gradient.ok() ? "" : gradient.diagnostics().front().message.c_str());
    std::vector<Ref<HostTensor>> values;
    double position = 0.37;
    for (const std::vector<int64_t>& shape : test.params) {
      values.push_back(*HostTensor::allocate(shape, DataType::Float(64)));
      for (int64_t i = 0; i < values.back()->count(); ++i) {
        position = std::fmod(position + 0.381966, 1);  // spread, and no two the same
        values.back()->set(i, test.low + (test.high - test.low) * position);
      }
    }
    const Result<Expr> result = called(*gradient, values);
    QVERIFY2(result.ok(), result.ok() ? "" : result.diagnostics().front().message.c_str());
    const auto* both = as<relay::Tuple>(*result);
    QVERIFY(both && both->items.size() == 2);
    QVERIFY(std::fabs(relay::constantData(both->items[0])->at(0) - evaluated(*module, values)) < 1e-12);
    const auto* slopes = as<relay::Tuple>(both->items[1]);
    QVERIFY(slopes && slopes->items.size() == values.size());
    constexpr double kStep = 1e-5;
    for (size_t i = 0; i < values.size(); ++i) {
      const Ref<HostTensor> slope = relay::constantData(slopes->items[i]);
      QVERIFY(slope && slope->shape() == values[i]->shape());
      for (int64_t k = 0; k < slope->count(); ++k) {
        const double at = values[i]->at(k);
        values[i]->set(k, at + kStep);
        const double above = evaluated(*module, values);
        values[i]->set(k, at - kStep);
        const double below = evaluated(*module, values);
        values[i]->set(k, at);
        const double difference = (above - below) / (2 * kStep);
        QVERIFY2(std::fabs(slope->at(k) - difference) <= 1e-6 * std::max(1.0, std::fabs(difference)),
                 qPrintable(QString("element %1 of %2: %3, not %4").arg(k).arg(i).arg(slope->at(k)).arg(difference)));
      }
    }
  }

  void refused_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("says");
    QTest::newRow("no gradient") << "def @main(%x: Tensor[(2), float32]) { floor(%x) }"
                                 << "there is no gradient of floor";
    QTest::newRow("another layout")
        << "def @main(%x: Tensor[(1, 4, 4, 2), float32], %w: Tensor[(3, 3, 2, 2), float32]) { nn.conv2d(%x, %w, "
           "data_layout=\"NHWC\", kernel_layout=\"HWIO\", channels=2, kernel_size=[3, 3]) }"
        << "there is no gradient of nn.conv2d with these attributes";
    QTest::newRow("branches")
        << "def @main(%c: bool, %x: Tensor[(2), float32]) { if (%c) { %x } else { negative(%x) } }"
        << "only functions of operators and tuples";
    QTest::newRow("an operator as a value") << "def @main() { negative }"
                                            << "where it is not called";
    QTest::newRow("data of one's own") << "type Two { Two(int32, int32), }\ndef @main(%x: int32) { match (Two(%x, %x)) "
                                          "{ Two(%a, %b) => add(%a, %b), } }"
                                       << "only functions of operators and tuples";
    QTest::newRow("several results") << "def @main(%x: Tensor[(2), float32]) { (%x, %x) }"
                                     << "the gradient is that of one tensor";
    QTest::newRow("a function") << "def @main(%f: fn (int32) -> int32) { %f(1) }"
                                << "has no gradient";
    QTest::newRow("an extent that is not known")
        << "def @main(%x: (Tensor[(?), float32], Tensor[(2), float32])) { %x.1 }"
        << "has no gradient";
  }
  void refused() {
    QFETCH(QString, text);
    QFETCH(QString, says);
    const auto module = moduleOf(text.toStdString());
    QVERIFY2(module.ok(), module.ok() ? "" : module.diagnostics().front().message.c_str());
    const auto gradient = gradientOf(*module);
    QVERIFY(!gradient.ok());
    QCOMPARE(QString::fromStdString(gradient.diagnostics().front().rule), QString("relay.gradient"));
    QVERIFY2(gradient.diagnostics().front().message.find(says.toStdString()) != std::string::npos,
             gradient.diagnostics().front().message.c_str());
  }
};

QTEST_GUILESS_MAIN(RelayGradientTest)
#include "tst_relay_gradient.moc"
