// Packages with code for devices: on a real one of OpenCL, and on the double of the CUDA driver. They give what the
// program gives in this process, and say at load what is missing.
#include <dlfcn.h>

#include <QDir>
#include <QTemporaryDir>
#include <QtTest>

#include "core/compile/device_code.h"
#include "core/export/attached_package.h"
#include "core/export/package.h"
#include "core/export/runtime/rxs_package.h"
#include "core/runtime/machine.h"
#include "core/runtime/value_tensors.h"
#include "core/support/file.h"
#include "tests/device/device_modules.h"
#include "tests/device/interpreted_kernel.h"
#include "tests/device/loaded_double.h"
#include "tests/support/compiled_text.h"
#include "tests/support/program.h"

using namespace rx;
using rx::test::Answer;

namespace {

constexpr const char* kOpenCl = "opencl";
constexpr const char* kCuda = "cuda -arch=sm_80";

using Tensors = std::vector<Ref<HostTensor>>;

using cuda_double::control;

std::string said(const std::vector<Diagnostic>& diagnostics) {
  return diagnostics.empty() ? "" : diagnostics[0].rule + ": " + diagnostics[0].message;
}

Result<Ref<HostTensor>> ranHere(const compile::Program& program, std::vector<vm::Value> arguments) {
  RX_TRY(kernels, compile::kernelsOf(program, {}, nullptr));
  vm::MachineOptions options;
  options.kernels = kernels;
  RX_TRY(machine, vm::Machine::create(program.executable, std::move(options)));
  RX_CHECK(machine->start("main", std::move(arguments)));
  machine->run();
  if (machine->fault()) return fail(machine->fault()->diagnostics);
  return machine->result().tensor().copy();
}

/// Of the program for these architectures; the double knows the texts.
Result<exporter::PackageOptions> optionsFor(const compile::Program& program,
                                            const std::vector<std::string>& architectures) {
  exporter::PackageOptions options;
  RX_TRY(targets, compile::targetsFor(program.request.target, architectures));
  options.targets = std::move(targets);
  for (const target::TargetRef& target : options.targets) {
    if (target->kind() != "cuda") continue;
    RX_CHECK(cuda_double::addModule(control(), program.module, {target, program.request.checked, {}, {}}));
  }
  return options;
}

}  // namespace

class TestDevicePackage : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  std::string at(const char* name) const { return folder_.filePath(name).toStdString(); }
  int kept() const { return static_cast<int>(QDir(folder_.filePath("cache/relaxscope/devices")).count()) - 2; }

 private Q_SLOTS:
  void initTestCase();
  void givesTheSame_data();
  void givesTheSame();
  void severalDevices_data();
  void severalDevices();
  void picksItsArchitecture();
  void isForTheDeviceHere();
  void keepsWhatTheDriverMade();
  void copiesWeightsOnce();
  void attaches();
  void theCommandLine();
  void saysWhatIsMissing_data();
  void saysWhatIsMissing();
  void refusesArchitectures();
  void damagedCode();
};

/// PoCL offers two devices where it is asked for them.
void TestDevicePackage::initTestCase() {
  qputenv("POCL_DEVICES", "pthread pthread");
  qputenv("XDG_CACHE_HOME", folder_.filePath("cache").toUtf8());
  control().reset();
}

void TestDevicePackage::givesTheSame_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("tensors");
  QTest::addColumn<QString>("output");
  const ModuleRow rows[] = {{"R.nn.softmax(p0, axis=-1)", "n, 4: float32"},
                            {"R.matmul(p0, p1)", "n, 5: float32; 5, 3: float32"},
                            {"R.sort(R.exp(p0))", "9: float32"}};
  for (const char* target : {kOpenCl, kCuda})
    for (const ModuleRow& row : rows)
      for (const char* output : {"p", "p.tar"})
        QTest::addRow("%s: %s, %s", target, row.text, output)
            << QString(target) << QString(row.text) << QString(row.tensors) << QString(output);
  // With maps of tensors among the arguments of its launch.
  QTest::newRow("boxes") << "cuda -arch=sm_90a"
                         << "R.matmul(p0, p1)"
                         << "64, 72: float16; 72, 64: float16"
                         << "p";
}

