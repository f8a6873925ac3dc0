# from tvm.script import ir as I
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor((2, 40, 8), dtype="float32"), k: R.Tensor((2, 8, 50), dtype="float32"), v: R.Tensor((2, 50, 20), dtype="float32"), mask: R.Tensor((1, 40, 50), dtype="float32")):
        with R.dataflow():
            scores = R.matmul(q, k)
            scaled = R.multiply(scores, R.const(0.125, "float32"))
            masked = R.add(scaled, mask)
            weights = R.nn.softmax(masked, axis=-1)
            one = R.matmul(weights, v)
            # The softmax of another axis weighs nothing.
            across = R.nn.softmax(scores, axis=1)
            two = R.matmul(across, v)
            gv = R.add(one, two)
            R.output(gv)
        return gv
