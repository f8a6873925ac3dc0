# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 4, 4), dtype="float32"), g: R.Tensor((3,), dtype="float32"), b: R.Tensor((3,), dtype="float32"), m: R.Tensor((3,), dtype="float32"), v: R.Tensor((3,), dtype="float32")):
        with R.dataflow():
            lv = R.nn.batch_norm(x, g, b, m, v, axis=1, training=True)
            lv1 = lv[0]
            lv2 = R.nn.batch_norm(lv1, g, b, m, v, axis=1, training=False)
            gv = lv2[0]
            R.output(gv)
        return gv
