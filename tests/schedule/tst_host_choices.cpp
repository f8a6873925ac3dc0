// What rules for processors choose: which rule takes a kernel, how it lays out weights and panels, and what it says of
// kernels that are none of its.
#include <QtTest>

#include "core/compile/request/passes.h"
#include "core/compile/request/weights.h"
#include "core/schedule/host_rules.h"
#include "core/script/print.h"
#include "host_programs.h"

using namespace rx;
using namespace rx::test;

class TestHostChoices : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void laysWeightsOut_data();
  void laysWeightsOut();
  void takesOneRowOverPanels();
  void laysPanelsInStrips();
  void gathersRowsInSteps();
  void storesLargeResultsPastCaches();
  void choosesLayouts_data();
  void choosesLayouts();
  void usesVectors_data();
  void usesVectors();
  void saysWhichRules_data();
  void saysWhichRules();
  void saysWhyNot_data();
  void saysWhyNot();
  void leavesWhatIsScheduled();
  void tellsWhatIsNotFiniteApart();
};

void TestHostChoices::laysWeightsOut_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<bool>("laidOut");
  auto row = [](const char* text, const char* shapes, bool laidOut) {
    QTest::newRow(qPrintable(QString("%1 of %2").arg(text, shapes))) << QString(text) << QString(shapes) << laidOut;
  };
  for (const char* shapes :
       {"1, 70; 70, 133", "7, 70; 70, 133", "80, 70; 70, 133", "20, 64; 64, 64", "\"n\", 70; 70, 133",
        "\"n\", 70; 70, 401", "2, \"n\", 70; 70, 133", "3, 5, 40; 3, 40, 50", "1, 300; 300, 1100"})
    row("R.matmul(p0, p1)", shapes, true);
  row("R.matmul(p0, R.permute_dims(p1))", "9, 70; 130, 70", true);
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "21, 90; 90, 134; 134", true);
  row("R.nn.relu(R.add(R.matmul(p0, p1), p2))", "\"n\", 90; 90, 134; 134", true);
  row("R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1])", "1, 32, 7, 7; 70, 32, 3, 3", true);
  row("R.nn.conv2d(p0, p1, strides=[2, 2])", "1, 64, 9, 9; 70, 64, 1, 1", true);
  row("R.nn.conv2d(p0, p1, strides=[2, 3])", "2, 34, 25, 26; 530, 34, 1, 1", true);  // its rows are gathered
  // Of sums of inputs and weights: an odd number of results on a side, more than one image, panels that are no vectors.
  constexpr const char* kLast =
      "R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1], data_layout=\"NHWC\", kernel_layout=\"OIHW\")";
  row(kLast, "1, 13, 17, 64; 70, 64, 3, 3", true);
  row(kLast, "2, 14, 11, 33; 37, 33, 3, 3", true);
  row(qPrintable(QString("R.nn.relu(R.add(%1, p2))").arg(kLast)), "1, 12, 12, 40; 96, 40, 3, 3; 96", true);
  row("R.nn.conv2d(p0, p1, groups=2)", "1, 64, 9, 9; 70, 32, 3, 3", true);
  row("R.nn.conv2d(p0, p1, groups=2)", "1, 640, 9, 9; 6, 320, 3, 3", false);  // its groups have too few lanes
  row("R.nn.conv2d_transpose(p0, p1, strides=[2, 2])", "1, 32, 6, 7; 32, 20, 3, 3", true);
  row("R.matmul(p0, p1)", "3, 4; 4, 5", false);                 // too small
  row("R.add(R.matmul(p0, p1), p1)", "80, 80; 80, 80", false);  // read in another way too
}

