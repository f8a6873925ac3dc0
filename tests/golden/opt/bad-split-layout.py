from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True, s_tir=True)
    def mix(x: T.Buffer((4,), "float32"), v: T.Buffer((4,), "float32"), w: T.Buffer((4,), "float32"), y: T.Buffer((4,), "float32")):
        T.func_attr({"layout_free_buffers": [1, 2], "tirx.noalias": True})
        with T.sblock("root"):
            w_tiled = T.sblock_alloc_buffer((2, 2))
            v_tiled = T.sblock_alloc_buffer((2, 2))
            sum = T.sblock_alloc_buffer((4,))
            for i in range(4):
                with T.sblock("w_tiled"):
                    vi = T.axis.spatial(4, i)
                    T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                    w_tiled[vi // 2, vi % 2] = w[vi] * v[vi]
            for i in range(4):
                with T.sblock("v_tiled"):
                    vi = T.axis.spatial(4, i)
                    T.sblock_attr({"meta_schedule.layout_rewrite_preproc": True})
                    v_tiled[vi % 2, vi // 2] = v[vi]
            for i in range(4):
                with T.sblock("sum"):
                    vi = T.axis.spatial(4, i)
                    sum[vi] = x[vi] + w_tiled[vi // 2, vi % 2]
            for i in range(4):
                with T.sblock("y"):
                    vi = T.axis.spatial(4, i)
                    y[vi] = sum[vi] * v_tiled[vi % 2, vi // 2]

    @R.function
    def main(x: R.Tensor((4,), "float32"), v: R.Tensor((4,), "float32"), w: R.Tensor((4,), "float32")):
        cls = Module
        with R.dataflow():
            gv = R.call_tir(cls.mix, (x, v, w), out_sinfo=R.Tensor((4,), "float32"))
            R.output(gv)
        return gv
