# How far kernels are from running on a device: nothing bound, bound but too many threads, and within all limits.
from tvm.script import ir as I
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def open_loops(x: T.Buffer((8, 8), "float32"), y: T.Buffer((8, 8), "float32")):
        for i, j in T.grid(8, 8):
            with T.sblock("y"):
                vi, vj = T.axis.remap("SS", [i, j])
                y[vi, vj] = x[vi, vj] + T.float32(1)

    @T.prim_func(s_tir=True)
    def many_threads(x: T.Buffer((4096,), "float32"), y: T.Buffer((4096,), "float32")):
        for i in T.thread_binding(4096, thread="threadIdx.x"):
            with T.sblock("y"):
                vi = T.axis.spatial(4096, i)
                y[vi] = x[vi] + T.float32(1)

    @T.prim_func(s_tir=True)
    def much_shared(x: T.Buffer((64,), "float32"), y: T.Buffer((64,), "float32")):
        for i in T.thread_binding(64, thread="threadIdx.x"):
            with T.sblock(""):
                ours = T.sblock_alloc_buffer((65536,), scope="shared")
                ours[i] = x[i]
                y[i] = ours[63 - i]

    @T.prim_func(s_tir=True)
    def bound(x: T.Buffer((64, 64), "float32"), y: T.Buffer((64, 64), "float32")):
        for i in T.thread_binding(64, thread="blockIdx.x"):
            for j in T.thread_binding(64, thread="threadIdx.x"):
                with T.sblock("y"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    y[vi, vj] = x[vi, vj] + T.float32(1)
