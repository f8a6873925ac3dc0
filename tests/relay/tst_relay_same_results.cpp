// Passes that rewrite how a program computes: interpreted before and after, it gives the same, and is another program.
#include <QTest>

#include "core/ir/structural_equal.h"
#include "core/pass/runner.h"
#include "core/relay/passes/evaluate.h"
#include "core/relay/passes/passes.h"
#include "core/relay/text.h"
#include "core/relay/well_formed.h"

using namespace rx;
using relay::Expr;

namespace {

const std::string kList = "type List[A] { Cons(A, List[A]), Nil, }\n";

const pass::PassTable& table() {
  static const pass::PassTable kTable{relay::passRows()};
  return kTable;
}

Result<ir::Module> moduleOf(const std::string& text) {
  RX_TRY(unit, relay::readText(make<SourceFile>("t.relay", "#[version = \"0.0.5\"]\n" + text)));
  return unit.module;
}

Result<ir::Module> after(const ir::Module& module, const QString& passes) {
  RX_TRY(calls, pass::parsePipeline(table(), passes.toStdString(), "relay"));
  const pass::History history = pass::runPipeline(module, calls, {});
  if (history.steps.back().failed()) return fail(history.steps.back().messages);
  return history.stage(history.steps.size());
}

/// What `main` gives, as text; the first finding where it gives nothing.
std::string resultOf(const ir::Module& module) {
  const auto main = refAs<relay::Function>(module->find("main"));
  const Result<Expr> made = relay::evaluateClosed(module, make<relay::Call>(main, Array<Expr>()));
  if (!made) return made.diagnostics().front().message;
  const auto function = make<relay::Function>(Array<relay::VarRef>(), *made, nullptr);
  return relay::printText(make<ir::IRModule>(
      std::vector<ir::IRModule::Entry>{{make<relax::GlobalVar>("main"), function}}, nullptr, nullptr, SourceList{}));
}

std::string textOf(const ir::Module& module) {
  relay::TextOptions plain;
  plain.showTypes = false;
  return relay::printText(module, plain);
}

}  // namespace

class RelaySameResultsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void computesTheSame_data();
  void computesTheSame();
  void refused_data();
  void refused();
  void defusesWhatIsFused();
};

