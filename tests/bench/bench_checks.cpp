// What the checks of accesses cost: kernels compiled with and without them, run in turns. Where all accesses are proven
// the code is the same; where data choose the elements, a check may cost a twentieth.
#include <chrono>
#include <cstdio>

#include "core/codegen/kernels.h"
#include "core/lower/host_lowering.h"
#include "core/script/parse.h"

using namespace rx;

namespace {

struct Row {
  const char* name;
  bool proven;
  const char* signature;
  const char* body;
  std::vector<std::vector<int64_t>> shapes;  ///< of the arguments; integers where the name of the parameter is J
};

const std::vector<Row>& rows() {
  static const std::vector<Row> kRows = {
      {"matmul",
       true,
       "A: T.Buffer((256, 256), 'float32'), B: T.Buffer((256, 256), 'float32'), C: T.Buffer((256, 256), 'float32')",
       R"(for i, j in T.grid(256, 256):
    C[i, j] = T.float32(0)
    for k in range(256):
        C[i, j] = C[i, j] + A[i, k] * B[k, j])",
       {{256, 256}, {256, 256}, {256, 256}}},
      {"matmul of symbolic sizes",
       true,
       "a: T.handle, b: T.handle, c: T.handle",
       R"(n = T.int64()
m = T.int64()
l = T.int64()
A = T.match_buffer(a, (n, l), 'float32')
B = T.match_buffer(b, (l, m), 'float32')
C = T.match_buffer(c, (n, m), 'float32')
for i, j in T.grid(n, m):
    C[i, j] = T.float32(0)
    for k in range(l):
        C[i, j] = C[i, j] + A[i, k] * B[k, j])",
       {{256, 256}, {256, 256}, {256, 256}}},
      {"padding",
       true,
       "A: T.Buffer((1022, 1022), 'float32'), C: T.Buffer((1024, 1024), 'float32')",
       R"(for i, j in T.grid(1024, 1024):
    C[i, j] = T.if_then_else(1 <= i and i < 1023 and 1 <= j and j < 1023, A[i - 1, j - 1], T.float32(0)))",
       {{1022, 1022}, {1024, 1024}}},
      {"reshape of symbolic sizes",
       true,
       "a: T.handle, c: T.handle",
       R"(n = T.int64()
m = T.int64()
A = T.match_buffer(a, (n, m), 'float32')
C = T.match_buffer(c, (n * m,), 'float32')
for i in range(n * m):
    C[i] = A[i // m, i % m])",
       {{1000, 1000}, {1000000}}},
      {"rows by their number",
       false,
       "A: T.Buffer((1000, 256), 'float32'), J: T.Buffer((20000,), 'int32'), C: T.Buffer((20000, 256), 'float32')",
       R"(for i, j in T.grid(20000, 256):
    C[i, j] = A[J[i], j])",
       {{1000, 256}, {20000}, {20000, 256}}},
      {"elements by their number",
       false,
       "A: T.Buffer((1000,), 'float32'), J: T.Buffer((1000000,), 'int32'), C: T.Buffer((1000000,), 'float32')",
       R"(for i in range(1000000):
    C[i] = A[J[i]] * T.float32(3))",
       {{1000}, {1000000}, {1000000}}},
      {"elements by two numbers",
       false,
       "A: T.Buffer((40, 40), 'float32'), J: T.Buffer((1000000,), 'int32'), C: T.Buffer((1000000,), 'float32')",
       R"(for i in range(1000000):
    C[i] = A[J[i], J[i] + 1] * T.float32(3))",
       {{40, 40}, {1000000}, {1000000}}},
      {"elements by numbers' numbers",
       false,
       "A: T.Buffer((40,), 'float32'), J: T.Buffer((1000000,), 'int32'), C: T.Buffer((1000000,), 'float32')",
       R"(for i in range(1000000):
    C[i] = A[J[J[i]]])",
       {{40}, {1000000}, {1000000}}},
      {"elements where there are any",
       false,
       "A: T.Buffer((40,), 'float32'), J: T.Buffer((1000000,), 'int32'), C: T.Buffer((1000000,), 'float32')",
       R"(for i in range(1000000):
    C[i] = T.if_then_else(J[i] < 20, A[J[i]], T.float32(0)))",
       {{40}, {1000000}, {1000000}}},
      {"a table of few columns",
       false,
       "A: T.Buffer((40, 8), 'float32'), J: T.Buffer((100000,), 'int32'), C: T.Buffer((100000, 8), 'float32')",
       R"(for i, j in T.grid(100000, 8):
    C[i, j] = A[J[i], j])",
       {{40, 8}, {100000}, {100000, 8}}},
      {"sums over elements",
       false,
       "A: T.Buffer((40,), 'float32'), J: T.Buffer((100000, 8), 'int32'), C: T.Buffer((100000,), 'float32')",
       R"(for i in range(100000):
    C[i] = T.float32(0)
    for j in range(8):
        C[i] = C[i] + A[J[i, j]])",
       {{40}, {100000, 8}, {100000}}},
      {"elements on all threads",
       false,
       "A: T.Buffer((1000,), 'float32'), J: T.Buffer((1000000,), 'int32'), C: T.Buffer((1000000,), 'float32')",
       R"(for i in T.parallel(1000000):
    C[i] = A[J[i]] * T.float32(3))",
       {{1000}, {1000000}, {1000000}}},
      {"elements in vectors",
       false,
       "A: T.Buffer((1000,), 'float32'), J: T.Buffer((1000000,), 'int32'), C: T.Buffer((1000000,), 'float32')",
       R"(for i in range(62500):
    for v in T.vectorized(16):
        C[i * 16 + v] = A[J[i * 16 + v]] * T.float32(3))",
       {{1000}, {1000000}, {1000000}}},
      {"sums by their number",
       false,
       "A: T.Buffer((1000000,), 'float32'), J: T.Buffer((1000000,), 'int32'), C: T.Buffer((1000,), 'float32')",
       R"(for i in range(1000000):
    C[J[i]] = C[J[i]] + A[i])",
       {{1000000}, {1000000}, {1000}}},
      {"a view of other memory",
       false,
       "A: T.Buffer((1000, 1000), 'float32'), C: T.Buffer((1000, 1000), 'float32')",
       R"(V = T.decl_buffer((1000000,), 'float32', data=A.data)
for i, j in T.grid(1000, 1000):
    C[i, j] = V[i * 1000 + j] * T.float32(3))",
       {{1000, 1000}, {1000, 1000}}},
  };
  return kRows;
}

