from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((4,), dtype="float32")) -> R.Object:
        gv: R.Object = R.call_pure_packed("vendor.state", x, sinfo_args=(R.Object,))
        return gv
