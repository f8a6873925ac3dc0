// The lines of Relay's text as bindings: their names and places, in the text that was read and in the one that is
// printed, and what a debugger stops at.
#include <QTest>

#include "core/debug/stage.h"
#include "core/ir/language.h"
#include "core/ir/relay_bindings.h"
#include "core/pass/runner.h"
#include "core/relay/passes/passes.h"
#include "core/relay/text.h"
#include "core/relay/text_scopes.h"

using namespace rx;

namespace {

ir::Module module(const std::string& text) {
  auto unit = relay::readText(make<SourceFile>("t.relay", text));
  if (unit) return unit->module;
  qWarning("%s", renderDiagnostics(unit.diagnostics(), {make<SourceFile>("t.relay", text)}).c_str());
  return nullptr;
}

const std::string kText = R"(#[version = "0.0.5"]
type Choice[A] { Some(A), Nothing, }

def @twice(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  let %kept = Some(%x);
  match (%kept) {
    Some(%z) => add(%z, %z),
    Nothing => %x,
  }
}

def @main(%x: Tensor[(4), float32], %c: bool) -> Tensor[(4), float32] {
  %0 = nn.relu(%x);
  let %sum = add(%0, multiply(%0, 2f));
  // what the branches give
  %1 = if (%c) {
    exp(%sum)
  } else {
    let %x = negative(%sum);
    let %f = fn (%a: Tensor[(4), float32]) {
      sqrt(%a)
    };
    %f(%x)
  };
  @twice(%1)
}
)";

/// Name of each row, with what it stands in.
QStringList namesOf(const ir::TextFunction& function) {
  QStringList names;
  for (const ir::TextBinding& row : function.bindings) {
    const QString name = QString::fromStdString(row.name.string());
    names << (row.parent < 0 ? name : name + QStringLiteral(" in %1.%2").arg(row.parent).arg(row.branch));
  }
  return names;
}

size_t indexOf(const ir::IRModule& module, std::string_view name) {
  for (size_t i = 0; i < module.size(); ++i)
    if (module.vars[i]->name == name) return i;
  return module.size();
}

}  // namespace

class TestRelayBindings : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void namesAsTheTextDoes();
  void anchorsStandAtBindings();
  void foreignTextMovesNoAnchor();
  void sitesFollowAnExpression();
  void linesOfADebugger();
  void scopesHoldAllUses();
  void normalFormWritesWhereItIsComputed();
  void needsNoStackForLongChains();
};

void TestRelayBindings::namesAsTheTextDoes() {
  const ir::Module read = module(kText);
  QVERIFY(read);
  const auto functions = ir::textFunctions(*read);
  const ir::TextFunction& main = functions[indexOf(*read, "main")];
  QCOMPARE(namesOf(main), (QStringList{"%0", "%1", "%sum", "%2", "result in 3.0", "%x1 in 3.1", "%f in 3.1",
                                       "result in 6.0", "result in 3.1", "result"}));
  QCOMPARE(main.params[0].name.string(), std::string("x"));
  const ir::TextFunction& twice = functions[indexOf(*read, "twice")];
  QCOMPARE(namesOf(twice), (QStringList{"%kept", "result", "result in 1.0"}));
  QCOMPARE(twice.params[0].name.string(), std::string("x"));
}

void TestRelayBindings::anchorsStandAtBindings() {
  const ir::Module read = module(kText);
  relay::TextOptions options;
  options.wantAnchors = true;
  const script::PrintResult printed = relay::print(read, options);
  QCOMPARE(QString::fromStdString(printed.text), QString::fromStdString(relay::printText(read)));
  QCOMPARE(printed.text.find_first_of("\1\2\3"), std::string::npos);
  std::unordered_map<const Node*, std::string> texts;
  for (size_t i = 0; i < printed.anchors.size(); ++i) {
    const script::Anchor& anchor = printed.anchors[i];
    QVERIFY(i == 0 || printed.anchors[i - 1].begin <= anchor.begin);
    texts[anchor.node] = printed.text.substr(anchor.begin, anchor.end - anchor.begin);
  }
  for (const ir::TextFunction& function : ir::textFunctions(*read)) {
    for (const ir::TextBinding& row : function.bindings) {
      QVERIFY2(texts.contains(row.node), row.name.string().c_str());
      const std::string& text = texts[row.node];
      const std::string head = (row.variable ? "let " : "") + row.name.string();
      QVERIFY2(row.name == "result" || text.starts_with(head), text.c_str());
      QVERIFY2(!text.ends_with(';'), text.c_str());
    }
  }
  QVERIFY(texts[read->types->values[0].get()].starts_with("type Choice[A] {"));
  size_t definitions = 0;
  for (const script::NamePlace& name : printed.names) {
    const std::string text = printed.text.substr(name.begin, name.end - name.begin);
    QVERIFY2(!text.empty() && text.find_first_of(" (),=") == std::string::npos, text.c_str());
    definitions += name.role == script::NameRole::Definition && text == "%sum";
    if (const auto* op = as<relay::Op>(name.node)) QCOMPARE(text, op->name.string());
  }
  QCOMPARE(definitions, size_t(1));
}

