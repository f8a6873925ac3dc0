from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function
    def main(x: R.Tensor((6,), dtype="float32"), y: R.Tensor(("n", 3), dtype="int32"), z: R.Tensor((2, 3), dtype="float32")) -> R.Tuple(R.Tensor((2, 4), dtype="float32"), R.Tensor(ndim=4, dtype="int32"), R.Tensor((2, 4), dtype="float32"), R.Tensor((3, 2), dtype="float32")):
        a = R.layout_transform(x, index_map=lambda i: (i // 4, i % 4), pad_value=9.0)
        b = R.layout_transform(y, index_map=lambda i, j: (j // 2, i // 3, j % 2, i % 3))
        c = R.layout_transform(z, index_map=lambda i, j: ((i * 3 + j) // 4, (i * 3 + j) % 4), pad_value=9.0)
        d = R.layout_transform(x, index_map=lambda i: (i // 2, i % 2), pad_value=9.0)
        return (a, b, c, d)
