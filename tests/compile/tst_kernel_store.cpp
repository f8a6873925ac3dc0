// The kernels that are kept on disk: found again for the same function alone, and never where a byte is not as it was
// written or somebody else could have written it.
#include <sys/stat.h>

#include <QtTest>
#include <filesystem>
#include <fstream>

#include "core/compile/build_id.h"
#include "core/compile/kernel_store.h"
#include "core/script/parse.h"
#include "core/support/file.h"

using namespace rx;
namespace fs = std::filesystem;

class TestKernelStore : public QObject {
  Q_OBJECT

  QTemporaryDir dir_;
  std::string folder() const { return dir_.filePath("kernels").toStdString(); }
  std::string onlyFile() const {
    std::string found;
    for (const auto& entry : fs::directory_iterator(folder())) found = entry.path().string();
    return found;
  }

 private Q_SLOTS:
  void init();
  void findsWhatItKept();
  void tellsFunctionsAndOptionsApart();
  void refusesEveryDamage();
  void refusesWhatOthersMayWrite();
  void dropsTheOldest();
};

namespace {

tir::PrimFuncRef scaled(int factor) {
  const std::string text = fmt::format(R"(from tvm.script import tirx as T

@T.prim_func
def k(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
    for i in range(4):
        y[i] = x[i] * T.float32({})
)",
                                       factor);
  auto module = script::parseModule(make<SourceFile>("k.py", text));
  return module ? refAs<tir::PrimFunc>((*module)->functions[0]) : nullptr;
}

const std::string kObject = "not really machine code, but bytes";

/// What the store has for the function, or "".
std::string found(codegen::ObjectStore& store, const tir::PrimFuncRef& function,
                  const codegen::KernelOptions& options = {}) {
  const auto kept = store.objectFor(function, options, [] { return Result<std::string>(fail("test.none", "none")); });
  return kept ? kept->object : std::string();
}
/// Has the object made for the function; false where the store had one already.
bool keeps(codegen::ObjectStore& store, const tir::PrimFuncRef& function, const std::string& object) {
  const auto kept = store.objectFor(function, {}, [&] { return Result<std::string>(object); });
  return kept && !kept->found && kept->object == object;
}

}  // namespace

void TestKernelStore::init() {
  std::error_code error;
  fs::remove_all(folder(), error);
}

void TestKernelStore::findsWhatItKept() {
  QVERIFY(!compile::buildId().empty());
  const auto store = compile::openKernelStore(folder());
  QVERIFY(store);
  QCOMPARE(found(*store, scaled(2)), std::string());
  QVERIFY(keeps(*store, scaled(2), kObject));
  // By what it says, not by which object it is; and in another run.
  QCOMPARE(found(*store, scaled(2)), kObject);
  QCOMPARE(found(*compile::openKernelStore(folder()), scaled(2)), kObject);
}

void TestKernelStore::tellsFunctionsAndOptionsApart() {
  const auto store = compile::openKernelStore(folder());
  QVERIFY(keeps(*store, scaled(2), kObject));
  QVERIFY(found(*store, scaled(3)).empty());
  codegen::KernelOptions options;
  options.optLevel = 2;
  QVERIFY(found(*store, scaled(2), options).empty());
  options = {};
  options.checkAccess = false;
  QVERIFY(found(*store, scaled(2), options).empty());
}

void TestKernelStore::refusesEveryDamage() {
  const auto store = compile::openKernelStore(folder());
  QVERIFY(keeps(*store, scaled(2), kObject));
  const std::string path = onlyFile();
  const std::string whole = *readFile(path);
  auto write = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ 0x40);
    write(flipped);
    QVERIFY2(found(*store, scaled(2)).empty(), qPrintable(QStringLiteral("byte %1").arg(i)));
    write(whole.substr(0, i));
    QVERIFY2(found(*store, scaled(2)).empty(), qPrintable(QStringLiteral("cut at %1").arg(i)));
  }
  write(whole + "x");
  QVERIFY(found(*store, scaled(2)).empty());
  // What is damaged is made anew.
  QVERIFY(keeps(*store, scaled(2), kObject));
  QCOMPARE(found(*store, scaled(2)), kObject);
}

void TestKernelStore::refusesWhatOthersMayWrite() {
  const auto store = compile::openKernelStore(folder());
  QVERIFY(keeps(*store, scaled(2), kObject));
  QVERIFY(chmod(onlyFile().c_str(), 0666) == 0);
  QVERIFY(found(*store, scaled(2)).empty());
  QVERIFY(keeps(*store, scaled(2), kObject));
  QVERIFY(!found(*store, scaled(2)).empty());
  QVERIFY(chmod(folder().c_str(), 0777) == 0);
  QVERIFY(!compile::openKernelStore(folder()));
  QVERIFY(!compile::openKernelStore(""));
  QVERIFY(!compile::openKernelStore("/proc/nowhere"));
}

void TestKernelStore::dropsTheOldest() {
  const std::string large(3000, 'x');
  {
    const auto store = compile::openKernelStore(folder());
    for (int i = 0; i < 8; ++i) QVERIFY(keeps(*store, scaled(i), large));
  }
  const auto small = compile::openKernelStore(folder(), 16000);
  QVERIFY(keeps(*small, scaled(100), large));
  uint64_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder())) total += entry.file_size();
  QVERIFY2(total <= 16000, qPrintable(QString::number(total)));
  QVERIFY(!found(*small, scaled(100)).empty());
}

QTEST_GUILESS_MAIN(TestKernelStore)
#include "tst_kernel_store.moc"
