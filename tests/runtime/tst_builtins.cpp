#include <QTest>
#include <algorithm>
#include <limits>
#include <numeric>

#include "core/runtime/registry.h"
#include "core/tensor/tensor_rows.h"

using namespace rx;
using namespace rx::vm;

namespace {
Value tensorOf(std::vector<int64_t> shape, std::vector<double> values, DataType dtype = DataType::Float(32)) {
  return Value::of(*HostTensor::fromDoubles(std::move(shape), dtype, values));
}
Value num(int64_t value) { return Value::of(value); }
std::vector<double> numbers(const Value& value) {
  std::vector<double> result;
  for (int64_t i = 0; i < value.tensor().count(); ++i) result.push_back(value.tensor().at(i));
  return result;
}
}  // namespace

class BuiltinsTest : public QObject {
  Q_OBJECT
  PackedRegistry registry_ = PackedRegistry::withBuiltins();
  Surroundings around_;
  std::optional<CallContext> context_;
  std::string printed_;

  Result<Value> call(const char* name, std::vector<Value> args) {
    const Ref<Callable> function = registry_.find(name);
    RX_ASSERT(function, "{}", name);
    return function->call(*context_, ArgumentsOf(args));
  }
  std::string ruleOf(const char* name, std::vector<Value> args) {
    auto result = call(name, std::move(args));
    return result.ok() ? "" : result.diagnostics()[0].rule;
  }
  void expectFirst(const Value& data, int64_t axis, int64_t k, bool ascending);

 private Q_SLOTS:
  void init() {
    around_ = {};
    around_.memory = std::make_shared<StorageArena>(1 << 20);
    around_.registry = &registry_;
    around_.print = [this](std::string_view text) { printed_ += text; };
    context_.emplace(around_);
    printed_.clear();
  }
  void everyRowIsFound();
  void laterFunctionsReplaceEarlier();
  void shapesAreMatchedAndMade();
  void argumentsAreChecked();
  void memoryIsCharged();
  void printFormats();
  void uniqueAndNonzero();
  void sorting();
  void sortsEachRow();
  void closures();
  void inspection();
  void sampling();
};

/// The letters of a signature are read when its function is first asked for.
void BuiltinsTest::everyRowIsFound() {
  size_t found = 0;
  for (const auto& table :
       {shapeBuiltins(), memoryBuiltins(), dataBuiltins(), programBuiltins(), sortBuiltins(), objectBuiltins()}) {
    for (const BuiltinRow& row : table) {
      const Ref<Callable> function = registry_.find(row.name);
      QVERIFY2(function, row.name);
      QCOMPARE(function->name(), std::string_view(row.name));
      QCOMPARE(registry_.find(row.name).get(), function.get());
      ++found;
    }
  }
  QVERIFY(found > 50);
  QVERIFY(!registry_.find("vm.builtin.none"));
}

void BuiltinsTest::laterFunctionsReplaceEarlier() {
  const auto give = [](int64_t number) { return [number](CallContext&, Arguments) { return Result(num(number)); }; };
  static const BuiltinRow rows[] = {
      {"test.one", "", [](CallContext&, Arguments) { return Result(num(1)); }},
      {"test.two", "", [](CallContext&, Arguments) { return Result(num(2)); }},
      {"test.two", "", [](CallContext&, Arguments) { return Result(num(3)); }},
  };
  const auto given = [&](const char* name) { return call(name, {})->asInt(); };
  registry_.add("test.one", makeCallable("test.one", give(10)));
  registry_.add("test.other", makeCallable("test.other", give(20)));
  registry_.addTable(rows);
  QCOMPARE(given("test.one"), int64_t{1});
  QCOMPARE(given("test.two"), int64_t{3});
  QCOMPARE(given("test.other"), int64_t{20});
  registry_.add("test.two", makeCallable("test.two", give(30)));
  QCOMPARE(given("test.two"), int64_t{30});
  registry_.addTable(rows);
  QCOMPARE(given("test.two"), int64_t{3});
}

