# A warp shuffles; more threads than a warp holds meet in shared memory.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), b: T.Buffer((4,), "float32")):
    T.func_attr({"target": T.target({"kind": "cuda"})})
    for i in range(2):
        tx = T.launch_thread("threadIdx.x", 20)
        r = T.alloc_local((1,))
        with T.attr(T.comm_reducer(lambda x, y: T.max(x, y), [T.float32(0.0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
            T.tvm_thread_allreduce(T.uint32(1), a[i * 20 + tx], T.bool(True), r[0], tx)
        b[i] = r[0]