void RelaySameResultsTest::computesTheSame_data() {
  QTest::addColumn<QString>("passes");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("holds");
  auto row = [](const char* name, const char* passes, const std::string& text, const char* holds) {
    QTest::newRow(name) << passes << QString::fromStdString(text) << holds;
  };
  row("DefuseOps", "DefuseOps()",
      "def @main() { %0 = fn (%a: int32, %b: int32, Primitive=1) { multiply(add(%a, %b), %a) }; "
      "%1 = %0(2, 3); fn (%c: int32, Primitive=1) { negative(%c) }(%1) }",
      "negative(");
  row("CanonicalizeCast", "CanonicalizeCast()",
      "def @main() { %0 = cast(3i16, dtype=\"int32\"); add(multiply(%0, 2), subtract(%0, 1)) }", "%2 = cast(");
  row("SplitArgs", "SplitArgs(max_function_args=4)",
      "def @main() { let %a = full(1, shape=[2], dtype=\"int32\"); let %b = full(2, shape=[1], dtype=\"int32\"); "
      "concatenate((%a, %b, %b, %a, %b)) }",
      "annotation.stop_fusion(");
  row("LambdaLift", "LambdaLift()",
      "def @main() { let %x = 2; let %f = fn (%y: int32) -> int32 { let %g = fn (%z: int32) { add(%z, %x) }; "
      "multiply(%g(%y), %x) }; %f(add(%f(1), %x)) }",
      "Closure=1");
  row("a closure that calls itself", "LambdaLift()",
      "def @main() { let %s = 3; let %sum = fn (%n: int32) -> int32 { if (equal(%n, 0)) { 0 } else { "
      "add(%s, %sum(subtract(%n, 1))) } }; %sum(4) }",
      "Closure=1");
  row("functions of types around them", "LambdaLift()",
      "def @twice[A](%f: fn (A) -> A, %a: A) -> A { let %g = fn (%b: A) -> A { %f(%f(%b)) }; %g(%a) }\n"
      "def @main() { @twice(fn (%n: int32) -> int32 { add(%n, 1) }, 5) }",
      "Closure=1");
  row("ToCPS", "ToCPS(), UnCPS()",
      "def @sum(%n: int32) -> int32 { if (equal(%n, 0)) { 0 } else { add(%n, @sum(subtract(%n, 1))) } }\n"
      "def @main() { multiply(@sum(4), 2) }",
      "@sum_cps(");
  row("ToCPS of functions as values", "ToCPS(), UnCPS()",
      kList +
          "def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] { match (%l) { Cons(%h, %t) => Cons(%f(%h), "
          "@map(%f, %t)), Nil => Nil, } }\n"
          "def @head(%l: List[int32]) -> int32 { match (%l) { Cons(%h, _) => %h, Nil => 0, } }\n"
          "def @main() { let %k = 3; let %l = Cons(1, Cons(2, Nil)); @head(@map(fn (%x: int32) -> int32 { "
          "if (less(%x, %k)) { multiply(%x, 10) } else { %x } }, %l)) }",
      "@map_cps(");
  row("ToCPS of references", "ToCPS(), UnCPS()",
      "def @main() { let %r = ref(1); let %f = fn (%x: int32) -> () { ref_write(%r, add(ref_read(%r), %x)) }; "
      "let %a = %f(2); let %b = %f(3); ref_read(%r) }",
      "ref_write(");
  row("Defunctionalization", "Defunctionalization(), RemoveUnusedFunctions()",
      kList +
          "def @map[A, B](%f: fn (A) -> B, %l: List[A]) -> List[B] { match (%l) { Cons(%h, %t) => Cons(%f(%h), "
          "@map(%f, %t)), Nil => Nil, } }\n"
          "def @id[A](%x: A) -> A { %x }\n"
          "def @head(%l: List[int32]) -> int32 { match (%l) { Cons(%h, _) => %h, Nil => 0, } }\n"
          "def @main() { let %k = 3; let %l = @map(@id, Cons(1, Cons(2, Nil))); @head(@map(fn (%x: int32) -> int32 { "
          "multiply(%x, %k) }, %l)) }",
      "@apply_");
  row("functions that functions give", "Defunctionalization(), RemoveUnusedFunctions()",
      "def @twice[A](%f: fn (A) -> A) -> fn (A) -> A { fn (%x: A) -> A { %f(%f(%x)) } }\n"
      "def @main() { let %n = 2; let %pow = fn (%k: int32) -> int32 { if (equal(%k, 0)) { 1 } else { "
      "multiply(%n, %pow(subtract(%k, 1))) } }; let %g = @twice(%pow); %g(2) }",
      "@apply_");
  // Branches, clauses, items and references that give a function of any types where one of known types is asked for.
  row("functions of any types in branches", "Defunctionalization(), RemoveUnusedFunctions()",
      "def @id[A](%x: A) -> A { %x }\n"
      "def @compose[A](%f: fn (A) -> A, %g: fn (A) -> A) -> fn (A) -> A { fn (%x: A) -> A { %f(%g(%x)) } }\n"
      "def @iterate[A](%f: fn (A) -> A, %n: int32) -> fn (A) -> A { if (equal(%n, 0)) { @id } else { "
      "@compose(%f, @iterate(%f, subtract(%n, 1))) } }\n"
      "def @main() { let %f = @iterate(fn (%x: int32) -> int32 { multiply(%x, 3) }, 4); %f(2) }",
      "@iterate_");
  row("functions of any types in clauses and references", "Defunctionalization(), RemoveUnusedFunctions()",
      kList +
          "def @id[A](%x: A) -> A { %x }\n"
          "def @main() { let %l = Cons(5, Nil); let %f: fn (int32) -> int32 = match (%l) { "
          "Cons(%v, _) => fn (%a: int32) -> int32 { add(%a, %v) }, Nil => @id, }; let %r = ref(%f); let %a = "
          "ref_read(%r); let %u = ref_write(%r, @id); let %b = ref_read(%r); add(%a(1), %b(10)) }",
      "@apply_");
  row("PartitionGraph", "AnnotateTarget(targets=\"dnnl\"), MergeCompilerRegions(), PartitionGraph()",
      "def @main() { let %x = full(-2f, shape=[2, 2], dtype=\"float32\"); let %y = ones(shape=[2, 2], "
      "dtype=\"float32\"); %0 = nn.relu(%x); %1 = add(%0, %y); %2 = negative(%1); multiply(%2, exp(%0)) }",
      "Compiler=\"dnnl\"");
  row("MergeComposite",
      "MergeComposite(patterns=[{\"name\": \"dnnl.add_relu\", \"pattern\": "
      "\"is_op('nn.relu')(is_op('add')(wildcard(), is_const()))\"}]), AnnotateTarget(targets=\"dnnl\"), "
      "MergeCompilerRegions(), PartitionGraph()",
      "def @main() { let %x = full(-2f, shape=[2, 2], dtype=\"float32\"); "
      "negative(nn.relu(add(3f, nn.relu(add(%x, 1f))))) }",
      "Composite=\"dnnl.add_relu\"");
  row("tensors of one element in other layouts", "ConvertLayout(desired_layouts={\"nn.conv2d\": [\"NHWC\", \"HWIO\"]})",
      "def @main() { let %x = arange(0f, 12f, 1f, start=0f, stop=12f, step=1f, dtype=\"float32\"); let %w = full(3f, "
      "shape=[2, 2, 1, 1], dtype=\"float32\"); let %one = full(5f, shape=[1, 1], dtype=\"float32\"); "
      "%0 = nn.conv2d(reshape(%x, newshape=[1, 2, 2, 3]), %w, padding=[0, 0, 0, 0], channels=2, kernel_size=[1, 1]); "
      "multiply(%one, %0) }",
      "multiply(%one, ");
}