/// Weights that are constants are laid out when the module is compiled, where a rule reads them in panels; the results
/// stay.
void TestHostChoices::laysWeightsOut() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  QFETCH(bool, laidOut);
  const auto module = script::parseModule(make<SourceFile>("m.py", moduleOf(text, shapes)));
  QVERIFY(module);
  const auto whole = programOf(moduleOf(text, shapes), "llvm");
  QVERIFY(whole);
  for (const int64_t size : {1, 5, 33}) {
    const auto arguments = argumentsOf(*whole, size);
    QVERIFY(arguments);
    std::vector<NamedTensor> weights;
    for (size_t i = 1; i < arguments->size(); ++i)
      weights.emplace_back(fmt::format("p{}", i), (*arguments)[i].tensor().copy().value());
    const auto bound = compile::withWeights(*module, "main", weights);
    QVERIFY2(bound, bound ? "" : bound.diagnostics()[0].message.c_str());
    compile::Request request;
    request.module = *bound;
    request.passes = "optimized";
    compile::Control control;
    control.keepStages = true;
    const auto program = compile::compile(request, control);
    QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
    const auto copiesIn = [](const ir::Module& stage) {
      return std::any_of(stage->vars.begin(), stage->vars.end(),
                         [](const auto& var) { return var->name.view().ends_with("_weight_prepack"); });
    };
    bool split = false;
    for (size_t i = 0; i <= program->history.steps.size(); ++i) split |= copiesIn(program->history.stage(i));
    QCOMPARE(split, laidOut);
    // What copied weights ran while the module was compiled.
    QVERIFY(!copiesIn(program->module));
    const auto plain = machineOf(*whole, false), compiled = machineOf(*program, false);
    QVERIFY(plain && compiled);
    const auto expected = resultOn(**plain, *whole, size);
    QVERIFY((*compiled)->start("main", {arguments->front()}).ok());
    (*compiled)->run();
    QVERIFY(!(*compiled)->fault());
    QCOMPARE_LE(apart(**expected, (*compiled)->result().tensor()), 1e-5);
  }
}

/// Every stage of what is made of p0 and the weight p1, as text.
static std::string stagesOfWeighed(const char* expression, const char* shapes, const char* target) {
  const std::string text = moduleOf(expression, shapes);
  const auto module = script::parseModule(make<SourceFile>("m.py", text));
  const auto whole = programOf(text, "llvm");
  if (!whole) return {};
  const auto arguments = argumentsOf(*whole, 5);
  if (!module || !arguments) return {};
  const std::vector<NamedTensor> weights{{"p1", (*arguments)[1].tensor().copy().value()}};
  compile::Request request;
  request.module = compile::withWeights(*module, "main", weights).value();
  request.passes = "optimized";
  request.target = target::parseTarget(target).value();
  compile::Control control;
  control.keepStages = true;
  const auto program = compile::compile(request, control);
  std::string stages;
  for (size_t i = 0; program && i <= program->history.steps.size(); ++i)
    stages += script::printModule(program->history.stage(i)).text;
  return stages;
}

/// A weight is laid out in one way for every size: where there is one row, several of its panels go together.
void TestHostChoices::takesOneRowOverPanels() {
  for (const auto& [shapes, expected] : {std::pair("\"n\", 70; 70, 401", true), std::pair("\"n\", 70; 70, 16", false),
                                         std::pair("7, 70; 70, 133", false)}) {
    const std::string stages = stagesOfWeighed("R.matmul(p0, p1)", shapes, "llvm");
    QVERIFY(!stages.empty());
    QCOMPARE(stages.find("for panels in ") != std::string::npos, expected);
  }
}

/// A panel lies in strips as wide as a line of memory, or as a vector where it is made of no whole lines.
void TestHostChoices::laysPanelsInStrips() {
  for (const auto& [target, shapes, packed] :
       {std::tuple("x86-64-v4", "4, 70; 70, 192", "T.int64(2), T.int64(6), T.int64(70), T.int64(16)"),
        std::tuple("x86-64-v4", "4, 70; 70, 70", "T.int64(1), T.int64(5), T.int64(70), T.int64(16)"),
        std::tuple("x86-64-v3", "4, 70; 70, 192", "T.int64(12), T.int64(1), T.int64(70), T.int64(16)"),
        std::tuple("x86-64-v3", "1, 70; 70, 192", "T.int64(4), T.int64(7), T.int64(70), T.int64(8)")}) {
    const std::string stages = stagesOfWeighed("R.matmul(p0, p1)", shapes, target);
    QVERIFY(!stages.empty());
    if (stages.find(packed) == std::string::npos)
      qInfo("%s", stages.substr(stages.rfind("_packed")).substr(0, 300).c_str());
    QVERIFY2(stages.find(packed) != std::string::npos, packed);
  }
}

