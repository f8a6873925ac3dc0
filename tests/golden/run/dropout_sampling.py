from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((2, "n"), dtype="float32")) -> R.Tuple(R.Tensor((2, "n"), dtype="float32"), R.Tensor((2, "n"), dtype="float32"), R.Tensor((4, 1), dtype="int64"), R.Tensor((2, 1), dtype="int32")):
        with R.dataflow():
            a = R.nn.dropout(x, rate=0.25)
            b = a[0]
            c = a[1]
            prob = R.const([[0.2, 0.3, 0.5], [0.3, 0.4, 0.3]], "float32")
            u = R.const([[0.4], [0.9], [0.0], [1.0]], "float32")
            d = R.multinomial_from_uniform(prob, u, R.const([[0], [1], [1], [0]], "int64"))
            e = R.multinomial_from_uniform(R.nn.softmax(x), R.const([[0.1], [0.6]], "float32"), R.const([[1], [1]], "int64"), dtype="int32")
            gv = (b, c, d, e)
            R.output(gv)
        return gv