void RelaySameResultsTest::computesTheSame() {
  QFETCH(QString, passes);
  QFETCH(QString, text);
  QFETCH(QString, holds);
  const auto before = moduleOf(text.toStdString());
  QVERIFY2(before.ok(), before.ok() ? "" : before.diagnostics().front().message.c_str());
  const auto made = after(*before, passes);
  QVERIFY2(made.ok(), made.ok() ? "" : made.diagnostics().front().message.c_str());
  const std::string now = textOf(*made);
  QVERIFY2(now != textOf(*after(*before, "InferType()")), now.c_str());
  QVERIFY2(now.find(holds.toStdString()) != std::string::npos, now.c_str());
  QVERIFY2(relay::wellFormed(*made).empty(), now.c_str());
  const std::string expected = resultOf(*before);
  QVERIFY2(expected.starts_with("#[version"), expected.c_str());
  QCOMPARE(QString::fromStdString(resultOf(*made)), QString::fromStdString(expected));
}

void RelaySameResultsTest::refused_data() {
  QTest::addColumn<QString>("passes");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("rule");
  auto row = [](const char* name, const char* passes, const char* text, const char* rule) {
    QTest::newRow(name) << passes << text << rule;
  };
  row("too few arguments for the result", "SplitArgs(max_function_args=1)",
      "def @main(%x: Tensor[(2), int8]) { concatenate((%x, %x)) }", "relay.split-args");
  row("no count of arguments", "SplitArgs(max_function_args=-1)", "def @main(%x: int8) { %x }", "pass.option-value");
  row("no continuation", "UnCPS()", "def @main(%x: int32) { %x }", "relay.cps");
  row("continuation of a primitive function", "ToCPS()",
      "def @main(%x: int32) { let %f = fn (%y: int32, Primitive=1) { negative(%y) }; %f(%x) }", "relay.cps");
  row("an end without a begin", "PartitionGraph()",
      "def @main(%x: int32) { annotation.compiler_end(%x, compiler=\"a\") }", "relay.partition");
  row("a pattern of no operator",
      "MergeComposite(patterns=[{\"name\": \"a.b\", \"pattern\": \"is_op('nn.reluu')(wildcard())\"}])",
      "def @main(%x: int32) { %x }", "pattern.unknown-name");
  row("no pattern", "MergeComposite(patterns=[{\"name\": \"a.b\"}])", "def @main(%x: int32) { %x }",
      "pass.option-value");
  row("a pattern of types",
      "MergeComposite(patterns=[{\"name\": \"a.b\", \"pattern\": \"wildcard().has_dtype('int8')\"}])",
      "def @main(%x: int32) { %x }", "pass.option-value");
  row("a program that takes functions", "Defunctionalization()", "def @main(%f: fn (int32) -> int32) { %f(1) }",
      "relay.defunctionalization");
  row("data that holds functions", "Defunctionalization()",
      "type F { Of(fn (int32) -> int32), }\ndef @main(%x: int32) { %x }", "relay.defunctionalization");
  row("a function of any types as a value", "Defunctionalization()",
      "def @id[A](%x: A) -> A { %x }\ndef @main() { let %f = @id; %f(1) }", "relay.defunctionalization");
  row("ever more types", "Defunctionalization()",
      "def @f[A](%x: A, %n: int32) -> int32 { if (equal(%n, 0)) { 0 } else { @f((%x, %x), subtract(%n, 1)) } }\n"
      "def @main() { @f(1, 3) }",
      "relay.defunctionalization");
  row("an operator as a value", "Defunctionalization()",
      "def @f(%g: fn (int32) -> int32) -> int32 { %g(1) }\ndef @main() { @f(negative) }", "relay.defunctionalization");
  row("gradient of a list", "Gradient()", "def @main(%x: (float32, float32)) { %x.0 }", "relay.gradient");
  row("gradient of what has none", "Gradient()",
      "def @main(%x: float32) { if (less(%x, 0f)) { %x } else { floor(%x) } }", "relay.gradient");
  row("gradient of no function", "Gradient(function=\"f\")", "def @main(%x: float32) { %x }", "pass.unknown-function");
  row("a region that waits for itself", "PartitionGraph()",
      "def @main(%x: int32) { %0 = negative(annotation.compiler_begin(%x, compiler=\"a\")); "
      "%1 = abs(annotation.compiler_end(%0, compiler=\"a\")); "
      "%2 = add(%0, annotation.compiler_begin(%1, compiler=\"a\")); annotation.compiler_end(%2, compiler=\"a\") }",
      "relay.partition");
}

