from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function(pure=False)
    def main(x: R.Tensor((3, 2), dtype="float32")) -> R.Tensor((3, 2), dtype="float32"):
        y = R.call_packed("vm.builtin.copy", x, sinfo_args=(R.Tensor((3, 2), dtype="float32"),))
        R.print(R.print, format="y = {}")
        z = R.call_dps_packed("tvm.contrib.sort.sort", (x,), out_sinfo=R.Tensor((3, 2), dtype="float32"))
        return R.add(y, z)