void TestDevicePackage::givesTheSame() {
  QFETCH(QString, target);
  QFETCH(QString, text);
  QFETCH(QString, tensors);
  QFETCH(QString, output);
  control().reset();
  const auto program = test::programOf(moduleOf(text, tensors), target.toStdString());
  QVERIFY2(program, program ? "" : said(program.diagnostics()).c_str());
  const auto options = optionsFor(*program, {});
  QVERIFY2(options, options ? "" : said(options.diagnostics()).c_str());
  QTemporaryDir place;
  const std::string package = place.filePath(output).toStdString();
  const auto written = exporter::writePackage(*program, *options, package);
  QVERIFY2(written, written ? "" : said(written.diagnostics()).c_str());
  QVERIFY(exporter::verifyPackage(package));
  const auto arguments = test::argumentsOf(*program, 3);
  QVERIFY(arguments);
  const auto inputs = vm::tensorsOf(*arguments);
  QVERIFY(inputs);
  const auto got = exporter::runPackage(package, "main", *inputs);
  QVERIFY2(got, got ? "" : said(got.diagnostics()).c_str());
  const auto want = ranHere(*program, *arguments);
  QVERIFY2(want, want ? "" : said(want.diagnostics()).c_str());
  QVERIFY((*got)[0]->identical(**want));
}

void TestDevicePackage::severalDevices_data() {
  QTest::addColumn<QString>("target");
  for (const char* target : {kOpenCl, kCuda}) QTest::newRow(target) << QString(target);
}

/// Two of them and the processor in one program.
void TestDevicePackage::severalDevices() {
  QFETCH(QString, target);
  control().reset();
  control().setDevices(2);
  const auto program = test::programOf(partsModule(target == kCuda ? "cuda" : "opencl"), target.toStdString());
  QVERIFY(program);
  const auto options = optionsFor(*program, {});
  QVERIFY(options);
  QTemporaryDir place;
  const std::string package = place.filePath("p").toStdString();
  const auto written = exporter::writePackage(*program, *options, package);
  QVERIFY2(written, written ? "" : said(written.diagnostics()).c_str());
  const auto arguments = test::argumentsOf(*program, 1);
  const auto inputs = vm::tensorsOf(*arguments);
  const auto got = exporter::runPackage(package, "main", *inputs);
  QVERIFY2(got, got ? "" : said(got.diagnostics()).c_str());
  const auto want = ranHere(*program, *arguments);
  QVERIFY(want);
  QVERIFY((*got)[0]->identical(**want));
  control().setDevices(1);
  if (target != kCuda) return;
  const auto less = exporter::runPackage(package, "main", *inputs);
  QVERIFY(!less);
  QCOMPARE(less.diagnostics()[0].rule, std::string("device.none"));
}

namespace {

/// A package of exp for these architectures, and its input.
struct Built {
  std::string path;
  Tensors inputs;
};
Result<Built> builtFor(const std::vector<std::string>& architectures, const std::string& path) {
  RX_TRY(program, test::programOf(moduleOf("R.exp(p0)", "7: float32"), kCuda));
  RX_TRY(options, optionsFor(program, architectures));
  RX_CHECK(exporter::writePackage(program, options, path));
  RX_TRY(arguments, test::argumentsOf(program, 1));
  RX_TRY(inputs, vm::tensorsOf(arguments));
  return Built{path, std::move(inputs)};
}

}  // namespace

