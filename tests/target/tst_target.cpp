// Targets: every way to write one, what follows from what is said, and what is refused with which advice.
#include <QtTest>
#include <algorithm>

#include "core/ir/structural_equal.h"
#include "core/support/processor.h"
#include "core/target/target.h"

using namespace rx;
using namespace rx::target;

namespace {

TargetRef read(const char* text) {
  Result<TargetRef> target = parseTarget(text);
  if (!target) qWarning("%s: %s", text, target.diagnostics()[0].message.c_str());
  return target ? *target : nullptr;
}
/// The rule of the refusal and its advice.
QString refusal(const char* text) {
  Result<TargetRef> target = parseTarget(text);
  if (target) return QStringLiteral("no refusal");
  const Diagnostic& error = target.diagnostics()[0];
  return QString::fromStdString(error.rule + (error.fix.empty() ? "" : "; " + error.fix));
}

}  // namespace

class TargetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsEveryForm() {
    const TargetRef text = read("cuda -arch=sm_80 -max_threads_per_block=512");
    const TargetRef json = read(R"({"kind": "cuda", "arch": "sm_80", "max_threads_per_block": 512})");
    QVERIFY(text && json);
    QVERIFY(sameTarget(text, json));
    QCOMPARE(text->number("thread_warp_size"), 32);
    QCOMPARE(text->number("max_num_threads"), 1024);
    QCOMPARE(text->text("arch"), std::string_view("sm_80"));
    QCOMPARE(text->deviceType(), 2);
    QVERIFY(text->isGpu() && !text->isThisMachine());
    QVERIFY(!sameTarget(text, read("cuda -arch=sm_80")));
  }

  void readsTags() {
    const TargetRef card = read("nvidia/geforce-rtx-4090");
    QVERIFY(card);
    QCOMPARE(card->text("arch"), std::string_view("sm_89"));
    QCOMPARE(card->number("l2_cache_size_bytes"), 75497472);
    const TargetRef board = read("nvidia/jetson-orin-nano");
    QVERIFY(board && board->host());
    QCOMPARE(board->host()->processor().architecture, Architecture::Aarch64);
    const TargetRef changed = read(R"({"tag": "qcom/hexagon-v68", "vtcm-capacity": 70000})");
    QVERIFY(changed);
    QCOMPARE(changed->number("vtcm-capacity"), 70000);
    QCOMPARE(changed->number("num-cores"), 4);
    QCOMPARE(changed->tag(), std::string_view("qcom/hexagon-v68"));
  }

  void fillsInWhatFollows() {
    QCOMPARE(read("cuda")->text("arch"), std::string_view("sm_50"));
    const TargetRef arm = read(R"({"kind": "llvm", "mtriple": "aarch64-linux-gnu", "mattr": ["+v8.2a", "+sve"]})");
    QCOMPARE(arm->keys(), (std::vector<std::string>{"arm_cpu", "cpu"}));
    QCOMPARE(arm->number("feature.has_sve"), 1);
    QCOMPARE(arm->number("feature.has_fp16_simd"), 1);
    QCOMPARE(arm->number("feature.has_dotprod"), 0);
    // TVM knows this triple for Arm, but not for its 64 bits.
    const TargetRef apple = read(R"({"kind": "llvm", "mtriple": "arm64-apple-macos", "mcpu": "apple-m1"})");
    QCOMPARE(apple->number("feature.is_aarch64"), 0);
    QCOMPARE(apple->number("feature.has_dotprod"), 1);
    QCOMPARE(apple->number("feature.has_matmul_i8"), 0);
    const TargetRef micro = read(R"({"kind": "llvm", "mcpu": "cortex-m55", "mattr": ["+nomve"]})");
    QCOMPARE(micro->number("feature.has_dsp"), 1);
    QCOMPARE(micro->number("feature.has_mve"), 0);
    const TargetRef adreno = read(R"({"kind": "opencl", "device": "adreno"})");
    QCOMPARE(adreno->keys(), (std::vector<std::string>{"adreno", "opencl", "gpu"}));
  }

  void knowsProcessors() {
    QVERIFY(read("llvm")->isThisMachine());
    const TargetRef v3 = read("x86-64-v3");
    QVERIFY(!v3->isThisMachine());
    QVERIFY(v3->processor().has("avx2") && v3->processor().has("fma") && v3->processor().has("sse4.2"));
    QVERIFY(!v3->processor().has("avx512f"));
    QCOMPARE(v3->vectorBits(), 256);
    QCOMPARE(read("x86-64-v2")->vectorBits(), 128);
    QCOMPARE(read("x86-64-v4")->vectorBits(), 512);
    QCOMPARE(read("aarch64")->processor().architecture, Architecture::Aarch64);
    QVERIFY(read("aarch64")->processor().has("neon"));
    QCOMPARE(read(R"({"kind": "llvm", "vector-width": 1024})")->vectorBits(), 1024);
    // Those of a name, and of this machine.
    QVERIFY(v3->has("avx2 fma") && !v3->has("avx2 avx512f"));
    const TargetRef here = read("llvm");
    QCOMPARE(here->has("avx512f avx512vl"), missingFeature("avx512f avx512vl").empty());
    if (here->has("avx512f avx512vl")) QCOMPARE(here->vectorBits(), 512);
    // By AVX2's products of shorts, AVX-512's of shorts, and those of bytes; AVX-512 alone has neither.
    QVERIFY(v3->multipliesBytes() && read("x86-64-v4")->multipliesBytes());
    QVERIFY(read("llvm -mcpu=znver4")->multipliesBytes() && !read("x86-64-v2")->multipliesBytes());
    QVERIFY(!read("aarch64")->multipliesBytes());
    QVERIFY(!read("llvm -mcpu=x86-64-v2 -mattr=+avx512vl")->multipliesBytes());
    // What is switched off takes what needs it along.
    const TargetRef without = read("llvm -mcpu=skylake-avx512 -mattr=-avx2");
    QVERIFY(!without->processor().has("avx2") && !without->processor().has("avx512f"));
    QVERIFY(without->processor().has("avx"));
    QVERIFY(read("llvm -mcpu=x86-64-v2 -mattr=+avx512bw")->processor().has("f16c"));
    QVERIFY(v3->processor().cacheBytes[0] > 0);
  }

  void namesScopes() {
    const std::vector<std::string_view> scopes = read("cuda")->scopes();
    QCOMPARE(scopes.front(), std::string_view("global"));
    QVERIFY(std::find(scopes.begin(), scopes.end(), "shared.dyn") != scopes.end());
    QCOMPARE(read("llvm")->scopes().size(), 2u);
  }

  void writesTheShortForm() {
    QVERIFY(isa<ir::StrAttr>(read("cuda -arch=sm_50")->form()));
    for (const char* text :
         {"llvm", "cuda", "x86-64-v3", "aarch64", "nvidia/jetson-orin-nano", "qcom/adreno-opencl-clml",
          "riscv/sifive-u74", "metal -thread_warp_size=32", "vulkan -supports_int64=1"}) {
      const TargetRef target = read(text);
      QVERIFY2(target, text);
      Result<TargetRef> fromShort = targetOf(target->form()), fromFull = targetOf(target->fullForm());
      QVERIFY2(fromShort && sameTarget(*fromShort, target), text);
      QVERIFY2(fromFull && sameTarget(*fromFull, target), text);
      QVERIFY2(structuralEqual(targetForm(target->fullForm()), target->form()), text);
      Result<TargetRef> fromJson = parseTarget(target->json());
      QVERIFY2(fromJson && sameTarget(*fromJson, target), text);
    }
    // A text of an older era stays as it is.
    const NodeRef unknown = ir::strAttr("stackvm -model=unknown");
    QVERIFY(targetForm(unknown) == unknown);
  }

  void changesHosts() {
    const TargetRef device = read("cuda"), host = read("llvm");
    const TargetRef both = device->withHost(host);
    QVERIFY(sameTarget(both->host(), host));
    QVERIFY(!sameTarget(both, device));
    QVERIFY(sameTarget(both->withoutHost(), device));
    QVERIFY(sameTarget(both, read(R"({"kind": "cuda", "host": "llvm"})")));
  }

  void refusesWithAdvice() {
    QCOMPARE(refusal("cudda"), QStringLiteral("target.unknown-kind; did you mean 'cuda'?"));
    QCOMPARE(refusal("nvidia/geforce-rtx-4091"),
             QStringLiteral("target.unknown-kind; did you mean 'nvidia/geforce-rtx-4090'?"));
    QCOMPARE(refusal("cuda -max_num_thread=3"),
             QStringLiteral("target.unknown-attribute; did you mean 'max_num_threads'?"));
    QCOMPARE(refusal("llvm -mcpu=x86-64-v3 -mattr=+avx512ff"),
             QStringLiteral("target.unknown-feature; did you mean 'avx512f'?"));
    QCOMPARE(refusal("llvm -mattr=+x86-64-v3"), QStringLiteral("target.unknown-feature"));
    QCOMPARE(refusal("llvm -mcpu=haswel"), QStringLiteral("target.unknown-processor; did you mean 'haswell'?"));
    QCOMPARE(refusal("x86-64-v9"), QStringLiteral("target.unknown-kind; did you mean 'x86-64-v2'?"));
    QCOMPARE(refusal("cuda -arch=80"), QStringLiteral("target.value"));
    QCOMPARE(refusal("cuda -arch=compute_80"), QStringLiteral("target.value"));
    QCOMPARE(refusal(R"({"kind": "cuda", "max_num_threads": "many"})"), QStringLiteral("target.value"));
    QCOMPARE(refusal(R"({"kind": "llvm", "mattr": "+avx2"})"), QStringLiteral("target.value"));
    QCOMPARE(refusal(R"({"kind": "llvm", "mattr": ["avx2"]})"), QStringLiteral("target.value"));
    QCOMPARE(refusal(R"({"kind": "llvm", "keys": [1]})"), QStringLiteral("target.value"));
    QCOMPARE(refusal(R"({"kind": "cuda", "host": "lllvm"})"),
             QStringLiteral("target.unknown-kind; did you mean 'llvm'?"));
    QCOMPARE(refusal(R"({"arch": "sm_80"})"), QStringLiteral("target.syntax"));
    QCOMPARE(refusal("{\"kind\": "), QStringLiteral("target.syntax"));
    QCOMPARE(refusal("cuda sm_80"), QStringLiteral("target.syntax"));
    QCOMPARE(refusal("  "), QStringLiteral("target.syntax"));
    std::string deep = "\"llvm\"";
    for (int i = 0; i < 20; ++i) deep = R"({"kind": "llvm", "host": )" + deep + "}";
    QCOMPARE(refusal(deep.c_str()), QStringLiteral("target.value"));
  }
};

QTEST_GUILESS_MAIN(TargetTest)
#include "tst_target.moc"
