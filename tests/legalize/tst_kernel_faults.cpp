// What a kernel must not do is refused in every way to run it, by one rule and in the same words: accesses outside of a
// buffer or of the memory behind a pointer, pointers without a limit, arrays for packed functions that lie about their
// memory. And what looks like it and is allowed runs, with the same result.
#include <QTemporaryDir>
#include <QtTest>

#include "core/script/parse.h"
#include "ways.h"

using namespace rx;
using namespace rx::test;

namespace {

constexpr const char* kText = R"(from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @T.prim_func(private=True)
    def far(P: T.handle("float32"), C: T.Buffer((4, 8), "float32")):
        V = T.decl_buffer((64,), "float32", data=P)
        C[0, 0] = V[40]

    @T.prim_func
    def k({parameters}):
{body}

    @R.function
    def main(x: R.Tensor((4, 8), dtype="float32"), y: R.Tensor((4,), dtype="int32")) -> R.Tensor((4, 8), dtype="float32"):
        cls = Module
        z = R.call_tir(cls.k, (x, y), out_sinfo=R.Tensor((4, 8), dtype="float32"){more})
        return z
)";
constexpr const char* kBuffers =
    "A: T.Buffer((4, 8), \"float32\"), I: T.Buffer((4,), \"int32\"), C: T.Buffer((4, 8), \"float32\")";
constexpr const char* kPointer = "A: T.handle, I: T.Buffer((4,), \"int32\"), C: T.Buffer((4, 8), \"float32\")";

struct Row {
  const char* name;
  const char* rule;  ///< "": runs
  const char* said;  ///< a part of the message
  const char* body;
  const char* parameters = kBuffers;
  const char* more = "";  ///< of the call
};

// I holds 0, 1, 2, -1.
const Row kRows[] = {
#include "kernel_faults.def"
};

/// The rows write pointers and arrays in short.
std::string expanded(std::string text) {
  const std::pair<std::string, std::string> shorts[] = {
      {"ZERO", "for a, b in T.grid(4, 8):\n    C[a, b] = T.float32(0)"},
      {"POINTER", "T.let[T.handle(\"float32\", \"global\")]"},
      {"PART", "T.tvm_access_ptr(T.type_annotation(\"float32\"), A.data,"},
      {"SORTED", "T.call_packed(\"tvm.contrib.sort.sort\","},
      {"ARRAY", "T.tvm_stack_make_array("},
      {"SIZES", "T.tvm_stack_make_shape("},
  };
  for (const auto& [from, to] : shorts) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

std::string textOf(const Row& row) {
  std::string body = "        ";
  for (const char c : expanded(row.body)) body += c == '\n' ? "\n        " : std::string(1, c);
  std::string text = kText;
  const std::pair<std::string, std::string> holes[] = {
      {"{parameters}", row.parameters}, {"{body}", body}, {"{more}", row.more}};
  for (const auto& [hole, with] : holes) text.replace(text.find(hole), hole.size(), with);
  return text;
}

/// The message, and what follows in a package, or as a note: what was called with what.
std::pair<std::string, std::string> saidBy(const Diagnostic& why) {
  std::string text = why.message;
  for (const DiagnosticNote& note : why.notes) text += "; " + note.message;
  const size_t end = std::min(text.find("; the call is "), text.size());
  return {text.substr(0, end), text.substr(end)};
}

}  // namespace

class KernelFaultsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void areTheSameInEveryWay_data();
  void areTheSameInEveryWay();
};

void KernelFaultsTest::areTheSameInEveryWay_data() {
  QTest::addColumn<int>("row");
  for (size_t i = 0; i < std::size(kRows); ++i) QTest::newRow(kRows[i].name) << static_cast<int>(i);
}

void KernelFaultsTest::areTheSameInEveryWay() {
  QFETCH(int, row);
  const Row& each = kRows[row];
  const auto module = script::parseModule(make<SourceFile>("k.py", textOf(each)));
  QVERIFY2(module.ok(), module ? "" : module.diagnostics()[0].message.c_str());
  const auto program = lowered(*module);
  QVERIFY2(program.ok(), program ? "" : program.diagnostics()[0].message.c_str());
  QTemporaryDir folder;
  const std::pair<const char*, Result<RunFunction>> ways[] = {
      {"interpreted", interpreted(*program)},
      {"stepped", compiled(*program, compile::Mode::Step)},
      {"released", compiled(*program, compile::Mode::Release)},
      {"packaged", packaged(*program, folder.path().toStdString())}};
  std::vector<double> numbers(32);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>((i * 7) % 32);
  std::optional<Outputs> first;
  std::string said;
  for (const auto& [name, function] : ways) {
    const auto x = HostTensor::fromDoubles({4, 8}, DataType::Float(32), numbers);
    const auto y = HostTensor::fromInts({4}, DataType::Int(32), std::vector<int64_t>{0, 1, 2, -1});
    const std::vector<vm::Value> args{vm::Value::of(*x), vm::Value::of(*y)};
    const Result<Outputs> got = function ? (*function)("main", args) : Result<Outputs>(function.failure());
    const auto [message, call] =
        got ? std::pair{std::string("no refusal"), std::string()} : saidBy(got.diagnostics()[0]);
    QVERIFY2(got.ok() == !each.rule[0], (std::string(name) + ": " + message).c_str());
    if (got) {
      if (!first) first = *got;
      QVERIFY2((*got)[0]->identical(*(*first)[0]), name);
      continue;
    }
    if (said.empty()) said = message;
    // What a package says begins with the place.
    QVERIFY2(message.ends_with(said), (std::string(name) + ": " + message + " instead of " + said).c_str());
    QVERIFY2(message.find(each.said) != std::string::npos, message.c_str());
    // What no machine code is made of fails before a package is run.
    const bool ran = std::string_view(each.rule).starts_with("kernel.");
    const char* const known = "Tensor((4, 8), \"float32\"), Tensor((4,), \"int32\")";
    QVERIFY2(!ran || call.find(known) != std::string::npos, (std::string(name) + ": " + message + call).c_str());
    QCOMPARE(got.diagnostics()[0].rule, std::string(each.rule));
  }
}

QTEST_GUILESS_MAIN(KernelFaultsTest)
#include "tst_kernel_faults.moc"
