# Results of operators whose arguments are only partly known.
@I.ir_module
class Module:
    @R.function(private=True)
    def norm(x: R.Tensor("float32", ndim=4), g: R.Tensor((3,), "float32"), v: R.Tensor(("m",), "float32")):
        lv = R.nn.batch_norm(x, g, g, g, v, axis=1)
        return lv

    @R.function(private=True)
    def loss(x: R.Tensor((3, 5, "j", 10), "float32"), t: R.Tensor((3, "k", 10), "int64"), w: R.Tensor("float32", ndim=1)):
        lv = R.nn.nll_loss(x, t, w, reduction="none")
        return lv

    @R.function(private=True)
    def loss_unknown(x: R.Tensor("float32"), t: R.Tensor((3, 10, 10), "int64")):
        lv = R.nn.nll_loss(x, t, reduction="none")
        return lv

    @R.function(private=True)
    def gather(x: R.Tensor((3, 4, 5), "float32"), i: R.Tensor((3, 2, 7), "int64")):
        lv = R.gather_elements(x, i, axis=-2)
        return lv

    @R.function(private=True)
    def median(x: R.Tensor("float32"), y: R.Tensor("float32", ndim=3)):
        lv = R.median(x, keepdims=True)
        lv1 = R.median(y, keepdims=True)
        lv2 = R.median(y, axis=[1])
        return lv, lv1, lv2

    @R.function(private=True)
    def one(x: R.Tensor((), "float32"), p: R.Tensor("float32"), u: R.Tensor((3, 1), "float32"), s: R.Tensor((3, 1), "int64")):
        lv = R.unique(x, return_counts=True)
        lv1 = R.multinomial_from_uniform(p, u, s)
        return lv, lv1

    @R.function(private=True)
    def sums(a: R.Tensor((3, "m"), "float32"), b: R.Tensor(("n", 5), "float32"), c: R.Tensor((10, "k"), "float32")):
        lv = R.einsum((a, b), subscripts="ij,jk->ijk")
        lv1 = R.einsum((c,), subscripts="ii->i")
        return lv, lv1

    @R.function(private=True)
    def packed(x: R.Tensor((3, 4, 32, 32), "float32"), w: R.Tensor(("k", 4, 3, 3), "float32"), v: R.Tensor((6, 4, 3, 3), "float32")):
        lv = R.nn.conv2d(x, w, out_layout="NCHW4c")
        lv1 = R.nn.conv2d(x, v, out_layout="NCHW4c")
        return lv, lv1

    @R.function(private=True)
    def scaled(x: R.Tensor((3,), "int8"), s: R.Tensor((1, 1), "float32"), z: R.Tensor((1, 1), "int8")):
        lv = R.dequantize(x, s, z)
        return lv