void BuiltinsTest::shapesAreMatchedAndMade() {
  auto heap = call("vm.builtin.alloc_shape_heap", {Value::machine(), num(2)});
  QVERIFY(heap.ok());
  const Value x = tensorOf({3, 4}, std::vector<double>(12));
  const Value y = tensorOf({5, 4}, std::vector<double>(20));
  QVERIFY(call("vm.builtin.match_shape", {x, *heap, num(2), num(1), num(0), num(0), num(4), Value::of("")}).ok());
  auto shape = call("vm.builtin.make_shape", {*heap, num(2), num(0), num(7), num(1), num(0)});
  QCOMPARE(shape->asShape(), (std::vector<int64_t>{7, 3}));
  QCOMPARE(ruleOf("vm.builtin.match_shape", {y, *heap, num(2), num(3), num(0), num(2), num(0), Value::of("ctx")}),
           std::string("vm.shape-mismatch"));
  QVERIFY(context_->mismatch);
  QCOMPARE(context_->mismatch->axis, int64_t{0});
  QCOMPARE(context_->mismatch->expected, int64_t{3});
  QCOMPARE(context_->mismatch->actual, int64_t{5});
  QCOMPARE(*context_->mismatch->slot, int64_t{0});
  QVERIFY(call("vm.builtin.check_tensor_info", {y, num(-1), Value::of(DataType::Void()), Value::of("")}).ok());
}

void BuiltinsTest::argumentsAreChecked() {
  const Value x = tensorOf({2}, {1, 2});
  QCOMPARE(ruleOf("vm.builtin.shape_of", {num(1)}), std::string("vm.argument-type"));
  QCOMPARE(ruleOf("vm.builtin.shape_of", {}), std::string("vm.argument-count"));
  QCOMPARE(ruleOf("vm.builtin.tuple_getitem", {Value::tuple({}), num(0)}), std::string("vm.tuple-index"));
  QCOMPARE(ruleOf("vm.builtin.match_shape", {x, Value(), num(1), num(1), num(0), Value::of("")}),
           std::string("vm.bad-instruction"));
  QCOMPARE(ruleOf("vm.builtin.match_shape", {x, Value(), num(9), Value::of("")}), std::string("vm.bad-instruction"));
  QCOMPARE(ruleOf("runtime.TVMTensorCreateView", {x, Value::shape({3}), Value::of(DataType::Float(32)), num(0)}),
           std::string("vm.view"));
  QCOMPARE(ruleOf("vm.builtin.check_tensor_info", {x, num(1), Value::of(DataType::Float(16)), Value::of("")}),
           std::string("vm.shape-mismatch"));
}

void BuiltinsTest::memoryIsCharged() {
  const std::vector<Value> args = {Value::machine(), Value::shape({600000}), num(0), Value::of(DataType::UInt(8)),
                                   Value::of("global")};
  {
    auto storage = call("vm.builtin.alloc_storage", args);
    QVERIFY(storage.ok());
    QVERIFY(storage->asStorage()->fresh());
    QCOMPARE(ruleOf("vm.builtin.alloc_storage", args), std::string("vm.memory-budget"));
    QCOMPARE(
        ruleOf("vm.builtin.alloc_tensor", {*storage, num(0), Value::shape({200000}), Value::of(DataType::Float(32))}),
        std::string("tensor.view"));
  }
  QCOMPARE(around_.memory->live(), int64_t{0});
  QVERIFY(call("vm.builtin.alloc_storage", args).ok());
}

void BuiltinsTest::printFormats() {
  QVERIFY(call("relax.run.print", {Value::of("Number: {} {{}}"), tensorOf({}, {1.5})}).ok());
  QVERIFY(call("relax.run.print", {Value::of(""), Value::tuple({tensorOf({2}, {1, 2}), num(3)})}).ok());
  QCOMPARE(printed_, std::string("Number: 1.5 {}\n([1. 2.], 3)\n"));
  QCOMPARE(ruleOf("relax.run.assert_op", {tensorOf({}, {0}, DataType::Bool()), Value::of("Number: {}"), num(6)}),
           std::string("vm.assertion"));
  QVERIFY(call("relax.run.assert_op", {Value::of(true), Value::of("")}).ok());
}