/// Rows of which neither pixels nor channels are side by side are gathered once, where many panels read them.
void TestHostChoices::gathersRowsInSteps() {
  for (const auto& [strides, shapes, expected] :
       {std::tuple("2", "1, 64, 15, 15; 256, 64, 1, 1", true), std::tuple("1", "1, 64, 15, 15; 256, 64, 1, 1", false),
        std::tuple("2", "1, 64, 15, 15; 16, 64, 1, 1", false)}) {
    const std::string text = fmt::format("R.nn.conv2d(p0, p1, strides=[{}, {}])", strides, strides);
    const std::string stages = stagesOfWeighed(text.c_str(), shapes, "llvm -mcpu=x86-64-v3");
    QVERIFY(!stages.empty());
    QCOMPARE(stages.find("gathered") != std::string::npos, expected);
  }
}

/// Results of several times the second cache, of 256 KiB here, go past the caches, where vectors begin at multiples of
/// their size and where they do not, as in rows of an odd length.
void TestHostChoices::storesLargeResultsPastCaches() {
  for (const auto& [text, shapes, expected] :
       {std::tuple("R.nn.relu(p0)", "515, 517", true), std::tuple("R.add(p0, p1)", "515, 517; 517", true),
        std::tuple("R.exp(p0)", "515, 517", true), std::tuple("R.nn.relu(p0)", "315, 517", false)}) {
    const std::string module = moduleOf(text, shapes);
    const auto before = programOf(module, "llvm"), here = programOf(module, "llvm -mcpu=x86-64-v3", "optimized");
    QVERIFY(before && here);
    QCOMPARE(script::printModule(here->module).text.find("streamed_stores") != std::string::npos, expected);
    const auto plain = machineOf(*before, false), interpreted = machineOf(*here, true);
    QVERIFY(plain && interpreted);
    const auto wanted = resultOn(**plain, *before, 1), slow = resultOn(**interpreted, *here, 1);
    QVERIFY(wanted && slow);
    QCOMPARE_LE(apart(**wanted, **slow), 1e-6);
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) continue;
    const auto compiled = machineOf(*here, false);
    QVERIFY(compiled);
    const auto got = resultOn(**compiled, *here, 1);
    QVERIFY2(got, got ? "" : got.diagnostics()[0].message.c_str());
    QVERIFY((*got)->identical(**slow));
#endif
  }
}

void TestHostChoices::choosesLayouts_data() {
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<QString>("rule");
  QTest::newRow("many channels") << "1, 64, 16, 16; 64, 64, 3, 3"
                                 << "conv2d_nhwc: host.Winograd";
  QTest::newRow("few channels") << "1, 16, 16, 16; 64, 16, 3, 3"
                                << "conv2d_nchw: host.Products";
  QTest::newRow("a small image") << "1, 64, 8, 8; 64, 64, 3, 3"
                                 << "conv2d_nchw: host.Products";
}

/// A convolution alone gets its channels last where that saves more than it moves.
void TestHostChoices::choosesLayouts() {
  QFETCH(QString, shapes);
  QFETCH(QString, rule);
  const std::string text = moduleOf(convolution(1, 1), shapes);
  const auto module = script::parseModule(make<SourceFile>("m.py", text));
  const auto whole = programOf(text, "llvm");
  QVERIFY(module && whole);
  const auto arguments = argumentsOf(*whole, 1);
  QVERIFY(arguments);
  compile::Request request;
  const auto bound = compile::withWeights(*module, "main", {{"p1", (*arguments)[1].tensor().copy().value()}});
  QVERIFY(bound);
  request.module = *bound;
  request.passes = "optimized";
  const auto program = compile::compile(request, {});
  QVERIFY2(program, program ? "" : program.diagnostics()[0].message.c_str());
  QVERIFY2(rulesOf(*program).contains(rule), qPrintable(rulesOf(*program)));
  const auto plain = machineOf(*whole, false), compiled = machineOf(*program, false);
  QVERIFY(plain && compiled);
  const auto expected = resultOn(**plain, *whole, 1);
  QVERIFY((*compiled)->start("main", {arguments->front()}).ok());
  (*compiled)->run();
  QCOMPARE_LE(apart(**expected, (*compiled)->result().tensor()), 1e-5);
}

