# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((70,), dtype="float32"), y: R.Tensor((3, 40), dtype="float32"), z: R.Tensor((40, 20), dtype="float32")) -> R.Tuple(R.Tensor((), dtype="float32"), R.Tensor((3, 20), dtype="float32")):
        with R.dataflow():
            lv = R.sum(x)
            lv1 = R.matmul(y, z)
            gv = (lv, lv1)
            R.output(gv)
        return gv
