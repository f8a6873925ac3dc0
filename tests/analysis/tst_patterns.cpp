#include <QTest>

#include "core/analysis/pattern_reader.h"
#include "core/analysis/pattern_search.h"
#include "core/script/parse.h"

using namespace rx;

namespace {

constexpr const char* kNet = R"(
from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), y: R.Tensor((4, 8), "float32"), s: R.Shape([8, 4])):
        with R.dataflow():
            doubled = R.add(x, x)
            total = R.add(R.const(1.0, "float32"), y)
            summed = R.sum(total, axis=[1], keepdims=True)
            halves = R.split(x, 2, axis=1)
            left = halves[0]
            right = halves[1]
            joined = R.concat((right, left), axis=1)
            turned = R.reshape(joined, s)
            fixed = R.reshape(turned, R.shape([2, 16]))
            small = R.astype(fixed, "float16")
            called = R.call_dps_packed("my_kernel", (x, y), out_sinfo=R.Tensor((4, 8), "float32"))
            out = R.multiply(called, R.exp(called))
            R.output(out, summed, small, doubled)
        return (out, summed, small, doubled)
)";

/// Names of the bindings that the pattern matches, or the place and the rule of what is wrong with it.
QString found(const char* text) {
  const Result<analysis::DataflowPattern> pattern = analysis::readPattern(text);
  if (!pattern) {
    const Diagnostic& problem = pattern.diagnostics().front();
    return QString("%1 %2").arg(problem.span.begin).arg(QString::fromStdString(problem.rule));
  }
  const Result<ir::Module> module = script::parseModule(make<SourceFile>("net.py", kNet));
  if (!module) return "the module can not be read";
  QStringList names;
  for (const analysis::PatternPlace& place : analysis::findPattern(**module, *pattern)) {
    names << QString::fromStdString(place.binding->var->name.string());
  }
  return names.join(' ');
}

}  // namespace

class PatternTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void matches_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    auto row = [](const char* text, const char* expected) {
      QTest::newRow(text) << QString(text) << QString(expected);
    };
    row(R"(is_op("relax.add")(wildcard(), wildcard()))", "doubled total");
    row(R"(is_op("relax.add")(wildcard(), is_const()))", "total");
    row(R"(is_op("relax.add")(~is_const(), ~is_const()))", "doubled");
    row(R"(is_op("relax.add")((p0 := wildcard()), p0))", "doubled");
    row(R"(is_op("relax.sum")(wildcard()).has_attr({"keepdims": True}))", "summed");
    row(R"(is_op("relax.sum")(wildcard()).has_attr({"keepdims": False}))", "");
    row(R"(is_op("relax.sum")(is_op("relax.add")(wildcard(), is_var("y"))))", "summed");
    row(R"(is_tuple_get_item(is_op("relax.split")(wildcard()), 1))", "right");
    row(R"(is_tuple_get_item(is_op("relax.split")(wildcard())))", "left right");
    row(R"(is_op("relax.concat")(is_tuple([(a := is_tuple_get_item(wildcard(), 1)), wildcard()])))", "joined");
    row(R"(is_op("relax.concat")(is_tuple([is_tuple_get_item(wildcard(), 0), wildcard()])))", "");
    row(R"(is_op("relax.concat")(is_tuple([is_tuple_get_item(wildcard(), 0), wildcard()], unordered=True)))", "joined");
    row(R"(is_op("relax.reshape")(wildcard(), is_shape([2, 16])))", "fixed");
    row(R"(is_op("relax.reshape")(wildcard(), varg_default_wildcard=True))", "turned fixed");
    row(R"(wildcard().has_shape((2, 16)) & wildcard().has_dtype("float16"))", "small");
    row(R"(is_op("relax.exp")(wildcard()) | is_op("relax.sum")(wildcard()))", "summed lv");
    row(R"(is_call_dps_packed("my_kernel"))", "called");
    row(R"(is_call_dps_packed("my_kernel", [is_var("x"), is_var("x")]))", "");
    row(R"(is_call_dps_packed("my_kernel") ^ is_op("relax.multiply")(wildcard(), wildcard()))", "out");
    row(R"(is_call_dps_packed("my_kernel") >> is_op("relax.multiply")(wildcard(), wildcard()))", "");
    row(R"(is_op("relax.exp")(wildcard()) >> is_op("relax.multiply")(wildcard(), wildcard()))", "out");
    row(R"(make_fused_bias_activation_pattern("relax.add", with_bias=False, activation="relax.exp"))", "");
    row(R"(is_tuple([wildcard(), wildcard()])[0])", "");
  }
  void matches() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(found(qPrintable(text)), expected);
  }

  void refusals_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    auto row = [](const char* text, const char* expected) {
      QTest::newRow(text) << QString(text) << QString(expected);
    };
    row("", "0 pattern.syntax");
    row("wildcard(", "9 pattern.syntax");
    row("wildcard() wildcard()", "11 pattern.syntax");
    row("wildcard)", "0 pattern.unknown-name");
    row("wildcrad()", "0 pattern.unknown-name");
    row("wildcard().has_type(\"float32\")", "11 pattern.unknown-name");
    row("is_op(\"relax.ad\")(wildcard())", "6 pattern.unknown-name");
    row("is_op(\"add\")(wildcard())", "6 pattern.unknown-name");
    row("is_op(relax)", "6 pattern.unknown-name");
    row("is_op()", "0 pattern.argument");
    row("wildcard(1)", "9 pattern.argument");
    row("is_tuple(wildcard())", "9 pattern.argument");
    row("is_tuple_get_item(wildcard(), \"0\")", "30 pattern.argument");
    row("is_tuple([wildcard()])[1]", "0 pattern.argument");
    row("wildcard().has_dtype(\"number\")", "21 pattern.argument");
    row("wildcard().has_attr([1])", "20 pattern.argument");
    row("wildcard().has_shape([\"n\"])", "21 pattern.argument");
    row("~(wildcard() >> wildcard())", "0 pattern.argument");
  }
  void refusals() {
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(found(qPrintable(text)), expected);
  }

  void deepNesting() {
    auto nested = [](int levels) {
      return (QString("(").repeated(levels) + "wildcard()" + QString(")").repeated(levels)).toStdString();
    };
    QVERIFY(analysis::readPattern(nested(analysis::kMaxPatternNesting - 1)).ok());
    const auto refused = analysis::readPattern(nested(100000));
    QVERIFY(!refused.ok());
    QCOMPARE(refused.diagnostics().front().rule, std::string("pattern.syntax"));
  }
};

QTEST_GUILESS_MAIN(PatternTest)
#include "tst_patterns.moc"