/// The nearest that the device can run; code of a later one is none for it.
void TestDevicePackage::picksItsArchitecture() {
  control().reset();
  const auto built = builtFor({"sm_90", "sm_75", "sm_80", "sm_90a"}, at("architectures"));
  QVERIFY2(built, built ? "" : said(built.diagnostics()).c_str());
  const auto manifest = readFile(at("architectures/manifest.json"));
  QVERIFY(manifest);
  const QString devices = QString::fromStdString(*manifest).section("\"devices\"", 1);
  const qsizetype at75 = devices.indexOf("sm_75"), at80 = devices.indexOf("sm_80"), at90 = devices.indexOf("sm_90");
  QVERIFY2(0 < at75 && at75 < at80 && at80 < at90, manifest->c_str());
  for (const auto& [device, text] : {std::pair{100, "sm_90"}, {90, "sm_90a"}, {86, "sm_80"}, {75, "sm_75"}}) {
    control().setArchitecture(device);
    const auto ran = exporter::runPackage(built->path, "main", built->inputs);
    QVERIFY2(ran, ran ? "" : said(ran.diagnostics()).c_str());
    QVERIFY2(control().loaded().find(std::string(".target ") + text + "\n") != std::string::npos, text);
  }
  // A driver that does not know of it yet takes what every device of the architecture does.
  control().setArchitecture(90);
  control().setVersion(11080);
  QVERIFY(exporter::runPackage(built->path, "main", built->inputs));
  QVERIFY(control().loaded().find(".target sm_90\n") != std::string::npos);
  control().setArchitecture(70);
  const auto older = exporter::runPackage(built->path, "main", built->inputs);
  QVERIFY(!older);
  QCOMPARE(
      said(older.diagnostics()),
      std::string("device.architecture: there is code for sm_75, sm_80, sm_90, sm_90a, and cuda:0 (double) is sm_70"));
  QCOMPARE(older.diagnostics()[0].fix, std::string("build the package with --arch sm_70"));
  // So it is of what runs in this process.
  const auto program = test::programOf(moduleOf("R.exp(p0)", "7: float32"), kCuda);
  QVERIFY(program);
  const auto refused = compile::kernelsOf(*program, {}, nullptr);
  QVERIFY(!refused);
  QCOMPARE(said(refused.diagnostics()),
           std::string("device.architecture: there is code for sm_80, and cuda:0 (double) is sm_70"));
  QVERIFY(!refused.diagnostics()[0].fix.empty());
}

/// Where nobody names an architecture: code for the device that is here, or the nearest that there is; the oldest where
/// there is none, which who builds a package is told.
void TestDevicePackage::isForTheDeviceHere() {
  control().reset();
  const auto taken = [](const char* text) {
    const auto target = compile::targetHere(text);
    return target ? std::string((*target)->text("arch")) : target.diagnostics()[0].message;
  };
  for (const auto& [device, want] :
       {std::pair{86, "sm_86"}, {90, "sm_90a"}, {103, "sm_90"}, {75, "sm_75"}, {35, "sm_50"}}) {
    control().setArchitecture(device);
    QVERIFY2(taken("cuda") == want, qPrintable(QString("%1: %2").arg(device).arg(taken("cuda").c_str())));
    QCOMPARE(taken("cuda -arch=sm_50"), std::string("sm_50"));
    QCOMPARE(taken("nvidia/nvidia-a100"), std::string("sm_80"));
  }
  QCOMPARE(taken("opencl"), std::string());
  control().setDevices(0);
  QCOMPARE(taken("cuda"), std::string("sm_50"));
  const QString module = RX_SOURCE_DIR "/samples/mlp/module.py";
  QTemporaryDir place;
  const auto built = [&](const QStringList& more, const QProcessEnvironment& environment) {
    return test::rxs(QStringList{"build", module, "--target", "cuda", "-o", place.filePath("p")} + more,
                     {.environment = environment});
  };
  auto environment = QProcessEnvironment::systemEnvironment();
  environment.insert("LD_LIBRARY_PATH", "/nowhere");
  Answer said = built({}, environment);
  QVERIFY2(said.code == 0 && said.err.contains("code for sm_50, the oldest"), qPrintable(said.err));
  said = built({"--arch", "sm_80"}, environment);
  QVERIFY2(said.code == 0 && !said.err.contains("code for"), qPrintable(said.err));
  QVERIFY(QFile::link(RX_BINARY_DIR "/tests/cuda_double.so", place.filePath("libcuda.so.1")));
  environment.insert("LD_LIBRARY_PATH", place.path());
  said = built({}, environment);
  QVERIFY2(said.code == 0 && said.err.contains("code for sm_90a, as this machine's device"), qPrintable(said.err));
  const auto manifest = readFile(place.filePath("p/manifest.json").toStdString());
  QVERIFY(manifest && manifest->find("\"sm_90a\"") != std::string::npos);
}

