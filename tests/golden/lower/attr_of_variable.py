# A mark on a variable that nothing defines keeps the variable's declaration in the text.
@T.prim_func(private=True, s_tir=True)
def main(a: T.Buffer((16,), "float32")):
    k = T.int32()
    with T.attr(T.iter_var(k, None, "DataPar", ""), "pragma_mark", 1):
        for i in range(16):
            a[i] = T.float32(0.0)
