# Ramps and broadcasts; calls that compute lane by lane; what has no vector form becomes a loop of its own.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), b: T.Buffer((64,), "float32"), n: T.int32):
    for i in T.vectorized(4):
        a[n * 4 + i] = T.exp(b[i * 2]) + T.float32(1.0)
    for i in T.vectorized(4):
        k: T.let[T.int32] = i * 3
        a[k] = T.Select(k < n, b[i], T.float32(0.0))
    for i in T.vectorized(4):
        if i < n:
            a[i] = b[i]
    for i in T.vectorized(4):
        for j in range(2):
            a[i] = a[i] + b[i + j]
    for i in T.vectorized(4):
        a[i] = T.if_then_else(i < n, b[i], T.float32(0.0))
