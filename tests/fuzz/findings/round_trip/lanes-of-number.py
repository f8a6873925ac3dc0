@R.function
def main(x: R.Object) -> R.Object:
    y = R.prim_value(T.Broadcast(T.int64(1), 4))
    return y
