from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function(pure=False)
    def main(shape: R.Shape(["m"])):
        m = T.int64()
        shared = R.memory.alloc_storage(R.shape([m]), R.prim_value(0), R.str("ipc_memory"), R.dtype("float16"))
        own = R.memory.alloc_storage(R.shape([m]), R.prim_value(0), R.str("global"), R.dtype("float16"))
        a = R.memory.alloc_tensor(shared, R.prim_value(0), R.shape([m]), R.dtype("float16"), R.prim_value(0))
        b = R.memory.alloc_tensor(own, R.prim_value(0), R.shape([m]), R.dtype("float16"), R.prim_value(0))
        c = R.builtin.alloc_tensor(R.shape([m]), R.dtype("float16"), R.prim_value(0), R.str("ipc_memory"))
        d = R.builtin.alloc_tensor(R.shape([m]), R.dtype("float16"), R.prim_value(0), R.str("global"))
        gv = (a, b, c, d)
        return gv
