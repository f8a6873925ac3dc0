# The threads of a reduction are launched around it.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), tx: T.int32):
    T.func_attr({"target": T.target({"kind": "cuda"})})
    r = T.alloc_local((1,))
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), a[tx], T.bool(True), r[0], tx)
    a[0] = r[0]
