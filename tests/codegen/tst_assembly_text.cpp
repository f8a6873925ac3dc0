// Assembly as LLVM writes it: what stays of it, which line of the kernel each instruction is of, loops in loops, spills
// and registers.
#include <QtTest>

#include "core/codegen/assembly_text.h"

using namespace rx::codegen;

namespace {

constexpr const char* kNested = R"(	.text
	.intel_syntax noprefix
	.file	1 "kernel"
	.globl	kernel                          # -- Begin function kernel
	.type	kernel,@function
.LCPI0_0:
	.long	0x3f800000                      # float 1
kernel:                                 # @kernel
.Lfunc_begin0:
	.cfi_startproc
# %bb.0:                                # %entry
	.loc	1 4 0 prologue_end              # kernel:4:0
	push	rbx
	vmovups	ymmword ptr [rsp - 32], ymm3    # 32-byte Spill
.LBB0_1:                                # %loop
                                        # =>This Loop Header: Depth=1
                                        #     Child Loop BB0_2 Depth 2
	.loc	1 7 0                           # kernel:7:0
	xor	eax, eax
.LBB0_2:                                # %inner
                                        #   Parent Loop BB0_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
.Ltmp0:
	.loc	1 9 5 is_stmt 1                 # kernel:9:5
	vfmadd231ps	ymm0, ymm1, ymmword ptr [rdi] # ymm0 = (ymm1 * mem) + ymm0
	vaddss	xmm2, xmm2, dword ptr [rip + .LCPI0_0]
	jne	.LBB0_2
# %bb.3:                                # %after
                                        #   in Loop: Header=BB0_1 Depth=1
	jne	.LBB0_1
# %bb.4:
	.loc	1 0 0                           # kernel:0:0
	vmovups	ymm3, ymmword ptr [rsp - 32]    # 32-byte Reload
	ret
.Lfunc_end0:
	.size	kernel, .Lfunc_end0-kernel
	.cfi_endproc
)";

}  // namespace

class AssemblyTextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keepsWhatRuns() {
    const MachineCode code = readAssembly(kNested, "#");
    QCOMPARE(QString::fromStdString(code.listing.text),
             QString(".LCPI0_0:\n"
                     "    .long        0x3f800000\n"
                     "kernel:\n"
                     "    push         rbx\n"
                     "    vmovups      ymmword ptr [rsp - 32], ymm3  # 32-byte Spill\n"
                     ".LBB0_1:\n"
                     "    xor          eax, eax\n"
                     ".LBB0_2:\n"
                     "    vfmadd231ps  ymm0, ymm1, ymmword ptr [rdi]\n"
                     "    vaddss       xmm2, xmm2, dword ptr [rip + .LCPI0_0]\n"
                     "    jne          .LBB0_2\n"
                     "    jne          .LBB0_1\n"
                     "    vmovups      ymm3, ymmword ptr [rsp - 32]  # 32-byte Reload\n"
                     "    ret\n"));
    const std::vector<uint32_t> from = {0, 0, 0, 4, 4, 0, 7, 0, 9, 9, 9, 9, 0, 0};
    QCOMPARE(code.listing.from, from);
  }

  void findsLoops() {
    const MachineCode code = readAssembly(kNested, "#");
    QCOMPARE(code.loops.size(), size_t{2});
    QCOMPARE(code.loops[0].first, 6U);
    QCOMPARE(code.loops[0].last, 12U);
    QVERIFY(!code.loops[0].innermost);
    QCOMPARE(code.loops[1].first, 8U);
    QCOMPARE(code.loops[1].last, 11U);
    QCOMPARE(code.loops[1].depth, 2U);
    QVERIFY(code.loops[1].innermost);
  }

  /// A register is one under all of its names; labels and data are no instructions.
  void counts() {
    const MachineCode code = readAssembly(kNested, "#");
    const MachineCounts all = code.counts();
    QCOMPARE(all.instructions, size_t{9});
    QCOMPARE(all.spills, size_t{1});
    QCOMPARE(all.reloads, size_t{1});
    QCOMPARE(all.registers, size_t{4});
    QCOMPARE(all.vectors, std::string("ymm"));
    const MachineCounts inner = code.countsOf(8, 11);
    QCOMPARE(inner.instructions, size_t{3});
    QCOMPARE(inner.spills, size_t{0});
    QCOMPARE(inner.registers, size_t{3});
    QCOMPARE(inner.names.at("vfmadd231ps"), size_t{1});
    QVERIFY(code.countsOf(90, 100).instructions == 0);
  }

  void otherProcessors() {
    const MachineCode code =
        readAssembly("kernel:\n\tfmla\tv0.4s, v1.4s, v31.s[0]\n\tldr\tq2, [x8, #16] // 16-byte Reload\n", "//");
    QCOMPARE(code.counts().registers, size_t{4});
    QCOMPARE(code.counts().vectors, std::string("v"));
    QCOMPARE(code.counts().reloads, size_t{1});
  }

  void takesAnything() {
    QVERIFY(readAssembly("", "#").listing.text.empty());
    const MachineCode odd =
        readAssembly(":\n.loc\n.loc 1\n#\n  Loop Header: Depth=\n\t\n# in Loop: Header=BB9_9 Depth=1\n ymm", "#");
    QVERIFY(odd.loops.empty());
  }
};

QTEST_APPLESS_MAIN(AssemblyTextTest)
#include "tst_assembly_text.moc"