namespace {

bool isScheduled(const compile::Program& program) {
  for (const auto& function : program.module->functions) {
    const auto* kernel = as<tir::PrimFunc>(function);
    if (kernel && ir::boolAttrOf(kernel->attrs, schedule::kScheduled, false)) return true;
  }
  return false;
}

}  // namespace

void TestHostChoices::usesVectors_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<bool>("scheduled");
  QTest::newRow("product") << "R.matmul(p0, p1)"
                           << "3, 4; 4, 5" << true;
  QTest::newRow("convolution") << convolution(1, 1) << "1, 3, 9, 11; 5, 3, 3, 3" << true;
  QTest::newRow("sum") << "R.sum(p0)"
                       << "70" << true;
  QTest::newRow("rows of any number") << "R.matmul(p0, p1)"
                                      << "\"n\", 4; 4, 5" << true;
  QTest::newRow("nothing") << "R.matmul(p0, p1)"
                           << "0, 4; 4, 5" << false;
}

void TestHostChoices::usesVectors() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  QFETCH(bool, scheduled);
  const auto program = programOf(moduleOf(text, shapes), "llvm", "optimized");
  QVERIFY(program);
  QCOMPARE(isScheduled(*program), scheduled);
}

void TestHostChoices::saysWhichRules_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("shapes");
  QTest::addColumn<QString>("rules");
  QTest::newRow("product") << "R.matmul(p0, p1)"
                           << "3, 4; 4, 5"
                           << "matmul: host.Products";
  QTest::newRow("rows") << "R.nn.softmax(p0, axis=-1)"
                        << "3, 40"
                        << "T_softmax_norm: by rows, T_softmax_maxelem host.Reductions, T_softmax_exp and "
                           "T_softmax_expsum host.Reductions, T_softmax_norm host.Elementwise";
  QTest::newRow("a few vectors") << "R.matmul(p0, p1)"
                                 << "4, 1024; 1024, 2048"
                                 << "matmul: host.VectorMatrix";
  QTest::newRow("attention") << "R.matmul(R.nn.softmax(R.matmul(p0, p1), axis=-1), p2)"
                             << "3, 40, 8; 3, 8, 50; 3, 50, 20"
                             << "matmul1: by tiles of 40 rows, matmul host.Products, T_softmax_norm: by rows, "
                                "T_softmax_maxelem host.Reductions, T_softmax_exp and "
                                "T_softmax_expsum host.Reductions, T_softmax_norm host.Elementwise, "
                                "matmul1 host.Products";
  // Of an operator that says which buffers may be laid out otherwise.
  QTest::newRow("causal attention") << "R.nn.attention(p0, p1, p2, causal_mask=\"TopLeft\")"
                                    << "1, 40, 3, 8; 1, 50, 3, 8; 1, 50, 3, 20"
                                    << "T_reshape: host.Elementwise; T_reshape_1: host.Elementwise; T_batch_matmul_NT: "
                                       "host.Products; T_divide_1: by rows, trilu_red host.Reductions, trilu_1 and "
                                       "trilu_red_1 host.Reductions, T_divide_1 host.Elementwise; T_reshape_2: "
                                       "host.Elementwise; T_batch_matmul_NN: host.Products";
  QTest::newRow("too many vectors") << "R.matmul(p0, p1)"
                                    << "9, 1024; 1024, 2048"
                                    << "matmul: host.Products";
  QTest::newRow("rows that a run counts")
      << "R.nn.layer_norm(p0, p1, p1, axes=[-1])"
      << "\"n\", 40; 40"
      << "T_layer_norm: by rows, p0_sum host.Reductions, p0_var_sum host.Reductions, "
         "T_layer_norm host.Elementwise";
  // A channel by itself is padded where it is used; padding by nothing is no stage.
  QTest::newRow("channels apart") << "R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1], strides=[2, 3], groups=6)"
                                  << "1, 6, 20, 70; 6, 1, 3, 3"
                                  << "group_conv2d_nchw: by rows, pad_temp host.Elementwise, group_conv2d_nchw "
                                     "host.Reductions";
  QTest::newRow("windows with rows in common")
      << "R.nn.relu(R.nn.conv2d(p0, p1, padding=[1, 1, 1, 1], groups=6))"
      << "1, 6, 20, 40; 6, 1, 3, 3"
      << "compute: by rows, pad_temp host.Elementwise, group_conv2d_nchw host.Windows";
  QTest::newRow("windows of every second place")
      << "R.nn.conv2d(p0, p1, padding=[2, 2, 2, 2], strides=[2, 2], groups=6)"
      << "1, 6, 20, 40; 6, 1, 5, 5"
      << "group_conv2d_nchw: by rows, pad_temp host.Elementwise, group_conv2d_nchw host.Windows";
  QTest::newRow("zeros between steps") << "R.nn.conv2d_transpose(p0, p1, strides=[2, 1])"
                                       << "1, 4, 6, 9; 4, 10, 3, 3"
                                       << "compute: without the zeros between steps; kernel_transform: "
                                          "host.Elementwise; data_pad: host.Elementwise; compute: "
                                          "host.Products; compute: host.Products";
  QTest::newRow("two sums in one block")
      << "R.nn.instance_norm(p0, p1, p1, channel_axis=1, axes=[2, 3])"
      << "1, 6, 20, 40; 6"
      << "p0_red_temp_v0: host.Reductions; T_instance_norm: by rows, p0_red_temp_v1 host.Reductions, T_instance_norm "
         "host.Elementwise";
  // Of an operator that says by which rule TVM's tuning would schedule it.
  QTest::newRow("a pool") << "R.nn.max_pool2d(p0, pool_size=[3, 3], padding=[1, 1, 1, 1])"
                          << "1, 5, 20, 40"
                          << "pool_max: by rows, pad_temp host.Elementwise, pool_max host.Windows";
  QTest::newRow("running sums beside one another") << "R.cumsum(p0, axis=1)"
                                                   << "3, 20, 40"
                                                   << "cumsum_generic: host.Lines";
  QTest::newRow("running sums across several axes") << "R.cumsum(p0, axis=0)"
                                                    << "20, 6, 5"
                                                    << "cumsum_generic: host.Lines";
  QTest::newRow("running sums along rows") << "R.cumsum(p0, axis=1)"
                                           << "11, 40"
                                           << "cumsum_generic: host.Lines";
  QTest::newRow("a transpose") << "R.permute_dims(p0)"
                               << "20, 40"
                               << "T_transpose: host.Transposes";
  QTest::newRow("elements repeated") << "R.repeat(p0, 2, axis=1)"
                                     << "3, 40"
                                     << "T_repeat: host.Repeats";
  QTest::newRow("channels in groups of many") << "R.nn.relu(R.nn.conv2d(p0, p1, groups=2))"
                                              << "1, 6, 9, 11; 40, 3, 3, 3"
                                              << "group_conv2d_nchw: host.Products";
  QTest::newRow("an element and its number") << "R.argmax(p0, axis=1)"
                                             << "3, 20, 40"
                                             << "p0_red_temp: host.CoupledSums; p0_red: host.Elementwise";
  QTest::newRow("no window") << "R.nn.conv2d(p0, p1)"
                             << "1, 24, 9, 8; 20, 24, 1, 1"
                             << "conv2d_nchw: host.Products";
  // Steps of the only axis that all have in common lie in order: lanes go along it.
  QTest::newRow("no rows") << "R.nn.softmax(p0, axis=0)"
                           << "3, 40"
                           << "T_softmax_maxelem: host.Reductions; T_softmax_exp: host.Elementwise; "
                              "T_softmax_expsum: host.Reductions; T_softmax_norm: host.Elementwise";
}

