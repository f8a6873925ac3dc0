@R.function
def main(p: R.Tensor((3, 5, 10), "float32"), t: R.Tensor(("n", 10), "int64"), some: R.Tensor(dtype="float32"), i: R.Tensor((2, 2), "int64"), b: R.Tensor(ndim=1, dtype="int64"), g: R.Tensor(("c",), "float32"), m: R.Tensor((3,), "float32")) -> R.Object:
    loss = R.nn.nll_loss(p, t, reduction="none")
    same = R.scatter_elements(some, i, i)
    cut = R.dynamic_strided_slice(some, b, b, b)
    norm = R.nn.batch_norm(some, g, m, m, m, axis=1)
    return loss
