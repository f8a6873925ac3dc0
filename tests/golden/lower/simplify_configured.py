# Chains of inequalities, and conditions as a conjunction of disjunctions.
@T.prim_func(s_tir=True)
def main(a: T.Buffer((8,), "bool"), i: T.int32, j: T.int32, k: T.int32):
    if i < j and j < k:
        a[0] = i < k
        a[1] = i < k - 1
        a[2] = i < k - 2
    a[3] = (i == 1 and j == 1) or (i == 1 and j == 2)
