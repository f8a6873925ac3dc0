# A size of another type is a dimension of int64.
@R.function
def main():
    w = R.hamming_window(T.int32(4), True, 0.54, 0.46, "float32")
    e = R.eye(R.prim_value(T.uint8(3)), R.prim_value(T.int32(2)))
    return (w, e)
