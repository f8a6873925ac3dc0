# The common value is bound in front of what holds all its uses, a part of it that is used elsewhere too by itself.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
    for i in range(4):
        if x < y:
            a[i] = (x + y) * 3
        else:
            a[i] = (x + y) * 3 + i * 2
        a[i + 4] = x + y
    for j in range(4):
        a[j * 4 + 8] = a[j * 4] + j * 4