void RelaySameResultsTest::refused() {
  QFETCH(QString, passes);
  QFETCH(QString, text);
  QFETCH(QString, rule);
  const auto before = moduleOf(text.toStdString());
  QVERIFY2(before.ok(), before.ok() ? "" : before.diagnostics().front().message.c_str());
  const auto made = after(*before, passes);
  const std::string now = made.ok() ? textOf(*made) : "";
  QVERIFY2(!made.ok(), now.c_str());
  QCOMPARE(QString::fromStdString(made.diagnostics().front().rule), rule);
}

void RelaySameResultsTest::defusesWhatIsFused() {
  const auto before = moduleOf(
      "def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(2, 3), float32]) { %0 = exp(nn.relu(add(%x, %y))); "
      "%1 = nn.dense(%0, %y); nn.softmax(tanh(%1)) }");
  QVERIFY(before.ok());
  const auto typed = after(*before, "InferType()"), fused = after(*before, "FuseOps(fuse_opt_level=2)");
  QVERIFY(typed.ok() && fused.ok() && !structuralEqual(*typed, *fused));
  const auto apart = after(*fused, "DefuseOps()");
  QVERIFY(apart.ok());
  QVERIFY2(structuralEqual(*typed, *apart), textOf(*apart).c_str());
}

QTEST_GUILESS_MAIN(RelaySameResultsTest)
#include "tst_relay_same_results.moc"
