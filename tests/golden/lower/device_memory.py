@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16,), "float32"), B: T.Buffer((16,), "float32")):
        with T.launch_thread("threadIdx.x", 16) as i:
            B[i] = A[i]
