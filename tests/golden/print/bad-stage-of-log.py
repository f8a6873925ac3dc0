[2026-03-02 10:00:00] INFO compile.py:31: Compiling 1 model (dtype=float32
After Running Pass: The meta data of the pass - pass name: FuseOps, opt_level: 0, required passes: []

# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.add(x, x)
        return y
[10:00:01] src/ir/transform.cc:670: Warning: it's long (see "notes
transform.PassInfo(opt_level=0, name="LegalizeOps", required=[], traceable=False)
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.addd(x, x)
        return y
=== after my own pass ===
# from tvm.script import ir as I
# from tvm.script import relax as R

metadata = tvm.ir.load_json("""{"root_index": 1}""")
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        y: R.Tensor((4,), dtype="float32") = R.multiply(x, x)
        return y
[10:00:02] INFO a message of a log that is too long to be what anybody calls a stage of a compiler
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        return x
