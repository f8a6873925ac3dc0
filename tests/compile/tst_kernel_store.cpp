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

}  // namespace

void TestKernelStore::init() {
  std::error_code error;
  fs::remove_all(folder(), error);
}

void TestKernelStore::findsWhatItKept() {
  QVERIFY(!compile::buildId().empty());
  const auto store = compile::openKernelStore(folder());
  QVERIFY(store);
  QVERIFY(!store->find(scaled(2), {}));
  store->keep(scaled(2), {}, kObject);
  // By what it says, not by which object it is; and in another run.
  QCOMPARE(store->find(scaled(2), {}).value_or(""), kObject);
  QCOMPARE(compile::openKernelStore(folder())->find(scaled(2), {}).value_or(""), kObject);
}

void TestKernelStore::tellsFunctionsAndOptionsApart() {
  const auto store = compile::openKernelStore(folder());
  store->keep(scaled(2), {}, kObject);
  QVERIFY(!store->find(scaled(3), {}));
  codegen::KernelOptions options;
  options.optLevel = 2;
  QVERIFY(!store->find(scaled(2), options));
  options = {};
  options.checkAccess = false;
  QVERIFY(!store->find(scaled(2), options));
}

void TestKernelStore::refusesEveryDamage() {
  const auto store = compile::openKernelStore(folder());
  store->keep(scaled(2), {}, kObject);
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
    QVERIFY2(!store->find(scaled(2), {}), qPrintable(QStringLiteral("byte %1").arg(i)));
    write(whole.substr(0, i));
    QVERIFY2(!store->find(scaled(2), {}), qPrintable(QStringLiteral("cut at %1").arg(i)));
  }
  write(whole + "x");
  QVERIFY(!store->find(scaled(2), {}));
  // What is damaged is made anew.
  store->keep(scaled(2), {}, kObject);
  QCOMPARE(store->find(scaled(2), {}).value_or(""), kObject);
}

void TestKernelStore::refusesWhatOthersMayWrite() {
  const auto store = compile::openKernelStore(folder());
  store->keep(scaled(2), {}, kObject);
  QVERIFY(chmod(onlyFile().c_str(), 0666) == 0);
  QVERIFY(!store->find(scaled(2), {}));
  store->keep(scaled(2), {}, kObject);
  QVERIFY(store->find(scaled(2), {}));
  QVERIFY(chmod(folder().c_str(), 0777) == 0);
  QVERIFY(!compile::openKernelStore(folder()));
  QVERIFY(!compile::openKernelStore(""));
  QVERIFY(!compile::openKernelStore("/proc/nowhere"));
}

void TestKernelStore::dropsTheOldest() {
  const std::string large(3000, 'x');
  {
    const auto store = compile::openKernelStore(folder());
    for (int i = 0; i < 8; ++i) store->keep(scaled(i), {}, large);
  }
  const auto small = compile::openKernelStore(folder(), 16000);
  small->keep(scaled(100), {}, large);
  uint64_t total = 0;
  for (const auto& entry : fs::directory_iterator(folder())) total += entry.file_size();
  QVERIFY2(total <= 16000, qPrintable(QString::number(total)));
  QVERIFY(small->find(scaled(100), {}));
}

QTEST_GUILESS_MAIN(TestKernelStore)
#include "tst_kernel_store.moc"
