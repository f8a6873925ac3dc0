# A pointer that is named before its value is known, and the offset of a buffer that no statement declares.
@T.prim_func
def main(a: T.handle):
    A = T.match_buffer(a, (16,), "float16")
    B = T.Buffer((16,), "float16", align=32, offset_factor=16)
    p = T.handle("float32", "global")
    T.attr(p, "storage_alignment", 128)
    with T.LetStmt(T.TVMBackendAllocWorkspace(1, 0, T.uint64(64), 2, 32), var=p):
        T.attr([B, A], "buffer_bind_scope", T.tvm_tuple(0, 16))
        T.evaluate(B.elem_offset // 16)
        T.evaluate(T.isnullptr(p))
