from tvm.script import ir as I, tirx as T


@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(x: T.Buffer((24, 32), "float32"), y: T.Buffer((24,), "float32")):
        for b in T.thread_binding(2, thread="blockIdx.x"):
            for i in T.thread_binding(16, thread="threadIdx.y"):
                for k in T.thread_binding(32, thread="threadIdx.x"):
                    with T.sblock("sum"):
                        vi = T.axis.spatial(24, b * 16 + i)
                        vk = T.axis.reduce(32, k)
                        T.where(b * 16 + i < 24)
                        with T.init():
                            y[vi] = T.float32(0)
                        y[vi] = y[vi] + x[vi, vk]
