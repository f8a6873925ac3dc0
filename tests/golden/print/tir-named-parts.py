# from tvm.script import ir as I
# from tvm.script import tirx as T
# from tvm.script import relax as R

@I.ir_module
class Module:
    # Only reads of a part: the elements of the buffer.
    @T.prim_func(s_tir=True)
    def reads(A: T.Buffer((T.int64(8),), "float32"), C: T.Buffer((T.int64(8),), "float32")):
        B = A[0:T.int64(8)]
        D = A[2:6]
        for i in range(4):
            C[i] = B[i] + D[i + 1] + D[1:3][i]

    # Stores to a part: what v0.25 prints for buffers that are declared.
    @T.prim_func(s_tir=True)
    def stores(A: T.Buffer((T.int64(8),), "float32"), C: T.Buffer((T.int64(8),), "float32")):
        A_1 = A[0:T.int64(8)]
        C_1 = C[0:T.int64(8)]
        for i in range(8):
            C_1[i] = A_1[i]

    # Vectors, as VectorizeLoop leaves them.
    @T.prim_func(s_tir=True)
    def vectors(A: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32")):
        C[0:4] = C[0:4] + A[0:4] * A[4:8]

    # A pointer that is used before it is allocated.
    @T.prim_func(s_tir=True)
    def early(C: T.Buffer((8,), "float32")):
        p = T.handle("float32", "shared")
        early_1 = T.decl_buffer((8,), data=p, scope="shared")
        late = T.alloc_shared((8,), data=p)
        C[0] = early_1[0] + late[1]

    # Names in the spaces of a device.
    @T.prim_func(s_tir=True)
    def devices(A: T.Buffer((64,), "float32"), n: T.int32):
        T.metal.make_filled_simdgroup_matrix(A.data, 0, T.float32(0.0), 8, 8)
        T.metal.simdgroup_load(A.data, 0, A.data, 8, 8, 8, T.bool(False))
        A[0] = T.metal.simd_shuffle_down(A[1], n)
        A[1] = T.webgpu.subgroup_shuffle(A[1], n)
        A[2] = T.cuda.__shfl_down_sync(T.cuda.__activemask(), A[1], n, 32)
        A[3] = T.tvm_warp_shuffle_xor(T.uint32(1), A[1], n, 32, 32)

    # The device of what is allocated.
    I.module_global_infos({"vdevice": [I.vdevice({"kind": "cuda"}, 0, "global")]})
    @R.function(pure=False)
    def main() -> R.Tensor((2,), dtype="float32", vdevice="cuda:0:global"):
        alloc: R.Tensor((2,), dtype="float32", vdevice="cuda:0:global") = R.builtin.alloc_tensor(R.shape([2]), R.dtype("float32"), R.prim_value(0), R.str("global"), sinfo_args=(R.Tensor((2,), dtype="float32", vdevice="cuda:0:global"),))
        return alloc
