// The stages of kernels: every link is to a line that is there, what is linked belongs together, and the code is what
// is compiled without links.
#include <QtTest>

#include "core/codegen/code_lines.h"
#include "core/codegen/jit.h"
#include "core/compile/kernel_stages.h"
#include "core/compile/request/languages.h"
#include "core/support/file.h"
#include "core/support/text_names.h"

using namespace rx;

namespace {

compile::Program programOf(const ir::Module& module, const char* passes, const char* target) {
  compile::Request request;
  request.module = module;
  request.passes = passes;
  request.target = target::parseTarget(target).value();
  compile::Control control;
  control.keepStages = true;
  auto program = compile::compile(request, control);
  return program ? *program : compile::Program{};
}

ir::Module sample(const QString& name) {
  const std::string path = *moduleIn((QStringLiteral(RX_SOURCE_DIR "/samples/") + name).toStdString());
  const auto unit = compile::readUnit(make<SourceFile>(path, readFile(path).value()));
  return unit ? unit->module : ir::Module();
}

std::vector<std::string> kernelsOf(const compile::Program& program) {
  std::vector<std::string> names;
  for (size_t i = 0; program.module && i < program.module->size(); ++i)
    if (isa<tir::PrimFunc>(program.module->functions[i])) names.push_back(program.module->vars[i]->name.string());
  return names;
}

const compile::KernelStage* stageOf(const compile::KernelStages& kernel, compile::KernelStageKind kind) {
  for (const compile::KernelStage& stage : kernel.stages)
    if (stage.kind == kind) return &stage;
  return nullptr;
}

std::string lineOf(const compile::KernelStage& stage, uint32_t line) {
  return std::string(SourceFile("", stage.text).line(line));
}

}  // namespace

class KernelStagesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyKernel_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("passes");
    for (const char* name : {"mlp", "attention", "simplenet", "scan", "decoder"})
      for (const char* passes : {"default", "optimized"})
        QTest::addRow("%s %s", name, passes) << QString(name) << QString(passes);
  }

  /// Lines that links name are there, each stage was made of an earlier one, and every kernel computes something that
  /// is linked from its machine code to its TIR.
  void everyKernel() {
    QFETCH(QString, name);
    QFETCH(QString, passes);
    const compile::Program program = programOf(sample(name), qPrintable(passes), "llvm");
    const std::vector<std::string> kernels = kernelsOf(program);
    QVERIFY(!kernels.empty());
    for (const std::string& kernel : kernels) {
      const auto stages = compile::kernelStages(program, kernel, {}, {});
      QVERIFY2(stages, kernel.c_str());
      for (size_t i = 0; i < stages->stages.size(); ++i) {
        const compile::KernelStage& stage = stages->stages[i];
        QVERIFY(i == 0 ? stage.of == 0 : stage.of < i);
        const size_t lines = SourceFile("", stage.text).lineCount();
        const size_t before = SourceFile("", stages->stages[stage.of].text).lineCount();
        const size_t first = SourceFile("", stages->stages[0].text).lineCount();
        QVERIFY(stage.from.size() <= lines && stage.origin.size() == stage.from.size());
        for (const compile::Lines& from : stage.from)
          for (const uint32_t line : from) QVERIFY2(line >= 1 && line <= before, kernel.c_str());
        for (const compile::Lines& from : stage.origin)
          for (const uint32_t line : from) QVERIFY2(line >= 1 && line <= first, kernel.c_str());
        for (const compile::TextLoop& loop : stage.loops) QVERIFY(loop.first >= 1 && loop.last <= lines);
      }
      QVERIFY(stages->machine);
      const compile::KernelStage& code = stages->stages.back();
      QVERIFY2(std::any_of(code.origin.begin(), code.origin.end(),
                           [](const compile::Lines& lines) { return !lines.empty() && lines.back() > 6; }),
               kernel.c_str());
    }
  }

  void storesPastTheCaches_data() {
    QTest::addColumn<int>("rows");
    QTest::addColumn<bool>("past");
    QTest::newRow("more than caches hold") << 4096 << true;
    QTest::newRow("little") << 16 << false;
  }

  /// What is more than caches hold until it is read is stored by instructions that pass them, and a fence stands
  /// behind.
  void storesPastTheCaches() {
    QFETCH(int, rows);
    QFETCH(bool, past);
    const std::string text = QString(
                                 "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n"
                                 "    @R.function\n    def main(x: R.Tensor((%1, 1024), \"float32\")):\n"
                                 "        return R.add(x, x)\n")
                                 .arg(rows)
                                 .toStdString();
    const auto unit = compile::readUnit(make<SourceFile>("module.py", text));
    QVERIFY(unit);
    const compile::Program program = programOf(unit->module, "optimized", "llvm -mcpu=x86-64-v3");
    QCOMPARE(kernelsOf(program), std::vector<std::string>{"add"});
    const auto kernel = compile::kernelStages(program, "add", {}, {});
    QVERIFY(kernel);
    const compile::KernelStage* code = stageOf(*kernel, compile::KernelStageKind::Assembly);
    QVERIFY(code);
    for (const char* instruction : {"vmovntps", "sfence"})
      QVERIFY2((code->text.find(instruction) != std::string::npos) == past, instruction);
  }

  /// Vectors of float16 are compared and chosen from as vectors, also where the processor does not compute with them.
  void comparesHalvesInVectors() {
    const std::string text =
        "from tvm.script import ir as I, relax as R\n\n@I.ir_module\nclass Module:\n"
        "    @R.function\n    def main(x: R.Tensor((4096,), \"float16\")):\n        return R.nn.relu(x)\n";
    const auto unit = compile::readUnit(make<SourceFile>("module.py", text));
    QVERIFY(unit);
    const compile::Program program = programOf(unit->module, "optimized", "llvm -mcpu=x86-64-v4");
    const codegen::Machine machine{"x86_64-unknown-linux-gnu", "x86-64-v4", ""};
    const auto kernel = compile::kernelStages(program, "relu", machine, {});
    QVERIFY(kernel);
    const compile::KernelStage* code = stageOf(*kernel, compile::KernelStageKind::Assembly);
    QVERIFY(code);
    QVERIFY2(code->text.find("vcmp") != std::string::npos, code->text.c_str());
    QVERIFY(code->text.find("vucomiss") == std::string::npos);
  }

  /// The instructions that multiply and add are of the line that does, through the rule and every pass.
  void linksWhatComputes() {
    const compile::Program program = programOf(sample("mlp"), "optimized", "llvm -mcpu=x86-64-v3");
    const auto kernel = compile::kernelStages(program, "fused_matmul_add_relu", {}, {});
    QVERIFY(kernel);
    QVERIFY(!kernel->rules.empty());
    // The schedule as it can be applied again, and each rule that was asked in vain with its reason.
    QVERIFY(!kernel->trace.empty() && kernel->trace.front().find("sch.get_sblock(") != std::string::npos);
    QVERIFY(!kernel->passedOver.empty());
    for (const auto& [rule, why] : kernel->passedOver) {
      QVERIFY(rule.starts_with("host.") && !why.empty());
      for (const std::string& made : kernel->rules) QVERIFY2(made.find(rule) == std::string::npos, rule.c_str());
    }
    const compile::KernelStage* code = stageOf(*kernel, compile::KernelStageKind::Assembly);
    const compile::KernelStage* scheduled = stageOf(*kernel, compile::KernelStageKind::Scheduled);
    QVERIFY(code && scheduled);
    size_t seen = 0;
    for (uint32_t line = 1; line <= code->origin.size(); ++line) {
      if (lineOf(*code, line).find("vfmadd") == std::string::npos) continue;
      ++seen;
      QCOMPARE(code->origin[line - 1].size(), size_t{1});
      const std::string source = lineOf(kernel->stages[0], code->origin[line - 1][0]);
      QVERIFY2(source.find(" * ") != std::string::npos && source.find(" + ") != std::string::npos, source.c_str());
    }
    QVERIFY(seen > 0);
  }

  /// To ask for lines changes nothing of the code.
  void codeIsTheSame() {
    const compile::Program program = programOf(sample("attention"), "optimized", "llvm");
    for (const std::string& name : kernelsOf(program)) {
      const auto lowered = compile::loweringOf(program, {})(cast<tir::PrimFunc>(program.module->find(name)));
      QVERIFY(lowered);
      const SourceFile none("kernel", "");
      const auto plain =
          codegen::listKernel(*lowered, none, 77, compile::kernelOptionsOf(program.request), CancelToken());
      const auto linked = compile::kernelStages(program, name, {}, {});
      QVERIFY(plain && linked);
      QCOMPARE(QString::fromStdString(linked->machine->listing.text),
               QString::fromStdString(plain->machine.listing.text));
    }
  }

  /// Each instruction of the listing is found in the bytes that run, in order, and the entry is where it begins.
  void instructionsAreFound_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"mlp", "attention", "decoder"}) QTest::newRow(name) << QString(name);
  }
  void instructionsAreFound() {
    QFETCH(QString, name);
    const compile::Program program = programOf(sample(name), "optimized", "llvm");
    for (const std::string& kernel : kernelsOf(program)) {
      const auto stages = compile::kernelStages(program, kernel, {}, {});
      const auto lowered = compile::loweringOf(program, {})(cast<tir::PrimFunc>(program.module->find(kernel)));
      QVERIFY(stages && lowered);
      const auto object = codegen::kernelObject(*lowered, compile::kernelOptionsOf(program.request));
      QVERIFY(object);
      const auto lines = codegen::codeLines(*object, *stages->machine);
      QVERIFY2(lines, (kernel + (lines ? "" : ": " + lines.diagnostics().front().message)).c_str());
      QCOMPARE(lines->size(), stages->machine->counts().instructions);
      bool entry = false;
      for (size_t i = 0; i < lines->size(); ++i) {
        entry |= (*lines)[i].begin == 0;
        QVERIFY(i == 0 || (*lines)[i - 1].end <= (*lines)[i].begin);
      }
      QVERIFY(entry);
    }
    // Of another kernel it is not.
    const auto other = compile::kernelStages(program, kernelsOf(program).front(), {}, {});
    codegen::MachineCode wrong = *other->machine;
    wrong.lines.back().name = "nosuch";
    const auto lowered =
        compile::loweringOf(program, {})(cast<tir::PrimFunc>(program.module->find(kernelsOf(program).front())));
    const auto object = codegen::kernelObject(*lowered, compile::kernelOptionsOf(program.request));
    QVERIFY(!codegen::codeLines(*object, wrong));
  }

  /// For a device the text that its driver takes, as it is in a program, each line with the statements that it is of.
  void addsWordsUpWhereTheProcessorDoes_data() {
    QTest::addColumn<QString>("processor");
    QTest::addColumn<QString>("type");
    QTest::addColumn<int>("rows");
    QTest::addColumn<QString>("instruction");
    QTest::newRow("bytes, 512 bits") << "cascadelake"
                                     << "int8" << 32 << "vpdpbusd\\s+zmm";
    QTest::newRow("bytes, 256 bits") << "alderlake"
                                     << "int8" << 32 << "vpdpbusd\\s+ymm";
    QTest::newRow("halves") << "cooperlake"
                            << "bfloat16" << 32 << "vdpbf16ps\\s+zmm";
    QTest::newRow("bytes by tiles") << "sapphirerapids"
                                    << "int8" << 160 << "tdpbssd\\s+tmm";
    QTest::newRow("plain bytes by tiles") << "sapphirerapids"
                                          << "uint8" << 160 << "tdpbuud\\s+tmm";
    QTest::newRow("halves by tiles") << "sapphirerapids"
                                     << "bfloat16" << 160 << "tdpbf16ps\\s+tmm";
    QTest::newRow("no tiles of few rows") << "sapphirerapids"
                                          << "int8" << 3 << "";
    QTest::newRow("bytes as shorts") << "x86-64-v4"
                                     << "int8" << 32 << "(vpmaddwd|vpdpbusd)\\s+zmm";
    QTest::newRow("no bytes") << "x86-64-v2"
                              << "int8" << 32 << "";
    QTest::newRow("no halves") << "cascadelake"
                               << "bfloat16" << 32 << "";
    QTest::newRow("few rows") << "cooperlake"
                              << "int8" << 3 << "";
  }
  /// Also for processors that are not this one.
  void addsWordsUpWhereTheProcessorDoes() {
    QFETCH(QString, processor);
    QFETCH(QString, type);
    QFETCH(int, rows);
    QFETCH(QString, instruction);
    const QString text =
        QStringLiteral(
            "from tvm.script import ir as I, relax as R\n@I.ir_module\nclass Module:\n    @R.function\n"
            "    def main(x: R.Tensor((%1, 70), \"%2\"), y: R.Tensor((70, 90), \"%2\")):\n"
            "        return R.matmul(x, y, out_dtype=\"%3\")\n")
            .arg(rows)
            .arg(type, type == "bfloat16" ? "float32" : "int32");
    const auto unit = compile::readUnit(make<SourceFile>("words.py", text.toStdString()));
    QVERIFY2(unit, unit ? "" : unit.diagnostics()[0].message.c_str());
    const compile::Program program = programOf(unit->module, "optimized", qPrintable("llvm -mcpu=" + processor));
    const codegen::Machine machine{"x86_64-linux-gnu", processor.toStdString(), ""};
    const auto kernel = compile::kernelStages(program, "matmul", machine, {});
    QVERIFY2(kernel, kernel ? "" : kernel.diagnostics()[0].message.c_str());
    const auto* code = stageOf(*kernel, compile::KernelStageKind::Assembly);
    QVERIFY(code);
    const QString assembly = QString::fromStdString(code->text);
    static const QRegularExpression kAny("vpdpbusd|vdpbf16ps|tdpb|ldtilecfg");
    QCOMPARE(assembly.contains(instruction.isEmpty() ? kAny : QRegularExpression(instruction)), !instruction.isEmpty());
  }

  /// Forms for some sizes in tiles of rows: all of that is still so little code that LLVM is let optimise it.
  void attentionOfAnyLengthIsOptimised() {
    const auto unit = compile::readUnit(make<SourceFile>(
        "attention.py",
        "from tvm.script import ir as I, relax as R\n@I.ir_module\nclass Module:\n    @R.function\n"
        "    def main(x: R.Tensor((8, \"n\", 64), \"float32\"), y: R.Tensor((8, 64, \"n\"), \"float32\"),\n"
        "             z: R.Tensor((8, \"n\", 64), \"float32\")):\n"
        "        with R.dataflow():\n            s = R.multiply(R.matmul(x, y), R.const(0.125, \"float32\"))\n"
        "            r = R.matmul(R.nn.softmax(s, axis=-1), z)\n            R.output(r)\n        return r\n"));
    QVERIFY2(unit, unit ? "" : unit.diagnostics()[0].message.c_str());
    const compile::Program program = programOf(unit->module, "optimized", "llvm -mcpu=x86-64-v4");
    const std::vector<std::string> kernels = kernelsOf(program);
    const auto fused = std::ranges::find_if(kernels, [](const std::string& name) { return name.starts_with("fused"); });
    QVERIFY(fused != kernels.end());
    const auto kernel = compile::kernelStages(program, *fused, {"x86_64-linux-gnu", "x86-64-v4", ""}, {});
    QVERIFY2(kernel, kernel ? "" : kernel.diagnostics()[0].message.c_str());
    const auto* llvm = stageOf(*kernel, compile::KernelStageKind::LlvmOptimized);
    QVERIFY(llvm && llvm->text.find("attributes #0") != std::string::npos);
    QVERIFY(llvm->text.find("optnone") == std::string::npos);
  }

  void turnsOfLoops_data() {
    QTest::addColumn<QString>("processor");
    QTest::addColumn<QString>("table");
    QTest::newRow("its own") << "x86-64-v3"
                             << "";
    QTest::newRow("two units of 512 bits") << "sapphirerapids"
                                           << "skylake-avx512";
  }
  /// What a turn of the loop of products costs on a processor: its multiplications fill two ports, which is told by
  /// line and adds up, and nothing takes longer than the turn.
  void turnsOfLoops() {
    QFETCH(QString, processor);
    QFETCH(QString, table);
    const auto unit = compile::readUnit(
        make<SourceFile>("product.py",
                         "from tvm.script import ir as I, relax as R\n@I.ir_module\nclass Module:\n    @R.function\n"
                         "    def main(x: R.Tensor((96, 96), \"float32\"), y: R.Tensor((96, 96), \"float32\")):\n"
                         "        return R.matmul(x, y)\n"));
    QVERIFY(unit);
    const compile::Program program = programOf(unit->module, "optimized", qPrintable("llvm -mcpu=" + processor));
    const codegen::Machine machine{"x86_64-linux-gnu", processor.toStdString(), ""};
    const auto kernel = compile::kernelStages(program, "matmul", machine, {});
    QVERIFY2(kernel, kernel ? "" : kernel.diagnostics()[0].message.c_str());
    QCOMPARE(QString::fromStdString(kernel->machine->processor), processor);
    QVERIFY(kernel->machine->noTurns.empty());
    size_t products = 0;
    for (const codegen::MachineLoop& loop : kernel->machine->loops) {
      QVERIFY(loop.innermost || !loop.turn);
      if (!loop.turn) continue;
      QCOMPARE(QString::fromStdString(loop.turn->table), table);
      const codegen::MachineCounts counts = kernel->machine->countsOf(loop.first, loop.last);
      QCOMPARE(loop.turn->lines.size(), counts.instructions);
      double most = 0, sum = 0, all = 0;
      for (const codegen::LoopTurn::Line& line : loop.turn->lines) {
        QVERIFY(line.number >= loop.first && line.number <= loop.last);
        for (const codegen::PortUse& use : line.ports) sum += use.cycles;
      }
      for (const codegen::PortUse& use : loop.turn->ports) {
        most = std::max(most, use.cycles);
        all += use.cycles;
      }
      QVERIFY(std::abs(sum - all) < 1e-6 * all);
      QVERIFY2(most <= loop.turn->cycles * 1.05, qPrintable(QString("%1 of %2").arg(most).arg(loop.turn->cycles)));
      size_t fused = 0;
      for (const auto& [name, count] : counts.names) fused += name.starts_with("vfmadd") ? count : 0;
      if (fused < 8) continue;
      ++products;
      QVERIFY2(loop.turn->cycles < 0.8 * static_cast<double>(fused),
               qPrintable(QString("%1 cycles of %2 products").arg(loop.turn->cycles).arg(fused)));
    }
    QVERIFY(products > 0);
  }
  /// Of a processor whose ports LLVM does not know nothing is said but that.
  void noTurns() {
    const compile::Program program = programOf(sample("mlp"), "default", "llvm -mtriple=riscv64-linux-gnu");
    const codegen::Machine machine{"riscv64-linux-gnu", "generic-rv64", "+m,+a,+f,+d"};
    const auto kernel = compile::kernelStages(program, "relu", machine, {});
    QVERIFY2(kernel, kernel ? "" : kernel.diagnostics()[0].message.c_str());
    QVERIFY(kernel->machine->processor.empty());
    QCOMPARE(QString::fromStdString(kernel->machine->noTurns), QString("LLVM knows no ports of generic-rv64"));
    for (const codegen::MachineLoop& loop : kernel->machine->loops) QVERIFY(!loop.turn);
  }

  void devices_data() {
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("begins");
    QTest::addColumn<QString>("stores");
    QTest::newRow("OpenCL C") << "opencl"
                              << "kernel void"
                              << "] =";
    QTest::newRow("PTX") << "cuda -arch=sm_80"
                         << ".visible .entry"
                         << "st.global";
  }
  void devices() {
    QFETCH(QString, target);
    QFETCH(QString, begins);
    QFETCH(QString, stores);
    const compile::Program program = programOf(sample("mlp"), "opencl", qPrintable(target));
    for (const std::string& name : kernelsOf(program)) {
      const auto kernel = compile::kernelStages(program, name, {}, {});
      QVERIFY(kernel);
      QVERIFY(!kernel->machine);
      const auto stage = std::find_if(kernel->stages.begin(), kernel->stages.end(),
                                      [](const auto& each) { return each.kind == compile::KernelStageKind::Device; });
      QVERIFY(stage != kernel->stages.end());
      QVERIFY(stage->text.find(begins.toStdString()) != std::string::npos);
      // Marks change nothing of it.
      compile::Program alone = program;
      alone.module = program.module->with({{program.module->findVar(name), program.module->find(name)}});
      const auto plain = compile::deviceTextOf(alone, {});
      QVERIFY(plain);
      QCOMPARE(QString::fromStdString(stage->text), QString::fromStdString(plain->code.text));
      // Every store has a line of the TIR that is one.
      const QStringList lines = QString::fromStdString(stage->text).split('\n');
      const QStringList first = QString::fromStdString(kernel->stages.front().text).split('\n');
      int found = 0;
      for (int i = 0; i < lines.size(); ++i) {
        if (!lines[i].contains(stores) || lines[i].contains("rx_fault") || lines[i].contains("__global")) continue;
        const compile::Lines& origin = stage->origin[static_cast<size_t>(i)];
        const bool stored = std::any_of(origin.begin(), origin.end(), [&](uint32_t line) {
          return first[static_cast<int>(line) - 1].contains("] =");
        });
        found += stored;
      }
      QVERIFY2(found > 0, (name + ": no store has a line").c_str());
      QVERIFY(kernel->device);
      QVERIFY(!kernel->device->kernels.empty());
      const auto& fills = kernel->device->kernels.front().occupancy;
      QCOMPARE(fills.ok(), target.startsWith("cuda"));
      if (!fills) QVERIFY(fills.diagnostics().front().message.find("no vendor publishes") != std::string::npos);
    }
  }

  /// By the table of the architecture, and what the assembler says of a kernel.
  void occupancy() {
    const auto limits = [](const codegen::Occupancy& one) {
      return std::vector<std::string_view>(one.limits.begin(), one.limits.end());
    };
    const auto whole = codegen::occupancyOf("sm_80", {256, 32, 0});
    QVERIFY(whole);
    QCOMPARE(whole->groups, int64_t{8});
    QCOMPARE(whole->warps, whole->mostWarps);
    const auto registers = codegen::occupancyOf("sm_80", {256, 64, 0});
    QCOMPARE(registers->groups, int64_t{4});
    QCOMPARE(limits(*registers), (std::vector<std::string_view>{"registers"}));
    const auto shared = codegen::occupancyOf("sm_80", {64, 0, 65536});
    QCOMPARE(shared->groups, int64_t{2});
    QCOMPARE(limits(*shared), (std::vector<std::string_view>{"shared memory"}));
    QCOMPARE(codegen::occupancyOf("sm_80", {64, 0, 200000})->groups, int64_t{0});
    const auto old = codegen::occupancyOf("sm_10", {64, 0, 0});
    QVERIFY(!old && old.diagnostics().front().message.find("sm_10") != std::string::npos);
    QVERIFY(!codegen::occupancyOf("", {64, 0, 0}));
    const auto said = codegen::readAssemblerReport(
        "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
        "ptxas info    : Function properties for k\n"
        "    24 bytes stack frame, 8 bytes spill stores, 16 bytes spill loads\n"
        "ptxas info    : Used 61 registers, 4096 bytes smem, 376 bytes cmem[0]\n"
        "ptxas info    : Function properties for called\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n");
    QCOMPARE(said.size(), size_t{1});
    const codegen::AssembledKernel& kernel = said.at("k");
    QCOMPARE(kernel.registers, int64_t{61});
    QCOMPARE(kernel.spillStores, int64_t{8});
    QCOMPARE(kernel.spillLoads, int64_t{16});
    QCOMPARE(kernel.stackBytes, int64_t{24});
    QCOMPARE(kernel.sharedBytes, int64_t{4096});
    QVERIFY(codegen::readAssemblerReport("ptxas fatal : no").empty());
  }

  /// Notes stand before instructions of bodies alone, and never within one.
  void instructionsOfTheDeviceKeepTheirLines() {
    const std::string marked = codegen::withLinesMarked(
        ".address_size 64\n.visible .entry k(\n\t.param .u64 p\n)\n{\n\t.reg .b64 \t%rd<2>;\n$L__1:\n\tld.param.u64 "
        "%rd1, "
        "[p];\n\tcall.uni \n\trx_fail, \n\t(\n\t);\n\t@%p1 ret;\n}\n");
    QCOMPARE(
        marked,
        std::string(".address_size 64\n.file 1 \"kernels\"\n.visible .entry k(\n\t.param .u64 p\n)\n{\n\t.reg .b64 "
                    "\t%rd<2>;\n$L__1:\n\t.loc 1 8 0\n\tld.param.u64 %rd1, [p];\n\t.loc 1 9 0\n\tcall.uni "
                    "\n\trx_fail, \n\t(\n\t);\n\t.loc 1 13 0\n\t@%p1 ret;\n}\n"));
    const codegen::ListedText read = codegen::readDisassembly(
        "\t.section .text.k\n\t//## File \"kernels\", line 8\n        /*0000*/  MOV R1, R2 ;\n.L_1:\n        /*0010*/  "
        "EXIT ;\n"
        "\t.section .text.other\n        /*0000*/  NOP ;\n");
    QCOMPARE(read.text,
             std::string("\t.section .text.k\n        /*0000*/  MOV R1, R2 ;\n.L_1:\n        /*0010*/  EXIT ;\n"
                         "\t.section .text.other\n        /*0000*/  NOP ;\n"));
    QCOMPARE(read.from, (std::vector<uint32_t>{0, 8, 0, 8, 0, 0}));
    QVERIFY(codegen::readDisassembly("").text.empty());
  }

  void refuses() {
    const compile::Program program = programOf(sample("mlp"), "optimized", "llvm");
    for (const char* name : {"", "main", "matmul", "no such"}) {
      const auto kernel = compile::kernelStages(program, name, {}, {});
      QVERIFY(!kernel);
      QCOMPARE(kernel.diagnostics().front().rule, std::string("kernel.unknown"));
    }
    compile::Control control;
    control.cancel.cancel();
    const auto cancelled = compile::kernelStages(program, "softmax", {}, control);
    QVERIFY(!cancelled);
    QCOMPARE(cancelled.diagnostics().front().rule, std::string("pass.cancelled"));
  }
};

QTEST_APPLESS_MAIN(KernelStagesTest)
#include "tst_kernel_stages.moc"