void TestDevicePackage::keepsWhatTheDriverMade() {
  control().reset();
  const auto built = builtFor({"sm_61"}, at("kept"));
  QVERIFY(built);
  const int before = kept();
  const auto links = [&] {
    const auto calls = control().calls();
    return std::count(calls.begin(), calls.end(), "cuLinkCreate_v2");
  };
  QVERIFY(exporter::runPackage(built->path, "main", built->inputs));
  QCOMPARE(links(), 1);
  QCOMPARE(kept(), before + 1);
  QVERIFY(exporter::runPackage(built->path, "main", built->inputs));
  QCOMPARE(links(), 1);
  // Another driver is asked itself; so it is where the file was damaged, or the driver does not take it back.
  control().setVersion(12060);
  QVERIFY(exporter::runPackage(built->path, "main", built->inputs));
  QCOMPARE(links(), 2);
  QCOMPARE(kept(), before + 2);
  control().failNext("cuModuleLoadDataEx", 200);
  QVERIFY(exporter::runPackage(built->path, "main", built->inputs));
  QCOMPARE(links(), 3);
  const QDir all(folder_.filePath("cache/relaxscope/devices"));
  for (const QString& name : all.entryList(QDir::Files)) QVERIFY(QFile::resize(all.filePath(name), 20));
  QVERIFY(exporter::runPackage(built->path, "main", built->inputs));
  QCOMPARE(links(), 4);
}

/// They stay on the device between the calls of a session.
void TestDevicePackage::copiesWeightsOnce() {
  control().reset();
  const auto program = test::programOf(moduleOf("R.add(p0, p1)", "7: float32; 7: float32"), kCuda);
  QVERIFY(program);
  auto options = optionsFor(*program, {});
  QVERIFY(options);
  const auto arguments = test::argumentsOf(*program, 1);
  const auto inputs = vm::tensorsOf(*arguments);
  options->params.emplace_back("p1", (*inputs)[1]);
  const auto written = exporter::writePackage(*program, *options, at("weights"));
  QVERIFY2(written, written ? "" : said(written.diagnostics()).c_str());
  void* library = dlopen(written->front().c_str(), RTLD_NOW | RTLD_LOCAL);
  QVERIFY(library);
  const auto open = reinterpret_cast<decltype(&rxs_open)>(dlsym(library, "rxs_open"));
  const auto run = reinterpret_cast<decltype(&rxs_run)>(dlsym(library, "rxs_run"));
  const auto close = reinterpret_cast<decltype(&rxs_close)>(dlsym(library, "rxs_close"));
  rxs_session* session = nullptr;
  QCOMPARE(open(at("weights/params.safetensors").c_str(), &session), 0);
  const rxs_tensor input{(*inputs)[0]->mutableData(), 1, {2, 32, 1}, {7}};
  const auto copies = [&] {
    const auto calls = control().calls();
    return std::count(calls.begin(), calls.end(), "cuMemcpyHtoD_v2");
  };
  std::vector<int64_t> counts{copies()};
  for (int i = 0; i < 3; ++i) {
    const rxs_tensor* outputs = nullptr;
    int32_t count = 0;
    QCOMPARE(run(session, "main", &input, 1, &outputs, &count), 0);
    QCOMPARE(static_cast<float*>(outputs[0].data)[3],
             static_cast<float>((*inputs)[0]->at(3)) + static_cast<float>((*inputs)[1]->at(3)));
    counts.push_back(copies());
  }
  close(session);
  dlclose(library);
  QCOMPARE(counts[1] - counts[0], counts[2] - counts[1] + 1);
  QCOMPARE(counts[2] - counts[1], counts[3] - counts[2]);
  QCOMPARE(control().blocks(), size_t{0});
}

void TestDevicePackage::attaches() {
  control().reset();
  const auto built = builtFor({"sm_80"}, at("attached"));
  QVERIFY(built);
  const auto attached = exporter::AttachedPackage::open(built->path);
  QVERIFY2(attached, attached ? "" : said(attached.diagnostics()).c_str());
  vm::MachineOptions options;
  options.kernels = attached->kernels();
  const auto machine = vm::Machine::create(attached->executable(), std::move(options));
  QVERIFY(machine);
  QCOMPARE((*machine)->devices().size(), size_t{1});
  auto arguments = attached->arguments("main", {}, built->inputs);
  QVERIFY(arguments);
  QVERIFY((*machine)->start("main", std::move(*arguments)));
  QVERIFY((*machine)->run() == vm::MachineStatus::Finished);
  const auto want = exporter::runPackage(built->path, "main", built->inputs);
  QVERIFY((*machine)->result().tensor().identical(*(*want)[0]));
  control().setArchitecture(50);
  const auto refused = exporter::AttachedPackage::open(built->path);
  QVERIFY(!refused);
  QCOMPARE(refused.diagnostics()[0].rule, std::string("device.architecture"));
}

