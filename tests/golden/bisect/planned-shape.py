from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def doubled(var_x: T.handle, var_y: T.handle):
        n = T.int64()
        x = T.match_buffer(var_x, (n, T.int64(4)))
        y = T.match_buffer(var_y, (n, T.int64(4)))
        for i, j in T.grid(n, T.int64(4)):
            with T.sblock("y"):
                v_i, v_j = T.axis.remap("SS", [i, j])
                y[v_i, v_j] = x[v_i, v_j] * T.float32(2)

    @R.function
    def main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        R.func_attr(
            {
                "relax.force_pure": True,
                "relax.memory_plan_dynamic_func_output": True,
                "tir_var_upper_bound": {"n": 20},
            }
        )
        cls = Module
        room: R.Tensor((n, 4), dtype="float32") = R.builtin.alloc_tensor(
            R.shape([n, 4]), R.dtype("float32"), R.prim_value(0), R.str("global")
        )
        cls.doubled(x, room)
        one: R.Tensor((n, 4), dtype="float32") = room
        return one
