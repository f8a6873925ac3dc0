# From v0.25 on an assignment makes a scalar, which later ones change; T.let binds. What is no number is bound.
@T.prim_func(s_tir=True)
def f(A: T.Buffer((1,), "int32"), B: T.Buffer((4,), "int32"), m: T.int32):
    x: T.int32
    y: T.float32 = 1
    y = 2
    z = T.local_scalar("int32")
    B[0] = z
    z = 3
    w = T.shared_scalar("int32")
    w = 4
    A = 5
    i = B[0]
    i += B[1]
    if i > 3:
        i = 0
        k = i
        k = k + 1
    for j in range(i):
        i = i + j
    c = B[0] > 2
    B[0] = T.Select(c, 1, 4)
    d = True
    e = 2.5
    v = T.Broadcast(T.float32(1), 4)
    T.evaluate(v)
    s = B[0]
    for l in range(4):
        with T.sblock("b"):
            vi = T.axis.spatial(4, l)
            B[vi] = s
            s = s + 1
    while m > 0:
        n = m
        n -= 1
    q: T.int64 = m
    C = T.alloc_buffer((s,), "int32")
    C[0] = T.call_extern("int32", "foo", s.buffer.data, T.address_of(s))
    h = T.address_of(B[0])
    r: T.let[T.int32] = m + 1
    u: T.let = m + 2
    B[1] = r + u
