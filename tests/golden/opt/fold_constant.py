from tvm.script import ir as I, relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 2), dtype="float32")):
        with R.dataflow():
            a = R.add(R.const([[1, 2], [3, 4]], "float32"), R.const([[1, 1], [1, 1]], "float32"))
            b = R.permute_dims(a)
            s = R.shape_to_tensor(R.shape([2, 2]))
            n = R.tensor_to_shape(s)
            large = R.zeros(R.shape([64, 64]), dtype="float32")
            c = R.add(x, b)
            d = R.reshape(c, n)
            R.output(d, large)
        return (d, large)
