from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:

    @R.function(pure=False)
    def main(x: R.Tensor((3, 2), dtype="float32")) -> R.Tuple(R.Tensor((3, 2), dtype="float32"), R.Shape(ndim=2), R.Tensor((2,), dtype="int64")):
        y = R.call_packed("vm.builtin.copy", x, sinfo_args=(R.Tensor((3, 2), dtype="float32"),))
        s = R.call_packed("vm.builtin.shape_of", y, sinfo_args=(R.Shape(ndim=2),))
        t = R.call_packed("relax.run.shape_to_tensor", s, sinfo_args=(R.Tensor((2,), dtype="int64"),))
        return (y, s, t)
