// Arguments of kernels: what is bound and what refused, and the form in which packages keep it.
#include <QtTest>

#include "core/runtime/kernel_signature.h"

using namespace rx;
using namespace rx::vm;

namespace {

ShapeProgram symbolAt(int64_t index) {
  ShapeProgram program;
  program.add(ShapeOp::Symbol, index);
  return program;
}

/// `n * 2`.
ShapeProgram twice(int64_t index) {
  ShapeProgram program = symbolAt(index);
  program.add(ShapeOp::Constant, 2);
  program.add(ShapeOp::Mul);
  return program;
}

KernelParam tensorParam(std::vector<ShapeProgram> shape, bool written = false) {
  KernelParam param;
  param.written = written;
  param.declared = true;
  param.dtype = DataType::Float(32);
  param.shape = std::move(shape);
  param.offset = ShapeProgram::constant(0);
  return param;
}

/// k(count: int, x: (n, 4), y: (n * 2,) written, scale: float) -> int
KernelSignature sample() {
  KernelSignature signature;
  KernelParam count, scale;
  count.place = KernelPlace::Int;
  scale.place = KernelPlace::Real;
  signature.params = {count, tensorParam({symbolAt(1), ShapeProgram::constant(4)}), tensorParam({twice(1)}, true),
                      scale};
  signature.symbols = {{KernelSymbol::Source::Parameter, 0, 0, "count"}, {KernelSymbol::Source::Axis, 1, 0, "n"}};
  signature.resultType = DataType::Int(64);
  return signature;
}

Value tensor(std::vector<int64_t> shape, DataType dtype = DataType::Float(32)) {
  return Value::of(*HostTensor::allocate(std::move(shape), dtype));
}

std::string bytesOf(const KernelSignature& signature) {
  ByteWriter out;
  out(signature);
  return out.take();
}

KernelSignature readFrom(ByteReader& in) {
  KernelSignature signature;
  in(signature);
  return signature;
}

}  // namespace

class KernelSignatureTest : public QObject {
  Q_OBJECT
  std::string refusal(const std::vector<Value>& args) {
    KernelArguments out;
    auto result = sample().bind("k", ArgumentsOf(args), out);
    return result ? "" : result.diagnostics()[0].message;
  }

 private Q_SLOTS:
  void argumentsAreBound();
  void wrongArgumentsAreRefused();
  void expressionsOfSizes();
  void bytesRoundTrip();
  void tensorsOfDevices();
  void damagedBytesAreRefused();
};

void KernelSignatureTest::argumentsAreBound() {
  KernelArguments out;
  const std::vector<Value> args = {Value::of(int64_t{7}), tensor({3, 4}), tensor({6}), Value::of(0.5)};
  QVERIFY(sample().bind("k", ArgumentsOf(args), out).ok());
  QCOMPARE(out.buffers.size(), size_t{2});
  QCOMPARE(out.ints.size(), size_t{2});
  QCOMPARE(out.ints.data()[0], int64_t{7});
  QCOMPARE(out.ints.data()[1], int64_t{3});
  QCOMPARE(out.reals.data()[0], 0.5);
  QCOMPARE(sample().resultOf(9).asInt(), int64_t{9});
}

void KernelSignatureTest::wrongArgumentsAreRefused() {
  const Value n = Value::of(int64_t{7}), x = tensor({3, 4}), y = tensor({6}), s = Value::of(0.5);
  QCOMPARE(refusal({n, x, y}), std::string("k takes 4 arguments, 3 are given"));
  QCOMPARE(refusal({s, x, y, s}), std::string("argument 0 of k: an integer is needed, this is 0.5"));
  QCOMPARE(refusal({n, x, tensor({5}), s}), std::string("argument 2 of k: axis 0 has to be 6, it is 5"));
  QCOMPARE(refusal({n, tensor({3, 5}), y, s}), std::string("argument 1 of k: axis 1 has to be 4, it is 5"));
  QCOMPARE(refusal({n, tensor({12}), y, s}), std::string("argument 1 of k: 2 dimensions are needed, (12,) has 1"));
  QCOMPARE(refusal({n, tensor({3, 4}, DataType::Int(32)), y, s}),
           std::string("argument 1 of k: elements have to be float32, they are int32"));
  const std::byte mapped[24] = {};
  const auto constant = Storage::external(mapped, sizeof mapped, std::make_shared<int>(0));
  QCOMPARE(refusal({n, x, Value::of(*HostTensor::view(constant, 0, {6}, DataType::Float(32))), s}),
           std::string("argument 2 of k: it is written, but it is a constant in a mapped file"));
}