Result<ir::Module> moduleOf(const Row& row) {
  std::string text =
      "from tvm.script import ir as I, tirx as T\n\n@I.ir_module\nclass Module:\n    @T.prim_func\n    def k(";
  text += row.signature;
  // As the kernels of operators have it.
  text += "):\n        T.func_attr({'tirx.noalias': True})\n        ";
  for (const char* c = row.body; *c; ++c) text += *c == '\n' ? "\n        " : std::string(1, *c);
  return script::parseModule(make<SourceFile>("k.py", text + "\n"));
}

Result<Ref<vm::Callable>> kernelOf(const ir::Module& module, bool checked) {
  codegen::KernelCompiler compiler;
  compiler.options.optLevel = 2;
  compiler.options.checkAccess = checked;
  compiler.lower = [](const tir::PrimFuncRef& f) { return lower::loweredForHost(f, lower::HostForm::Flat, {}); };
  return codegen::makeJitKernels(module, std::move(compiler))->find("k");
}

/// Numbers that are inside of every buffer.
Result<vm::Value> argument(const Row& row, size_t i) {
  const bool integers = std::string_view(row.signature).find("J:") != std::string_view::npos && i == 1;
  RX_TRY(tensor, HostTensor::allocate(row.shapes[i], integers ? DataType::Int(32) : DataType::Float(32)));
  for (int64_t e = 0; e < tensor->count(); ++e) tensor->setInt(e, e * 7 % 39);
  return vm::Value::of(tensor);
}

Result<double> seconds(const vm::Callable& kernel, const std::vector<vm::Value>& args) {
  vm::Surroundings around;
  around.memory = std::make_shared<StorageArena>(int64_t{1} << 30);
  vm::CallContext context(around);
  const auto start = std::chrono::steady_clock::now();
  RX_CHECK(kernel.call(context, vm::ArgumentsOf(args)));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<Unit> measure(const Row& row) {
  RX_TRY(module, moduleOf(row));
  RX_TRY(checked, kernelOf(module, true));
  RX_TRY(bare, kernelOf(module, false));
  std::vector<vm::Value> args;
  for (size_t i = 0; i < row.shapes.size(); ++i) {
    RX_TRY(value, argument(row, i));
    args.push_back(std::move(value));
  }
  constexpr int kTurns = 60;
  double with = 1e30, without = 1e30;
  for (int turn = 0; turn < kTurns; ++turn) {
    RX_TRY(a, seconds(*checked, args));
    RX_TRY(b, seconds(*bare, args));
    with = std::min(with, a);
    without = std::min(without, b);
  }
  std::printf("%-28s %9.3f ms   unchecked %9.3f ms   %.2f   promised %.2f\n", row.name, with * 1e3, without * 1e3,
              with / without, row.proven ? 1.0 : 1.05);
  return Unit{};
}

}  // namespace

int main() {
  for (const Row& row : rows()) {
    const Result<Unit> result = measure(row);
    if (result) continue;
    std::fputs(renderDiagnostics(result.diagnostics(), {}).c_str(), stderr);
    return 1;
  }
}
