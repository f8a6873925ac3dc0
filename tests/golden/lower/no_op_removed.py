# Loops that never run, statements without effect, stores of what is there.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(16):
        T.evaluate(i + 1)
    for i in range(4):
        for j in range(i - 3):
            a[j] = 0
    for i in range(16):
        a[i] = a[i]
    if n < 3:
        T.evaluate(0)
    else:
        a[0] = 1
