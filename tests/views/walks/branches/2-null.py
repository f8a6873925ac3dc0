# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def add(x: T.Buffer((T.int64(2), T.int64(8)), "float32"), T_add: T.Buffer((T.int64(2), T.int64(8)), "float32")):
        for ax0, ax1 in T.grid(T.int64(2), T.int64(8)):
            with T.sblock("T_add"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T_add[v_ax0, v_ax1] = x[v_ax0, v_ax1] + x[v_ax0, v_ax1]

    @T.prim_func(private=True, s_tir=True)
    def multiply(x: T.Buffer((T.int64(2), T.int64(8)), "float32"), T_multiply: T.Buffer((T.int64(2), T.int64(8)), "float32")):
        for ax0, ax1 in T.grid(T.int64(2), T.int64(8)):
            with T.sblock("T_multiply"):
                v_ax0, v_ax1 = T.axis.remap("SS", [ax0, ax1])
                T_multiply[v_ax0, v_ax1] = x[v_ax0, v_ax1] * T.float32(0.5)

    @R.function
    def main(x: R.Tensor((2, 8), dtype="float32"), flag: R.Tensor((), dtype="bool")) -> R.Tensor((4, 4), dtype="float32"):
        R.func_attr({"relax.force_pure": True})
        cls = Module
        storage: R.Object = R.null_value()
        if flag:
            storage_1: R.Object = R.memory.alloc_storage(R.shape([64]), R.prim_value(0), R.str("global"), R.dtype("float32"))
            alloc: R.Tensor((2, 8), dtype="float32") = R.memory.alloc_tensor(storage_1, R.prim_value(0), R.shape([2, 8]), R.dtype("float32"), R.prim_value(0))
            cls.add(x, alloc)
            square: R.Tensor((4, 4), dtype="float32") = R.reshape(alloc, R.shape([4, 4]))
            y: R.Tensor((4, 4), dtype="float32") = square
        else:
            alloc1: R.Tensor((2, 8), dtype="float32") = R.memory.alloc_tensor(storage, R.prim_value(0), R.shape([2, 8]), R.dtype("float32"), R.prim_value(0))
            cls.multiply(x, alloc1)
            square_1: R.Tensor((4, 4), dtype="float32") = R.reshape(alloc1, R.shape([4, 4]))
            y: R.Tensor((4, 4), dtype="float32") = square_1
        return y
