// The library of a package: what it needs of the machine that loads it, what it shows of itself, and two sessions of it
// at once.
#include <dlfcn.h>

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "../support/endless_module.h"
#include "../support/program.h"
#include "core/export/attached_package.h"
#include "core/export/package.h"
#include "core/export/runtime/rxs_package.h"
#include "core/script/parse.h"
#include "core/support/file.h"
#include "core/support/file_set.h"

using namespace rx;

namespace {

constexpr const char* kModule = R"(from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 4), dtype="float32")):
        with R.dataflow():
            y = R.nn.softmax(x, axis=-1)
            R.output(y)
        return y

    @R.function
    def same(x: R.Tensor(("n", 4), dtype="float32")):
        return x
)";

constexpr const char* kKernels = R"(from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tir as T

@I.ir_module
class Module:
    @T.prim_func(private=True)
    def one(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = a[i] + T.float32(3)

    @T.prim_func(private=True)
    def other(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):
        for i in range(4):
            b[i] = a[i] * T.float32(5)

    @T.prim_func(private=True)
    def again(c: T.Buffer((4,), "float32"), d: T.Buffer((4,), "float32")):
        for j in range(4):
            d[j] = c[j] + T.float32(3)

    @R.function
    def main(x: R.Tensor((4,), dtype="float32")):
        cls = Module
        y = R.call_tir(cls.one, (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        z = R.call_tir(cls.other, (y,), out_sinfo=R.Tensor((4,), dtype="float32"))
        w = R.call_tir(cls.again, (z,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return w
)";

/// Keeps objects by the names of their entries.
class KeptObjects final : public codegen::ObjectStore {
 public:
  Result<codegen::StoredObject> objectFor(const tir::PrimFuncRef&, const codegen::KernelOptions& options,
                                          const std::function<Result<std::string>()>& make) override {
    const std::lock_guard lock(mutex_);
    if (const auto kept = objects_.find(options.symbol); kept != objects_.end()) {
      ++found;
      return codegen::StoredObject{kept->second, true};
    }
    RX_TRY(object, make());
    objects_[options.symbol] = object;
    return codegen::StoredObject{std::move(object), false};
  }
  size_t size() const { return objects_.size(); }
  int found = 0;

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> objects_;
};

QStringList symbols(const QString& library, const char* which) {
  const QString said = rx::test::runProgram("nm", {"-D", QString::fromLatin1(which), library}).out;
  QStringList names;
  for (const QString& line : said.split(u'\n', Qt::SkipEmptyParts))
    names.push_back(line.section(u' ', -1).section(u'@', 0, 0));
  return names;
}

}  // namespace

class PackageLibraryTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;
  QString library_;

 private Q_SLOTS:
  void initTestCase();
  void needsNothingOfTheCxxLibrary();
  void showsItsInterfaceAlone();
  void addressesOfKernelsAreSealed();
  void sessionsRunSideBySide();
  void inputsAreTheCallers();
  void faultsSayWhere();
  void memoryHasABudget();
  void anotherThreadCancels();
  void olderPackagesCanNotBeAttached();
  void constantsLieInTheLibrary();
  void kernelsAreKept();
};

void PackageLibraryTest::initTestCase() {
  auto module = script::parseModule(make<SourceFile>("softmax.py", kModule));
  QVERIFY(module.ok());
  compile::Request request;
  request.module = *module;
  auto program = compile::compile(request, {});
  QVERIFY(program.ok());
  auto package = exporter::writePackage(*program, {}, folder_.filePath(QStringLiteral("p")).toStdString());
  QVERIFY(package.ok());
  library_ = QString::fromStdString(package->front());
}

void PackageLibraryTest::needsNothingOfTheCxxLibrary() {
  const QStringList needed = symbols(library_, "--undefined-only");
  QVERIFY(needed.contains(QStringLiteral("malloc")));
  for (const QString& name : needed) QVERIFY2(!name.startsWith(u"_Z") && !name.startsWith(u"__cxa"), qPrintable(name));
}

void PackageLibraryTest::showsItsInterfaceAlone() {
  const QStringList shown = symbols(library_, "--defined-only");
  QVERIFY(shown.contains(QStringLiteral("rxs_run")));
  for (const QString& name : shown) QVERIFY2(name.startsWith(u"rxs_"), qPrintable(name));
}

void PackageLibraryTest::addressesOfKernelsAreSealed() {
  const QString said = rx::test::runProgram("objdump", {"-t", library_}).out;
  const QStringList table = said.split(u'\n').filter(QStringLiteral(" rxs_kernels"));
  QVERIFY(!table.isEmpty());
  for (const QString& line : table) QVERIFY2(line.contains(u".data.rel.ro"), qPrintable(line));
}

namespace {

struct Library {
  explicit Library(const QString& path) : handle(dlopen(path.toUtf8().constData(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() { dlclose(handle); }
  template <class F>
  F find(const char* name) const {
    return reinterpret_cast<F>(dlsym(handle, name));
  }
  void* handle;
};

rxs_tensor rowsOf(float* data, int64_t rows) { return {data, 2, {2, 32, 1}, {rows, 4}}; }

}  // namespace

void PackageLibraryTest::sessionsRunSideBySide() {
  const Library library(library_);
  auto* const open = library.find<decltype(&rxs_open)>("rxs_open");
  auto* const run = library.find<decltype(&rxs_run)>("rxs_run");
  auto* const close = library.find<decltype(&rxs_close)>("rxs_close");
  QVERIFY(open && run && close);
  std::atomic<int> right = 0;
  auto work = [&](int64_t rows) {
    rxs_session* session = nullptr;
    if (open(nullptr, &session) != 0) return;
    std::vector<float> data(static_cast<size_t>(rows) * 4, 1.0F);
    for (int i = 0; i < 200; ++i) {
      const rxs_tensor input = rowsOf(data.data(), rows);
      const rxs_tensor* outputs = nullptr;
      int32_t count = 0;
      if (run(session, "main", &input, 1, &outputs, &count) != 0 || count != 1) return;
      if (outputs[0].shape[0] != rows || static_cast<float*>(outputs[0].data)[0] != 0.25F) return;
    }
    close(session);
    ++right;
  };
  std::thread first(work, 3), second(work, 5);
  first.join();
  second.join();
  QCOMPARE(right.load(), 2);
}

/// They are read where they lie, wherever that is, and a result lives on without them.
void PackageLibraryTest::inputsAreTheCallers() {
  const Library library(library_);
  auto* const run = library.find<decltype(&rxs_run)>("rxs_run");
  rxs_session* session = nullptr;
  QCOMPARE(library.find<decltype(&rxs_open)>("rxs_open")(nullptr, &session), 0);
  const rxs_tensor* outputs = nullptr;
  int32_t count = 0;
  for (const size_t shift : {0, 1, 4}) {  // of bytes: one between two elements is none that a float may have
    std::vector<char> memory(64);
    const std::vector<float> values{1, 2, 3, 4, 5, 6, 7, 8};
    memcpy(memory.data() + shift, values.data(), 32);
    const rxs_tensor input = rowsOf(reinterpret_cast<float*>(memory.data() + shift), 2);
    QCOMPARE(run(session, "same", &input, 1, &outputs, &count), 0);
    QVERIFY(outputs[0].data != input.data);
    std::fill(memory.begin(), memory.end(), '\0');
    QVERIFY(memcmp(outputs[0].data, values.data(), 32) == 0);
  }
  library.find<decltype(&rxs_close)>("rxs_close")(session);
}

void PackageLibraryTest::faultsSayWhere() {
  const Library library(library_);
  auto* const run = library.find<decltype(&rxs_run)>("rxs_run");
  auto* const error = library.find<decltype(&rxs_error)>("rxs_error");
  rxs_session* session = nullptr;
  QCOMPARE(library.find<decltype(&rxs_open)>("rxs_open")(nullptr, &session), 0);
  float data[8] = {};
  rxs_tensor input = rowsOf(data, 1);
  input.shape[1] = 8;
  const rxs_tensor* outputs = nullptr;
  int32_t count = -1;
  QCOMPARE(run(session, "main", &input, 1, &outputs, &count), 1);
  QVERIFY2(strstr(error(session), "main") && strstr(error(session), "axis 1"), error(session));
  QCOMPARE(count, 0);
  QCOMPARE(run(session, "other", &input, 1, &outputs, &count), 1);
  QCOMPARE(QString::fromUtf8(error(session)), QStringLiteral("there is no function \"other\""));
  QCOMPARE(run(session, "main", &input, 0, &outputs, &count), 1);
  QVERIFY(strstr(error(session), "neither given nor among the weights"));
  input = rowsOf(data, 2);
  QCOMPARE(run(session, "main", &input, 1, &outputs, &count), 0);
  QCOMPARE(count, 1);
  library.find<decltype(&rxs_close)>("rxs_close")(session);
}

void PackageLibraryTest::memoryHasABudget() {
  const Library library(library_);
  auto* const open = library.find<decltype(&rxs_open_within)>("rxs_open_within");
  auto* const run = library.find<decltype(&rxs_run)>("rxs_run");
  float data[8] = {};
  const rxs_tensor input = rowsOf(data, 2);
  const rxs_tensor* outputs = nullptr;
  int32_t count = -1;
  for (const int64_t bytes : {int64_t{1} << 20, int64_t{8}}) {
    rxs_session* session = nullptr;
    QCOMPARE(open(nullptr, bytes, &session), 0);
    const bool fits = bytes > 8;
    QCOMPARE(run(session, "main", &input, 1, &outputs, &count), fits ? 0 : 1);
    const std::string said = library.find<decltype(&rxs_error)>("rxs_error")(session);
    const char* const rule = library.find<decltype(&rxs_rule)>("rxs_rule")(session);
    QCOMPARE(QString::fromUtf8(rule), fits ? QString() : QStringLiteral("vm.memory-budget"));
    for (const char* part : {"main", "instruction", "budget of 8 bytes", "; the call is vm.builtin.alloc_s"})
      QVERIFY2(fits || said.find(part) != said.npos, said.c_str());
    library.find<decltype(&rxs_close)>("rxs_close")(session);
  }
}

/// A run in a kernel that would never end, and one that is about to begin; the session can be used after that.
void PackageLibraryTest::anotherThreadCancels() {
  const auto module = script::parseModule(make<SourceFile>("endless.py", rx::test::kEndless));
  QVERIFY(module.ok());
  compile::Request request;
  request.module = *module;
  const auto program = compile::compile(request, {});
  QVERIFY(program.ok());
  const auto package = exporter::writePackage(*program, {}, folder_.filePath(QStringLiteral("endless")).toStdString());
  QVERIFY(package.ok());
  const Library library(QString::fromStdString(package->front()));
  auto* const run = library.find<decltype(&rxs_run)>("rxs_run");
  auto* const cancel = library.find<decltype(&rxs_cancel)>("rxs_cancel");
  QVERIFY(run && cancel);
  rxs_session* session = nullptr;
  QCOMPARE(library.find<decltype(&rxs_open)>("rxs_open")(nullptr, &session), 0);
  float number = 0;
  const rxs_tensor input{&number, 1, {2, 32, 1}, {1}};
  const rxs_tensor* outputs = nullptr;
  int32_t count = -1;
  // Most likely in the kernel; a wish that comes before it does ends the run as well.
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    cancel(session);
  });
  const int status = run(session, "main", &input, 1, &outputs, &count);
  other.join();
  QCOMPARE(status, 1);
  QCOMPARE(count, 0);
  auto* const error = library.find<decltype(&rxs_error)>("rxs_error");
  const std::string said = error(session);
  QCOMPARE(QString::fromUtf8(library.find<decltype(&rxs_rule)>("rxs_rule")(session)), QStringLiteral("vm.cancelled"));
  QVERIFY2(said.find("main") != said.npos && said.find("instruction") != said.npos, said.c_str());
  number = 3;
  QCOMPARE(run(session, "main", &input, 1, &outputs, &count), 0);
  QCOMPARE(*static_cast<const float*>(outputs[0].data), 3.0F);
  cancel(session);
  QCOMPARE(run(session, "main", &input, 1, &outputs, &count), 1);
  QCOMPARE(run(session, "main", &input, 1, &outputs, &count), 0);
  // A kernel by itself, as a debugger calls it: where the byte is set, and where it is not, whatever ends runs.
  number = 0;
  float result = 0;
  void* buffers[] = {&number, &result};
  const char wished = 1;
  auto* const watch = library.find<decltype(&rxs_watch)>("rxs_watch");
  auto* const call = library.find<decltype(&rxs_call_kernel)>("rxs_call_kernel");
  watch(session, &wished);
  QCOMPARE(call(session, 0, buffers, nullptr, nullptr, nullptr), 1);
  QCOMPARE(QString::fromUtf8(error(session)), QStringLiteral("vm.cancelled: search: the run was cancelled"));
  watch(session, nullptr);
  number = 3;
  QCOMPARE(call(session, 0, buffers, nullptr, nullptr, nullptr), 0);
  QCOMPARE(result, 3.0F);
  library.find<decltype(&rxs_close)>("rxs_close")(session);
}

/// A package of a version whose libraries did not yet show what a debugger calls is no program of one.
void PackageLibraryTest::olderPackagesCanNotBeAttached() {
  const std::filesystem::path whole = folder_.filePath(QStringLiteral("p")).toStdString();
  const std::string older = folder_.filePath(QStringLiteral("older")).toStdString();
  QVERIFY(exporter::AttachedPackage::open(whole.string()).ok());
  auto index = FileSetWriter::Json::parse(*readFile((whole / "manifest.json").string()), nullptr, false);
  QVERIFY(index.is_object());
  auto set = FileSetWriter::begin(older, "manifest.json");
  QVERIFY(set.ok());
  // In the list of the names that the library shows.
  const std::string name("\0rxs_parts\0", 11), other("\0rxs_older\0", 11);
  int renamed = 0;
  for (const auto& member : index["members"]) {
    const auto file = member["file"].get<std::string>();
    std::string bytes = *readFile((whole / file).string());
    if (const size_t at = bytes.find(name); at != std::string::npos) bytes.replace(at, other.size(), other), ++renamed;
    QVERIFY(writeFile(*set->place(file), bytes).ok());
  }
  QCOMPARE(renamed, 1);
  index.erase("members");
  index.erase("sum");
  QVERIFY(set->commit(index).ok());
  const auto refused = exporter::AttachedPackage::open(older);
  QVERIFY(!refused);
  QCOMPARE(refused.diagnostics().front().rule, std::string("export.attach"));
}

/// A constant lies in the library as kernels read it, and a debugger that attaches finds it there too.
void PackageLibraryTest::constantsLieInTheLibrary() {
  const std::string weights = "        w = R.const([" + [] {
    std::string numbers;
    for (int i = 0; i < 400; ++i) numbers += fmt::format("{}{}", i ? ", " : "", i);
    return numbers;
  }() + "], \"float32\")\n";
  const std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
      "    @R.function\n    def main(x: R.Tensor((400,), dtype=\"float32\")):\n" +
      weights + "        return R.add(x, w)\n";
  auto module = script::parseModule(make<SourceFile>("constant.py", text));
  QVERIFY(module.ok());
  compile::Request request;
  request.module = *module;
  auto program = compile::compile(request, {});
  QVERIFY(program.ok());
  const std::string place = folder_.filePath(QStringLiteral("constants")).toStdString();
  auto package = exporter::writePackage(*program, {}, place);
  QVERIFY(package.ok());
  const Library library(QString::fromStdString(package->front()));
  rxs_part row{};
  library.find<decltype(&rxs_constants_part)>("rxs_constants_part")(&row);
  QVERIFY(row.bytes >= 1600);
  QCOMPARE(reinterpret_cast<uintptr_t>(row.data) % 64, uintptr_t{0});
  rxs_session* session = nullptr;
  QCOMPARE(library.find<decltype(&rxs_open)>("rxs_open")(nullptr, &session), 0);
  std::vector<float> ones(400, 1.0F);
  const rxs_tensor input{ones.data(), 1, {2, 32, 1}, {400}};
  const rxs_tensor* outputs = nullptr;
  int32_t count = 0;
  QCOMPARE(library.find<decltype(&rxs_run)>("rxs_run")(session, "main", &input, 1, &outputs, &count), 0);
  for (int i = 0; i < 400; ++i) QCOMPARE(static_cast<const float*>(outputs[0].data)[i], static_cast<float>(i + 1));
  library.find<decltype(&rxs_close)>("rxs_close")(session);
  const auto attached = exporter::AttachedPackage::open(place);
  QVERIFY(attached.ok());
  bool found = false;
  for (const vm::Value& constant : attached->executable()->constants()) {
    if (!constant.is(vm::ValueKind::Tensor) || constant.tensor().count() != 400) continue;
    found = constant.tensor().at(399) == 399;
  }
  QVERIFY(found);
}

/// A kernel is compiled once for all that are equal, and not again for the next package.
void PackageLibraryTest::kernelsAreKept() {
  auto module = script::parseModule(make<SourceFile>("kernels.py", kKernels));
  QVERIFY(module.ok());
  compile::Request request;
  request.module = *module;
  request.passes = "default";
  auto program = compile::compile(request, {});
  QVERIFY(program.ok());
  const auto kept = std::make_shared<KeptObjects>();
  exporter::PackageOptions options;
  options.store = kept;
  const auto input = HostTensor::allocate({4}, DataType::Float(32));
  QVERIFY(input.ok());
  for (int i = 0; i < 4; ++i) (*input)->set(i, i);
  for (const int found : {0, 2}) {
    const std::string folder = folder_.filePath(QStringLiteral("kept%1").arg(found)).toStdString();
    QVERIFY(exporter::writePackage(*program, options, folder).ok());
    QCOMPARE(kept->size(), size_t{2});
    QCOMPARE(kept->found, found);
    const auto results = exporter::runPackage(folder, "main", std::vector{*input});
    QVERIFY(results.ok());
    for (int i = 0; i < 4; ++i) QCOMPARE((*results)[0]->at(i), (i + 3.0) * 5 + 3);
  }
}

QTEST_APPLESS_MAIN(PackageLibraryTest)
#include "tst_package_library.moc"
