from tvm.script import ir as I, relax as R, tir as T


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 8), dtype="float32"), h: R.Tensor((4,), dtype="float16"), d: R.Tensor((4,), dtype="float64")
    ):
        n = T.int64()
        with R.dataflow():
            e: R.Tensor((n, 8), dtype="float32") = R.exp(x)
            t: R.Tensor((n, 8), dtype="float32") = R.tanh(e)
            f: R.Tensor((n, 8), dtype="float32") = R.erf(t)
            s: R.Tensor((n, 8), dtype="float32") = R.nn.softmax(f, axis=-1)
            # What has no polynomial in its type is the function itself.
            hf: R.Tensor((4,), dtype="float16") = R.erf(h)
            ht: R.Tensor((4,), dtype="float16") = R.tanh(hf)
            de: R.Tensor((4,), dtype="float64") = R.exp(d)
            r: R.Tensor((4,), dtype="float64") = R.sin(de)
            R.output(s, ht, r)
        return (s, ht, r)
