# A length that only a run knows; the condition on lanes is the predicate of the accesses.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), b: T.Buffer((64,), "float32"), n: T.int32):
    for i in range(16):
        for j in T.vectorized(T.vscale() * 4):
            if i * T.vscale() * 4 + j < 62:
                a[i * T.vscale() * 4 + j] = b[i * T.vscale() * 4 + j]