void TestHostChoices::saysWhichRules() {
  QFETCH(QString, text);
  QFETCH(QString, shapes);
  QFETCH(QString, rules);
  const auto program = programOf(moduleOf(text, shapes), "llvm", "optimized");
  QVERIFY(program);
  QCOMPARE(rulesOf(*program), rules);
}

namespace {

/// What the pass says of a kernel with this body of its only block.
Result<std::string> saidOf(const QString& body) {
  const std::string text =
      "from tvm.script import ir as I\nfrom tvm.script import tirx as T\n\n@I.ir_module\nclass Module:\n"
      "    @T.prim_func(s_tir=True)\n    def k(x: T.Buffer((8, 8), \"float32\"), y: T.Buffer((8,), \"float32\")):\n"
      "        with T.sblock(\"root\"):\n" +
      body.toStdString();
  RX_TRY(module, script::parseModule(make<SourceFile>("k.py", text)));
  RX_TRY(target, target::parseTarget("llvm"));
  RX_TRY(calls, pass::parsePipeline(compile::passTable(), "ApplySchedules()"));
  pass::RunOptions run;
  run.context.target = target;
  const pass::History history = pass::runPipeline(module, calls, run);
  std::string said;
  for (const Diagnostic& message : history.steps.front().messages) said += message.message;
  return said;
}

}  // namespace