/// Bytes that mark places inside of the printer may stand in a string.
void TestRelayBindings::foreignTextMovesNoAnchor() {
  const ir::Module read = module("fn (%x: int32, note=\"a\1b\2c\3d\1\") { add(%x, 1) }");
  QVERIFY(read);
  relay::TextOptions options;
  options.wantAnchors = true;
  const script::PrintResult printed = relay::print(read, options);
  QCOMPARE(QString::fromStdString(printed.text), QString::fromStdString(relay::printText(read)));
  QVERIFY(printed.text.find("a\1b\2c\3d\1") != std::string::npos);
  const script::Anchor& last = printed.anchors.back();
  QCOMPARE(printed.text.substr(last.begin, last.end - last.begin), std::string("add(%x, 1)"));
}

/// What passes make of an expression, in whatever function, comes from where that was written.
void TestRelayBindings::sitesFollowAnExpression() {
  const ir::Module read = module(kText + R"(
def @logs(%x: Tensor[(4), float32], Inline=1) -> Tensor[(4), float32] {
  log(nn.dropout(%x).0)
}

def @user(%x: Tensor[(4), float32]) -> Tensor[(4), float32] {
  add(@logs(%x), @logs(nn.batch_norm(%x, %x, %x, %x, %x, axis=0).0))
}
)");
  QVERIFY(read);
  static const pass::PassTable table{relay::passRows()};
  const auto calls = pass::parsePipeline(table, "InferType(), Inline(), SimplifyInference(), ToANormalForm()", "relay");
  QVERIFY(calls);
  const pass::History history = pass::runPipeline(read, *calls, {});
  QVERIFY(!history.steps.back().failed());
  const ir::Module after = history.stage(history.steps.size());
  QStringList lost;
  bool moved = false, rewritten = false;
  const auto functions = ir::textFunctions(*after);
  for (size_t i = 0; i < functions.size(); ++i) {
    for (const ir::TextBinding& row : functions[i].bindings) {
      if (isa<relay::Var>(row.value)) continue;
      if (row.sites.empty()) {
        lost << QString::fromStdString(row.name.string());
        continue;
      }
      const auto* op = as<relay::Call>(row.value) ? as<relay::Op>(as<relay::Call>(row.value)->op) : nullptr;
      const std::string_view text = (*after->sources)[0]->text();
      const OriginSite& site = row.sites[0];
      const std::string_view written = text.substr(site.span.begin, site.span.end - site.span.begin);
      if (op && after->vars[i]->name == "main") QVERIFY(written.starts_with(op->name.view()));
      rewritten = rewritten || (op && op->name == "sqrt" && written.starts_with("nn.batch_norm"));
      moved = moved || (op && op->name == "log" && after->vars[i]->name == "user" && site.function == "logs");
    }
  }
  QVERIFY2(lost.empty(), qPrintable(lost.join(' ')));
  QVERIFY(moved);
  QVERIFY(rewritten);
}

