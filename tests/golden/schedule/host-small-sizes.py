# Vectors would go along what becomes rows: of few of them there are forms. No vector goes along those of the sums.
# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n", 20), dtype="float32")):
        with R.dataflow():
            lv0 = R.permute_dims(x)
            lv1 = R.sum(x, axis=[1])
            R.output(lv0, lv1)
        return (lv0, lv1)
