# Loops of at most eight steps, not those around a longer one.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "int32")):
    for i in range(2):
        for j in range(3):
            a[i * 3 + j] = i
    for i in range(2):
        for j in range(16):
            a[i * 16 + j] = j