void KernelSignatureTest::expressionsOfSizes() {
  const int64_t symbols[] = {6};
  QCOMPARE(*twice(0).value(symbols), int64_t{12});
  ShapeProgram half = symbolAt(0);
  half.add(ShapeOp::Constant, 0);
  half.add(ShapeOp::FloorDiv);
  QVERIFY(!half.value(symbols));
  ShapeProgram select = symbolAt(0);
  select.add(ShapeOp::Constant, 1);
  select.add(ShapeOp::Unknown);
  select.add(ShapeOp::Select);
  QCOMPARE(*select.value(symbols), int64_t{1});
}

void KernelSignatureTest::bytesRoundTrip() {
  const std::string bytes = bytesOf(sample());
  ByteReader in(bytes);
  const KernelSignature back = readFrom(in);
  QVERIFY(!in.failed() && in.rest().empty());
  QCOMPARE(bytesOf(back), bytes);
  for (const int32_t device : {2, kHost, kHost - 1}) {
    KernelSignature there = sample();
    there.device = device;
    const std::string placed = bytesOf(there);
    ByteReader from(placed);
    const int32_t read = readFrom(from).device;
    QCOMPARE(from.failed(), device < kHost);
    QVERIFY(from.failed() || read == device);
  }
}

namespace {

/// The memory of a device that nobody reads.
class NoMemory final : public DeviceMemory {
 public:
  std::string name() const override { return "test:0"; }
  Result<uint64_t> allocate(int64_t) override { return uint64_t{4096}; }
  void release(uint64_t) override {}
  Result<Unit> read(uint64_t, std::span<std::byte>) override { return Unit(); }
  Result<Unit> write(uint64_t, std::span<const std::byte>) override { return Unit(); }
  Result<Unit> copy(uint64_t, uint64_t, int64_t) override { return Unit(); }
  Result<Unit> fill(uint64_t, std::byte, int64_t) override { return Unit(); }
};

}  // namespace

void KernelSignatureTest::tensorsOfDevices() {
  KernelSignature signature = sample();
  const auto arena = std::make_shared<DeviceArena>(std::make_shared<NoMemory>(), 1 << 20, false);
  auto there = *HostTensor::view(*Storage::allocate(48, arena), 0, {3, 4}, DataType::Float(32));
  const std::vector<Value> args = {Value::of(int64_t{7}), Value::of(there), tensor({6}), Value::of(0.5)};
  KernelArguments out;
  const auto refused = signature.bind("k", ArgumentsOf(args), out);
  QVERIFY(!refused.ok());
  QVERIFY(refused.diagnostics()[0].message.find("on test:0") != std::string::npos);
  signature.device = 0;
  KernelArguments taken;
  QVERIFY(signature.bind("k", ArgumentsOf(args), taken).ok());
  QCOMPARE(taken.buffers.data()[0], std::bit_cast<void*>(uint64_t{4096}));
}

void KernelSignatureTest::damagedBytesAreRefused() {
  const std::string bytes = bytesOf(sample());
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    ByteReader in(std::string_view(bytes).substr(0, cut));
    readFrom(in);
    QVERIFY(in.failed());
  }
  // What is read in spite of a change binds, or refuses, without a look outside of the arguments.
  const std::vector<Value> args = {Value::of(int64_t{7}), tensor({3, 4}), tensor({6}), Value::of(0.5)};
  size_t refused = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string broken = bytes;
    broken[at] ^= '\x05';
    ByteReader in(broken);
    const KernelSignature signature = readFrom(in);
    KernelArguments out;
    if (in.failed() || !signature.bind("k", ArgumentsOf(args), out)) ++refused;
  }
  QVERIFY(refused > bytes.size() / 2);
}

QTEST_APPLESS_MAIN(KernelSignatureTest)
#include "tst_kernel_signature.moc"
