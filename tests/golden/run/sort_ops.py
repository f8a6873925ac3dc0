from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor(("n", 5), dtype="float32"), y: R.Tensor((6,), dtype="int64")) -> R.Tuple(R.Tensor(("n", 5), dtype="float32"), R.Tensor(("n", 5), dtype="int32"), R.Tensor((6,), dtype="int64"), R.Tensor(("n", 2), dtype="float32"), R.Tensor(("n", 2), dtype="int64"), R.Tensor((3, 5), dtype="int32")):
        n = T.int64()
        a = R.sort(x, axis=-1)
        b = R.argsort(x, axis=0, descending=True)
        c = R.sort(y, axis=0, descending=True)
        t = R.topk(x, k=2, axis=1, ret_type="both", largest=True, dtype="int64")
        d = t[0]
        e = t[1]
        g = R.topk(x, k=3, axis=0, ret_type="indices", largest=False)
        return (a, b, c, d, e, g)