void TestRelayBindings::linesOfADebugger() {
  const ir::Module read = module(kText);
  const debug::Stage stage("imported", read);
  QStringList places;
  for (uint32_t line = 1; line <= 26; ++line) {
    const debug::LinePlace place = stage.placeAtLine(0, line);
    const debug::StageBinding* row = stage.binding(place.binding);
    const std::string at = row ? row->variable.string() + ":" + std::to_string(row->line) : "-";
    places << (place.returnOf >= 0 ? QStringLiteral("return") : QString::fromStdString(at));
  }
  const QStringList expected{"-",         "-",         "-",         "%kept:5",   "%kept:5", "result:6", "result:7",
                             "-",         "-",         "return",    "-",         "%0:13",   "%0:13",    "%1:14",
                             "%2:16",     "%2:16",     "result:17", "-",         "%x1:19",  "%f:20",    "result:21",
                             "result:23", "result:23", "result:25", "result:25", "return"};
  QCOMPARE(places.join(' '), expected.join(' '));
}

/// Name and scope of each row, scopes as their owners and blocks.
QStringList scopesOf(const ir::IRModule& module, const std::string& name) {
  const size_t at = indexOf(module, name);
  const ir::TextFunction function = ir::textFunctions(module)[at];
  const ir::TextScopes scopes = relay::textScopes(refAs<relay::Function>(module.functions[at]), function);
  QStringList all;
  for (size_t i = 0; i < function.bindings.size(); ++i) {
    const ir::TextScope& scope = scopes.scopes[static_cast<size_t>(scopes.of[i])];
    const QString row = QString::fromStdString(function.bindings[i].name.string());
    all << (scope.owner < 0 ? row : row + QStringLiteral(" in %1.%2").arg(scope.owner).arg(scope.block));
  }
  return all;
}

/// What several blocks read is computed around all of them, though the text writes it in the first.
void TestRelayBindings::scopesHoldAllUses() {
  const ir::Module read = module(R"(#[version = "0.0.5"]
def @main(%x: Tensor[(4), float32], %c: bool) -> Tensor[(4), float32] {
  %0 = exp(%x);
  %1 = if (%c) { nn.relu(%0) } else { multiply(%0, sigmoid(%0)) };
  %2 = negative(%x);
  if (%c) { if (%c) { add(%2, %1) } else { %2 } } else { %x }
}
)");
  QVERIFY(read);
  const ir::TextFunction main = ir::textFunctions(*read)[0];
  QCOMPARE(namesOf(main), (QStringList{"result", "result in 0.0", "%0 in 1.0", "%3 in 1.0", "%1 in 3.0",
                                       "result in 3.0", "%2 in 3.1", "result in 3.1", "result in 1.0"}));
  QCOMPARE(scopesOf(*read, "main"), (QStringList{"result", "result in 0.0", "%0 in 0.0", "%3 in 1.0", "%1 in 1.0",
                                                 "result in 3.0", "%2 in 3.1", "result in 3.1", "result in 1.0"}));
}

void TestRelayBindings::normalFormWritesWhereItIsComputed() {
  static const pass::PassTable table{relay::passRows()};
  const auto calls = pass::parsePipeline(table, "ToBasicBlockNormalForm()", "relay");
  QVERIFY(calls);
  const ir::Module read = module(kText);
  const pass::History history = pass::runPipeline(read, *calls, {});
  const ir::Module normal = history.stage(1);
  for (const char* name : {"main", "twice"}) {
    const ir::TextFunction function = ir::textFunctions(*normal)[indexOf(*normal, name)];
    QCOMPARE(scopesOf(*normal, name), namesOf(function));
  }
}

void TestRelayBindings::needsNoStackForLongChains() {
  std::string text = "fn (%x: Tensor[(4), float32]) {\n  %0 = exp(%x);\n";
  constexpr int kCount = 100000;
  for (int i = 1; i < kCount; ++i) text += "  %" + std::to_string(i) + " = exp(%" + std::to_string(i - 1) + ");\n";
  const ir::Module read = module(text + "  exp(%" + std::to_string(kCount - 1) + ")\n}\n");
  QVERIFY(read);
  const auto functions = ir::textFunctions(*read);
  QCOMPARE(functions[0].bindings.size(), size_t(kCount) + 2);  // and the function, a lone expression
  const ir::TextScopes scopes = relay::textScopes(refAs<relay::Function>(read->functions[0]), functions[0]);
  QCOMPARE(scopes.scopes.size(), size_t(2));
  QVERIFY(std::all_of(scopes.of.begin() + 1, scopes.of.end(), [](int scope) { return scope == 1; }));
}

QTEST_APPLESS_MAIN(TestRelayBindings)
#include "tst_relay_bindings.moc"
