from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 8), dtype="float16"), w: R.Tensor((8, 8), dtype="float16"), mask: R.Tensor((8,), dtype="int32")) -> R.Tuple(R.Tensor(("n", 8), dtype="float16"), R.Tensor(("n", 16), dtype="float16")):
        n = T.int64()
        cls = Module
        with R.dataflow():
            before: R.Tensor((n, 8), dtype="float16") = R.add(x, R.const(1.0, "float16"))
            scores: R.Tensor((n, 8), dtype="float16") = R.matmul(before, w, out_dtype="float16")
            other: R.Tensor((n, 8), dtype="float16") = scores
            halves: R.Tuple(R.Tensor((n, 4), dtype="float16"), R.Tensor((n, 4), dtype="float16")) = R.split(other, indices_or_sections=2, axis=1)
            left: R.Tensor((n, 4), dtype="float16") = halves[0]
            joined: R.Tensor((n, 16), dtype="float16") = R.concat((before, left, left), axis=1)
            kernel: R.Tensor((n, 8), dtype="float16") = R.call_dps_packed("k", (scores, before), out_sinfo=R.Tensor((n, 8), dtype="float16"))
            soft: R.Tensor((n, 8), dtype="float16") = R.nn.softmax(scores, axis=-1)
            sum_: R.Tensor((n, 8), dtype="float16") = R.multiply(kernel, soft)
            gv: R.Tuple(R.Tensor((n, 8), dtype="float16"), R.Tensor((n, 16), dtype="float16")) = (sum_, joined)
            R.output(gv)
        return gv
