# What the last axis alone decides is computed once a step of it; of few other places it is not.
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, 5, 6), dtype="float32"), y: R.Tensor((1, 1, 5, 6), dtype="float32")):
        with R.dataflow():
            lv0 = R.image.resize2d(x, R.shape([10, 12]), layout="NCHW", method="nearest_neighbor")
            lv1 = R.image.resize2d(y, R.shape([3, 12]), layout="NCHW", method="nearest_neighbor")
            R.output(lv0, lv1)
        return (lv0, lv1)
