# A size of another type is a dimension of int64.
@R.function
def main():
    w = R.hamming_window(T.int32( ), True, 0.54, 0.46, "float32")
    return w
