# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.tirx.layout import Axis
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(x: T.Buffer((T.int64(5), T.int64(8)), "float32"), T_add: T.Buffer((T.int64(5), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1 in T.grid(T.int64(5), T.int64(8)):
            with T.sblock("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1])
                T.writes(T_add[v_ax0, v_ax1])
                T_add[v_ax0, v_ax1] = x[v_ax0, v_ax1] + T.float32(0.25)

    @T.prim_func(private=True, s_tir=True)
    def add1(x: T.Buffer((T.int64(5), T.int64(8)), "float32"), T_add: T.Buffer((T.int64(5), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1 in T.grid(T.int64(5), T.int64(8)):
            with T.sblock("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(x[v_ax0, v_ax1])
                T.writes(T_add[v_ax0, v_ax1])
                T_add[v_ax0, v_ax1] = x[v_ax0, v_ax1] + T.float32(0.125)

    @T.prim_func(private=True, s_tir=True)
    def add2(left: T.Buffer((T.int64(5), T.int64(8)), "float32"), right: T.Buffer((T.int64(5), T.int64(8)), "float32"), T_add: T.Buffer((T.int64(5), T.int64(8)), "float32")):
        T.func_attr({"tirx.noalias": True})
        # with T.sblock("root"):
        for ax0, ax1 in T.grid(T.int64(5), T.int64(8)):
            with T.sblock("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T.reads(left[v_ax0, v_ax1], right[v_ax0, v_ax1])
                T.writes(T_add[v_ax0, v_ax1])
                T_add[v_ax0, v_ax1] = left[v_ax0, v_ax1] + right[v_ax0, v_ax1]
        for i, j, k in T.grid(T.int64(100000), T.int64(100000), T.int64(8)):
            with T.sblock("spin"):
                v_i, v_j, v_k = T.axis.remap("SSS", [i, j, k])
                T_add[v_i % T.int64(5), v_k] = T_add[v_i % T.int64(5), v_k] * T.float32(1.0001) + T.Cast("float32", v_j)

    @R.function
    def main(x: R.Tensor((5, 8), dtype="float32")) -> R.Tensor((5, 8), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.memory.alloc_storage(R.shape([160]), R.prim_value(0), R.str("global"), R.dtype("float32"))
        alloc: R.Tensor((5, 8), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([5, 8]), R.dtype("float32"), R.prim_value(0))
        cls.add(x, alloc)
        src: R.Tensor((5, 8), dtype="float32") = alloc
        left: R.Tensor((5, 8), dtype="float32") = R.match_cast(src, R.Tensor((5, 8), dtype="float32"))
        alloc1: R.Tensor((5, 8), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([5, 8]), R.dtype("float32"), R.prim_value(0))
        cls.add1(x, alloc1)
        right: R.Tensor((5, 8), dtype="float32") = alloc1
        alloc2: R.Tensor((5, 8), dtype="float32") = R.builtin.alloc_tensor(R.shape([5, 8]), R.dtype("float32"), R.prim_value(0), R.str("global"), sinfo_args=(R.Tensor((5, 8), dtype="float32"),))
        cls.add2(left, right, alloc2)
        out: R.Tensor((5, 8), dtype="float32") = alloc2
        return out
