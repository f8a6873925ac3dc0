@T.prim_func
def main(A: T.Buffer((4,), "int32"), v: T.int32):
    if A[0] > 0:
        A[1] = 2
    elif v > 1:
        A[v] = 1
    elif v > 2:
        A[v] = 7
    else:
        A[v] = 2
    for v_1 in range(4):
        A[v_1] = v_1
    for i in range(4):
        if A[i] > 3:
            A[i] = 0
        elif A[i] > 2:
            A[i] = 1
        elif A[i] > 1:
            A[i] = 2
        A[i] = A[i] + 5
