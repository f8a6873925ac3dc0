# Without shuffles: a tree in shared memory, groups side by side.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), b: T.Buffer((4,), "float32")):
    T.func_attr({"target": T.target({"kind": "opencl"})})
    tx = T.launch_thread("threadIdx.x", 6)
    ty = T.launch_thread("threadIdx.y", 4)
    r = T.alloc_local((1,))
    with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0.0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        T.tvm_thread_allreduce(T.uint32(1), a[ty * 6 + tx], tx < 5, r[0], tx)
    b[ty] = r[0]
