@R.function
def main(c: R.Tensor((), "bool"), x: R.Tensor(ndim=1, dtype="float32")) -> R.Object:
    if c:
        n = T.int64()
        y = R.match_cast(x, R.Tensor((n,), "float32"))
    else:
        m = T.int64()
        y = R.match_cast(x, R.Tensor((m,), "float32"))
    z = R.zeros(R.shape([n]), "float32")
    return z