void BuiltinsTest::uniqueAndNonzero() {
  const Value x = tensorOf({2, 3}, {3, 1, 3, 2, 1, 0});
  auto flat = call("relax.run.unique", {x, Value::of(true), num(0), num(1), num(1)});
  QCOMPARE(numbers(flat->asTuple()[0]), (std::vector<double>{0, 1, 2, 3}));
  QCOMPARE(numbers(flat->asTuple()[1]), (std::vector<double>{3, 1, 3, 2, 1, 0}));
  QCOMPARE(numbers(flat->asTuple()[2]), (std::vector<double>{1, 2, 1, 2}));
  const Value columns = tensorOf({2, 3}, {1, 0, 1, 2, 0, 2});
  auto along = call("relax.run.unique", {columns, num(1), num(0), num(0), num(0), num(-1)});
  QCOMPARE(numbers(*along), (std::vector<double>{0, 1, 0, 2}));
  QCOMPARE(numbers(*call("relax.run.nonzero", {x})), (std::vector<double>{0, 0, 0, 1, 1, 0, 1, 2, 0, 1}));
}

void BuiltinsTest::sorting() {
  const Value x = tensorOf({2, 3}, {3, 1, 2, 5, 6, 4});
  const Value out = tensorOf({2, 3}, std::vector<double>(6));
  QVERIFY(call("tvm.contrib.sort.sort", {x, out, num(1), Value::of(true)}).ok());
  QCOMPARE(numbers(out), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  QVERIFY(call("tvm.contrib.sort.argsort", {x, out, num(0), Value::of(false)}).ok());
  QCOMPARE(numbers(out), (std::vector<double>{1, 1, 1, 0, 0, 0}));
  const Value top = tensorOf({2, 2}, std::vector<double>(4));
  const Value at = tensorOf({2, 2}, std::vector<double>(4), DataType::Int(32));
  QVERIFY(call("tvm.contrib.sort.topk", {x, top, at, num(2), num(1), Value::of("both"), Value::of(false)}).ok());
  QCOMPARE(numbers(top), (std::vector<double>{3, 2, 6, 5}));
  QCOMPARE(numbers(at), (std::vector<double>{0, 2, 1, 0}));
  QCOMPARE(ruleOf("tvm.contrib.sort.sort", {x, top, num(1), Value::of(true)}), std::string("vm.shape"));
}

/// What a stable sort of a row, by an order in which not-a-number is the largest, has first, is what top-k gives.
void BuiltinsTest::expectFirst(const Value& data, int64_t axis, int64_t k, bool ascending) {
  const HostTensor& given = data.tensor();
  const auto rows = *TensorRows::of(given, axis);
  TensorRows to = rows;
  to.extent = k;
  std::vector<int64_t> shape = given.shape();
  shape[static_cast<size_t>(axis)] = k;
  const Value values = Value::of(*HostTensor::allocate(shape, given.dtype()));
  const Value indices = Value::of(*HostTensor::allocate(shape, DataType::Int(32)));
  const Value ordered = Value::of(ascending);
  QVERIFY(call("tvm.contrib.sort.topk", {data, values, indices, num(k), num(axis), Value::of("both"), ordered}).ok());
  for (int64_t row = 0; row < rows.count; ++row) {
    std::vector<int64_t> order(static_cast<size_t>(rows.extent));
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&](int64_t a, int64_t b) {
      const int64_t x = rows.at(ascending ? a : b, row), y = rows.at(ascending ? b : a, row);
      return given.dtype().isFloat() ? isLess(given.at(x), given.at(y)) : given.intAt(x) < given.intAt(y);
    };
    std::sort(order.begin(), order.end(),
              [&](int64_t a, int64_t b) { return before(a, b) || (!before(b, a) && a < b); });
    for (int64_t j = 0; j < k; ++j) {
      const int64_t from = order[static_cast<size_t>(j)];
      QCOMPARE(indices.tensor().intAt(to.at(j, row)), from);
      QCOMPARE(values.tensor().intAt(to.at(j, row)), given.intAt(rows.at(from, row)));
    }
  }
}

