# Calls with effects stay, and the value that a store would have computed with one.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((16,), "int32"), n: T.int32):
    for i in range(n):
        T.call_extern("int32", "tick", i)
    if T.call_extern("bool", "ready"):
        T.evaluate(0)
    for i in range(n - 3):
        a[i] = 1
