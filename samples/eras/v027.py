# v0.26 and v0.27: out_ty, R.Any, symbols that the file declares.
from typing import TypeVar
from tvm.script import ir as I
from tvm.script import tirx as T
from tvm.script import relax as R

n = TypeVar("n")


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(x: R.Tensor((n, 4), dtype="float32"), handle: R.Any) -> R.Tensor((n, 4), dtype="float32"):
        y = R.call_dps_packed("scale", (x,), out_ty=R.Tensor((n, 4), dtype="float32"))
        _ = R.call_packed("log", handle, ty_args=(R.Any,))
        return y
