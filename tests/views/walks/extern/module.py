# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Tensor((4,), dtype="float32"):
        scaled: R.Tensor((4,), dtype="float32") = R.call_dps_packed("vendor.scale", (x,), out_sinfo=R.Tensor((4,), dtype="float32"))
        twice: R.Tensor((4,), dtype="float32") = R.add(scaled, scaled)
        packed: R.Tensor((4,), dtype="float32") = R.call_dps_packed("vendor.pack", (twice,), out_sinfo=R.Tensor((4,), dtype="float32"))
        gv: R.Tensor((4,), dtype="float32") = R.call_dps_packed("vendor.scale", (packed,), out_sinfo=R.Tensor((4,), dtype="float32"))
        return gv
