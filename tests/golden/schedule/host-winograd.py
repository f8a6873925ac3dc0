# from tvm.script import ir as I
# from tvm.script import relax as R
# from tvm.script import tirx as T

@I.ir_module
class Module:
    @T.prim_func
    def conv(x: T.Buffer((T.int64(1), T.int64(15), T.int64(13), T.int64(32)), "float32"), w: T.Buffer((T.int64(32), T.int64(32), T.int64(3), T.int64(3)), "float32"), out: T.Buffer((T.int64(1), T.int64(13), T.int64(11), T.int64(32)), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for y, x_, k, ry, rx, c in T.grid(T.int64(13), T.int64(11), T.int64(32), T.int64(3), T.int64(3), T.int64(32)):
            with T.sblock("conv"):
                vy, vx, vk, vry, vrx, vc = T.axis.remap("SSSRRR", [y, x_, k, ry, rx, c])
                with T.init():
                    out[T.int64(0), vy, vx, vk] = T.float32(0)
                out[T.int64(0), vy, vx, vk] = out[T.int64(0), vy, vx, vk] + x[T.int64(0), vy + vry, vx + vrx, vc] * w[vk, vc, vry, vrx]

    @T.prim_func
    def strided(x: T.Buffer((T.int64(1), T.int64(15), T.int64(13), T.int64(32)), "float32"), w: T.Buffer((T.int64(32), T.int64(32), T.int64(3), T.int64(3)), "float32"), out: T.Buffer((T.int64(1), T.int64(7), T.int64(6), T.int64(32)), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for y, x_, k, ry, rx, c in T.grid(T.int64(7), T.int64(6), T.int64(32), T.int64(3), T.int64(3), T.int64(32)):
            with T.sblock("conv"):
                vy, vx, vk, vry, vrx, vc = T.axis.remap("SSSRRR", [y, x_, k, ry, rx, c])
                with T.init():
                    out[T.int64(0), vy, vx, vk] = T.float32(0)
                out[T.int64(0), vy, vx, vk] = out[T.int64(0), vy, vx, vk] + x[T.int64(0), vy * T.int64(2) + vry, vx * T.int64(2) + vrx, vc] * w[vk, vc, vry, vrx]

    @T.prim_func
    def small(x: T.Buffer((T.int64(1), T.int64(9), T.int64(9), T.int64(32)), "float32"), w: T.Buffer((T.int64(32), T.int64(32), T.int64(3), T.int64(3)), "float32"), out: T.Buffer((T.int64(1), T.int64(7), T.int64(7), T.int64(32)), "float32")):
        T.func_attr({"layout_free_buffers": [1]})
        for y, x_, k, ry, rx, c in T.grid(T.int64(7), T.int64(7), T.int64(32), T.int64(3), T.int64(3), T.int64(32)):
            with T.sblock("conv"):
                vy, vx, vk, vry, vrx, vc = T.axis.remap("SSSRRR", [y, x_, k, ry, rx, c])
                with T.init():
                    out[T.int64(0), vy, vx, vk] = T.float32(0)
                out[T.int64(0), vy, vx, vk] = out[T.int64(0), vy, vx, vk] + x[T.int64(0), vy + vry, vx + vrx, vc] * w[vk, vc, vry, vrx]
