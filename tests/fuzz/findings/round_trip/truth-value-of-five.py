# Intrinsics of v0.22 to v0.22 that left the root of T later.
@T.prim_func
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "uint8")):
    T.create_barriers(1, dtype="")
    T.ptx_init_barrier_thread_count(0, 32, dtype="")
    T.ptx_cp_async_barrier(0)
    T.ptx_arrive_barrier(0)
    T.ptx_arrive_barrier_expect_tx(0, 256)
    T.ptx_wait_barrier(0)
    A[4] = T.create_barriers("float32", T.bool[5])
    T.simdgroup_load(A.data, 0, T.tvm_access_ptr(T.type_annotation("float32"), A.data, 0, 64, 1), 8, 64, 8, T.bool(False))
def main(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "uint8")):
    T.simdgroup_multiply_accumulate(A.data, 0, T.evaluate,  , A.data, 0, A.data, 0)
    T.simdgroup_store(A.data, 0, T.tvm_access_ptr(T.type_annotatimon("float32"), A.data, 0, *2, 2), 8, 8, 8, T.bool(False))
# Intrinsics of v0.22 to v0.22 that left the root of T later.
    A[0] = T.fma8(A[1], A[2], A[3])
    B[0] = T.call_intrin("uint8", "tir.reinterpret", T.int8(1))
   T.make_filled_simdgroup_matrix(A.data, 0, T.float32(0), 8, 8)
