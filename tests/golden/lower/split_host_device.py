# A kernel of a GPU with an extent that only the call knows, and a region for another processor.
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(var_A: T.handle, var_B: T.handle, n: T.int32):
        T.func_attr({"target": T.target({"kind": "cuda", "arch": "sm_80", "host": {"kind": "llvm", "opt-level": 0}})})
        A = T.match_buffer(var_A, (n,))
        B = T.match_buffer(var_B, (n,))
        blocks: T.let[T.int32] = (n + 127) // 128
        with T.launch_thread("blockIdx.x", blocks) as bx:
            tx = T.launch_thread("threadIdx.x", 128)
            pool = T.alloc_buffer((128,), scope="shared.dyn")
            if bx * 128 + tx < n:
                pool[tx] = A[bx * 128 + tx]
                B[bx * 128 + tx] = pool[tx]
        with T.attr(T.target("llvm"), "target", 0):
            B[0] = T.float32(0)
