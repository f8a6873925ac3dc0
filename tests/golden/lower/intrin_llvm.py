# Divisions by what is known of their operands; mathematics by LLVM, by C, by other mathematics; products and sums at once.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), c: T.Buffer((64,), "int32"), n: T.int32, m: T.int32):
    T.func_attr({"target": T.target({"kind": "llvm"})})
    for i in range(8):
        c[i] = i // 3 + i % 8 + n // 4 + n % 3 + (i - 2) // 5
        c[i + 8] = n // m
        a[i] = T.exp(a[i]) * T.sinh(a[i]) + T.tan(a[i])
        a[i + 8] = T.sigmoid(a[i]) + T.rsqrt(a[i]) + T.tanh(a[i])
        if i % 4 == 0:
            c[i + 16] = T.max(n // 7, 0)
