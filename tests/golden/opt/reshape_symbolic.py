# LegalizeOps writes a reshape of symbolic dimensions as a kernel; the pass sees that it only copies in order.
@R.function
def main(x: R.Tensor(("batch", "n", 32), "float32")) -> R.Tensor(("batch", "n", 4, 8), "float32"):
    batch = T.int64()
    n = T.int64()
    with R.dataflow():
        a = R.reshape(x, R.shape([batch * n, 32]))
        b = R.reshape(a, R.shape([batch, n, 4, 8]))
        c = R.permute_dims(b, [0, 2, 1, 3])
        gv = R.reshape(c, R.shape([batch, n, 4, 8]))
        R.output(gv)
    return gv