void TestDevicePackage::theCommandLine() {
  const QString module = RX_SOURCE_DIR "/samples/mlp/module.py", package = folder_.filePath("mlp.tar");
  const Answer built = test::rxs({"build", module, "--target", "opencl", "-o", package, "--verify"});
  QVERIFY2(built.code == 0 && built.out.contains("equal, byte for byte"), qPrintable(built.out + built.err));
  QVERIFY2(!built.err.contains("on the host"), qPrintable(built.err));
}

void TestDevicePackage::saysWhatIsMissing_data() {
  QTest::addColumn<QString>("target");
  QTest::addColumn<QString>("variable");
  QTest::addColumn<QString>("value");
  QTest::addColumn<QString>("rule");
  QTest::newRow("no device") << "opencl"
                             << "OCL_ICD_VENDORS"
                             << "/nowhere"
                             << "device.none";
  QTest::newRow("no driver") << "cuda"
                             << "LD_LIBRARY_PATH"
                             << "/nowhere"
                             << "device.driver";
}

void TestDevicePackage::saysWhatIsMissing() {
  QFETCH(QString, target);
  QFETCH(QString, variable);
  QFETCH(QString, value);
  QFETCH(QString, rule);
  const QString module = RX_SOURCE_DIR "/samples/mlp/module.py", package = folder_.filePath(target + "-package");
  const Answer built = test::rxs({"build", module, "--target", target, "-o", package});
  QVERIFY2(built.code == 0, qPrintable(built.err));
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert(variable, value);
  const Answer ran =
      test::rxs({"package", package, RX_SOURCE_DIR "/samples/mlp/inputs.npz"}, {.environment = environment});
  QCOMPARE(ran.code, 1);
  QCOMPARE(test::ruleOf(ran), rule);
  QVERIFY2(ran.err.contains("fix: ") || ran.err.contains("help: "), qPrintable(ran.err));
}

void TestDevicePackage::refusesArchitectures() {
  const QString module = RX_SOURCE_DIR "/samples/mlp/module.py";
  const std::pair<const char*, const char*> rows[] = {{"opencl", "sm_80"}, {"llvm", "sm_80"}, {"cuda", "sm_20"}};
  for (const auto& [target, architecture] : rows) {
    const Answer refused =
        test::rxs({"build", module, "--target", target, "--arch", architecture, "-o", folder_.filePath("refused")});
    QCOMPARE(refused.code, 1);
    QCOMPARE(test::ruleOf(refused), QString("codegen.target"));
  }
  QVERIFY(!QDir(folder_.filePath("refused")).exists());
}

/// What is cut or has another number somewhere is refused or other code, and never more than what is there.
void TestDevicePackage::damagedCode() {
  const auto program = test::programOf(moduleOf("R.nn.softmax(p0, axis=-1)", "n, 4: float32"), kCuda);
  QVERIFY(program);
  const auto made = compile::deviceCodeOf(*program, {program->request.target}, {});
  QVERIFY(made);
  const std::string whole = made->code.bytes();
  const auto read = device::ProgramCode::read(whole);
  QVERIFY(read);
  QCOMPARE(read->bytes(), whole);
  for (size_t size = 0; size < whole.size(); size += 7)
    QVERIFY(!device::ProgramCode::read(std::string_view(whole).substr(0, size)));
  QVERIFY(!device::ProgramCode::read(whole + '\0'));
  for (size_t i = 0; i < whole.size(); i += 3) {
    std::string other = whole;
    other[i] = static_cast<char>(other[i] ^ 0x40);
    (void)device::ProgramCode::read(other);
  }
}

QTEST_GUILESS_MAIN(TestDevicePackage)
#include "tst_device_package.moc"
