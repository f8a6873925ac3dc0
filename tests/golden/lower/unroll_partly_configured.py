# What the config leaves out is as without a config: eight levels, and copies of the body.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64,), "int32")):
    for i in range(2):
        for j in range(3):
            a[i * 3 + j] = i
    for i in range(2):
        for j in range(16):
            a[i * 16 + j] = j