/// Few or many of each row and column: both zeros are equal, and integers of 64 bits are told apart.
void BuiltinsTest::sortsEachRow() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kMost = std::numeric_limits<double>::infinity();
  const std::vector<double> some{0.0, -0.0, kNan, -1.5, 7, -kNan, 3, 3, -kMost, kMost, 7};
  constexpr int64_t kRows = 40, kColumns = 67, kLarge = int64_t{1} << 61;
  std::vector<double> floats;
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    floats.push_back(some[static_cast<size_t>(i * i % 53) % some.size()]);
    integers.push_back(kLarge + i * 7 % 13 - i % 3 * kLarge);
  }
  const Value tensors[] = {Value::of(*HostTensor::fromDoubles({kRows, kColumns}, DataType::Float(32), floats)),
                           Value::of(*HostTensor::fromInts({kRows, kColumns}, DataType::Int(64), integers))};
  for (const Value& data : tensors)
    for (const bool ascending : {false, true})
      for (const int64_t axis : {0, 1})
        for (const int64_t k : {int64_t{1}, int64_t{2}, int64_t{20}, axis ? kColumns : kRows})
          expectFirst(data, axis, k, ascending);
  // Of rows so long that it is looked at several times which are the first, ever more of them nearer or further.
  constexpr int64_t kLong = 900;
  std::vector<double> rising, mixed;
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < 2 * kLong; ++i) {
    rising.push_back(static_cast<double>(i % kLong));
    mixed.push_back(i % 11 ? static_cast<double>(i * i % 391) : some[static_cast<size_t>(i / 11) % some.size()]);
    numbers.push_back(kLarge + i * i % 391);
  }
  for (const Value& data : {Value::of(*HostTensor::fromDoubles({2, kLong}, DataType::Float(32), rising)),
                            Value::of(*HostTensor::fromDoubles({2, kLong}, DataType::Float(64), mixed)),
                            Value::of(*HostTensor::fromInts({2, kLong}, DataType::Int(64), numbers))})
    for (const bool ascending : {false, true})
      for (const int64_t k : {1, 7, 50}) expectFirst(data, 1, k, ascending);
}

void BuiltinsTest::closures() {
  const Value base = Value::of(make<ClosureObject>(3, "f", std::vector<Value>{}));
  auto closure = call("vm.builtin.make_closure", {base, num(8)});
  QVERIFY(call("vm.builtin.invoke_closure", {Value::machine(), *closure, num(1)}).ok());
  QCOMPARE(context_->call->args.size(), size_t{1});
  QCOMPARE(context_->call->closure->captured.size(), size_t{1});
  QCOMPARE(ruleOf("vm.builtin.make_closure", {num(1)}), std::string("vm.closure"));
}

void BuiltinsTest::inspection() {
  const Value x = tensorOf({2, 3}, {1, 2, 3, 4, 5, 6}, DataType::Float(16));
  QCOMPARE(call("rx.inspect.tensor_ndim", {x})->asInt(), int64_t{2});
  QCOMPARE(call("rx.inspect.tensor_dtype_code", {x})->asInt(), int64_t{2});
  QCOMPARE(call("rx.inspect.tensor_dtype_bits", {x})->asInt(), int64_t{16});
  QCOMPARE(call("rx.inspect.tensor_shape_i", {x, num(1)})->asInt(), int64_t{3});
  QCOMPARE(call("rx.inspect.tensor_stride_i", {x, num(0)})->asInt(), int64_t{3});
  QCOMPARE(ruleOf("rx.inspect.tensor_shape_i", {x, num(2)}), std::string("vm.axis"));
}

void BuiltinsTest::sampling() {
  const Value weights = tensorOf({2, 3}, {0.25, 0.5, 0.25, 0, 0, 1});
  auto chosen = call("vm.builtin.multinomial_from_uniform", {weights, tensorOf({2, 1}, {0.5, 0.5})});
  QCOMPARE(numbers(*chosen), (std::vector<double>{1, 2}));
  QCOMPARE(ruleOf("vm.builtin.multinomial_from_uniform", {weights, tensorOf({3, 1}, {0, 0, 0})}),
           std::string("vm.shape"));
}

QTEST_APPLESS_MAIN(BuiltinsTest)
#include "tst_builtins.moc"
