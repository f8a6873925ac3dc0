// Gradient against finite differences: every operator with a gradient, in float64, through the interpreter.
#include <QTest>
#include <algorithm>
#include <cmath>

#include "core/evaluate/evaluate.h"
#include "core/script/parse.h"
#include "core/transform/gradient_rules.h"
#include "core/transform/passes.h"

using namespace rx;
using vm::Value;

namespace {

/// A use of operators on float64 parameters; what it gives is multiplied with weights and summed up.
struct Case {
  const char* op;      ///< whose gradient it needs
  const char* params;  ///< shapes: "(2, 3) (3,)"
  const char* body;    ///< an expression over x0, x1, ...
  double low = 0.3;    ///< of the values of parameters
  double high = 1.7;
};
constexpr Case kCases[] = {
    {"relax.add", "(2, 3) (3,)", "R.add(x0, x1)"},
    {"relax.subtract", "(2, 3) (2, 1)", "R.subtract(x0, x1)"},
    {"relax.multiply", "(2, 3) (3,)", "R.multiply(x0, x1)"},
    {"relax.divide", "(2, 3) (1, 3)", "R.divide(x0, x1)"},
    {"relax.power", "(2, 3) (2, 3)", "R.power(x0, x1)"},
    {"relax.maximum", "(2, 3) (3,)", "R.maximum(x0, x1)"},
    {"relax.minimum", "(2, 3) (3,)", "R.minimum(x0, x1)"},
    {"relax.abs", "(2, 3)", "R.abs(x0)", -1.3, 1.1},
    {"relax.cos", "(2, 3)", "R.cos(x0)"},
    {"relax.exp", "(2, 3)", "R.exp(x0)"},
    {"relax.log", "(2, 3)", "R.log(x0)"},
    {"relax.negative", "(2, 3)", "R.negative(x0)"},
    {"relax.sigmoid", "(2, 3)", "R.sigmoid(x0)"},
    {"relax.sin", "(2, 3)", "R.sin(x0)"},
    {"relax.sqrt", "(2, 3)", "R.sqrt(x0)"},
    {"relax.tanh", "(2, 3)", "R.tanh(x0)"},
    {"relax.nn.relu", "(2, 3)", "R.nn.relu(x0)", -1.3, 1.1},
    {"relax.nn.silu", "(2, 3)", "R.nn.silu(x0)"},
    {"relax.where", "(2, 3) (2, 3)", "R.where(R.less(x0, x1), x0, x1)"},
    {"relax.triu", "(3, 3)", "R.triu(x0)"},
    {"relax.sum", "(2, 3)", "R.sum(x0, axis=[1])"},
    {"relax.sum", "(2, 3)", "R.sum(x0, axis=[-1], keepdims=True)"},
    {"relax.mean", "(2, 3)", "R.mean(x0, axis=[0])"},
    {"relax.variance", "(2, 3)", "R.variance(x0, axis=[1], keepdims=True)"},
    {"relax.permute_dims", "(2, 3, 4)", "R.permute_dims(x0, axes=[2, 0, 1])"},
    {"relax.concat", "(2, 3) (1, 3)", "R.concat((x0, x1, x1), axis=0)"},
    {"relax.split", "(4, 3)", "R.split(x0, 2, axis=0)[1]"},
    {"relax.expand_dims", "(2, 3)", "R.expand_dims(x0, axis=[1])"},
    {"relax.reshape", "(2, 3)", "R.reshape(x0, R.shape([3, 2]))"},
    {"relax.broadcast_to", "(1, 3)", "R.broadcast_to(x0, R.shape([2, 3]))"},
    {"relax.take", "(4, 3)", "R.take(x0, R.const([2, 0, 2], \"int64\"), axis=0)"},
    {"relax.matmul", "(2, 3) (3, 4)", "R.matmul(x0, x1)"},
    {"relax.matmul", "(2, 2, 3) (3, 4)", "R.matmul(x0, x1)"},
    {"relax.matmul", "(3,) (3, 4)", "R.matmul(x0, x1)"},
    {"relax.matmul", "(2, 3) (3,)", "R.matmul(x0, x1)"},
    {"relax.matmul", "(3,) (3,)", "R.matmul(x0, x1)"},
    {"relax.nn.softmax", "(2, 3)", "R.nn.softmax(x0, axis=1)"},
    {"relax.nn.log_softmax", "(2, 3)", "R.nn.log_softmax(x0, axis=-1)"},
    {"relax.astype", "(2, 3)", "R.astype(x0, \"float64\")"},
    {"relax.nn.cross_entropy_with_logits", "(2, 3) (2, 3)", "R.nn.cross_entropy_with_logits(x0, x1)"},
    {"relax.nn.nll_loss", "(2, 3)", "R.nn.nll_loss(x0, R.const([2, 1], \"int64\"))"},
    {"relax.nn.conv2d", "(2, 3, 6, 5) (4, 3, 3, 2)", "R.nn.conv2d(x0, x1, strides=[2, 1], padding=[1, 0, 1, 0])"},
    {"relax.nn.conv2d", "(1, 4, 5, 5) (4, 2, 2, 2)", "R.nn.conv2d(x0, x1, groups=2)"},
    {"relax.nn.max_pool2d", "(1, 2, 4, 4)", "R.nn.max_pool2d(x0, pool_size=[2, 2], strides=[2, 2])"},
    {"relax.nn.avg_pool2d", "(1, 2, 4, 4)", "R.nn.avg_pool2d(x0, pool_size=[2, 2], strides=[2, 2])"},
};

/// Operators through which no adjoint flows.
constexpr std::string_view kConstant[] = {
    "relax.equal",      "relax.greater",   "relax.greater_equal", "relax.less",  "relax.less_equal", "relax.not_equal",
    "relax.zeros_like", "relax.ones_like", "relax.full_like",     "relax.zeros", "relax.ones",       "relax.full",
};

/// Operators that no kernel computes here.
constexpr std::string_view kNoKernel[] = {"relax.cumsum"};

std::vector<std::vector<int64_t>> shapesOf(const std::string& text) {
  std::vector<std::vector<int64_t>> shapes;
  int64_t number = -1;
  for (char c : text) {
    if (c == '(') shapes.emplace_back();
    if (c >= '0' && c <= '9') {
      number = std::max<int64_t>(number, 0) * 10 + (c - '0');
    } else if (number >= 0) {
      shapes.back().push_back(std::exchange(number, -1));
    }
  }
  return shapes;
}

std::string shapeText(const std::vector<int64_t>& shape) {
  std::string text = "(";
  for (int64_t dim : shape) text += std::to_string(dim) + ", ";
  return text + ")";
}

/// The function of a case; a result is summed up with a weight of its own, so that no symmetry hides a mistake.
std::string textOf(const Case& test) {
  std::string params;
  const auto shapes = shapesOf(test.params);
  for (size_t i = 0; i < shapes.size(); ++i) {
    params += (i ? ", x" : "x") + std::to_string(i) + ": R.Tensor(" + shapeText(shapes[i]) + ", \"float64\")";
  }
  return "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
         "    @R.function\n    def main(" +
         params + "):\n        with R.dataflow():\n            y = " + std::string(test.body) +
         "\n            gv = R.sum(R.multiply(R.sin(y), y))\n            R.output(gv)\n        return gv\n";
}

double evaluated(const ir::Module& module, const std::vector<Value>& args) {
  const Result<Value> result = evaluate::valueOf(module, "main", args);
  return result ? result->tensor().at(0) : std::nan("");
}

}  // namespace

class GradientTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyGradientHasACase() {
    for (const transform::GradientRow& row : transform::allGradientRows()) {
      const bool tested = std::ranges::any_of(kCases, [&](const Case& test) { return row.op == test.op; });
      const bool constant = std::ranges::find(kConstant, row.op) != std::end(kConstant);
      const bool runs = std::ranges::find(kNoKernel, row.op) == std::end(kNoKernel);
      QVERIFY2((tested != constant) == runs, std::string(row.op).c_str());
    }
  }

  void adjointsAreSlopes_data() {
    QTest::addColumn<int>("index");
    for (size_t i = 0; i < std::size(kCases); ++i) {
      QTest::addRow("%zu %s", i, kCases[i].op) << static_cast<int>(i);
    }
  }
  void adjointsAreSlopes() {
    QFETCH(int, index);
    const Case& test = kCases[index];
    QVERIFY2(transform::gradientRule(test.op), "the operator of a case has a gradient");
    const auto module = script::parseModule(make<SourceFile>("case.py", textOf(test)));
    QVERIFY2(module, module ? "" : module.diagnostics()[0].message.c_str());
    pass::PassContext context;
    const auto rows = transform::passRows();
    const auto row = std::ranges::find_if(rows, [](const auto& r) { return std::string_view(r.name) == "Gradient"; });
    const ir::Attrs options = ir::withAttr(nullptr, "func_name", ir::strAttr("main"));
    const auto both = row->run(*module, options, context);
    QVERIFY2(both, both ? "" : both.diagnostics()[0].message.c_str());

    std::vector<Ref<HostTensor>> tensors;
    std::vector<Value> args;
    double seed = 0.5;
    for (const auto& shape : shapesOf(test.params)) {
      tensors.push_back(*HostTensor::allocate(shape, DataType::Float(64)));
      for (int64_t i = 0; i < tensors.back()->count(); ++i) {
        seed = std::fmod(seed * 7.13 + 0.377, 1.0);
        tensors.back()->set(i, test.low + (test.high - test.low) * seed);
      }
      args.push_back(Value::of(tensors.back()));
    }
    const auto result = evaluate::valueOf(*both, "main_adjoint", args);
    QVERIFY2(result, result ? "" : result.diagnostics()[0].message.c_str());
    const std::vector<Value>& adjoints = result->asTuple()[1].asTuple();
    QCOMPARE(adjoints.size(), tensors.size());
    constexpr double kStep = 1e-5;
    for (size_t p = 0; p < tensors.size(); ++p) {
      for (int64_t i = 0; i < tensors[p]->count(); ++i) {
        const double at = tensors[p]->at(i);
        tensors[p]->set(i, at + kStep);
        const double above = evaluated(*module, args);
        tensors[p]->set(i, at - kStep);
        const double below = evaluated(*module, args);
        tensors[p]->set(i, at);
        const double slope = (above - below) / (2 * kStep), adjoint = adjoints[p].tensor().at(i);
        QVERIFY2(std::fabs(slope - adjoint) <= 1e-6 * std::max(1.0, std::fabs(slope)),
                 qPrintable(QString("x%1[%2]: slope %3, adjoint %4").arg(p).arg(i).arg(slope).arg(adjoint)));
      }
    }
  }
};

QTEST_GUILESS_MAIN(GradientTest)
#include "tst_gradient.moc"
