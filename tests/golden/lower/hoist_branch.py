# A condition that decides about a whole loop goes in front of it, with both sides; one that decides about a part stays.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "float32"), n: T.int32):
    for i in range(8):
        for j in range(8):
            if n < 3:
                a[i * 8 + j] = T.float32(1.0)
            else:
                a[i * 8 + j] = T.float32(2.0)
    for i in range(8):
        a[i] = T.float32(0.0)
        if n < 5:
            a[i + 8] = T.float32(3.0)
