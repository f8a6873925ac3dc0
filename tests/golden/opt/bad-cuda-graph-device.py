from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @R.function
    def main():
        R.func_attr({"relax.force_pure": True})
        storage = R.memory.alloc_storage(R.shape([16]), R.prim_value(1), R.str("global"), R.dtype("float32"))
        a = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([4]), R.dtype("float32"), R.prim_value(0))
        b = R.call_packed("fill", a, sinfo_args=R.Tensor((4,), "float32"))
        return b
