from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def copy(x: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("copy"):
                vi = T.axis.spatial(4, i)
                y[vi] = x[vi]

    @R.function
    def main(x: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 1, "relax.force_pure": True})
        cls = Module
        storage = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        a = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _ = cls.copy(w, a)
        large = R.memory.alloc_storage(R.shape([32]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        b = R.memory.alloc_tensor(large, R.prim_value(0), R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _1 = cls.copy(a, b)
        _2 = cls.copy(x, a)
        _3 = cls.copy(a, b)
        returned = R.memory.alloc_storage(R.shape([16]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        out = R.memory.alloc_tensor(returned, R.prim_value(0), R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _4 = cls.copy(b, out)
        return out

    @R.function
    def other(w: R.Tensor((4,), "float32")):
        R.func_attr({"num_input": 0, "relax.force_pure": True})
        cls = Module
        storage = R.memory.alloc_storage(R.shape([64]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        a = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([4]), R.dtype("float32"), R.prim_value(0))
        _ = cls.copy(w, a)
        c = R.call_packed("vm.builtin.copy", a, sinfo_args=R.Tensor((4,), "float32"))
        return c