void TestHostChoices::saysWhyNot_data() {
  QTest::addColumn<QString>("body");
  QTest::addColumn<QString>("why");
  const QString head =
      "            for i, k in T.grid(8, 8):\n                with T.sblock(\"b\"):\n"
      "                    vi, vk = T.axis.remap(\"SR\", [i, k])\n";
  const QString init = "                    with T.init():\n                        y[vi] = T.float32(%1)\n";
  const QString step = "                    y[vi] = %1\n";
  auto row = [&](const QString& body, const char* why) { QTest::newRow(why) << body << QString(why); };
  row(head + init.arg(1) + step.arg("y[vi] + x[vi, vk]"), "it is no sum, maximum or minimum that starts from a number");
  row(head + init.arg(0) + step.arg("y[vi] + x[vi, vk]"), "");
  row("            for i in range(8):\n                with T.sblock(\"b\"):\n"
      "                    vi = T.axis.spatial(8, i)\n                    T.where(i < 4)\n"
      "                    y[vi] = x[vi, 0]\n",
      "it is no stage of one store for each place of its axes");
}

void TestHostChoices::saysWhyNot() {
  QFETCH(QString, body);
  QFETCH(QString, why);
  const auto said = saidOf(body);
  QVERIFY2(said, said ? "" : said.diagnostics()[0].message.c_str());
  if (why.isEmpty()) QCOMPARE(*said, std::string());
  QVERIFY2(said->find(why.toStdString()) != std::string::npos, said->c_str());
}

/// The pass on its own result changes nothing.
void TestHostChoices::leavesWhatIsScheduled() {
  const auto module = script::parseModule(make<SourceFile>("m.py", moduleOf("R.matmul(p0, p1)", "3, 4; 4, 5")));
  QVERIFY(module);
  const auto calls = pass::parsePipeline(compile::passTable(), "LegalizeOps(), ApplySchedules(), ApplySchedules()");
  QVERIFY(calls);
  pass::RunOptions run;
  run.context.target = *target::parseTarget("llvm");
  run.keepStages = true;
  const pass::History history = pass::runPipeline(*module, *calls, run);
  QVERIFY(history.stage(1) != history.stage(2));
  QVERIFY(history.stage(2) == history.stage(3));
}

/// How results are held against each other in these tests: what is not finite on one side only counts.
void TestHostChoices::tellsWhatIsNotFiniteApart() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const auto of = [](std::vector<double> numbers) {
    return HostTensor::fromDoubles({2}, DataType::Float(32), numbers).value();
  };
  QCOMPARE(apart(*of({2, 4}), *of({3, 4})), 0.25);
  QCOMPARE(apart(*of({kNan, kInf}), *of({kNan, kInf})), 0.0);
  for (const double other : {kNan, kInf, -kInf}) {
    QCOMPARE(apart(*of({2, 4}), *of({2, other})), kInf);
    QCOMPARE(apart(*of({2, other}), *of({2, 4})), kInf);
  }
  QCOMPARE(apart(*of({2, kInf}), *of({2, -kInf})), kInf);
  QCOMPARE(apart(*of({2, kInf}), *of({3, kInf})), 0.5);
}

QTEST_GUILESS_MAIN(TestHostChoices)
#include "tst_host_choices.moc"
