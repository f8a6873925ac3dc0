# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, "n"), dtype="float32"), y: R.Tensor(("n", 3), dtype="float32"), z: R.Tensor((2, 2), dtype="float32")) -> R.Tuple(R.Tensor((3, 2), dtype="float32"), R.Tensor((2,), dtype="float32"), R.Tensor((), dtype="float32")):
        a = R.einsum((x, y), "ij,jk->ki")
        b = R.einsum((z,), "ii->i")
        c = R.einsum((z, z), "ij,ji")
        return (a, b, c)
