@R.function
def main(x: R.Tensor(("n", 3), "float32"), some: R.Tensor(ndim=2, dtype="float32"), s: R.Tensor((3,), "float32"), z: R.Tensor(("m",), "int8"), i: R.Tensor((4, "k"), "int64"), u: R.Tensor((4, 3), "float32"), b: R.Tensor(ndim=1, dtype="int64")) -> R.Object:
    a = R.quantize(x, s, z, axis=1, out_dtype="int8")
    c = R.quantize(some, s, R.const(0, "int8"), axis=1, out_dtype="int8")
    d = R.scatter_nd(x, i, u)
    e = R.dynamic_strided_slice(x, b, b, b)
    f = R.ccl.scatter_from_worker0(some, num_workers=2, axis=0)
    return x
