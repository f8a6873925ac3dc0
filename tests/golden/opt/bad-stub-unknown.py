from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32"), y: R.Tensor((2, "n"), dtype="float16")) -> R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2, "n"), dtype="float16")):
        n = T.int64()
        with R.dataflow():
            scaled: R.Tensor((4,), dtype="float32") = R.call_dps_packed("vendor.scale", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
            both: R.Tuple(R.Tensor((2, n), dtype="float16"), R.Tensor((4,), dtype="float32")) = R.call_pure_packed("vendor.pack", scaled, y, sinfo_args=(R.Tuple(R.Tensor((2, n), dtype="float16"), R.Tensor((4,), dtype="float32")),))
            packed: R.Tensor((2, n), dtype="float16") = both[0]
            kept: R.Tensor((4,), dtype="float32") = R.call_pure_packed("vendor.kept", scaled, sinfo_args=(R.Tensor((4,), dtype="float32"),))
            gv: R.Tuple(R.Tensor((4,), dtype="float32"), R.Tensor((2, n), dtype="float16")) = (kept, packed)
            R.output(gv)
        return gv
