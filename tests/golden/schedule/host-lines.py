from tvm.script import ir as I
from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((3, 20, 40), dtype="float32")):
        gv = R.cumsum(x, axis=1)
        return gv

    @R.function
    def apart(x: R.Tensor((11, 40), dtype="float32")):
        gv = R.cumsum(x, axis=1)
        return gv

    @R.function
    def rows(x: R.Tensor((20, 6, 5), dtype="float32")):
        gv = R.cumsum(x, axis=0)
        return gv
