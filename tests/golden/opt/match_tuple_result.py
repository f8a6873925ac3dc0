# Only the fields that are to be matched are taken out of the tuple, each right before its check and only once.
@R.function
def main(x: R.Tensor(("n", 4), "float32"), t: R.Tuple(R.Tensor(("n",), "float32"), R.Tuple(R.Object, R.Tensor(("n", "m"), "float32"))), o: R.Object) -> R.Tuple(R.Tensor(("n", 4), "float32"), R.Tensor((3,), "float32")):
    n = T.int64()
    m = T.int64()
    R.func_attr({"relax.force_pure": True})
    r: R.Tuple(R.Tensor(dtype="float32", ndim=2), R.Tensor((3,), "float32")) = R.call_packed("f", x, t, sinfo_args=(R.Tuple(R.Tensor(dtype="float32", ndim=2), R.Tensor((3,), "float32")),))
    p = R.match_cast(o, R.Tuple(R.Tensor((m,), "float32"), R.Object))
    return r
