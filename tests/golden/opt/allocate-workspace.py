from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def library(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        R.func_attr({"Codegen": "cutlass", "global_symbol": "library", "WorkspaceSize": 64})

        @R.function
        def inner(y: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
            R.func_attr({"Composite": "cutlass.relu", "WorkspaceSize": 64})
            with R.dataflow():
                gv = R.nn.relu(y)
                R.output(gv)
            return gv

        out = inner(x)
        return out

    @R.function
    def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "float32"):
        cls = Module
        with R.dataflow():
            a = R.add(x, x)
            gv = cls.library(a)
            R.output(gv)
        return gv
