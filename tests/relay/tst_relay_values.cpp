// What Relay computes: expressions through Relax and the interpreter, the prelude, and what is refused.
#include <QTest>

#include "core/op/op_table.h"
#include "core/relay/op_table.h"
#include "core/relay/passes/evaluate.h"
#include "core/relay/passes/to_relax.h"
#include "core/relay/passes/to_relax_call.h"
#include "core/relay/text.h"

using namespace rx;

namespace {

/// The value of `main`, whose body is the expression, as text; the rule of the first error where there is none.
std::string valueOf(const std::string& text, const relay::EvaluateOptions& options = {}) {
  const auto source = make<SourceFile>("t.relay", "#[version = \"0.0.5\"]\n" + text);
  const auto read = relay::readText(source);
  if (!read) return read.diagnostics().front().rule;
  const auto main = refAs<relay::Function>(read->module->find("main"));
  if (!main) return "no main";
  const auto value = relay::evaluateClosed(read->module, main->body, options);
  return value ? relay::nodeText(*value) : value.diagnostics().front().rule;
}

std::string numberOf(const std::string& expression) {
  return valueOf("def @main() -> int32 {\n  " + expression + "\n}");
}

}  // namespace

class TestRelayValues : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rowsNameOperators() {
    QVERIFY(relay::allTranslations().size() > 150);
    for (const relay::TranslateRow& row : relay::allTranslations()) {
      QVERIFY2(relay::findOperator(row.op), row.op.data());
      QVERIFY2(row.relax.empty() || op::findOp(row.relax), row.relax.data());
    }
  }

  void computes_data() {
    QTest::addColumn<QString>("expression");
    QTest::addColumn<QString>("value");
    const std::pair<const char*, const char*> rows[] = {
        {"add(1, multiply(2, 3))", "7"},
        {"let %f = fn (%x: int32) -> int32 { add(%x, 1) }; %f(%f(1))", "3"},
        {"let %r = ref(1); let %u = ref_write(%r, 5); add(ref_read(%r), 1)", "6"},
        {"if (less(1, 2)) { 10 } else { 20 }", "10"},
        {"let %t = (1, (2, 3)); add(%t.0, %t.1.1)", "4"},
        // A node of the graph is computed once: the second read comes after the write.
        {"let %r = ref(1); %0 = ref_read(%r); let %a = %0; let %u = ref_write(%r, 9); add(%0, ref_read(%r))", "10"},
        {"@sum(Cons(1, Cons(2, Cons(3, Nil))))", "6"},
        {"@length(Cons(7, Cons(8, Nil)))", "2"},
        {"@hd(@tl(Cons(7, Cons(8, Nil))))", "8"},
        {"@nth(Cons(7, Cons(8, Cons(9, Nil))), 2)", "9"},
        {"@sum(@update(Cons(7, Cons(8, Nil)), 1, 1))", "8"},
        {"@sum(@map(fn (%x: int32) -> int32 { multiply(%x, %x) }, Cons(2, Cons(3, Nil))))", "13"},
        {"@foldr(fn (%x: int32, %y: int32) -> int32 { subtract(%x, %y) }, 0, Cons(5, Cons(2, Nil)))", "3"},
        {"@foldr1(fn (%x: int32, %y: int32) -> int32 { subtract(%x, %y) }, Cons(5, Cons(2, Nil)))", "3"},
        {"@hd(@rev(Cons(1, Cons(2, Nil))))", "2"},
        {"@length(@concat(Cons(1, Nil), Cons(2, Cons(3, Nil))))", "3"},
        {"@sum(@filter(fn (%x: int32) -> bool { greater(%x, 1) }, Cons(1, Cons(2, Cons(3, Nil)))))", "5"},
        {"@hd(@zip(Cons(4, Nil), Cons(5, Cons(6, Nil)))).1", "5"},
        {"@compose(fn (%x: int32) -> int32 { add(%x, 1) }, fn (%x: int32) -> int32 { multiply(%x, 10) })(2)", "21"},
        {"@iterate(fn (%x: int32) -> int32 { multiply(%x, 2) }, 5)(1)", "32"},
        {"@size(Rose(1, Cons(Rose(2, Nil), Cons(Rose(3, Nil), Nil))))", "3"},
        {"match (@tmap(fn (%x: int32) -> int32 { add(%x, 1) }, Rose(1, Nil))) { Rose(%v, _) => %v, }", "2"},
        {"@map_accuml(fn (%a: int32, %x: int32) -> (int32, int32) { (add(%a, %x), %a) }, 0, Cons(4, Cons(5, Nil))).0",
         "9"},
        {"@length(@unfoldr(fn (%n: int32) -> Option[(int32, int32)] { if (equal(%n, 0)) { None } else "
         "{ Some((subtract(%n, 1), %n)) } }, 4))",
         "4"},
        {"match (Cons(1, Cons(2, Nil))) { Cons(%a, Cons(%b, Nil)) => add(%a, %b), Cons(%a, _) => %a, Nil => 0, }", "3"},
        {"match (Some((1, 2))) { Some((%a, %b)) => subtract(%b, %a), None => 0, }", "1"},
    };
    for (const auto& [expression, value] : rows) QTest::newRow(expression) << expression << value;
  }
  void computes() {
    QFETCH(QString, expression);
    QFETCH(QString, value);
    QCOMPARE(QString::fromStdString(numberOf(expression.toStdString())).section(' ', 0, 0), value);
  }

  /// Relax knows of what an incomplete match gives only that it is a value.
  void takesValuesOfIncompleteMatches() {
    QCOMPARE(
        numberOf("let %a = match? (Cons(2, Nil)) { Cons(%h, _) => %h, }; multiply(%a, squeeze(stack((%a,), axis=0)))"),
        std::string("4"));
  }

  void givesTuples() {
    QCOMPARE(valueOf("def @main() -> (int32, (bool, int32)) { (1, (True, add(1, 1))) }"),
             std::string("%0 = (True, 2);\n(1, %0)"));
  }

  void refuses() {
    QCOMPARE(valueOf("def @main() -> List[int32] { Cons(1, Nil) }"), std::string("relay.evaluate"));
    QCOMPARE(valueOf("def @main() -> Tensor[(100000), float32] { zeros(shape=[100000], dtype=\"float32\") }"),
             std::string("relay.evaluate"));
    QCOMPARE(numberOf("match? (Cons(1, Nil)) { Nil => 0, }"), std::string("vm.assertion"));
    QCOMPARE(numberOf("let %f = fn (%l: List[int32, int32]) -> int32 { 1 }; %f(Nil)"), std::string("relay.kind"));
    QCOMPARE(numberOf("let %f = fn (%l: Lst[int32]) -> int32 { 1 }; 1"), std::string("relay.unknown-type"));
  }

  void endsByBudget() {
    relay::EvaluateOptions few;
    few.maxSteps = 10000;
    const std::string endless =
        "def @loop(%x: int32) -> int32 { @loop(add(%x, 1)) }\ndef @main() -> int32 { @loop(1) }";
    const std::string rule = valueOf(endless, few);
    QCOMPARE(rule, std::string("vm.instruction-budget"));
  }

  void ownDefinitionsGoFirst() {
    const std::string own =
        "type List[A] { Nil, Cons(List[A], A), }\n"
        "def @main() -> int32 { match (Cons(Nil, 4)) { Cons(_, %x) => %x, Nil => 0, } }";
    QVERIFY2(valueOf(own).starts_with("4"), valueOf(own).c_str());
    const std::string function = "def @length(%x: List[int32]) -> int32 { 77 }\ndef @main() -> int32 { @length(Nil) }";
    QVERIFY2(valueOf(function).starts_with("77"), valueOf(function).c_str());
  }

  void keepsThePreludeOut() {
    const auto read = relay::readText(make<SourceFile>("t.relay", "def @main(%x: int32) -> int32 { %x }"));
    QVERIFY(bool(read));
    QCOMPARE(read->module->size(), size_t{1});
    QVERIFY(!read->module->types);
  }
};

QTEST_GUILESS_MAIN(TestRelayValues)
#include "tst_relay_values.moc"
