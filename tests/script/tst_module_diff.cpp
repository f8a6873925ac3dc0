// What differs between modules: the pairing of bindings, and what is said of it.
#include <QtTest>

#include "core/script/module_diff.h"
#include "core/script/parse.h"

using namespace rx;
using namespace rx::script;

namespace {

ir::Module moduleOf(const std::string& bindings, const std::string& result = "d") {
  const std::string text =
      "from tvm.script import ir as I, relax as R\n@I.ir_module\nclass Module:\n    @R.function\n"
      "    def main(x: R.Tensor((4,), \"float32\"), y: R.Tensor((4,), \"float32\")):\n" +
      bindings + "        return " + result + "\n";
  const auto module = parseModule(make<SourceFile>("test.py", text), {});
  return module ? *module : nullptr;
}

std::string line(const std::string& text) { return "        " + text + "\n"; }

}  // namespace

class TestModuleDiff : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aModuleIsItself() {
    const ir::Module module = moduleOf(line("a = R.add(x, y)") + line("d = R.exp(a)"));
    QVERIFY(module);
    QVERIFY(diffModules(module, module).empty());
    QCOMPARE(diffText(module, module), std::string());
  }
  void namesDoNotCount() {
    const ir::Module left = moduleOf(line("a = R.add(x, y)") + line("d = R.exp(a)"));
    const ir::Module right = moduleOf(line("other = R.add(x, y)") + line("d = R.exp(other)"));
    QVERIFY(diffModules(left, right).empty());
  }
  /// One that goes from one place of many to another is the one that moved.
  void movedAndChanged() {
    const ir::Module left =
        moduleOf(line("a = R.exp(x)") + line("b = R.log(x)") + line("c = R.sin(x)") + line("d = R.add(b, c)"));
    const ir::Module right =
        moduleOf(line("b = R.log(x)") + line("c = R.cos(x)") + line("a = R.exp(x)") + line("d = R.add(b, c)"));
    const std::vector<FunctionDiff> diff = diffModules(left, right);
    QCOMPARE(diff.size(), size_t(1));
    QCOMPARE(countsText(diff[0].match), std::string("1 changed, 1 moved"));
    QCOMPARE(diff[0].lines.size(), size_t(3));
    QCOMPARE(diff[0].lines[0].mark, '-');
    QVERIFY(diff[0].lines[1].text.find("R.cos(x)") != std::string::npos);
    QCOMPARE(diff[0].lines[2].mark, '~');
  }
  /// What reads another value than before is changed though its line says the same.
  void operandsCount() {
    const ir::Module left = moduleOf(line("a = R.exp(x)") + line("b = R.exp(y)") + line("d = R.tanh(a)"));
    const ir::Module right = moduleOf(line("a = R.exp(x)") + line("b = R.exp(y)") + line("d = R.tanh(b)"));
    const std::vector<FunctionDiff> diff = diffModules(left, right);
    QCOMPARE(diff.size(), size_t(1));
    QCOMPARE(countsText(diff[0].match), std::string("1 changed"));
  }
  void bindingsOfBranches() {
    const std::string head = line("if R.const(True, \"bool\"):") + "    ";
    const auto branches = [&](const char* op) {
      return head + line(std::string("w = R.") + op + "(x)") + "    " + line("d = R.sin(w)") + line("else:") + "    " +
             line("w = R.cos(x)") + "    " + line("d = R.sin(w)");
    };
    const std::vector<FunctionDiff> diff = diffModules(moduleOf(branches("exp")), moduleOf(branches("log")));
    QCOMPARE(diff.size(), size_t(1));
    QCOMPARE(diff[0].match.changed, 1);
    QCOMPARE(diff[0].lines.size(), size_t(2));
    QVERIFY(diff[0].lines[1].text.find("R.log(x)") != std::string::npos);
  }
};

QTEST_GUILESS_MAIN(TestModuleDiff)
#include "tst_module_diff.moc"
