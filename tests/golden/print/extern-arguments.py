from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer((8,), "float32")):
    nothing: T.let[T.void] = T.call_extern("void", "get")
    A[0] = T.call_extern("float32", "take", 1, nothing)
    T.ptx.cp_async("float32", A.data, 0, A.data, 4, 16)
    T.ptx.cp_async.commit_group()
    T.ptx.cp_async.wait_group(0)
